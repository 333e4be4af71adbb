"""Courtesies: words of greeting, thanks and assent, which ask for nothing and say nothing of their author. Pure."""

from toldonce.text.normalize import fold
from toldonce.text.questions import GREETINGS, only_greets

COURTESIES = GREETINGS | frozenset(
    fold(word)
    for word in """hi hey hello hiya yo howdy dear good morning evening afternoon night day bye goodbye see later soon
    thanks thank thx ty cheers appreciate appreciated please pls sorry welcome congrats congratulations
    ok okay yes yep yeah yup no nope nah sure fine right exactly correct indeed agreed alright
    great cool nice awesome perfect lovely wonderful amazing excellent brilliant fantastic interesting neat wow oh ah
    lol haha hahaha hehe hmm helps help helped helpful sense make makes made sound sounds looks works worked works
    never mind np problem worries got get understood noted see lot best needed need wanted exactly useful
    go going goes goin how's what's up doing continue next done well done ready here again now then you're that's
    hilft geholfen weiter verstanden klar läuft geht's gehts wie aide aidé compris va vas ça tal ayuda entiendo
    entendido aiuta capito aiutato ajuda ajudou entendi helpt begrepen snap hjälper hjelper hjælper помогло помогает
    понял поняла понятно ясно дела 明白 明白了 知道了 谢谢你 非常感谢 分かりました わかりました 네네 شكرا""".split()
)
"""Folded; a text of nothing else, apart from function words, is a courtesy."""
# Longer texts say something, whatever their words are in another language.
_MAX_COURTESY_WORDS = 12


def is_courtesy(text: str, content_words: frozenset[str]) -> bool:
    """Return whether a text only greets, thanks or assents.

    Args:
        text: The text.
        content_words: Its words without the stop words of its language.

    >>> is_courtesy("Thanks, that helps.", frozenset({"thanks", "helps"}))
    True
    >>> is_courtesy("Help Ana.", frozenset({"help", "ana"}))
    False
    """
    if only_greets(text):
        return True
    return len(content_words) <= _MAX_COURTESY_WORDS and all(fold(word) in COURTESIES for word in content_words)
