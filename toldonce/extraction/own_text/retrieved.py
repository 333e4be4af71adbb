"""Find the user's question in a prompt that a retrieval pipeline wrote around it. Pure.

Pipelines put everything into one user message: an instruction to answer from the text that follows, documents, and the
question after a label ('Question:'). Documents may contain labels too, so a label counts only if it is the only one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from toldonce.extraction.own_text.carriers import pattern, words
from toldonce.extraction.own_text.spans import Span
from toldonce.lazy_pattern import LazyPattern

# Characters of a line that are searched: leads and labels are short.
_MAX_LINE_CHARACTERS = 400
# Words between "following" and "context".
_NEAR = 5
_WORD = LazyPattern(r"[a-z']++")
_SENTENCE = LazyPattern(r"[^.!?:]++[.!?:]?")
_SOURCES, _WEAK_SOURCES = words("retrieved", "sources"), words("retrieved", "weak_sources")
_POINTS, _ACTS = words("retrieved", "points"), words("retrieved", "acts")
_OF_ONESELF = pattern("retrieved", "of_oneself")
_BELOW, _ABOVE = pattern("retrieved", "below"), pattern("retrieved", "above")
_PERSONA = pattern("retrieved", "persona")
_HEADER = pattern("retrieved", "header")
_LABEL, _INLINE_LABEL = pattern("retrieved", "label"), pattern("retrieved", "inline_label")
_ANSWER = pattern("retrieved", "answer")
_RULES = pattern("retrieved", "rules")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    """Its beginning."""
    start: int
    end: int
    question: int | None
    """Where the question starts that it labels."""
    leads: bool
    """Tells the model to answer from the text that follows."""


def find_retrieved(text: str, marks: Sequence[int] = (), *, cut_off: bool = False) -> list[Span]:
    """Find the text that a retrieval pipeline wrote around the user's question.

    Args:
        text: A message without its wrappers.
        marks: Places where wrappers were removed.
        cut_off: The last wrapper was never closed, and may have swallowed the user's question.

    >>> text = "Use the following context to answer.\\nI ski.\\nQuestion: Who am I?"
    >>> [text[start:end] for start, end in find_retrieved(text)]
    ['Use the following context to answer.\\nI ski.\\nQuestion:']
    """
    lines = _lines(text)
    is_labelled = any(line.question is not None or line.leads for line in lines)
    openings = [line for line in lines if line.leads or _is_header(line, lines[-1], labelled=is_labelled)]
    if not openings:
        above = [line for line in lines if _looks_back(line)]
        return _after_context(text, above[-1], lines) if above else []
    below = openings[0]
    before = text[: below.start]
    persona = bool(_PERSONA.match(before if before.strip() else below.text))
    start = 0 if persona else below.start
    if cut_off:
        return [(start, len(text))]
    is_asked_before = not persona and not _RULES.match(before)
    kept = None if is_asked_before else _question(text, lines, below)
    if (
        kept is None
        and marks
        and not any(line.start > marks[-1] and (line.question is not None or line in openings) for line in lines)
    ):
        kept = (marks[-1], len(text)) if _wraps(text, below, marks, persona=persona) else None
    if kept is None:
        return [(start, len(text))]
    return [span for span in ((start, kept[0]), (kept[1], len(text))) if span[0] < span[1]]


def is_template(text: str) -> bool:
    """Return whether a text is nothing but instructions of a template to a model.

    >>> is_template("### Task:\\nAnswer from the context."), is_template("I moved. What now?")
    (True, False)
    """
    lines = _lines(text)
    return not any(map(str.isalnum, text)) or (
        all(line.question is None for line in lines) and (bool(_PERSONA.match(text)) or lines[0].leads)
    )


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    at, length = 0, len(text.rstrip())
    for line in text.split("\n"):
        end = at + len(line)
        if line.strip():
            seen = line[:_MAX_LINE_CHARACTERS]
            label = _LABEL.match(seen) or _INLINE_LABEL.search(seen)
            is_alone = end >= length and ":" not in seen.rstrip()[:-1]  # nothing follows
            leads = not is_alone and _leads(seen.lower())
            found.append(_Line(seen, at, end, at + label.end() if label else None, leads))
        at = end + 1
    return found


def _leads(line: str) -> bool:
    """Return whether a line in small letters points to sources below it to answer from."""
    return bool(_BELOW.search(line)) or any(
        _points(found.group(), line[found.end() :]) for found in _SENTENCE.finditer(line)
    )


def _points(sentence: str, rest: str) -> bool:
    """Return whether a sentence points to sources to answer from; `rest` is the rest of its line."""
    said = _WORD.findall(sentence)
    if not _ACTS.intersection(said) or _OF_ONESELF.search(sentence):
        return False
    sources = _SOURCES | _WEAK_SOURCES if sentence.endswith(":") or not rest.strip() else _SOURCES
    points = [place for place, word in enumerate(said) if word in _POINTS]
    named = [place for place, word in enumerate(said) if word in sources]
    return any(abs(place - other) <= _NEAR for place in points for other in named)


def _is_header(line: _Line, last: _Line, *, labelled: bool) -> bool:
    """Return whether a line is a header above documents: 'Context:', '### Documents'."""
    found = _HEADER.match(line.text)
    if not found:
        return False
    rest = found["rest"].strip(" *#]=-")
    if found["colon"]:
        return labelled or (not rest and line is not last)
    return not rest and (labelled or line.text.lstrip()[:1] in "#[=*")


def _looks_back(line: _Line) -> bool:
    low = line.text.lower()
    return bool(_ABOVE.search(low)) and not _ACTS.isdisjoint(_WORD.findall(low))


def _after_context(text: str, above: _Line, lines: Sequence[_Line]) -> list[Span]:
    """Find the text before a line that refers to the context above it, and after the answer's label."""
    places = [line.question for line in lines if line.question is not None and line.start >= above.start]
    start = places[0] if len(places) == 1 else len(text) if places else above.end
    return [(0, start), (_answer(lines, start, len(text)), len(text))]


def _question(text: str, lines: Sequence[_Line], below: _Line) -> Span | None:
    """Find the only question after a lead; None if there is none, or several candidates."""
    after = [line for line in lines if line.question is not None and line.start >= below.start]
    if len(after) != 1 or after[0].question is None:
        return None
    [line], place = after, after[0].question
    headers = [other for other in lines if other.start > line.start and _is_header(other, lines[-1], labelled=True)]
    if not headers:
        return (place, _answer(lines, place, len(text)))
    # In some templates the question comes right after the lead, before the documents.
    between = any(below.start < other.start < line.start for other in lines)
    return None if between or line is below else (place, headers[0].start)


def _answer(lines: Sequence[_Line], place: int, end: int) -> int:
    return next((line.start for line in lines if line.start > place and _ANSWER.match(line.text)), end)


def _wraps(text: str, below: _Line, marks: Sequence[int], *, persona: bool) -> bool:
    """Return whether the wrapper after a lead belongs to the template."""
    first = next((mark for mark in marks if mark >= below.start), None)
    return first is not None and (persona or not text[below.end : first].strip())
