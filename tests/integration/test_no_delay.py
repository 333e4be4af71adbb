"""Chunks of an answer leave the server at once, however small."""

import socket

from toldonce.server.http_server import bind


def test_asyncio_knows_accepted_connections_as_tcp_so_nagle_is_off() -> None:
    with bind("127.0.0.1", 0) as listening:
        listening.setblocking(True)
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            with accepted:
                # What asyncio looks at before it sets TCP_NODELAY; 0 leaves Nagle's algorithm on.
                assert accepted.proto == socket.IPPROTO_TCP
