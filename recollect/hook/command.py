"""`recollect hook`: reads an event of an agent from stdin, and prints what memory adds. Reads the environment.

Whatever fails, it exits with 0, prints nothing and adds a line to its log: an agent never waits for memory longer than
the deadline.
"""

import os
import sys
import time
from collections.abc import Sequence

from recollect.hook.delivery import DeliveryError, deliver
from recollect.hook.event import MAX_BYTES, read_request, write_answer
from recollect.hook.places import log

TIMEOUT_S = 2.0
_OPTIONS = {"--url": "url", "--database": "database", "--user": "user", "--timeout": "timeout"}


def main(arguments: Sequence[str]) -> None:
    """Run the hook and end the process."""
    started = time.monotonic()
    output = b""
    try:
        options = _read_options(arguments)
        timeout = float(options.get("timeout") or TIMEOUT_S)
        _watch(timeout)
        request = read_request(sys.stdin.buffer.read(MAX_BYTES))
        if request is not None:
            context = deliver(
                request,
                url=options.get("url") or os.environ.get("RECOLLECT_URL"),
                database=options.get("database"),
                user=options.get("user"),
                until=started + timeout,
            )
            output = write_answer(request, context)
    except DeliveryError as error:
        log(f"DeliveryError: {error}")
    except Exception as error:  # noqa: BLE001  # the agent goes on whatever memory does
        log(f"{type(error).__name__} in the hook")  # its text may quote the user
    _end(output)


def _end(output: bytes) -> None:
    """Print and exit at once: the interpreter's own end takes milliseconds."""
    try:
        while output:
            output = output[os.write(1, output) :]
    except OSError:
        pass  # the agent does not listen any more
    os._exit(0)


def _watch(timeout: float) -> None:
    """End the process after the deadline, wherever it is."""
    import threading

    def end() -> None:
        time.sleep(timeout + 0.2)  # what knows the deadline itself says more in the log
        log("DeadlineError: the hook took too long")
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()


def _read_options(arguments: Sequence[str]) -> dict[str, str]:
    """Return options by name; what is unknown is left to newer versions."""
    found: dict[str, str] = {}
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name in _OPTIONS:
            found[_OPTIONS[name]] = value or "".join(arguments[place + 1 : place + 2])
    return found
