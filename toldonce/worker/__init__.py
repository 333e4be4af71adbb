"""The loop that leases formations and commits what they form."""
