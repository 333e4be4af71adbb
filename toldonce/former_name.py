"""The name before the first release: by it, data, hooks and settings of that time are found. Loads nothing.

The labels from which encryption keys are derived have it too (`store/encryption`), and never change.
"""

NAME = "recollect"
HEADERS = b"x-recollect-"
_VARIABLES, _VARIABLES_NOW = "RECOLLECT_", "TOLDONCE_"
_ADDRESS, _ADDRESS_NOW = "recollect://", "toldonce://"


def replaced_variable(names: "frozenset[str] | set[str]", known: "frozenset[str] | set[str]") -> tuple[str, str] | None:
    """Return a variable with the former prefix and its new name; None if there is none, or the new one is set as well.

    >>> replaced_variable({"RECOLLECT_PORT", "HOME"}, {"PORT"})
    ('RECOLLECT_PORT', 'TOLDONCE_PORT')

    Args:
        names: Of the environment's variables.
        known: Names of variables that are read, in capitals and without a prefix.
    """
    for name in sorted(names):
        bare = name.upper().removeprefix(_VARIABLES)
        now = _VARIABLES_NOW + bare
        if bare != name.upper() and bare in known and now not in names:
            return name, now
    return None


def present_header(name: bytes) -> bytes:
    """Return how a header with the former prefix is named now.

    >>> present_header(b"X-Recollect-User")
    b'x-toldonce-user'
    """
    return name.lower().replace(HEADERS, b"x-toldonce-", 1)


def present_address(address: str) -> str:
    """Return the address of a message as it is written now.

    >>> present_address("recollect://c/5")
    'toldonce://c/5'
    """
    return _ADDRESS_NOW + address.removeprefix(_ADDRESS) if address.startswith(_ADDRESS) else address
