"""Chunks of an answer leave the server at once, however small."""

import socket

from recollect.server.run import bind


def test_an_accepted_connection_is_known_to_asyncio_as_tcp_so_that_it_does_not_hold_back_small_chunks() -> None:
    with bind("127.0.0.1", 0) as listening:
        listening.setblocking(True)
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            with accepted:
                # What asyncio looks at before it sets TCP_NODELAY; 0 leaves Nagle's algorithm on.
                assert accepted.proto == socket.IPPROTO_TCP
