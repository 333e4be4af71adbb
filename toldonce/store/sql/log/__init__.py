"""Conversations, messages and episodes on a connection."""
