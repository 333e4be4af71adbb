"""Words as Markdown shows them letter for letter, in one line, and back. Pure."""

import unicodedata

from toldonce.lazy_pattern import LazyPattern

# Marks that change how the text around them is shown; an underscore does so at the edge of a word alone.
_MARK = LazyPattern(r"[\\`*~\[<]|_(?![^\W_])|(?<![^\W_])_|&(?=#?\w{1,32};)")
# Marks that make a heading, a list, a quotation or a line of a text's beginning.
_FIRST = LazyPattern(r"\A[#>+=-]|(?<=\A[0-9])[.)]|(?<=\A[0-9][0-9])[.)]|(?<=\A[0-9]{3})[.)]|(?<=\A[0-9]{4})[.)]")
_ENCODED = LazyPattern(r"\\([!-/:-@\[-`{-~])|<br ?/?>|&#([0-9]{1,7});")
# Line ends of any kind would end the item of a list.
_LINE_ENDS = frozenset({"Cc", "Zl", "Zp"})
_BREAK = "<br>"
_MAX_CODE_POINT = 0x10FFFF


def to_markdown(text: str) -> str:
    r"""Return a text as one line of Markdown that shows it letter for letter.

    >>> print(to_markdown("2 * 3 <b> snake_case _x_\nnext"))
    2 \* 3 \<b> snake_case \_x\_<br>next
    >>> print(to_markdown("# one"), to_markdown("1. two"), to_markdown("AT&T &amp;"))
    \# one 1\. two AT&T \&amp;
    """
    marked = _MARK.sub(lambda found: "\\" + found.group(), text)
    marked = _FIRST.sub(lambda found: "\\" + found.group(), marked)
    if marked.isprintable():
        return marked
    return "".join(_visible(character) for character in marked)


def from_markdown(line: str) -> str:
    r"""Return the text that a line of Markdown shows: what `to_markdown` wrote, or a person.

    >>> from_markdown(r"2 \* 3 \<b> *new*<br>&#13;&#1114112;")
    '2 * 3 <b> *new*\n\r&#1114112;'
    """
    return _ENCODED.sub(lambda found: _decoded(found.group(), found[1], found[2]), line)


def _visible(character: str) -> str:
    if character == "\n":
        return _BREAK
    is_end = unicodedata.category(character) in _LINE_ENDS and character != "\t"
    return f"&#{ord(character)};" if is_end else character


def _decoded(whole: str, mark: str | None, number: str | None) -> str:
    if mark is not None:
        return mark
    if number is None:
        return "\n"
    code = int(number)
    return whole if code > _MAX_CODE_POINT or 0xD800 <= code < 0xE000 else chr(code)
