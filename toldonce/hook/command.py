"""`toldonce hook`: reads an event of an agent from stdin, and prints what memory adds. Reads the environment.

With `--status-line` it reads the state of a session instead, and prints a line of what the session was shown.

Whatever fails, it exits with 0, prints nothing and adds a line to its log: an agent never waits for memory longer than
the deadline. What it imports loads little of the standard library: a test names the modules.
"""

import _thread
import os
import sys
import time

from toldonce.former_name import replaced_variable
from toldonce.hook.backlog import hand_over, has_backlog
from toldonce.hook.delivery import DeliveryError, Route, start_process
from toldonce.hook.event import MAX_BYTES, read_request, read_status, write_answer
from toldonce.hook.places import log

TIMEOUT_S = 2.0
STATUS_LINE = "--status-line"
# Variables, without the prefix, that choose whose memory it is: under their former names they would be ignored.
_VARIABLES = frozenset({"URL", "KEY", "DATABASE_URL", "DEFAULT_USER"})
_OPTIONS = {"--url": "url", "--database": "database", "--user": "user", "--timeout": "timeout"}


def main(arguments: list[str]) -> None:
    """Run the hook and end the process."""
    started = time.monotonic()
    output, route = b"", None
    try:
        options = _read_options(arguments)
        timeout = float(options.get("timeout") or TIMEOUT_S)
        _watch(timeout)
        raw, is_status = sys.stdin.buffer.read(MAX_BYTES), STATUS_LINE in arguments
        request = read_status(raw) if is_status else read_request(raw)
        if request is not None:
            if replaced := replaced_variable(set(os.environ), _VARIABLES):
                raise DeliveryError(f"{replaced[0]} is {replaced[1]} now: rename it")
            route = Route(
                url=options.get("url") or os.environ.get("TOLDONCE_URL") or None,
                database=options.get("database"),
                user=options.get("user"),
            )
            output = write_answer(request, hand_over(request, route, started + timeout))
            if is_status:
                route = None  # it delivers nothing that waits
    except DeliveryError as error:
        log(f"DeliveryError: {error}")
        route = None
    except Exception as error:  # noqa: BLE001  # the agent goes on whatever memory does
        log(f"{type(error).__name__} in the hook")  # its text may quote the user
        route = None
    _end(output, route)


def _end(output: bytes, route: Route | None) -> None:
    """Print and exit at once: the interpreter's own end takes milliseconds."""
    try:
        while output:
            output = output[os.write(1, output) :]
        if route is not None and route.url is not None and has_backlog(route):
            # The resident process delivers what waits for it by itself.
            start_process("toldonce.hook.backlog", [route.url, *([route.user] if route.user else [])])
    except OSError:
        pass  # the agent does not listen any more
    os._exit(0)


def _watch(timeout: float) -> None:
    """End the process after the deadline, wherever it is."""

    def end() -> None:
        time.sleep(timeout + 0.2)  # what knows the deadline itself says more in the log
        log("DeadlineError: the hook took too long")
        os._exit(0)

    _thread.start_new_thread(end, ())


def _read_options(arguments: list[str]) -> dict[str, str]:
    """Return options by name; what is unknown is left to newer versions."""
    found: dict[str, str] = {}
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name in _OPTIONS:
            found[_OPTIONS[name]] = value or "".join(arguments[place + 1 : place + 2])
    return found
