"""The library without asyncio. tools/make_sync.py generates all files of this folder."""

from recollect.sync.client import Recollect

__all__ = ["Recollect"]
