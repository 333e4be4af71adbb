"""Words that deny, in the languages of most users. Pure."""

import re

from recollect.text.normalize import words

# English has further rules of its own where sentences are compared (`resolution/lexicon.py`).
_WORDS = frozenset(
    """no not never none nobody nothing neither nor without cannot nowhere hardly
    nicht kein keine keinen keinem keiner keines nie niemals nichts niemand ohne weder
    ne n'est n'ai n'a n'aime pas jamais rien personne aucun aucune sans plus guère
    nunca jamás nada nadie ningún ninguno ninguna sin tampoco non mai niente nessuno nessuna senza né neanche
    não nenhum nenhuma ninguém sem nem jamais niet geen nooit niets niemand zonder
    inte aldrig ingen inget inga utan ikke aldri aldrig uten uden intet ei en et emme eivät ilman koskaan
    nie nigdy nic nikt żaden żadna bez ne není nejsem nemám nikdy nikdo nem soha semmi senki nélkül nincs
    nu niciodată nimic nimeni fără değil yok hiç asla tidak bukan tak tanpa jangan không chẳng chưa
    не нет ни никогда ничего никто без нельзя ні ніколи нічого ніхто немає δεν μην όχι ποτέ τίποτα κανείς χωρίς
    لا ليس ليست لم لن ما بدون غير لست نیست نه هرگز بدون לא אין אף בלי לעולם नहीं नही न मत कभी बिना""".split()
)
_INSIDE = re.compile(r"[不没沒無无未别莫非]|ない|なかった|ません|ぬ|안 |않|못|없|아니|ไม่|มิได้")


def negations(text: str) -> int:
    """Count the words, or signs of an unspaced script, that deny.

    >>> negations("Ich esse kein Fleisch."), negations("我不吃肉"), negations("I don't eat meat."), negations("I eat.")
    (1, 1, 1, 0)
    """
    told = sum(word in _WORDS or word.endswith("n't") for word in words(text))
    return told + len(_INSIDE.findall(text))
