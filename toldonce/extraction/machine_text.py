"""Find code, logs, tables and settings in a message that has no code fence around them. Pure.

What a program contains or prints says nothing about the user, even if the user wrote it: no memory is formed from the
comment `// I ski`. Some lines are certain by their shape alone; so are, within a paragraph, all lines between two of
them. Lines that could also be prose (a comment sign, an indent, `key: value`) count only next to such lines.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from toldonce.extraction.spans import Span, merge_spans
from toldonce.lazy_pattern import LazyPattern

# Maximum number of characters of a line that are searched.
_MAX_LINE_CHARACTERS = 400
# Rows that make an unframed table.
_MIN_ROWS = 2
# Separators per row if people also use the separator in prose.
_MIN_COMMAS = 2

"""A line that is probably code; prose can match too."""

_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)"
# People write 'WARNING: …' and 'NOTICE: …' themselves.
_SURE_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL|SEVERE)"
_LOG = LazyPattern(
    r"^[ \t\[(]{0,9}(?:\d{4}[-/.]\d\d[-/.]\d\d[T _,]{1,2}\d\d:\d\d|\d\d:\d\d:\d\d[.,]\d{1,6}\b"
    r"|\d\d-\d\d \d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d |\d\d/[A-Z][a-z]{2}/\d{4}:\d\d)"
    rf"|^[ \t]{{0,9}}(?:[\[(<]{_LEVEL}[\])>]|{_SURE_LEVEL}(?::|\s[|-])\s)"
    rf"|^[^\n]{{0,40}}[\d\])]\s\[?{_LEVEL}\]?[:\s]"
    r"|^[ \t]{0,9}(?:[\w.]{1,60}(?:Error|Exception|Warning)|panic|fatal):\s"
    r"|^Traceback \(|^[ \t]{1,20}(?:File \"|at [\w.$<>]{1,80}\()"
)
_DATA = LazyPattern(
    r"^[ \t]{0,40}(?:[{\[]{1,3}\s?[\"'{\[]|[\"'][\w .-]{1,40}[\"']\s?:|[}\])]{1,3}[,;]?[ \t]*+$|[{\[][ \t]*+$)"
    r"|^[ \t]{0,20}\|[^\n]*\|[ \t]*+$|^[ \t]{0,20}[|+][-=:|+ ]{3,}+$"
    r"|^\[{1,2}[\w.-]{1,40}(?: [\w.-]{1,20})?\]{1,2}[ \t]*+$"
    r"|^\"[^\"\n]{0,200}\"(?:[,;]\"[^\"\n]{0,200}\")++$"
    r"|^\d{1,3}(?:\.\d{1,3}){3}\s|^[ \t]{0,40}[{(\[]{0,2}:\w{1,40}\s?=>|^\[?\w{1,60}\(\w{1,40}\s?=\s?[\"']"
    r"|^[A-Z]\w{2,20}-[A-Z]\w{2,20}\s[\"'$-]|^[ \t]{0,40}assert\s\w+\("
    r"|^(?:msgid|msgstr|msgctxt)\s\"|^%[A-Z]{2,}\b|^#!/"
)
_ASSIGNS = LazyPattern(
    r"^[ \t]{0,40}(?:[\w<>*&\[\]]{1,40}\s){0,2}[$@%]?[A-Za-z_][\w.\[\]'\"-]{0,80}\s?(?::=|=|\+=|=>)\s?\S"
)
_CODE = LazyPattern(
    r"^[ \t]{0,40}(?:def\s\w|class\s\w+[(:{]|import\s[\w.{*]|from\s[\w.]+\simport\b"
    r"|return\s[^\n]{0,200}[;\"')\]]$|return\s[\w.]{1,40}(?:\s[-+*/%<>=&|]{1,3}\s[\w.]{1,40}){0,3}$"
    r"|(?:public|private|protected|static|function|func|fn|struct|impl|package|namespace|using|module|interface)\s\w+"
    r"[^\n]{0,200}[{;][ \t]*+$|#include\b|#define\b|@\w+\(|console\.|System\.out|print(?:ln|f)?[ (]{1,2}[\"'])"
    r"|[)\]\"'}]\s?[;{][ \t]*+$|^[ \t]{0,40}[\w.$:>-]{1,80}\([^\n]{0,300}\)[;,{:]?[ \t]*+$|^[ \t]{1,40}\.\w{1,40}\("
    r"|^[ \t]{0,40}(?:SELECT\s[^\n]{1,200}\sFROM\b|INSERT\sINTO\b|UPDATE\s\w+(?:\sSET\b|[ \t]*+$)"
    r"|DELETE\sFROM\b|CREATE\s(?:TABLE|INDEX|VIEW)\b"
    r"|(?:WHERE|SET|VALUES|AND|ON)\s?[\w.]{0,60}\s?[=<>(])"
    r"|^[ \t]{0,40}[.#]?[\w:. #>-]{1,80}\{[ \t]*+$|^(?:\+\+\+|---)\s[ab]/"
)
_COMMAND = LazyPattern(
    r"^[ \t]{0,9}(?:curl|wget|git|npm|npx|pip|docker|kubectl|sudo|ssh|scp|grep|sed|awk|echo|apt|brew|cargo|psql)"
    r"\s[^\n]{0,300}?(?:\s-{1,2}\w|https?:|[|><$\"'])"
)
# After these, the rest of the message is a program's output or a file.
_TO_THE_END = LazyPattern(
    r"^[ \t]{0,9}(?:\$\s[a-z./]|>>>\s\S|PS [A-Z]:\\|C:\\[^\n]{0,80}>"
    r"|[\w.-]{1,40}@[\w.-]{1,60}[:~][^\n$#%]{0,80}[$#%]\s"
    r"|diff --git\s|@@ -\d|commit [0-9a-f]{7,40}[ \t]*+$|\\(?:begin|documentclass|section|usepackage)\b[\[{]"
    r"|WEBVTT\b|-----BEGIN )",
    re.MULTILINE,
)
# Results as agents and their users hand them over: 'Tool result:', 'Output of `ls`:'.
_HANDED_OVER = LazyPattern(
    r"^[ \t>*#\[]{0,9}(?:(?:tool|function|command|api|browser|program|(?:web )?search)\s?:?\s?(?:output|results?"
    r"|response|calls?)\b|tool: \w|(?:output|result) of (?:the )?(?:function|tool|program|command|`)"
    r"|(?:observation|std(?:out|err)|error message|system prompt|ocr text)(?=:)|ocr of\b"
    r"|werkzeugergebnis|ausgabe des programms|résultat de l['’]outil|resultado (?:de la herramienta|da ferramenta)"
    r"|risultato dello strumento|uitvoer van het programma|工具[结結]果"
    r"|工具[输輸]出|ツールの?結果|도구 결과)[^\n]{0,60}?[:：\]]",
    re.IGNORECASE | re.MULTILINE,
)
_BLOCK_COMMENT = LazyPattern(r"/\*|<!--")
_SURE_COMMENT = LazyPattern(r"^[ \t]{0,40}(?://|/\*|\*/|<!--|-->)")
# Signs that begin a comment, but also other things: they count next to code only.
_COMMENT = LazyPattern(r"^[ \t]{0,40}(?:#|--|\*|;|%|'|REM\b|\"\"\"|''')")
_INDENTED = LazyPattern(r"^(?:\t|[ ]{2,40})\S")
_PAIR = LazyPattern(r"^[ \t]{0,40}(?:-\s)?[a-z_][\w.-]{0,60}:(?:\s|$)")
# A key of two words or a path; a value that goes on below.
_SETTING = LazyPattern(r"^[ \t]{0,40}(?:-\s)?(?:\w{1,30}[_.]\w[\w.-]{0,30}:|[a-z][\w-]{0,60}: [|>][-+]?[ \t]*+$)")
_ITEM = LazyPattern(r"^[ \t]{0,40}-\s\S")
_LIST_MARK = LazyPattern(r"^[ \t]{0,40}(?:[-*•–·]|\d{1,3}[.)])\s")


def find_machine_text(text: str) -> list[Span]:
    """Find text written by or for programs.

    >>> text = "Why does it fail?\\n// I ski\\nlet x = 3;\\nI'm new."
    >>> [text[start:end] for start, end in find_machine_text(text)]
    ['// I ski\\nlet x = 3;\\n']
    """
    spans = list(_block_comments(text))
    spans += [(found.start(), len(text)) for pattern in (_TO_THE_END, _HANDED_OVER) if (found := pattern.search(text))]
    for start, lines in _paragraphs(text):
        spans += _find_in_paragraph(start, lines)
    return merge_spans(spans)


def _block_comments(text: str) -> Iterator[Span]:
    """Find comments between marks; an unclosed one runs to the end."""
    at = 0
    while found := _BLOCK_COMMENT.search(text, at):
        close = "*/" if found.group() == "/*" else "-->"
        end = text.rfind(close)
        at = end + len(close) if end > found.start() else len(text)
        yield (found.start(), at)


def _paragraphs(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the paragraphs of a text: the start of each, and its lines."""
    at, start = 0, 0
    lines: list[str] = []
    for line in text.split("\n"):
        if line.strip():
            start = start if lines else at
            lines.append(line)
        elif lines:
            yield start, lines
            lines = []
        at += len(line) + 1
    if lines:
        yield start, lines


def _find_in_paragraph(start: int, lines: Sequence[str]) -> Iterator[Span]:
    """Find the machine-written lines of a paragraph."""
    heads = [line[:_MAX_LINE_CHARACTERS] for line in lines]
    certain = [_is_certain(line) for line in heads]
    for number in _find_table_rows(heads):
        certain[number] = True
    if _is_settings(heads):
        certain = [True] * len(heads)
    is_machine_text = _mark_between(certain) if any(certain) else certain
    may_continue = [_may_continue(line) for line in heads]
    for order in (range(len(heads)), reversed(range(len(heads)))):
        is_neighbour = False
        for number in order:
            is_machine_text[number] = is_machine_text[number] or (is_neighbour and may_continue[number])
            is_neighbour = is_machine_text[number]
    at = start
    for line, is_marked in zip(lines, is_machine_text, strict=True):
        if is_marked:
            yield (at, at + len(line) + 1)
        at += len(line) + 1


def _is_certain(line: str) -> bool:
    """Return whether a line is written by or for a program, whatever is around it."""
    return bool(
        _LOG.search(line)
        or _DATA.search(line)
        or _ASSIGNS.search(line)
        or _CODE.search(line)
        or _COMMAND.search(line)
        or _SURE_COMMENT.search(line)
    )


def _may_continue(line: str) -> bool:
    """Return whether a line belongs to a program's text if the line before or after it does."""
    return bool(_COMMENT.search(line) or _INDENTED.search(line) or _PAIR.search(line) or _ITEM.search(line))


def _mark_between(certain: Sequence[bool]) -> list[bool]:
    """Mark all lines from the first to the last certain one."""
    first = certain.index(True)
    last = len(certain) - 1 - certain[::-1].index(True)
    return [first <= number <= last for number in range(len(certain))]


def _find_table_rows(lines: Sequence[str]) -> set[int]:
    """Find table rows: consecutive lines with the same number of separators."""
    found: set[int] = set()
    for separator, min_separators in ((",", _MIN_COMMAS), (";", 1), ("\t", 1), (" | ", 1)):
        counts = [_count_separators(line, separator) for line in lines]
        for number, (count, following) in enumerate(pairwise(counts)):
            if count == following >= min_separators:
                found |= {number, number + 1}
    return found


def _count_separators(line: str, separator: str) -> int:
    """Count the separators in a line; a comma or semicolon before a blank separates words, not fields."""
    mark = _LIST_MARK.match(line)  # a tab after it parts no fields
    stripped = (line[mark.end() :] if mark else line).strip()
    return stripped.count(separator) - (stripped.count(f"{separator} ") if separator in ",;" else 0)


def _is_settings(lines: Sequence[str]) -> bool:
    """Return whether all lines are settings of a program, by names or nesting that no list of a person's has."""
    pairs = [line for line in lines if _PAIR.match(line)]
    items = sum(bool(_ITEM.match(line) or _INDENTED.match(line)) and not _PAIR.match(line) for line in lines)
    if len(pairs) < _MIN_ROWS or len(pairs) + items < len(lines):
        return False
    return any(_SETTING.match(line) or _INDENTED.match(line) for line in pairs)
