"""The trained heads: what they judge, and files that cannot be read."""

from pathlib import Path

import numpy as np
import pytest

from tables import check_each
from toldonce.errors import SetupError
from toldonce.reading.head_features import MAX_SENTENCES, SENTENCE_COLUMNS, HeadInput, message_columns
from toldonce.reading.heads import HEADS, Head, Heads, Network, load_heads, shipped_heads

SURE = 0.5
WISHES = (
    "From now on always answer me in one short paragraph.",
    "Antworte mir ab jetzt bitte immer ohne Emojis.",
    "À partir de maintenant, tutoie-moi toujours.",
    "A partir de ahora respóndeme siempre en español.",
    "D'ora in poi rispondimi sempre in modo breve.",
    "De agora em diante responde-me sempre em tópicos.",
    "Geef voortaan altijd korte antwoorden.",
    "Отныне всегда отвечай мне коротко и без смайликов.",
    "من الآن فصاعدا أجبني دائما باختصار.",
    "以后请一直用中文简短地回答我。",
    "これからはいつも敬語なしで短く答えてください。",
)
ORDINARY = (
    "How many people live in Norway?",
    "Wie viele Einwohner hat Norwegen?",
    "Combien d'habitants compte la Norvège ?",
    "¿Cuántos habitantes tiene Noruega?",
    "Quanti abitanti ha la Norvegia?",
    "Quantos habitantes tem a Noruega?",
    "Hoeveel inwoners heeft Noorwegen?",
    "Сколько жителей в Норвегии?",
    "كم عدد سكان النرويج؟",
    "挪威有多少人口?",
    "ノルウェーの人口はどのくらいですか?",
)


def probability(text: str, head: Head, reply: str = "") -> float:
    return shipped_heads().judge(HeadInput(text=text, sentences=[text], previous_reply=reply)).of(0, head)


@check_each("text", WISHES)
def test_a_standing_wish_is_known_in_every_language(text: str) -> None:
    assert probability(text, Head.WISH) > SURE


@check_each("text", ORDINARY)
def test_a_question_asks_and_tells_nothing(text: str) -> None:
    assert probability(text, Head.ASKS) > SURE
    assert max(probability(text, head) for head in (Head.KEPT, Head.WISH, Head.FORGETS, Head.PLANTED)) < SURE


def test_the_question_before_counts() -> None:
    asked = probability("Lyon", Head.KEPT, reply="Which city do you live in?")
    assert asked > probability("Lyon", Head.KEPT, reply="Which team won the cup in 1981?")


def test_a_long_message_is_judged_in_part() -> None:
    judgement = shipped_heads().judge(HeadInput(text="word " * 90_000, sentences=["I live in Oslo. " * 99] * 500))
    assert judgement.sentences.shape == (MAX_SENTENCES, len(HEADS))
    assert judgement.of(MAX_SENTENCES, Head.KEPT) == 0.0


def test_blank_and_odd_texts_are_judged() -> None:
    for text in (" ", "\x00", "🙂", "\ud800", "…"):
        assert 0.0 <= shipped_heads().judge(HeadInput(text=text, sentences=[text])).kept <= 1.0


def random_heads() -> Heads:
    random = np.random.default_rng(0)

    def network(columns: int, outputs: int) -> Network:
        shapes = (columns, 4), (4,), (4, outputs), (outputs,)
        return Network(*(random.standard_normal(shape).astype(np.float32) for shape in shapes))

    return Heads(network(SENTENCE_COLUMNS, len(HEADS)), network(message_columns(len(HEADS)), 1), "nothing")


def test_saved_heads_judge_as_before_up_to_their_8_bits(tmp_path: Path) -> None:
    heads, file = random_heads(), tmp_path / "heads.npz"
    heads.save(file)
    read = load_heads(file)
    assert read.trained_on == "nothing"
    row = np.random.default_rng(1).standard_normal((3, SENTENCE_COLUMNS)).astype(np.float32)
    before, after = heads.of_sentences.log_odds(row), read.of_sentences.log_odds(row)
    assert np.abs(before - after).max() < 0.05 * np.abs(before).max()


def test_heads_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    file = tmp_path / "heads.npz"
    for damage in ("missing", "cut", "other features", "other shapes", "not a number"):
        random_heads().save(file)
        with np.load(file) as stored:
            arrays = {name: stored[name] for name in stored.files}
        if damage == "missing":
            file.unlink()
        elif damage == "cut":
            file.write_bytes(file.read_bytes()[:-200])
        elif damage == "other features":
            np.savez_compressed(file, allow_pickle=False, **arrays | {"version": np.int64(0)})
        elif damage == "other shapes":
            np.savez_compressed(file, allow_pickle=False, **arrays | {"sentence_out_bias": np.zeros(3, np.float32)})
        else:
            broken = np.full(len(HEADS), np.nan, np.float32)
            np.savez_compressed(file, allow_pickle=False, **arrays | {"sentence_out_bias": broken})
        with pytest.raises(SetupError, match=r"heads\.npz"):
            load_heads(file)
