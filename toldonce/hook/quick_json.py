"""JSON by the interpreter's own scanner. Pure.

`json` compiles patterns when it is loaded, and with what those load that takes a third of a hook's time. The scanner is
the one that `json` calls; where an interpreter has none, or another one, `json` does it all.
"""

_SPACE = " \t\n\r"


class _Grammar:
    """What the scanner is told: JSON as `json.loads` reads it by default."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}  # noqa: RUF012  # the scanner fills and empties it


try:
    from _json import encode_basestring_ascii as _quoted
    from _json import make_scanner

    _scan = make_scanner(_Grammar())  # type: ignore[arg-type]  # it reads these attributes
except (ImportError, AttributeError, TypeError):
    from json import JSONDecoder
    from json.encoder import encode_basestring_ascii as _quoted

    _scan = JSONDecoder().scan_once  # type: ignore[attr-defined]  # typeshed leaves it out


def read_json(text: str) -> object:
    """Read a JSON value.

    >>> read_json(' {"a": [1, null, "caf\\\\u00e9"]} ')
    {'a': [1, None, 'café']}

    Raises:
        ValueError: It is none.
        RecursionError: It is nested too deep.
    """
    start = len(text) - len(text.lstrip(_SPACE))
    try:
        value, end = _scan(text, start)
    except StopIteration:
        raise ValueError("not JSON") from None
    if text[end:].strip(_SPACE):
        raise ValueError("more than one value")
    return value


def write_json(fields: "dict[str, str] | dict[str, dict[str, str]]") -> bytes:
    """Write an object of strings, or of such objects.

    >>> write_json({"a": "é"}), write_json({"a": {"b": "c"}})
    (b'{"a": "\\\\u00e9"}', b'{"a": {"b": "c"}}')
    """
    parts = [
        f"{_quoted(name)}: {_quoted(value) if isinstance(value, str) else write_json(value).decode()}"
        for name, value in fields.items()
    ]
    return f"{{{', '.join(parts)}}}".encode()
