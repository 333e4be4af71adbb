"""The wire formats of chats, one protocol in front of all of them. Pure."""
