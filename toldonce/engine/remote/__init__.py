"""The library over HTTP: the same classes and methods, served by `/v1` of a ToldOnce server. Connects to it alone.

`RemoteToldOnce` and its namespaces are subclasses of the engine's, so that a program takes either; a test compares
them method by method.
"""

from toldonce.engine.remote.core import RemoteToldOnce

__all__ = ["RemoteToldOnce"]
