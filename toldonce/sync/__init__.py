"""The library without asyncio."""

from toldonce.sync.client import ToldOnce

__all__ = ["ToldOnce"]
