"""Which of the user's own clauses a memory puts into other words, as models do. Pure."""

import re

from recollect.extraction.sentences import coarse_clauses, fold, sentences
from recollect.formation.stale import content_words
from recollect.types import Memory

# Who a memory begins with.
_NAMED = re.compile(r"(?P<name>(?!The\b|My\b|Our\b|A\b|An\b|In\b|On\b)[A-Z]\w{1,40}+)(?='s\b|\s)")
# Share of a memory's words that a clause has which the memory puts into other words.
_SHARED = 0.5


def clauses_behind(memory: Memory) -> list[str]:
    """Return the clauses of the user's own that a memory puts into other words, as models do.

    A quote may say more than its memory: a clause counts that has most of the memory's words.
    """
    content = content_words(of_the_user(memory))
    quotes = [said.quote for said in memory.evidence if said.role == "user" and said.quote]
    clauses = [clause.text for quote in quotes for piece in sentences(fold(quote)) for clause in coarse_clauses(piece)]
    return [text for text in clauses if len(content & content_words(text)) > len(content) * _SHARED]


def of_the_user(memory: Memory) -> str:
    """Return a memory's text with the user under that name: a model may call them by their own.

    A name is the user's where the words that it rests on do not have it: 'Mila uses Java' of 'I use Java'.
    """
    name = _NAMED.match(memory.text)
    quotes = [said.quote for said in memory.evidence]
    if not name or not all(quotes) or any(name["name"].lower() in quote.lower() for quote in quotes):
        return memory.text
    return f"The user{memory.text[name.end('name') :]}"
