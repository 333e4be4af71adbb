"""Program that is a Python script with these arguments, run in a fork of the fork server: files, environment, folder.

Usage: forked_command.py SOCKET SCRIPT ARGUMENTS. Its signals and its end are passed on to the fork, whose exit code it
takes over. It imports little: it is there in a hundredth of the time that the script would take.
"""

import json
import os
import signal
import socket
import sys


def main() -> int:
    """Start the script, wait for its end, and return its exit code."""
    where, *arguments = sys.argv[1:]
    request = {"arguments": arguments, "env": dict(os.environ), "cwd": os.getcwd(), "new_session": True}
    report, its_report = os.pipe()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(where)
        socket.send_fds(server, [json.dumps(request).encode() + b"\n"], [0, 1, 2, its_report])
    for descriptor in (0, 1, 2, its_report):
        os.close(descriptor)
    with open(report, "rb", buffering=0) as reported:
        process = int(reported.readline())
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda sent, _: os.kill(process, sent))
        code = int(reported.readline())
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    os._exit(main())
