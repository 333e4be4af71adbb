"""Replies that are put before messages for the heads to learn from."""

from random import Random

import numpy as np
import pytest

from toldonce.reading.head_features import HeadInput
from toldonce.text import asks
from tools.reader_examples import MAX_FOLDS, Labelled, Replies, ReplyKind, later

LANGUAGES = "ar de en es fr it ja nl pt ru zh".split()


def example(text: str, *, reply: str = "", language: str = "en", is_own: bool = True) -> Labelled:
    source = HeadInput(text=text, sentences=[text], previous_reply=reply)
    group = f"{language} w01"
    return Labelled(group=group, is_own=is_own, language=language, source=source, labels=np.zeros((1, 11), np.float32))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_replies_of_every_kind(language: str) -> None:
    replies, random = Replies([]), Random(0)
    for kind in ReplyKind:
        drawn = {replies.draw(language, kind, random) for _ in range(60)}
        assert len(drawn) >= 5
        assert kind is ReplyKind.PLAY or {asks(reply) for reply in drawn} == {True, False}


def test_a_message_keeps_the_question_that_it_answers() -> None:
    asked = example("Lyon", reply="Where do you live?")
    [later_on, other] = later([asked, example("I like tea.")], Replies([]), 1)
    assert later_on.source.previous_reply.endswith(" Where do you live?")
    assert later_on.source.previous_texts in ([], ["I like tea."])
    assert other.source.previous_reply
    assert other.source.turn > 0


def test_a_real_message_keeps_its_reply() -> None:
    real = example("Yes", reply="Shall I go on?", is_own=False)
    assert later([real], Replies([]), 1) == [real]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_part_has_replies_and_shares_none(language: str) -> None:
    parts = [Replies([], MAX_FOLDS, {own}) for own in range(MAX_FOLDS)]
    said = [{parts[own].draw(language, ReplyKind.PLAY, Random(n)) for n in range(9)} for own in range(MAX_FOLDS)]
    assert sum(map(len, said)) == len(set().union(*said))
