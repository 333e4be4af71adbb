"""The chat wire: reading requests, who asks, which thread, assembling replies, splicing bytes. Pure."""
