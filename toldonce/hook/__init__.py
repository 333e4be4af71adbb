"""Hooks of coding agents: recall at the user's prompt, record at the end of the answer.

`toldonce hook` runs at each prompt, so `command.py` and what it imports load the standard library alone, and little of
that; the engine runs in a server, or in `resident.py`, a process that the first hook starts.
"""
