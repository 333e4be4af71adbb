"""Sentences end where the script they are written in says so."""

from tables import check_each
from toldonce.reading.sentences import sentences


@check_each(
    ("text", "found"),
    [
        ("我住在奥斯陆。你呢？太好了！", ["我住在奥斯陆。", "你呢？", "太好了！"]),
        ("「京都に住んでいます。」と姉が言う。", ["「京都に住んでいます。」", "と姉が言う。"]),
        ("أسكن في القاهرة. أين تسكن؟ لا أعرف.", ["أسكن في القاهرة.", "أين تسكن؟", "لا أعرف."]),
        ("मैं दिल्ली में रहता हूँ। आप कहाँ रहते हैं?", ["मैं दिल्ली में रहता हूँ।", "आप कहाँ रहते हैं?"]),
        ("میں لاہور میں رہتا ہوں۔ آپ؟", ["میں لاہور میں رہتا ہوں۔", "آپ؟"]),
        ("Μένω εδώ. Πού μένεις; Καλά.", ["Μένω εδώ.", "Πού μένεις;", "Καλά."]),
        ("ကျွန်တော် ရန်ကုန်မှာ နေတယ်။ ကောင်းတယ်။", ["ကျွန်တော် ရန်ကုန်မှာ နေတယ်။", "ကောင်းတယ်။"]),
        ("Ես ապրում եմ այստեղ։ Իսկ դու։", ["Ես ապրում եմ այստեղ։", "Իսկ դու։"]),
        ("I use node.js 3.5; it works. Fine!", ["I use node.js 3.5; it works.", "Fine!"]),
    ],
)
def test_a_text_is_cut_at_the_marks_of_its_script(text: str, found: list[str]) -> None:
    assert [piece.text for piece in sentences(text)] == found
    assert all(text[piece.start : piece.end] == piece.text for piece in sentences(text))
