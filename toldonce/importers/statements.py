"""Split what another product wrote about a user into statements that are remembered one by one. Pure."""

from collections.abc import Iterator

from toldonce.text import split_sentences, squeeze

# A statement of up to this length is kept whole; a longer one is split at its sentences.
MAX_STATEMENT_CHARACTERS = 400
# A line that is cut, where a sentence has no end.
MAX_PIECE_CHARACTERS = 2_000
_BULLETS = "-*•– \t"


def statements(text: str) -> Iterator[str]:
    """Yield the statements of a text in Markdown: its lines without bullets; headings, and lines of marks, not.

    >>> list(statements("**Work**\\n\\n- Ana is a nurse.\\n- She works nights."))
    ['Ana is a nurse.', 'She works nights.']
    """
    for line in text.splitlines():
        said = squeeze(line).strip()
        if _is_heading(said):
            continue
        said = said.replace("**", "").strip(_BULLETS)
        if any(mark.isalnum() for mark in said):
            yield from _pieces(said)


def _is_heading(line: str) -> bool:
    bold = line.startswith("**") and line.rstrip(":").endswith("**") and line.count("**") == 2
    return line.startswith("#") or line.endswith(":") or bold


def _pieces(line: str) -> Iterator[str]:
    if len(line) <= MAX_STATEMENT_CHARACTERS:
        yield line
        return
    piece = ""
    for sentence in split_sentences(line):
        said = sentence.strip()
        if piece and len(piece) + len(said) >= MAX_STATEMENT_CHARACTERS:
            yield piece
            piece = ""
        piece = f"{piece} {said}".strip()[:MAX_PIECE_CHARACTERS]
    if piece:
        yield piece
