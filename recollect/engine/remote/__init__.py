"""The library over HTTP: the same classes and methods, served by `/v1` of a Recollect server. Connects to it alone.

`RemoteRecollect` and its namespaces are subclasses of the engine's, so that a program takes either; a test compares
them method by method.
"""

from recollect.engine.remote.core import RemoteRecollect

__all__ = ["RemoteRecollect"]
