"""Deliver turns that wait in the spool, each once and in the order of its conversation. Reads and writes the spool.

`python -m toldonce.hook.backlog OPTIONS` delivers those of ended conversations to a server: a hook starts it when the
server answers again, and does not wait for it.
"""

import os
import sys
import time

from toldonce.hook.delivery import DeliveryError, Route, TurnRefusedError
from toldonce.hook.places import log
from toldonce.hook.spool import (
    SpooledTurn,
    add_turn,
    conversation_of,
    is_encrypted,
    take_turn,
    trim_spool,
    waiting_turns,
)

# Events that say something new; the others may be lost.
_TURNS = ("prompt", "answer")
_BACKGROUND_S = 60.0


def hand_over(request: dict[str, str], route: Route, until: float) -> str:
    """Deliver a request, after the earlier turns of its conversation; what fails waits in the spool.

    Returns:
        The context in the answer.

    Raises:
        DeliveryError: It was refused, or nothing answered in time.
        OSError: A connection failed or took too long.
    """
    if request["event"] not in _TURNS or is_encrypted():
        return route.send(request, until)
    target = route.target
    earlier = waiting_turns(target)
    if request["event"] == "prompt" and "turn" not in request:
        # Without a name of its own, a turn that comes twice would be two.
        request = dict(request, turn=f"hook-{os.urandom(12).hex()}")
    own = add_turn(request, target)
    if own is None:
        return route.send(request, until)
    try:
        for path in earlier:
            if conversation_of(path) == conversation_of(own.path):
                _deliver_waiting(path, route, until, wait_until=until)
        context = route.send(request, until)
    except TurnRefusedError:
        own.refuse()
        raise
    except (DeliveryError, OSError):
        own.keep()
        trim_spool()
        raise
    own.remove()
    return context


def has_backlog(route: Route) -> bool:
    """Return whether turns wait for a memory."""
    return bool(waiting_turns(route.target))


def deliver_backlog(route: Route, until: float) -> None:
    """Deliver all that waits for a server and is not being delivered; conversations whose turns fail wait on."""
    blocked: set[str] = set()
    for path in waiting_turns(route.target):
        conversation = conversation_of(path)
        if conversation in blocked:
            continue
        try:
            _deliver_waiting(path, route, until)
        except TimeoutError:
            blocked.add(conversation)
        if time.monotonic() > until:
            return


def _deliver_waiting(path: str, route: Route, until: float, *, wait_until: float = 0.0) -> None:
    """Deliver a turn of the spool, unless it is gone.

    Args:
        path: Its file.
        route: Way to the memory.
        until: End of the time for it.
        wait_until: How long to wait for another process that delivers it.

    Raises:
        DeliveryError, OSError: It waits on.
    """
    turn = take_turn(path, wait_until)
    if turn is None:
        return
    try:
        route.send(turn.request, until)
    except TurnRefusedError as error:
        _refuse(turn, str(error))
    except (DeliveryError, OSError):
        turn.keep()
        raise
    else:
        turn.remove()


def _refuse(turn: SpooledTurn, why: str) -> None:
    log(f"TurnRefusedError: a turn that waited is put aside: {why}")
    turn.refuse()


def main(arguments: list[str]) -> None:
    """Deliver the backlog for a server; `arguments` are its URL and the user, if any."""
    route = Route(url=arguments[0], user=arguments[1] if arguments[1:] else None)
    try:
        deliver_backlog(route, time.monotonic() + _BACKGROUND_S)
    except (DeliveryError, OSError) as error:
        log(f"{type(error).__name__}: turns wait on in the spool")


if __name__ == "__main__":
    os.umask(0o077)
    main(sys.argv[1:])
