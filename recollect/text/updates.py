"""What a clause says has changed or ended, by its words alone, and which older clauses it contradicts. Pure.

No grammar is read: a clause is a list of words in one of seven languages. It changes something where it gives a new
value of a kind (a date, an amount) beside a word of change, and an older clause on the same topic gives another value
of that kind. What is missed or ambiguous changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.text.clauses import (
    CALENDAR,
    MAX_OBJECT_WORDS,
    ReadClause,
    has_meaning,
    may_change_amount,
    read_clause,
    subject_of,
)
from recollect.text.normalize import fold, spelling_similarity
from recollect.text.reversals import Reversal, read_reversals
from recollect.text.speakers import may_be_the_same, may_share_owner
from recollect.text.stem import stem
from recollect.text.update_words import (
    ALSO,
    AM,
    CHANGED,
    DEBT,
    DISLIKES,
    ENDED_BY_WORD,
    ENDED_IN_ENGLISH,
    GONE,
    HAD_TO,
    HOMES,
    JOB_NEWS,
    JOBS,
    LEADS,
    LIKES,
    MOVES,
    NEEDS_NO_MORE,
    NEGATIONS,
    NEW_JOBS,
    NO_MORE,
    ONE_TOPIC,
    OTHERS,
    PARTED,
    PLACED,
    PROFESSIONS,
    RECOVERED,
    UNSURE,
)

# Longest clause that is read as news, in words.
MAX_NEWS_WORDS = 20
# From this spelling similarity on a denied word is the same name spelt wrongly: 'Hanaya', 'Hanayama'.
MIN_RESPELLED = 0.7
_MIN_NAME = 4
# Words between a verb and its particle: 'gave the old car away'.
_MAX_PARTED = 4
# Number of words after 'in', 'à', 'bei' that are searched for a place.
_MAX_BETWEEN = 2
# Words of one stem that their languages' stemmers part: 'ilustrador', 'ilustração'.
_MIN_PREFIX = 6
# Verbs that say nothing of what a number is the amount of.
_OF_ANYTHING = frozenset(
    "take took pay paid have has had get got use need spend cost charge earn drink eat buy".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What a clause says is no longer as it was."""

    clause: ReadClause
    changes: bool = False
    """Its values take the place of those that older clauses on its topic give."""
    ended: tuple[frozenset[str], ...] = ()
    """Topics of which nothing said before holds any more."""
    recovered: tuple[frozenset[str], ...] = ()
    """Topics with which nothing is wrong any more."""
    paid: tuple[frozenset[str], ...] = ()
    """Topics of which no debt is left."""
    denied: frozenset[str] = frozenset()
    """Words that were wrong."""
    respelled: str = ""
    """A name whose other spellings were wrong."""
    likes: bool | None = None
    """It says that its speaker likes its topic, or does not."""
    home: bool = False
    job: bool = False
    """It says where its speaker lives or works now."""
    reversals: tuple[Reversal, ...] = ()
    """What else it says: of parts of life, programs, habits, plans."""


def read_update(text: str, *, within: str = "") -> Update | None:
    """Return what a clause says has changed; None where it says no such thing, or is not sure.

    Args:
        text: The clause.
        within: Its sentence: a word of change in it counts for all its clauses.

    >>> read_update("we sold the boat").ended
    (frozenset({'boat'}),)
    >>> read_update("we might sell the boat") is None
    True
    """
    clause = read_clause(text)
    said = frozenset(clause.words)
    if len(said) < 2 and not text.lstrip().startswith("*"):
        return None
    if not said.isdisjoint(UNSURE) or "?" in text:
        return None
    is_short = len(clause.words) <= MAX_NEWS_WORDS
    denied = _denied(clause, read_clause(within).words) if is_short else frozenset()
    respelled = _respelled(text, clause)
    ended = (*_objects(clause), *_subjects(clause, GONE)) if is_short and not denied else ()
    is_marked = not (said | frozenset(read_clause(within).words)).isdisjoint(CHANGED)
    changes = bool(clause.values) and is_short and is_marked and said.isdisjoint(NEGATIONS)
    update = Update(
        clause=clause,
        changes=changes,
        ended=ended,
        recovered=tuple(_subjects(clause, RECOVERED)) if is_short else (),
        paid=_paid(clause),
        denied=denied,
        respelled=respelled,
        likes=_attitude(clause) if clause.topic else None,
        home=_tells_home(clause, text),
        job=_tells_new_job(clause, within),
        reversals=read_reversals(text, clause, within or text) if is_short else (),
    )
    told = (changes, ended, denied, respelled, update.recovered, update.paid, update.home, update.job, update.reversals)
    return update if any(told) or update.likes is not None else None


def contradicts(update: Update, text: str) -> bool:
    """Return whether an older clause says what an update says is no longer so.

    >>> rent = read_update("rent there's 695 now")
    >>> contradicts(rent, "my rent is 890"), contradicts(rent, "the deposit is 890")
    (True, False)
    """
    old = read_clause(text)
    said = frozenset(old.words)
    if any(reversal.ends(text) for reversal in update.reversals):
        return True
    if update.denied & said or (update.respelled and any(misspells(update.respelled, word) for word in said)):
        return True
    if any(has_all(topic, old.topic) for topic in update.ended):
        return True
    is_event = "date" in old.values or "weekday" in old.values
    if not is_event and any(has_all(topic, old.topic) for topic in update.recovered):
        return True
    if not said.isdisjoint(DEBT) and any(has_all(topic, old.topic) for topic in update.paid):
        return True
    if update.changes and _gives_another_value(update.clause, old):
        return True
    if update.likes is not None and _attitude(old) is (not update.likes):
        return has_all(liked(update.clause), old.topic)
    return (update.home and _tells_another_home(update.clause, old)) or (update.job and _tells_job(old))


def topic_of(update: Update) -> frozenset[str]:
    """Return the words by which older clauses are searched for."""
    words = {word for word in update.clause.words if has_meaning(word)} | update.denied
    if any(word in ONE_TOPIC for word in words):
        words |= ONE_TOPIC.keys()
    if update.home:
        words |= HOMES
    if update.job:
        words |= JOBS | PROFESSIONS
    return frozenset(words)


def _objects(clause: ReadClause) -> list[frozenset[str]]:
    """Return the words after verbs of ending: 'sold the boat'."""
    found = []
    for place, word in enumerate(clause.words):
        begun = (each for each in ENDED_BY_WORD.get(word, ()) if clause.words[place : place + len(each)] == each)
        phrase = max(begun, key=len, default=())
        if not phrase or _is_denied(clause.words, place):
            continue
        is_forced = clause.words[max(0, place - 2) : place] == ("had", "to")
        if phrase in HAD_TO and not is_forced:
            continue  # 'we sell boats'
        if phrase in ENDED_IN_ENGLISH and place and clause.words[place - 1] not in LEADS and not is_forced:
            continue  # 'they sold'; other languages say by the verb's form who did it
        if phrase[-1] in NEEDS_NO_MORE and NO_MORE.isdisjoint(clause.words[place:]):
            continue
        found.append(_topic_behind(clause.words, place + len(phrase)))
    return [topic for topic in (*found, *_parted_with(clause.words)) if topic]


def _parted_with(words: Sequence[str]) -> list[frozenset[str]]:
    """Return the words between a verb of ending and its particle: 'handed the choir over'."""
    found = []
    for place, verb in enumerate(words):
        between = words[place + 1 : place + 2 + _MAX_PARTED]
        particle = next((at for at, word in enumerate(between) if at and word in PARTED.get(verb, ())), 0)
        is_mine = not place or words[place - 1] in LEADS
        if particle and is_mine and not _is_denied(words, place):
            found.append(_topic_behind((*between[:particle], "now"), 0))
    return found


def _topic_behind(words: Sequence[str], start: int) -> frozenset[str]:
    place = start
    while place < min(start + 3, len(words)) and not has_meaning(words[place]):
        if words[place][0].isdigit() or words[place] in OTHERS:
            return frozenset()  # 'lost 5 kilos', 'sold her car'
        place += 1
    topic: list[str] = []
    while place < len(words) and len(topic) < MAX_OBJECT_WORDS and has_meaning(words[place]):
        topic.append(subject_of(words[place]))
        place += 1
    return frozenset(topic)


def _subjects(clause: ReadClause, phrases: Sequence[tuple[str, ...]]) -> list[frozenset[str]]:
    """Return the words before predicates: 'the trip fell through'."""
    found = []
    for phrase in phrases:
        for place in _places(clause.words, phrase):
            behind = clause.words[place + len(phrase) :]
            if _is_denied(clause.words, place) or (behind and has_meaning(behind[0]) and behind[0] not in CALENDAR):
                continue
            before = place - 1
            while before >= 0 and before > place - 4 and not has_meaning(clause.words[before]):
                before -= 1
            if before >= 0 and has_meaning(clause.words[before]):
                found.append(frozenset({subject_of(clause.words[before])}))
    return found


def _is_denied(words: Sequence[str], place: int) -> bool:
    return not NEGATIONS.isdisjoint(words[max(0, place - 3) : place])


def _paid(clause: ReadClause) -> tuple[frozenset[str], ...]:
    return tuple(
        topic
        for place in _places(clause.words, ("paid", "off"))
        if (topic := _topic_behind(clause.words, place + 2)) and not _is_denied(clause.words, place)
    )


def _places(words: Sequence[str], phrase: tuple[str, ...]) -> list[int]:
    if phrase[0] not in words:
        return []
    size = len(phrase)
    return [place for place in range(len(words) - size + 1) if tuple(words[place : place + size]) == phrase]


def _denied(clause: ReadClause, within: Sequence[str]) -> frozenset[str]:
    """Return words after 'not' if the clause (for numbers, the sentence) gives another value."""
    found = set()
    for place, word in enumerate(clause.words[:-1]):
        if word not in NEGATIONS:
            continue
        for denied in clause.words[place + 1 : place + 3]:
            if not has_meaning(denied) and not denied.isdigit():
                continue
            others = [other for other in clause.words if other != denied]
            figures = {word for word in (*clause.words, *within) if word.isdigit()}
            is_number = denied.isdigit() and len(denied) > 1 and bool(figures - {denied})
            if is_number or any(misspells(other, denied) for other in others):
                found.add(denied)
                break
    return frozenset(found)


def _respelled(text: str, clause: ReadClause) -> str:
    """Return a name that is corrected by spelling: '*Pickles', 'Robyn with a y', not 'start with a T-shirt'."""
    words = clause.words
    if text.lstrip().startswith("*") and len(words) == 1:
        return words[0]
    for place in _places(words, ("with", "a")) + _places(words, ("with", "an")):
        letter = words[place + 2] if place and place + 2 < len(words) else ""
        if len(letter) == 1 and letter in words[place - 1] and f" {letter}-" not in text.lower():
            return words[place - 1]
    return ""


def misspells(name: str, word: str) -> bool:
    """Return whether a word is a name spelt otherwise."""
    if word == name or min(len(word), len(name)) < _MIN_NAME or word[0] != name[0]:
        return False
    return stem(word) != stem(name) and spelling_similarity(word, name) >= MIN_RESPELLED and not word.isdigit()


def _same(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= _MIN_PREFIX and one[:_MIN_PREFIX] == other[:_MIN_PREFIX])


def has_all(topic: frozenset[str], words: frozenset[str]) -> bool:
    """Return whether words have each word of a topic, in any of its forms; an empty topic is in none."""
    return bool(topic) and all(any(_same(wanted, word) for word in words) for wanted in topic)


def _gives_another_value(new: ReadClause, old: ReadClause) -> bool:
    if not may_be_the_same(new.words, old.words) or not may_share_owner(new.words, old.words):
        return False
    if _differ_in_thing(new.topic, old.topic):
        return False
    return any(
        given.isdisjoint(old.values[other])
        and (kind != "amount" or may_change_amount(new, old))
        and (_names(new.named[kind], old.named[other]) or _names(old.named[other], new.named[kind]))
        for kind, given in new.values.items()
        for other in (kind, "clock" if kind == "amount" else kind)
        if other in old.values
    )


def _differ_in_thing(new: frozenset[str], old: frozenset[str]) -> bool:
    """Whether two clauses share a verb alone that goes with any thing: 'take 5 mg of this', 'take 20 mg of that'."""
    shared = {word for word in new if any(_same(word, other) for other in old)}
    return (
        bool(shared)
        and shared <= _OF_ANYTHING
        and bool(new - shared)
        and not all(any(_same(word, other) for other in shared) for word in old)
    )


def _names(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether the words nearest to a value are all near another one."""
    return has_all(frozenset(words[:MAX_OBJECT_WORDS]), frozenset(others))


def _attitude(clause: ReadClause) -> bool | None:
    said = frozenset(clause.words)
    likes, dislikes = not said.isdisjoint(LIKES), not said.isdisjoint(DISLIKES)
    if likes is dislikes:
        return None
    denies = not said.isdisjoint(NEGATIONS)
    return likes is not denies


def liked(clause: ReadClause) -> frozenset[str]:
    """Return the words after a verb of liking."""
    for place, word in enumerate(clause.words):
        if word in LIKES or word in DISLIKES:
            return _topic_behind(clause.words, place + 1)
    return frozenset()


def _tells_home(clause: ReadClause, text: str) -> bool:
    said = frozenset(clause.words)
    if said.isdisjoint(HOMES) or _denies(clause.words):
        return False
    return bool(_homes(clause)) and (not said.isdisjoint(MOVES) or _is_written_as_name(_homes(clause), text))


def _denies(words: Sequence[str]) -> bool:
    """Return whether words deny; after a verb of living or working, Portuguese 'no' is 'in the'."""
    return any(
        word in NEGATIONS and not (word == "no" and place and words[place - 1] in HOMES | JOBS)
        for place, word in enumerate(words)
    )


def _is_written_as_name(places: frozenset[str], text: str) -> bool:
    return any(word[:1].isupper() and fold(word.lower().strip(".,!;:")) in places for word in text.split())


def _homes(clause: ReadClause) -> frozenset[str]:
    """Return the words after 'in', 'à', 'nach', with or without an article between."""
    places = (place for place, word in enumerate(clause.words[:-1]) if word in PLACED)
    behind = (clause.words[place + 1 : place + 1 + _MAX_BETWEEN] for place in places)
    return frozenset(named for words in behind if (named := next(filter(has_meaning, words), "")))


def _tells_another_home(new: ReadClause, old: ReadClause) -> bool:
    said = frozenset(old.words)
    return not said.isdisjoint(HOMES) and bool(_homes(old)) and _homes(new).isdisjoint(old.words)


def _tells_new_job(clause: ReadClause, within: str) -> bool:
    said = frozenset(clause.words) | frozenset(read_clause(within).words)
    if any(_places(clause.words, phrase) for phrase in NEW_JOBS):
        return not _denies(clause.words)
    if not said.isdisjoint(ALSO) or _denies(clause.words) or said.isdisjoint(JOB_NEWS):
        return False
    return _tells_job(clause)


def _tells_job(clause: ReadClause) -> bool:
    if not frozenset(clause.words).isdisjoint(JOBS) and _homes(clause):
        return True
    pairs = zip(clause.words, clause.words[1:], strict=False)
    return any(word in AM and after in PROFESSIONS for word, after in pairs)
