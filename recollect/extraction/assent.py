"""A question and the yes or no that answers it: a bare answer tells what was asked, and nothing else. Pure."""

import re

from recollect.extraction.sentences import fold, sentences
from recollect.text import asks, words
from recollect.text.fold import fold as fold_letters

# What is read of an answer, and of the end of a message that may ask, in characters.
_ANSWER_CHARACTERS, _ASKING_CHARACTERS = 400, 2_000
# Behind a question so many sentences may follow: 'Any allergies? Tell me first. I can wait.'
_CLOSING_SENTENCES = 3
# What a question takes for granted: 'As you live in Paris, …'.
_GRANTED = re.compile(
    r"^(?:as|since|because|given(?:\s{1,9}that)?|now\s{1,9}that|considering|seeing\s{1,9}that)\b[^,]{0,300},\s{0,9}",
    re.I,
)
# Whole answers that say no more than yes or no.
_YES = frozenset(
    tuple(fold_letters(word) for word in words(phrase))
    for phrase in """yes, yeah, yep, yup, yes i am, yes i do, yes i have, i am, i do, i have, right, correct,
    exactly, sure, of course, indeed, absolutely, definitely, that's right, that is right, that's correct,
    that's true, true, yes that's right, yes exactly, yes please, you're right, sí, si, claro, correcto,
    exacto, así es, oui, exactement, c'est ça, ja, genau, stimmt, richtig, klar, sì, certo, esatto, sim, isso,
    exato, klopt, inderdaad, jo, precis, kyllä, joo, tak, zgadza się, ano, igen, da, evet, ya, iya, betul,
    vâng, đúng, да, верно, так, ναι, نعم, بله, כן, हाँ, 是, 是的, 对, 對, 没错, はい, うん, そうです, 네, 예,
    맞아요, ใช่""".split(",")
)
_NO = frozenset(
    tuple(fold_letters(word) for word in words(phrase))
    for phrase in """no, nope, nah, not at all, no i'm not, i'm not, no i don't, i don't, no i haven't, never,
    not any more, no longer, non, pas du tout, nein, gar nicht, não, nee, nej, nei, ei, nie, ne, nem, nu,
    hayır, tidak, không, нет, ні, όχι, لا, خیر, לא, नहीं, 不, 不是, 没有, 沒有, いいえ, 아니요, 아니오, ไม่""".split(",")
)


def bare_answer(text: str) -> bool | None:
    """Tell whether a message is a yes (True) or a no (False) and nothing else; None where it says more.

    >>> bare_answer("Yes, I am!"), bare_answer("No."), bare_answer("Yes, peanuts.")
    (True, False, None)
    """
    said = tuple(fold_letters(word) for word in words(fold(text[:_ANSWER_CHARACTERS])))
    return True if said in _YES else False if said in _NO else None


def question_in(text: str) -> str:
    """Return the last question among the closing sentences of a message, without what it only takes for granted.

    >>> question_in("As you live in Paris, shall I look there?")
    'shall I look there?'
    """
    said = [piece.text for piece in sentences(fold(text[-_ASKING_CHARACTERS:])) if words(piece.text)]
    asked = next((sentence.strip() for sentence in reversed(said[-_CLOSING_SENTENCES:]) if asks(sentence)), "")
    return _GRANTED.sub("", asked)
