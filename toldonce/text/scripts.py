"""Which script a word is written in, and the terms of words that are not cut by blanks. Pure."""

from bisect import bisect_right
from collections.abc import Iterator

from toldonce.lazy_pattern import LazyPattern

# Where each script begins; up to the next.
_BORDERS = (
    (0x0000, "latin"),
    (0x0370, "greek"),
    (0x0400, "cyrillic"),
    (0x0530, "armenian"),
    (0x0590, "hebrew"),
    (0x0600, "arabic"),
    (0x0780, "other"),
    (0x08A0, "arabic"),
    (0x0900, "devanagari"),
    (0x0980, "other"),
    (0x0B80, "tamil"),
    (0x0C00, "other"),
    (0x1D00, "latin"),
    (0x1F00, "greek"),
    (0x2000, "other"),
    (0x2C60, "latin"),
    (0x2C80, "other"),
    (0xFB1D, "hebrew"),
    (0xFB50, "arabic"),
    (0xFE00, "other"),
)
_FIRST = [first for first, _ in _BORDERS]
_SCRIPT = [script for _, script in _BORDERS]

# Han with its extensions and the sign of repetition; kana with the half of its marks that NFKC leaves.
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff"
# Thai, Lao, Myanmar, Khmer.
_SOUTHEAST = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\uaa60-\uaa7f"
_HANGUL = "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"
_RUN = LazyPattern(f"([{_HAN}{_KANA}]+)|([{_SOUTHEAST}]+)|([{_HANGUL}]+)|([^{_HAN}{_KANA}{_SOUTHEAST}{_HANGUL}]+)")
_UNSPACED = LazyPattern(f"[{_HAN}{_KANA}{_SOUTHEAST}]")
_ONE_HAN = LazyPattern(f"[{_HAN}]")
_HIRAGANA_ALONE = LazyPattern("[\u3041-\u309f]+")
# A letter with the signs above, below and after it.
_CLUSTER = LazyPattern(
    "[^\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u17b4-\u17d3]?"
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u17b4-\u17d3]*"
)

# Characters that are in most messages and say nothing of their subject. Negations (不 没 無 …) are not among them.
STOP_HAN = frozenset(
    "的了在是我你您他她它们們这這那个個有和与與就也都很吗嗎呢吧啊么麼着著过過把被给給从從到对對于於以之其此所而且但一"
)
_STOP_PAIRS = frozenset(
    """です ます ます した して する いる ある こと もの これ それ あれ から まで より ので のに けど でも では
    には とは にも ても った って いた てい まし しま すか たい さん ござ んで この その あの どの どこ だれ
    なに いつ なん どう ました でし 我的 我们 我們 你的 你们 你們 他的 她的 这个 這個 那个 那個 什么 什麼 怎么
    怎麼 哪里 哪裡 哪儿 时候 時候 一个 一個 就是 还是 還是 或者 因为 因為 所以 但是 如果 可以 自己""".split()
)
# Korean particles and endings of a noun, longest first: what is before them is the word.
_PARTICLES = sorted(
    """에서는 에게서 으로는 이라고 에서 에게 한테 께서 부터 까지 으로 처럼 보다 마다 조차 밖에 이나 이랑 라고 하고
    입니다 이에요 예요 이야 에는 에도 은 는 이 가 을 를 에 의 도 로 와 과 만 야 요 랑""".split(),
    key=len,
    reverse=True,
)


def script_of(word: str) -> str:
    """Name the script of a word by its first letter that is not ASCII.

    >>> script_of("moving"), script_of("żyć"), script_of("дом"), script_of("κ")
    ('latin', 'latin', 'cyrillic', 'greek')
    """
    for character in word:
        if character > "\x7f":
            return _SCRIPT[bisect_right(_FIRST, ord(character)) - 1]
    return "latin"


def is_unspaced(text: str) -> bool:
    """Tell whether a text has letters of a script that puts no blanks between words.

    >>> is_unspaced("私はどこ"), is_unspaced("Where am I")
    (True, False)
    """
    return not text.isascii() and bool(_UNSPACED.search(text))


def mostly_unspaced(text: str) -> bool:
    """Tell whether a third or more of a text is of such a script; blanks, digits and foreign names are the rest."""
    return not text.isascii() and 3 * len(_UNSPACED.findall(text)) >= len(text)


def runs(word: str) -> Iterator[tuple[str, str]]:
    """Cut a word where it changes between scripts with and without blanks: (kind, stretch).

    >>> list(runs("iphone手机")), list(runs("дом"))
    ([('spaced', 'iphone'), ('pairs', '手机')], [('spaced', 'дом')])
    """
    for run in _RUN.finditer(word):
        kind = ("pairs", "clusters", "hangul", "spaced")[(run.lastindex or 0) - 1]
        yield kind, run.group()


def pairs(run: str) -> Iterator[str]:
    """Read a run of Han and kana as pairs of characters, and each Han character by itself: it is a word of its own.

    >>> list(pairs("食べた")), list(pairs("猫"))
    (['食べ', 'べた', '食'], ['猫'])
    """
    if len(run) > 1:
        yield from (pair for i in range(len(run) - 1) if (pair := run[i : i + 2]) not in _STOP_PAIRS)
        yield from (character for character in _ONE_HAN.findall(run) if character not in STOP_HAN)
    elif run not in STOP_HAN and not _HIRAGANA_ALONE.fullmatch(run):
        yield run


def clusters(run: str) -> Iterator[str]:
    """Read a run of Thai, Lao, Khmer or Myanmar as pairs of letters with their signs.

    >>> list(clusters("ที่"))
    ['ที่']
    """
    letters = [found for found in _CLUSTER.findall(run) if found]
    yield from ("".join(letters[i : i + 2]) for i in range(max(1, len(letters) - 1)))


def korean(word: str) -> Iterator[str]:
    """Read a Korean word without its particle: whole, and as pairs of syllables where it has more than two.

    A word of two syllables that may be a noun of one with a particle counts as both.

    >>> list(korean("서울에서")), list(korean("고양이를")), list(korean("집은"))
    (['서울'], ['고양', '양이', '고양이'], ['집은', '집'])
    """
    stem = next((word[: -len(end)] for end in _PARTICLES if word.endswith(end) and len(word) > len(end)), word)
    if len(stem) > 2:  # a noun may end like a particle: what is in it is found all the same
        yield from (stem[i : i + 2] for i in range(len(stem) - 1))
    elif len(stem) == 1 and len(word) == 2:
        yield word
    yield stem
