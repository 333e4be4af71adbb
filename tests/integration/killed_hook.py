"""`toldonce hook` that ends itself before or after the n-th call of the system, as if it was killed there.

`python killed_hook.py N OPTIONS`: N counts the beginnings and ends of calls that reach files, sockets and locks.
"""

import os
import signal
import sys
from types import FrameType

_CALLS = ("open", "write", "rename", "replace", "unlink", "close", "flock", "fsync", "connect", "sendall", "recv")


def main() -> None:
    """Count, and kill."""
    left = int(sys.argv.pop(1))

    def count(frame: FrameType, event: str, called: object) -> None:
        nonlocal left
        if event in ("c_call", "c_return") and _is_counted(called):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    from toldonce.hook.command import main as run_hook

    sys.setprofile(count)
    run_hook(sys.argv[1:])


def _is_counted(called: object) -> bool:
    return getattr(called, "__name__", "") in _CALLS


if __name__ == "__main__":
    main()
