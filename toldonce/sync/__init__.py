"""The library without asyncio. tools/make_sync.py generates all files of this folder."""

from toldonce.sync.client import ToldOnce

__all__ = ["ToldOnce"]
