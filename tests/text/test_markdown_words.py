"""Words as Markdown: any text comes back letter for letter, from one line that begins nothing but an item."""

from hypothesis import given
from hypothesis import strategies as st

from toldonce.text.markdown import from_markdown, to_markdown

MARKS = st.sampled_from(
    ["\\", "`", "*", "_", "~", "[", "<", "<br>", "&", "&#13;", "&amp;", "#", "-", "1.", "\n", "\r", "\u2028", " "]
)


@given(st.lists(MARKS | st.characters(exclude_categories=["Cs"])).map("".join))
def test_words_come_back_letter_for_letter_from_one_line(words: str) -> None:
    line = to_markdown(words)
    assert from_markdown(line) == words
    assert len(line.splitlines()) <= 1
    assert not line.startswith(("#", "- ", "> ", "1.", "* ", "<!--"))
