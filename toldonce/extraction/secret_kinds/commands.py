"""Passwords within commands, settings files, tables and pairs of a user and a password. Pure."""

import re
from collections.abc import Iterator

from toldonce.extraction.secret_kinds.found import FoundSecret
from toldonce.extraction.secret_kinds.names import PASSWORDS
from toldonce.extraction.secret_kinds.stems import has_any
from toldonce.extraction.secret_kinds.values import is_placeholder
from toldonce.lazy_pattern import LazyPattern

_I = re.IGNORECASE
# Words of which a text has one if the pattern beside them can match, and the pattern.
_COMMANDS = (
    # curl -u ana:hunter2, smbclient -U ana%hunter2
    (
        ("-u", "user"),
        LazyPattern(
            r"(?:(?<=\s)-[uU]\s{1,3}|--(?:proxy-)?user[\s=]{1,3})[\"']?(?!\d+:\d+(?:\s|$))[^\s:\"'%]{1,80}[:%]"
            r"(?P<value>[^\s\"']{3,200})"
        ),
    ),
    (("sshpass",), LazyPattern(r"\bsshpass\s{1,3}-p\s{0,3}[\"']?(?P<value>[^\s\"']{3,200})")),
    (
        ("mysql",),
        LazyPattern(r"\bmysql\w{0,8}\b[^\n|]{0,120}?\s-p[\"']?(?P<value>[^\s\"']{3,200})"),
    ),
    (
        (" -p", " -a", " -w"),
        LazyPattern(
            r"\b(?:docker|podman|helm|az|oc|mongo|mongosh|mongodump|redis-cli|ldapsearch|unzip|zip|7z|rdesktop|"
            r"twine|sqlcmd|cf|"
            r"heroku|snowsql)\b[^\n|]{0,160}?\s-[pawP]\s{0,2}[\"']?(?P<value>(?!\d{1,5}(?::|\s|$))[^\s\"'/:]{4,200})"
        ),
    ),
    (("xfreerdp",), LazyPattern(r"\bxfreerdp\b[^\n]{0,160}?/p:[\"']?(?P<value>[^\s\"']{3,200})")),
    (
        ("htpasswd",),
        LazyPattern(
            r"\bhtpasswd\s{1,3}-\w{0,4}b\w{0,4}\s{1,3}\S{1,120}\s{1,3}\S{1,60}\s{1,3}[\"']?(?P<value>[^\s\"']{3,200})"
        ),
    ),
    (("pass:",), LazyPattern(r"-pass(?:in|out|word)?\s{1,3}pass:(?P<value>[^\s\"']{3,200})")),
    (
        ("net us",),
        LazyPattern(
            r"\bnet\s{1,3}(?:user\s{1,3}\S{1,60}|"
            r"use\s[^\n]{1,100}?/user:\S{1,60})\s{1,3}(?P<value>[^\s/*][^\s]{3,100})",
            _I,
        ),
    ),
    (
        ("echo",),
        LazyPattern(
            r"\becho\s{1,3}[\"']?(?:[\w.-]{1,40}:)?(?P<value>[^\s\"'|]{3,200})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s|"
            r"chpasswd|passwd|"
            r"docker\slogin)"
        ),
    ),
    (
        ("identified",),
        LazyPattern(r"\bidentified\s{1,3}(?:with\s\S{1,40}\s)?by\s{1,3}[\"'](?P<value>[^\"'\n]{3,200})", _I),
    ),
    (
        ("requirepass", "masterauth", "wpa_passphrase"),
        LazyPattern(
            r"\b(?:requirepass|masterauth|wpa_passphrase)\s{1,3}(?:\S{1,40}\s)?[\"']?(?P<value>[^\s\"']{3,200})"
        ),
    ),
    # ~/.netrc, ~/.pgpass
    (
        ("login",),
        LazyPattern(r"\blogin\s{1,8}\S{1,80}\s{1,8}passw(?:or)?d\s{1,8}(?P<value>\S{3,200})"),
    ),
    (
        (":5432:", ":*:"),
        LazyPattern(r"^[\w.*-]{1,80}:(?:5432|\*):[\w*-]{1,60}:[\w*.-]{1,60}:(?P<value>\S{3,200})$", re.M),
    ),
    # <add key="Password" value="…"/>, {"name": "DB_PASSWORD", "value": "…"}, - name: DB_PASSWORD / value: …
    (
        ("value",),
        LazyPattern(
            r"(?:key|name)[\"']?\s{0,2}[=:]\s{0,2}[\"']?[\w.-]{0,40}(?:password|passwd|pwd|secret|token|"
            r"api_?key)\w{0,10}[\"']?,?"
            r"\s{1,12}[\"']?value[\"']?\s{0,2}[=:]\s{0,2}[\"']?(?P<value>[^\s\"'<>]{3,300})",
            _I,
        ),
    ),
    (("cookie:",), LazyPattern(r"\b(?:set-)?cookie:\s{0,3}[\w.-]{1,60}=(?P<value>[^\n\"']{8,2000})", _I)),
    # 'Netflix: ana@example.org / hunter2'
    (
        ("@",),
        LazyPattern(
            r"[\w.+-]{1,64}+@[\w-]{1,63}\.[\w.-]{2,40}\s{0,2}(?:/|:|\||→|->|,\s?pw)\s{0,2}"
            r"(?P<value>(?=\S{0,60}[\d!#$%&*])[^\s|<>,;\"']{4,80}|[^\s|<>,;\"'@]{4,80}(?=[ \t]{0,3}$))",
            re.M,
        ),
    ),
    # 'login: ana / hunter2', 'credentials are ana:hunter2'
    (
        ("login", "log-in", "cred", "sign-in", "signin", "user/", "user /", "daten", "identifiant", "inlog", "логин"),
        LazyPattern(
            r"\b(?:log-?in|logins|credentials?|creds|sign-?in|user\s?/\s?pass|zugangsdaten|anmeldedaten|"
            r"credenciales|identifiants|"
            r"credenziali|credenciais|inloggegevens|логин)(?:\s(?:for|to|on|of|für|de|del|du|per|do|da|van|от|"
            r"к)\s[^\n:;.]{1,40}?)?"
            r"(?:\s(?:is|are|ist|sind|son|sont|sono|são|zijn))?\s{0,2}[:=]?\s{1,2}[\w.@+-]{2,64}\s{0,2}(?:/|:|"
            r"\||→|->)\s{0,2}(?!/)"
            r"(?P<value>[^\s|<>,;\"']{3,80})",
            _I,
        ),
    ),
    (
        ("question", "secret answer", "security answer"),
        LazyPattern(
            r"\b(?:security|secret)\s(?:question|answer)\b[^.\n?]{0,60}?(?:\bis\b|:|=)\s{0,2}[\"“']?"
            r"(?P<value>[^\s\"”'.,;?]{3,40})(?=[\"”'.,;]|\s{0,2}$|\s{0,2}\n)",
            _I | re.M,
        ),
    ),
)
_HEADER_NAME = LazyPattern(rf"(?:{PASSWORDS}|pass|pin(?: code)?|cvv|secret|api[ _]key|token|key)", _I)
_CELL_EDGES = ' \t*_`"'
_RULE_ROW = LazyPattern(r"[\s|:+-]+")
_HEADER_STEMS = (
    "pass",
    "pwd",
    "pw",
    "pin",
    "cvv",
    "secret",
    "token",
    "key",
    "wort",
    "woord",
    "contras",
    "senha",
    "парол",
    "密",
    "パス",
)
_MAX_ROWS = 200


def find_in_commands(text: str) -> Iterator[FoundSecret]:
    """Yield the passwords in commands and settings files.

    >>> [found.shape for found in find_in_commands("curl -u ana:hunter2 https://x.example")]
    ['password']
    """
    folded = text.casefold()
    for needles, pattern in _COMMANDS:
        if not has_any(folded, needles):
            continue
        for match in pattern.finditer(text):
            start, value = match.start("value"), match["value"].rstrip(".)")
            if not value.startswith("[") and not is_placeholder(value):
                yield FoundSecret(start, start + len(value), "password")


def find_in_tables(text: str) -> Iterator[FoundSecret]:
    """Yield the cells below a header that names a secret.

    >>> table = "| user | password |" + chr(10) + "|---|---|" + chr(10) + "| ana | sunshine |"
    >>> [table[found.start : found.end] for found in find_in_tables(table)]
    ['sunshine']
    """
    if not has_any(text.casefold(), _HEADER_STEMS):
        return
    columns: tuple[int, ...] = ()
    at, mark, rows = 0, "", 0
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        header = _header(body)
        if header is not None:
            mark, columns = header
            rows = _MAX_ROWS
        elif rows and mark in body:
            rows -= 1
            if not _RULE_ROW.fullmatch(body):
                yield from _cells(body, at, mark, columns)
        else:
            rows = 0
        at += len(line)


def _header(line: str) -> tuple[str, tuple[int, ...]] | None:
    for mark in ("|", "\t", ",", ";"):
        cells = line.split(mark)
        if len(cells) > 1 and len(cells) <= 40:
            columns = tuple(
                place for place, cell in enumerate(cells) if _HEADER_NAME.fullmatch(cell.strip(_CELL_EDGES))
            )
            others = [cell for place, cell in enumerate(cells) if place not in columns and cell.strip()]
            if (
                columns
                and others
                and all(len(cell) <= 24 and not any(char.isdigit() for char in cell) for cell in others)
            ):
                return mark, columns
    return None


def _cells(line: str, at: int, mark: str, columns: tuple[int, ...]) -> Iterator[FoundSecret]:
    start = at
    for place, cell in enumerate(line.split(mark)):
        value = cell.strip(_CELL_EDGES)
        if place in columns and len(value) >= 3 and not value.startswith("[") and not is_placeholder(value):
            begin = start + cell.index(value)
            yield FoundSecret(begin, begin + len(value), "password")
        start += len(cell) + len(mark)
