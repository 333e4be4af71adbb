"""How Python is started without the working folder on its path, which may be an untrusted project. Pure.

A module that is run by its name (`python -m`) is looked for in the working folder before the standard library, and so
is each import of it: a project with a module "json" would have it executed.
"""

import sys

FOLDER = sys.prefix
"""Working folder of the processes that we start.

Empty entries of PYTHONPATH, and what programs look for beside them, are taken from the folder. Who may write to this
one may change the interpreter, too.
"""

STOP_LINE = b"stop"
"""What a server tells its worker on standard input to end it after the work in progress."""


def module_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of this package.

    >>> module_command("toldonce.hook.backlog", "http://127.0.0.1:8765")[1:]
    ['-P', '-m', 'toldonce.hook.backlog', 'http://127.0.0.1:8765']
    """
    return [sys.executable, "-P", "-m", module, *arguments]
