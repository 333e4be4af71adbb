"""The operations of the store, by what they are about."""
