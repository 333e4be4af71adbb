"""What a message only carries is taken away before anything is derived."""

from hypothesis import given
from hypothesis import strategies as st

from tables import check_each
from toldonce.extraction.own_text.own_words import own_words

BLOCK = "<toldonce-memory k1>\n- The user likes tea\n</toldonce-memory k1>"


@check_each(
    ("text", "own"),
    [
        (f"{BLOCK}I moved.", "I moved."),
        (f"I moved. {BLOCK} Twice.", "I moved."),
        (f"{BLOCK}\n\n{BLOCK.replace('k1', 'k2')}\n\nI moved.", "I moved."),
        ("I moved. <toldonce-memory k1>- likes tea", "I moved."),
        (f"<toldonce-memory a>x{BLOCK}y</toldonce-memory a>I moved.", "I moved."),
        ("likes tea</toldonce-memory k1>I moved.", ""),
        ("&lt;toldonce-memory k1&gt;likes tea&lt;/toldonce-memory k1&gt;I moved.", "I moved."),
        ("> <toldonce-memory k1>\n> likes tea\n> </toldonce-memory k1>\nI moved.", "I moved."),
        ("<TOLDONCE-MEMORY k>likes tea</ToldOnce-Memory k>I moved.", "I moved."),
        ("<think>he likes tea</think>I moved.", "I moved."),
        ("<think>he likes tea", ""),
        ('<details type="reasoning" done="true">tea</details>I moved.', "I moved."),
        ("I moved.\n```python\nx = 'I like tea'\n```\nTwice.", "I moved.\n\nTwice."),
        ("I moved.\n```\nI like tea", "I moved."),
        ("~~~\nI like tea\n~~~\nI moved.", "I moved."),
        ("> I like tea\nI moved.", "I moved."),
        ("<document>I like tea</document>I moved.", "I moved."),
        ("<source id='1'>I like tea</source> I moved.", "I moved."),
        ("--- BEGIN FILE ---\nI like tea\n--- END FILE ---\nI moved.", "I moved."),
        ("<user_query>\nWhy?\n<context>\nI like tea\n</user_query>\n</context>", ""),
        ("Use `I like tea` here", "Use `I like tea` here"),
        ("I am <b>bold</b>", "I am <b>bold</b>"),
        ("a < b and b > c", "a < b and b > c"),
        ("My budget = 500 and I need a bike by May.", "My budget = 500 and I need a bike by May."),
        ("I moved.\nint width = 3;", "I moved."),
        ("width = 3\nheight = 4", ""),
    ],
)
def test_only_own_words_are_left(text: str, own: str) -> None:
    assert own_words(text) == own


@given(st.lists(st.sampled_from(["<toldonce-memory k>", "</toldonce-memory k>", "SECRET", "\n", "> "]), max_size=12))
def test_nothing_between_our_tags_survives_however_they_nest(parts: list[str]) -> None:
    text = "".join(["<toldonce-memory k>", *parts, "SECRET"])
    if text.count("</toldonce-memory") == 0:
        assert "SECRET" not in own_words(text)
    assert "toldonce-memory" not in own_words(text)
