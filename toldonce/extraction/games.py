"""Whether a memory says itself that it is about a game, a story or a supposition. Pure.

What the user says within a role play is no fact about them, but that they like to play it may be: "Likes role plays in
which the user is a knight" may rest on "I draw my sword", "The user owns a sword" may not.
"""

import re

from toldonce.lazy_pattern import LazyPattern

_GAME = LazyPattern(
    r"\b(?:role[\s-]?play\w{0,4}|rp|gam(?:es?|ing)|gameplay|stor(?:y|ies)|storytelling|tales?|fiction\w{0,4}|fan\s?fic\w{0,7}"
    r"|scenarios?|characters?|personas?|fantas(?:y|ies)|narrat\w{2,5}|plots?|scenes?|novels?|screenplays?|adventures?|quests?"
    r"|campaigns?|d&d|dnd|dungeons?|imagin\w{2,8}|pretend\w{0,3}|hypothetical\w{0,2}|suppos\w{1,7}|simulat\w{2,4}|invent\w{1,3}"
    r"|make-believe|creative writing|world-?building"
    # German, Dutch
    r"|rollenspiel\w{0,3}|spiel\w{0,2}|geschichten?|figur(?:en)?|szenari\w{1,2}|erfunden\w{0,2}|fantasie\w{0,2}|rollenspel\w{0,3}"
    r"|verhal(?:en)?|verhaal|personages?|verzonnen"
    # French, Spanish, Portuguese, Italian
    r"|jeux?|histoires?|récits?|personnages?|scénarios?|imaginaires?|juegos?|historias?|relatos?|personajes?|escenarios?"
    r"|ficción|jogos?|histórias?|personage(?:m|ns)|cenários?|ficção|gioc(?:o|hi)|stori[ae]|raccont[oi]|personagg(?:io|i)"
    # Polish, Turkish, Indonesian
    r"|gr(?:a|y|ę|ach)|fabuł\w{1,3}|posta(?:ć|ci)|opowiadani\w{1,2}|oyun\w{0,4}|hikaye\w{0,4}|permainan|cerita"
    # Russian, Ukrainian, Arabic
    r"|ролев\w{2,4}|игр\w{1,3}|истори\w{1,3}|рассказ\w{0,3}|персонаж\w{0,3}|сцен\w{1,5}|рольов\w{2,4}|гр(?:а|и|у|ах)"
    r"|لعب\w{0,3}|قصة|قصص|شخصية|سيناريو)\b"
    # Chinese, Japanese, Korean
    r"|扮演|游[戏戲]|遊[戲戏]|故事|小[说說]|[剧劇]情|[虚虛][构構]|[设設]定|情景|ロールプレイ|ゲーム|物語|架空|キャラ|역할극|롤플레이|게임|이야기|소설|캐릭터",
    re.IGNORECASE,
)


def names_game(text: str) -> bool:
    """Return whether a memory says that it is about a game, a story or a supposition.

    >>> names_game("The user likes role plays with dice."), names_game("The user owns a castle.")
    (True, False)
    """
    return bool(_GAME.search(text))
