"""Evidence or nothing: a candidate's quote must be in the message it names. Pure.

'Ana lives in Oslo' with the quote "I live in Oslo" is kept if the user wrote that. A bare 'yes' is evidence for the
question it answers, and for nothing else.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from toldonce.chat.content import speaker_name
from toldonce.extraction.forget_requests import asks_to_forget
from toldonce.extraction.own_text.quotes import OTHERS_CLOSE, OTHERS_OPEN, find_others_speech
from toldonce.extraction.own_text.spans import blank_out
from toldonce.extraction.quote_span import find_span
from toldonce.extraction.sources import NOTHING_CARRIED, CarriedWords, readable, speaker_of
from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.reading.forget_words import retracts
from toldonce.reading.heads import only_asks
from toldonce.reading.sentences import fold, sentences
from toldonce.text import asks, bare, is_unspaced, terms, words
from toldonce.text.byte_runs import BYTE_MARK
from toldonce.text.normalize import fold as fold_letters
from toldonce.text.source_marks import PASTED_MARK
from toldonce.types import Candidate, Evidence, LoggedMessage, MemoryKind

# Characters read of an answer, and of the end of a message that may ask.
_ANSWER_CHARACTERS, _ASKING_CHARACTERS = 400, 2_000
# A question may be followed by this many sentences: 'Any allergies? Tell me first. I can wait.'
_CLOSING_SENTENCES = 3
# What a question presupposes: 'As you live in Paris, …'.
_PRESUPPOSITION = LazyPattern(
    r"^(?:as|since|because|given(?:\s{1,9}that)?|now\s{1,9}that|considering|seeing\s{1,9}that)\b[^,]{0,300},\s{0,9}",
    re.I,
)
# Whole answers that mean just yes or no.
_BARE_YES = frozenset(
    tuple(fold_letters(word) for word in words(phrase))
    for phrase in """yes, yeah, yep, yup, yes i am, yes i do, yes i have, i am, i do, i have, right, correct,
    exactly, sure, of course, indeed, absolutely, definitely, that's right, that is right, that's correct,
    that's true, true, yes that's right, yes exactly, yes please, you're right, sí, si, claro, correcto,
    exacto, así es, oui, exactement, c'est ça, ja, genau, stimmt, richtig, klar, sì, certo, esatto, sim, isso,
    exato, klopt, inderdaad, jo, precis, kyllä, joo, tak, zgadza się, ano, igen, da, evet, ya, iya, betul,
    vâng, đúng, да, верно, так, ναι, نعم, بله, כן, हाँ, 是, 是的, 对, 對, 没错, はい, うん, そうです, 네, 예,
    맞아요, ใช่""".split(",")
)
_BARE_NO = frozenset(
    tuple(fold_letters(word) for word in words(phrase))
    for phrase in """no, nope, nah, not at all, no i'm not, i'm not, no i don't, i don't, no i haven't, never,
    not any more, no longer, non, pas du tout, nein, gar nicht, não, nee, nej, nei, ei, nie, ne, nem, nu,
    hayır, tidak, không, нет, ні, όχι, لا, خیر, לא, नहीं, 不, 不是, 没有, 沒有, いいえ, 아니요, 아니오, ไม่""".split(",")
)


def bare_answer(text: str) -> bool | None:
    """Return True for a bare yes, False for a bare no, None if a message says more.

    >>> bare_answer("Yes, I am!"), bare_answer("No."), bare_answer("Yes, peanuts.")
    (True, False, None)
    """
    folded = tuple(fold_letters(word) for word in words(fold(text[:_ANSWER_CHARACTERS])))
    return True if folded in _BARE_YES else False if folded in _BARE_NO else None


@remembered
def question_in(text: str) -> str:
    """Return the last question among the closing sentences of a message, without its presupposition.

    >>> question_in("As you live in Paris, shall I look there?")
    'shall I look there?'
    """
    closing = [piece.text for piece in sentences(fold(text[-_ASKING_CHARACTERS:])) if words(piece.text)]
    asked = next((sentence.strip() for sentence in reversed(closing[-_CLOSING_SENTENCES:]) if asks(sentence)), "")
    return _PRESUPPOSITION.sub("", asked)


# Letters and digits a quote needs; a whole answer to a question may be shorter: '42'.
MIN_QUOTE_CHARACTERS = 3
# Share of a paragraph's terms that the messages must contain; the rest are the summary's own ("agreed", "wants").
MIN_SHARED_WORDS = 0.3
# Share of a candidate's terms that the confirmed or quoted question must contain.
MIN_ASSENTED_WORDS = 0.5
# Characters at the start of a memory that are searched for who said it.
_MAX_ATTRIBUTION_CHARACTERS = 200
_SPEAKER = frozenset({"user", "assistant"})
_FIRST_PERSON = LazyPattern(r"\b(?:i|i'm|im|i've|i'd|i'll|my|mine|me|myself|we|we're|we've|our|us)\b", re.IGNORECASE)
# English function words: a text without any is in another language, whose cues are not known here.
_ENGLISH_FUNCTION_WORD = LazyPattern(
    r"\b(?:the|i|i'm|you|it|are|of|and|this|that|my|with|not|please|what|how|can|don't|have)\b", re.IGNORECASE
)
_NEGATION = LazyPattern(
    r"\b(?:no|not|never|none|without|cannot|neither|nor|free|stopped|quit|non|nicht|kein\w{0,2}|nie|pas|sin|nunca|não|niet|geen|"
    r"inte|ikke|ei|nem|değil|bukan|tidak|không|не|нет|ні|δεν|لا|ليس|לא|नहीं)\b|n['’]t\b|[不没沒無]|ない|ません|안|않|ไม่",
    re.IGNORECASE,
)
# A memory of this form is about what the assistant said, not about the user's message.
_TELLS_OF_ASSISTANT = LazyPattern(
    r"\b(?:the\s(?:assistant|ai|chatbot|model)|der\sassistent|l['’]assistant|el\sasistente|o\sassistente"
    r"|l['’]assistente|de\sassistent)\s(?:also\s|then\s|has\s|had\s){0,2}(?:puts?|sa(?:id|ys)|told|tells|suggest(?:s|ed)"
    r"|recommend(?:s|ed)|explain(?:s|ed)|not(?:es|ed)|mention(?:s|ed)|advise[sd]|answer(?:s|ed)|repl(?:ies|ied)"
    r"|propose[sd]|offer(?:s|ed)|sagte?|meinte?|dit|dijo|dice|disse|diz|ha\sdetto|zei|zegt)\b",
    re.IGNORECASE,
)
_SECOND_PERSON = LazyPattern(
    r"\b(?:you|your|you're|du|dein\w{0,2}|dir|dich|sie|ihnen|tu|te|toi|ton|vous|votre|tú|usted|você|ti|je|jij|jou|u)\b",
    re.IGNORECASE,
)
# A memory of this form says no more than that its speaker asked.
_CURIOUS = LazyPattern(
    r"\b(?:interested|interests?|curious|curiosity|ask(?:s|ed|ing)?|inquir(?:es|ed|ing|y)|seeks?|seeking"
    r"|(?:wants?|wanted)\sto\s(?:know|learn|understand))\b",
    re.IGNORECASE,
)
_CURIOUS_TERMS = frozenset(
    terms("interested interest curious curiosity ask inquires inquiry seek seeking want know learn learning understand")
)
# Anybody may have written a text that the user gives to work on, so a model can be no surer than this of what it says.
MAX_PASTED_CONFIDENCE = 0.5
ONLY_CARRIED = "rests on words that the message only carries"
"""Why a quote from a pasted mail, a document or another text within the message is no evidence."""
# Joins passages that are quoted together: 'I live in Oslo … I keep bees'.
_JOINT = LazyPattern(r"\.{3,9}|…")
# A quote of more passages retells the message.
MAX_PASSAGES = 8


@dataclass(frozen=True, slots=True)
class CheckedEvidence:
    """Result of a check: evidence, or why there is none."""

    evidence: Evidence | None
    reason: str
    """Why the candidate is dropped; empty if it is kept."""
    further: tuple[Evidence, ...] = ()
    """Of a quote that joins passages, the ones beside that of `evidence`."""
    is_pasted: bool = False
    """The words, or some of them, are of a text that the user gave to work on."""


@dataclass(frozen=True, slots=True)
class _Passage:
    """Words of a quote and the message that holds them."""

    words: str
    message: LoggedMessage
    is_pasted: bool = False


def check_evidence(
    candidate: Candidate,
    messages: Sequence[LoggedMessage],
    sources: frozenset[str],
    earlier: Sequence[LoggedMessage] = (),
    carried: CarriedWords = NOTHING_CARRIED,
) -> CheckedEvidence:
    """Check a candidate against the message it names.

    The quote must be in the message's own words: injected, quoted or secret text proves nothing. White space, case,
    width and punctuation are ignored, and in a model's quote what is only spelled otherwise. A quote may join passages
    by ellipses, of the message and of the speaker's other messages around it; each must be there.

    A bare yes or no is evidence only for the question just asked. The question alone is no evidence, and its
    presupposition is not confirmed.

    Args:
        candidate: From any extractor; nothing in it is trusted.
        messages: The new messages that were read.
        sources: Roles that may form memories.
        earlier: The messages before them; the first new one may answer a question there.
        carried: What messages hold beside the user's statements: games and texts to work on.
    """
    message = next((message for message in messages if message.seq == candidate.seq), None)
    if message is None:
        return CheckedEvidence(None, f"names message {candidate.seq}, which it was not given")
    if message.role not in sources:
        return CheckedEvidence(None, f"rests on the words of the {message.role}, who is no source here")
    candidate = _in_own_words(candidate, message)
    question = question_before(message, (*earlier, *messages)) if message.role == "user" else ""
    answer = bare_answer(readable(message)) if message.role == "user" else None
    inside = is_quoted_in(candidate.quote, readable(message))
    if answer is not None and (inside or question):
        return _assented(candidate, message, answer, question)
    # A retraction may be as short as 'jk'.
    answers = bool(question or candidate.forgets_seqs)
    whole = answers and _plain(candidate.quote) and _plain(candidate.quote) == _plain(readable(message))
    if not whole and not is_quote(candidate.quote):
        return CheckedEvidence(None, "has no quote")
    passages = (
        [_Passage(candidate.quote.strip(), message)]
        if inside
        else _joined_passages(candidate.quote, message, (*earlier, *messages), carried)
    )
    played = carried.invented.get(message.seq, "")
    if not passages and is_quoted_in(candidate.quote, played):
        return _of_a_game(candidate, message, played)
    if not passages and is_quoted_in(candidate.quote, carried.given(message.seq)):
        passages = [_Passage(candidate.quote.strip(), message, is_pasted=True)]
    if not passages:
        is_shown = is_quoted_in(candidate.quote, carried.shown(message.seq))
        return CheckedEvidence(None, ONLY_CARRIED if is_shown else "has a quote that is not in the message")
    if message.role == "user" and (reason := _misattributed(candidate, passages)):
        return CheckedEvidence(None, reason)
    is_pasted = any(passage.is_pasted for passage in passages)
    if is_pasted and _changes_anything(candidate):
        return CheckedEvidence(None, "would change what is known by the words of a pasted text")
    first, *further = (evidence_of(passage.message, passage.words) for passage in passages)
    return CheckedEvidence(first, "", tuple(further), is_pasted=is_pasted)


def _changes_anything(candidate: Candidate) -> bool:
    """Return whether a candidate would end, correct or forget a memory: no pasted text may."""
    is_end = candidate.ends or candidate.forgets or candidate.forgets_seqs
    return bool(is_end or candidate.replaces or candidate.replaces_item)


def with_source(candidate: Candidate) -> Candidate:
    """Return a candidate from a text to work on as a note that names its source: it fills no slot.

    'Polish this: I ski.' is evidence for "According to a pasted text, perhaps by another: The user skis."
    """
    confidence = min(candidate.confidence, MAX_PASTED_CONFIDENCE)
    text = f"{PASTED_MARK}{candidate.text}"
    return replace(candidate, kind=MemoryKind.NOTE, text=text, category="", key="", value="", confidence=confidence)


def _in_own_words(candidate: Candidate, message: LoggedMessage) -> Candidate:
    """Give a model's candidate the speaker's own words, where its quote is spelled otherwise: they are stored."""
    if not candidate.by_model or is_quoted_in(candidate.quote, readable(message)):
        return candidate
    span = find_span(candidate.quote, readable(message))
    return replace(candidate, quote=span) if span else candidate


def _of_a_game(candidate: Candidate, message: LoggedMessage, played: str) -> CheckedEvidence:
    """Check a candidate from what is said within a game or story (`played`), which the model was told.

    It is a note about the game: a line of it would be read as true in a later prompt.
    """
    is_line = is_quoted_in(candidate.text, played)
    if candidate.kind is not MemoryKind.NOTE or candidate.forgets or candidate.ends or is_line:
        return CheckedEvidence(None, "takes what is said in a game or story for true")
    return CheckedEvidence(evidence_of(message, candidate.quote.strip()), "")


def _joined_passages(
    quote: str, message: LoggedMessage, around: Sequence[LoggedMessage], carried: CarriedWords
) -> list[_Passage]:
    """Find the passages that a quote joins, those of `message` first; empty if one is missing, or none is in it."""
    passages = [words for part in _JOINT.split(quote) if (words := part.strip(" []()")) and _plain(words)]
    if not 1 < len(passages) <= MAX_PASSAGES or not all(map(is_quote, passages)):
        return []
    others = [
        other
        for other in around
        if other.seq != message.seq and other.role == message.role and speaker_of(other) == speaker_of(message)
    ]
    holders = (message, *others)
    found = [held for passage in passages if (held := _held(passage, holders, carried))]
    if len(found) < len(passages) or all(passage.message.seq != message.seq for passage in found):
        return []
    return sorted(found, key=lambda passage: passage.message.seq != message.seq)


def _held(passage: str, holders: Sequence[LoggedMessage], carried: CarriedWords) -> _Passage | None:
    """Find a passage in the own words of one of the messages, else in a text that one gives to work on."""
    said = next((holder for holder in holders if is_quoted_in(passage, readable(holder))), None)
    if said:
        return _Passage(passage, said)
    given = (holder for holder in holders if is_quoted_in(passage, carried.given(holder.seq)))
    holder = next(given, None)
    return _Passage(passage, holder, is_pasted=True) if holder else None


def _misattributed(candidate: Candidate, passages: Sequence[_Passage]) -> str:
    """Return why a candidate does not rest on the user's own statements; empty if it does."""
    for passage in passages:
        part = replace(candidate, quote=passage.words)
        if passage.is_pasted:
            continue
        if not speaker_name(passage.message.name) and _is_others_speech(part, readable(passage.message)):
            return "rests on words that the message quotes from another person"
    if _TELLS_OF_ASSISTANT.search(candidate.text[:_MAX_ATTRIBUTION_CHARACTERS]) and not _SECOND_PERSON.search(
        candidate.quote
    ):
        return "tells what the assistant said, and rests on the words of the user"
    return "rests on a question that tells nothing" if _only_asks(candidate) else ""


def is_quote(quote: str) -> bool:
    """Return whether a quote is long enough to prove anything."""
    return sum(character.isalnum() for character in _plain(BYTE_MARK.sub(" ", quote))) >= MIN_QUOTE_CHARACTERS


def is_quoted_in(quote: str, text: str) -> bool:
    """Return whether a text contains a quote, ignoring white space, case, width and punctuation.

    >>> is_quoted_in("“I live in  Oslo.”", "i live, in oslo - by the river"), is_quoted_in("", "anything")
    (True, True)
    """
    plain = _plain(quote)
    if plain in _plain(text):
        return True
    # Blanks mean nothing to such a script, and a comma that is left out leaves none.
    return is_unspaced(plain) and plain.replace(" ", "") in _plain(text).replace(" ", "")


def question_before(message: LoggedMessage, messages: Sequence[LoggedMessage]) -> str:
    """Return the question of the other side right before a message; empty if there is none."""
    before = [earlier for earlier in messages if earlier.seq < message.seq]
    last = max(before, key=lambda earlier: earlier.seq, default=None)
    return question_in(readable(last)) if last is not None and last.role != message.role else ""


def _is_others_speech(candidate: Candidate, text: str) -> bool:
    """Return whether only others' speech contains the candidate's quote, or its value."""
    speech = find_others_speech(text)
    if not speech:
        return False
    spoken = [text[start:end] for start, end in speech]
    own = blank_out(text, speech)
    if any(is_quoted_in(candidate.quote, words) for words in spoken) and not is_quoted_in(candidate.quote, own):
        return True
    value = candidate.value if candidate.kind is MemoryKind.FACT else ""
    return bool(value) and any(is_quoted_in(value, words) for words in spoken) and not is_quoted_in(value, own)


def _only_asks(candidate: Candidate) -> bool:
    """Return whether a candidate is a question, or rests on one that shares too few of its words."""
    if candidate.forgets or candidate.ends or retracts(candidate.quote) or asks_to_forget(candidate.quote):
        return False
    said = candidate.quote if candidate.quote in candidate.text else candidate.text
    if asks(candidate.text) and only_asks(said):
        return True
    quote = fold(candidate.quote)
    if not asks(quote) or _mentions_speaker(quote) or not only_asks(quote):
        return False
    stated = set(terms(candidate.text)) - _SPEAKER
    if _CURIOUS.search(candidate.text):  # a question shows that
        return (stated - _CURIOUS_TERMS).isdisjoint(terms(quote))
    return len(stated & set(terms(quote))) < MIN_ASSENTED_WORDS * max(len(stated), 1)


def _mentions_speaker(text: str) -> bool:
    """Return whether a text mentions its writer, or is in a language where that cannot be checked."""
    return bool(_FIRST_PERSON.search(text)) or not _ENGLISH_FUNCTION_WORD.search(text)


def _assented(candidate: Candidate, message: LoggedMessage, yes: bool, question: str) -> CheckedEvidence:
    """Check a candidate from a bare yes or no against the question that was answered."""
    if not question:
        return CheckedEvidence(None, "rests on a bare yes or no to what was no question")
    stated = set(terms(candidate.text)) - _SPEAKER
    if len(stated & set(terms(question))) < MIN_ASSENTED_WORDS * max(len(stated), 1):
        return CheckedEvidence(None, "rests on a bare yes or no to another question")
    if not yes and not candidate.ends and not _NEGATION.search(candidate.text):
        return CheckedEvidence(None, "says what was answered with no")
    return CheckedEvidence(evidence_of(message, readable(message).strip()), "")


def evidence_of(message: LoggedMessage, quote: str = "") -> Evidence:
    """Return a message as evidence, with the quoted words; without a quote, the whole message is the evidence."""
    return Evidence(
        conversation=message.conversation,
        seq=message.seq,
        hash=message.hash,
        role=message.role,
        speaker=speaker_of(message, quote),
        quote=quote,
        said_at=message.said_at,
    )


@remembered
def _plain(text: str) -> str:
    """Write the words of a text as quotes are compared."""
    return bare(text.replace(OTHERS_OPEN, "").replace(OTHERS_CLOSE, ""))
