"""What a message says is no longer as it was, whether or not the new state can be read. Pure."""

from recollect.form.rules.reading import Reading
from recollect.form.sentences import fine_clauses, sentences
from recollect.form.tone import hedges, imagines, invents, jokes, statement_part, supposes
from recollect.text.updates import Update, granted_part, read_update

# Of one message; more is a pasted list.
MAX_UPDATES = 10
_UNMEANT = (supposes, invents, jokes, hedges)


def updates_of(reading: Reading, *, max_sentences: int) -> list[Update]:
    """Read the clauses of a message that change or end something; none where it opens a game."""
    pieces = sentences(reading.masked)[:max_sentences]
    if reading.talk or any(imagines(piece.text) for piece in pieces):
        return []
    found: list[Update] = []
    for piece in pieces:
        stated = statement_part(piece.text) or granted_part(piece.text)
        if not stated or any(is_unmeant(stated) for is_unmeant in _UNMEANT):
            continue
        for clause in fine_clauses(type(piece)(stated, piece.start)):
            update = read_update(clause.text, within=stated)
            if update:
                found.append(update)
    return found[:MAX_UPDATES]
