"""Patterns that open and close games and suppositions, in seven languages. Pure.

`role_play` applies them sentence by sentence: "Let's role-play: you are a dragon" opens a game, and
'Game over!' ends it.
"""

import re

from toldonce.lazy_pattern import LazyPattern
from toldonce.reading.sentences import MAX_SENTENCE

# Characters of a sentence that are searched.
MAX_SEEN_CHARACTERS = min(400, MAX_SENTENCE)
# Words before the first meaningful one.
_FILLERS = (
    r"(?:(?:ok(?:ay)?|so|now|please|hey|and|but|then|anyway|enough|also|jetzt|bitte|und|aber|alors"
    r"|maintenant|ahora|adesso|agora|nu)[\s,.!]++){0,6}"
)
_PLAY = (
    r"(?:role[\s-]?play(?:ing)?|rollenspiele?s?|jeux?\sde\srôles?|juegos?\sde\srol|giochi?o?\sdi\sruolo|"
    r"jogos?\sde\s(?:rpg|pap[eé](?:l|is)|interpretação)|rollenspel(?:len)?)"
)
_TALE = r"(?:story|tale|adventure|saga|fan\s?fiction|campaign|scene|quest|scenario|role[\s-]?play|rp|game)"
# Titles of royalty and of tales, which no user of an assistant has.
_TITLE = (
    r"(?:queen|king|prince|princess|emperor|empress|wizard|witch|sorcerer|sorceress|warlock|pirate|knight|paladin"
    r"|druid|"
    r"necromancer|elf|orc|vampire|werewolf|warlord|goddess)"
)
# Titles that some people do have: they count if a person enters or speaks under them.
_RANK = (
    rf"(?:{_TITLE}|captain|capt|commander|lord|lady|sir|dame|baron|baroness|duke|duchess|agent|detective"
    r"|inspector|admiral)"
)

# Parts that the assistant plays in a scene for two.
_COUNTERPART = (
    r"(?:recruiter|interviewer|hiring manager|examiner|inspector|detective|judge|jury|prosecutor|witness|suspect"
    r"|customer|client|patient|waiter|waitress|barista|bartender|barkeep|innkeeper|shopkeeper|seller|buyer|salesman"
    r"|saleswoman|receptionist|border guard|customs officer|police officer|cop|landlord|narrator|dungeon master|dm|gm"
    r"|first mate|sidekick|squire|butler|king|queen|wizard|dragon|goblin|alien|robot|pirate|vampire|ghost|oracle"
    r"|journalist|reporter|talk show host|opponent|negotiator|investor|mentor|mayor|sheriff|villain|hostage)"
)

OPENS_GAME = LazyPattern(
    rf"\b(?:let's|lets|let us|can we|could we|shall we|wanna|want to|i want to|i'd like to|we'll|we are going to|"
    rf"we're going to|lass uns|wir machen|faisons|on fait|juguemos|hagamos|jugamos|facciamo|giochiamo|vamos"
    rf"|laten we|zullen we)\s"
    rf"(?:start\s|do\s|play\s|ein\s|een\s|un\s|um\s|a\s|faire\s|fazer\s|jogar\s|jugar\s|hacer\s|giocare\s"
    rf"|con\s){{0,3}}(?:an?\s|some\s|this\s)?(?!not\b)(?:\w+\s)?"
    rf"(?:{_PLAY}|rp|act out|pretend|play (?:pretend|make[\s-]believe|out|the (?:role|part)|"
    r"(?:an?\s)?(?:\w+\s)?(?:game|scenario|scene|story|adventure) (?:where|in which)|d&d|dnd|dungeons))\b"
    rf"|^\W{{0,3}}(?:{_PLAY}\b|(?:scenario|scene|setting|in character|ic)\s?:(?!\S))"
    rf"|^\W{{0,3}}(?:[\w'&-]{{1,20}}\s){{1,3}}(?:{_PLAY}|rp)(?:\s(?:time|again|please|pls|now))?[\s!.:…]{{1,5}}$"
    r"|\byou(?:'re| are|'ll be| will be| play)\s(?:now\s)?(?:an?|my|the)\s[^.!?\n]{1,80}\band\si(?:'m|\sam|'ll be|"
    r"\swill be|\splay)\b"
    r"|\bi(?:'m|\sam|'ll be|\swill be|\splay)\s[^.!?\n]{1,60}\band\syou(?:'re|\sare|'ll be|\swill be|"
    r"\splay)\s(?:an?|my|the)\b"
    r"|\b(?:be|you'll be|you be|play)\s[^.!?\n]{1,40},?\s(?:and\s)?i'll\sbe\b"
    r"|\bact as\s[^.!?\n]{1,60}\band\si(?:'m|\sam|'ll be|\swill be|\splay)\b"
    r"|\b(?:du bist|du spielst|tu es|tu joues|tú eres|eres|tu sei|sei|você é|jij bent)\s[^.!?\n]{1,60}\b"
    r"(?:und ich (?:bin|spiele)|et (?:moi )?je (?:suis|joue)|y yo soy|e io sono|e eu sou|en ik ben)\b"
    r"|\bpretend\s(?:i'm|i am|we're|we are|that (?:i|we))\b"
    r"|\btu(?:'|\s)?(?: so)? als (?:ob|wärst)\b|\bfais semblant\b|\bhaz como si\b|\bfai finta\b|\bfinja que\b"
    r"|\bdoe alsof\b"
    r"|\bplay the (?:role|part) of\b|\bi'll play (?:as|the (?:role|part))\b"
    # 'Assume the role of a gamer' asks for an expert, as 'act as' does; a figure, a title or 'I' makes it a game.
    r"|\b(?:i|we|i'll|we'll|i will|we will) (?:take on|assume) the (?:role|part) of\b"
    rf"|\b(?:take on|assume) the (?:role|part) of (?:an?|my|the) (?:\w{{1,15}} ){{0,2}}(?:{_COUNTERPART}|{_TITLE})\b"
    r"|\b(?:write|tell|make up|invent|create|continue|improvise)\s(?:an?|our|this|the|some)\s(?:\w+\s){0,2}"
    r"(?:story|tale|adventure|saga|fan\s?fiction|campaign|scene)\s"
    r"(?:together|with me|in turns|in which (?:i|we|you)|where (?:i|we|you))\b"
    r"|^\W{0,3}(?:(?!(?-i:Once Upon))once upon a time|es war einmal|il était une fois|(?:érase|había) una vez"
    r"|c'era una volta|era uma vez|er was eens)\b"
    r"|\b(?:let's|lets|can we|shall we|wanna|want to|we could)\splay\s(?:an?\s|some\s|at\s|out\s)?(?:\w{1,15}\s){0,2}"
    r"(?:myster(?:y|ies)|whodunit|detectives?|mafia|werewol(?:f|ves)|cluedo|doctors?|shop|house|pirates|spies|heist)\b"
    rf"|\bi(?:'m|m|\sam|'ll be)\s[^.!?\n]{{1,60}},\s(?:and\s)?you(?:'re|r|\sare|\sbe|\splay)\s(?:the|my|an?)\s"
    rf"(?:\w{{1,15}}\s){{0,2}}{_COUNTERPART}\b"
    rf"|\byou(?:'re|\sare|\sbe|\splay|'ll be)\s(?:the|my|an?)\s(?:\w{{1,15}}\s){{0,2}}{_COUNTERPART},?\s(?:and\s)?"
    r"i(?:'m|m|\sam|'ll be|\splay)\s(?!just\b|only\b|not\b|so\b|sure\b|glad\b|happy\b|afraid\b|sorry\b|told\b)"
    r"|\b(?:practi[sc]e|mock|fake|pretend|simulated|dummy|trial)\s(?:job\s|phone\s|oral\s|sales\s)?"
    r"(?:interview|negotiation|exam|oral|viva|call|conversation|debate|trial|consultation|date|presentation|pitch)\b"
    r"[^.!?\n]{0,40}\byou(?:'re|\sare|\sbe|\splay|'ll be)\s(?:the|my|an?)\b"
    # A title of tales, with a name: 'I am Elowen, queen of the isles', 'I'm King Brannoc'.
    rf"|\bi(?:'m|\sam)\s(?:(?-i:[A-Z])\w{{1,20}},\s(?:the\s|an?\s)?{_TITLE}\b|{_TITLE}\s(?-i:[A-Z])\w)"
    r"|\bi want you to (?:play|role)"
    r"|(?:玩|[进進]行|[来來]|做)(?:一[个個场場]|[个個场場])?角色扮演(?!游[戏戲]|遊戲)|ロールプレイ(?:を?しよ|を?しまし|を始)"
    r"|역할극을?\s?(?:하자|해)|(?:сыграем|поиграем|играем|играть) в ролев\w{2,4} игр"
    # Dice and spells.
    r"|\b(?:game|dungeon)\s?master\b|\bi roll(?:ed)? (?:an?\s)?(?:nat(?:ural)?\s)?\d{1,2}\b"
    r"|\broll(?:ed)? for initiative\b",
    re.IGNORECASE,
)
"""Opens a game for both sides: later messages belong to it."""

GIVES_PART = LazyPattern(
    r"\b(?<!to )pretend\s(?:to be|you're|you are|that you)\b|\bi want you to pretend\b"
    r"|\b(?:take on|assume) the (?:role|part) of\b(?! (?:an?|my|the) )"
    r"|\b(?:stay|remain|speak|answer|reply|respond|talk) in character\b",
    re.IGNORECASE,
)
"""Gives a part to the assistant alone: what the same message says belongs to the game, what later ones say does not."""

RESUMES_GAME = LazyPattern(
    rf"\b(?:continue|resume|reprise|pick up|restart|return to|go back to|get back to|back to|on with|next part of"
    rf"|part \d of|"
    rf"chapter \d of|next chapter of)\s(?:with\s)?(?:our|the|that|this|my)\s(?:\w+\s){{0,2}}{_TALE}\b"
    rf"|\b(?:back|again) (?:in|into) (?:the|our) (?:\w+\s)?{_TALE}\b"
    rf"|\b{_RANK}\.?\s\w{{2,20}}(?:\s\w{{2,20}})?\s(?:returns|is back|has returned|rides again|sails again"
    rf"|strikes again|"
    r"reporting|enters|awakens|at your service)\b"
    r"|^\W{0,3}back (?:to|in|at) the (?:tavern|castle|dungeon|ship|spaceship|starship|throne room|crypt|cave"
    r"|kingdom|realm|academy)\b"
    r"[^.!?\n]{0,60}\b(?:left off|were|again)\b"
    rf"|\b(?:weiter mit|zurück zu(?:m|r|\sunserem|\sunserer)?|wieder im)\s(?:\w+\s)?(?:rollenspiel|spiel|abenteuer"
    rf"|geschichte|kampagne)\b"
    r"|\b(?:continuons|reprenons|retour (?:au|à))\s(?:\w+\s){0,2}(?:jeu|histoire|aventure|campagne)\b"
    r"|\b(?:continuemos|sigamos|volvamos|retomemos)\s(?:\w+\s){0,3}(?:juego|historia|aventura|campaña)\b"
    r"|\b(?:continuiamo|riprendiamo|torniamo)\s(?:\w+\s){0,3}(?:gioco|storia|avventura|campagna)\b"
    r"|\bfacciamo un gioco di ruolo\b"
    r"|\b(?:continuemos|vamos continuar|retomemos|voltemos)\s(?:\w+\s){0,3}(?:jogo|história|aventura|campanha)\b"
    r"|\b(?:verder met|terug naar)\s(?:\w+\s){0,2}(?:spel|rollenspel|verhaal|avontuur)\b"
    r"|^\W{0,3}(?:arr+|ahoy|avast)\b",
    re.IGNORECASE,
)
"""Resumes a game from another conversation."""

ENDS_GAME = LazyPattern(
    rf"\b(?:ends?|end of|stop|finish|finished|quit|leave|enough|done|pause|exit|"
    rf"out)\b[^.!?\n]{{0,30}}\b(?:{_PLAY}|scene|game|story|acting|"
    r"pretending|scenario|character|simulation|rp)\b"
    rf"|\b(?:{_PLAY}|scene|game|story|scenario|simulation)\s(?:is\s|has\s)?(?:over|done|finished|ends?|ended)\b"
    r"|\booc\b|\bback to (?:reality|real life|the real world|normal|myself|being me)\b|\bin real life\b|\birl\b"
    r"|^\W{0,3}(?:(?:ok|okay|so|now|but|and|anyway)[\s,.!]{1,3}){0,3}(?:seriously|for real|on a serious note|"
    r"the real me|in truth|in reality)\b"
    r"|^\W{0,3}(?:ok(?:ay)?|alright|right|haha|lol)[\s,.!]{1,3}"
    r"(?:stop|pause|enough|that's enough|time ?out|i'm done|done)\W{0,5}$"
    r"|\bjok(?:es|ing) aside\b|^the end\W{0,3}$|\bspeaking as myself\b|\b(?:my|i) (?:real|actual)(?:ly)?\b|"
    r"\bthe real me\b"
    r"|\b(?:new|different|change of) (?:topic|subject)\b"
    rf"|\b(?:ende|schluss|stopp|fin|fine|fim|einde|stop)\s(?:des|mit dem|du|de la|del|della|do|da|van het"
    rf"|met het)\s(?:{_PLAY}|spiels?|"
    r"jeu|histoire|juego|historia|gioco|storia|jogo|história|spel|verhaal)\b"
    rf"|\b(?:{_PLAY}|spiel) (?:ist )?(?:aus|vorbei|zu ende|terminé|fini|terminado|acabado|finito|terminato|acabou"
    rf"|voorbei|afgelopen)\b"
    r"|\bim echten leben\b|\bin wirklichkeit\b|\bdans la (?:vraie vie|réalité)\b|\ben (?:la vida real|realidad)\b"
    r"|\bnella (?:vita reale|realtà)\b|\bna (?:vida real|realidade)\b|\bin het echt\b|\bin werkelijkheid\b",
    re.IGNORECASE,
)

CLOSES_EARLIER = LazyPattern(
    rf"\b(?:end of|stop|finish|quit|exit|enough)\b[^.!?\n]{{0,20}}\b{_PLAY}\b|\bend of (?:the\s)?(?:scene|{_PLAY})\b",
    re.IGNORECASE,
)
"""Ends a game that the text did not open: the text before it belongs to that game."""

OPENS_SUPPOSITION = LazyPattern(
    rf"{_FILLERS}(?:(?:imagine(?!\s++my\b)|pretend|suppose|supposing|assume|assuming|let's\s++(?:say|"
    r"pretend|play(?!\s++(?:it|music|a\s++song)\b)|imagine|assume|suppose)|say\s++(?:that\s++)?i(?:'m|\s)|role[\s-]?play|act\s++as"
    r"|picture\s++this|you(?:'re|\s++are)\s++now"
    r"|hypothetically|in\s++(?:this|our|the)\s++(?:story|game|scene|scenario))\b"
    # 'Stell dir vor' also announces news: it is a supposition before a subjunctive or the second person.
    r"|stell\s++dir\s++vor,?\s++(?:ich\s++(?:wäre?|hätte|würde|könnte|käme)|du\s++(?:bist|wär\w{0,3}))"
    r"|(?:mal\s++)?angenommen,?\s++ich\b"
    r"|nehmen\s++wir\s++(?:mal\s++)?an\b|imagine[zs]?\s++que\s++(?:je|j'|tu|nous|vous)|supposons\b"
    r"|imagina\s++que\s++(?:soy|fuera|eres|estoy|vivo|tengo|eu|sou|fosse)"
    r"|supongamos\b|immagina\s++(?:che\s++io|di\s++essere|di\s++vivere|che\s++tu)|supponiamo\b|suponha\b"
    r"|suponhamos\b|stel\s++(?:je\s++voor\s++)?dat\s++ik\b)",
    re.IGNORECASE,
)
"""Opens a supposition, which lasts as long as the message."""

_FIGURE = (
    r"(?:characters?|protagonists?|narrators?|hero|heroine|villain|witch|wizard|dragon|pirate|knight|vampire|ghost"
    r"|figur|charakters?|held\w{0,3}|protagonist\w{0,3}|erzähler\w{0,2}|hexe|drachens?|personnage|héros|héroïne"
    r"|narrat\w{2,4}|sorcière|personaje|héroe|bruja|dragón|personaggio|eroe|eroina|strega|drago|personagem|herói"
    r"|bruxa|dragão|personage|hoofdpersoon|verteller|heks|draak)"
)
VOICES_FIGURE = LazyPattern(
    r"\b(?:back\s?stor(?:y|ies)|monologue|soliloquy|voice-?over"
    r"|first[ -]person\s(?:narration|stor(?:y|ies)|text|piece|account|voice|scene)"
    r"|in\s(?:his|her|their|its)\s(?:own\s)?(?:voice|words|head)|in\sthe\s(?:voice|words|persona|person|role)\sof"
    r"|from\s(?!my\b|our\b)(?:\w{1,15}\s){0,2}\w{1,15}['’]s?\s(?:point\sof\sview|perspective|pov|eyes)"
    r"|from\s(?:his|her|their|its)\s(?:point\sof\sview|perspective|pov)|from\sthe\s(?:perspective|pov|eyes)\sof"
    r"|(?:opening|first|last|closing)\s(?:lines?|sentences?|paragraphs?|words|page)\sof\s(?:my|the|a|our)\s(?:\w{1,15}\s)?"
    r"(?:novel|story|book|poem|song|tale|chapter|play|script)"
    r"|(?:dialogue|lines?)\s(?:for|of|between)\s(?!my\b|our\b)|(?:sung|spoken|narrated|told)\sby\s(?:the|an?)\b"
    r"|(?:me|speaking|talking|writing|answering)\sas\s(?!an?\b|my\b|usual\b|the\s(?:only|one)\b)\w"
    rf"|(?:diary|journal|letter|speech|tagebuch|monolog|brief|rede|vorgeschichte|journal\sintime|lettre|discours|récit"
    r"|diario|monólogo|carta|discurso|relato|monologo|lettera|discorso|racconto|diário|conto|dagboek|monoloog"
    rf"|toespraak|verhaal)\b[^.!?\n:]{{1,30}}\b{_FIGURE}"
    r"|asking\s(?:this\s)?(?:for|on\sbehalf\sof)\s(?:a|an|my|our)\s\w{1,15}(?:\s\w{1,15})?(?=:)"
    r"|aus\s(?:der\s)?sicht\s(?:von|des|der|eine[rs])|du\spoint\sde\svue\sd|desde\sel\spunto\sde\svista\sd"
    r"|dal\spunto\sdi\svista\sd|do\sponto\sde\svista\sd|vanuit\shet\s(?:perspectief|oogpunt)\svan)"
    r"[^.!?\n:]{0,60}(?:\b(?:e\.g|i\.e)\.)?:\s",
    re.IGNORECASE,
)
"""Announces the voice of a character before a colon: the text after it is theirs."""

ANNOUNCES_TEXT = LazyPattern(
    r"\b(?:his|her|their|its|the|our|\w{2,20}'s)\s(?:\w{1,15}\s){0,2}(?:monologue|speech|lines?|verse|voice|diary|letter|part|intro"
    r"|back\s?story|narration|script|dialogue|lyrics|chorus|song|poem|story|opening|ending|toast|eulogy|bio|profile)\b"
    r"[^.!?\n:]{0,60}\b(?:like\s(?:this|so)|as\sfollows|along\s(?:these|those)\slines)\W{0,5}$"
    r"|^\W{0,3}knock[\s,]{1,2}knock\b\W{0,5}$",
    re.IGNORECASE,
)
"""Announces another's text in the next sentences: 'his monologue goes something like this.'"""

ACTS_AS = LazyPattern(rf"\A\W{{0,9}}+{_FILLERS}(?:act as|you(?:'re|\sare)\snow)\b", re.IGNORECASE)
"""Gives a part to the model only; the user stays themselves."""

IN_EARNEST = LazyPattern(
    rf"{_FILLERS}(?:in\s++(?:real\s++life|reality|truth)|irl|seriously|for\s++real|"
    r"(?:no|all)\s++jok(?:e|es|ing)(?:\s++aside)?|jokes\s++aside|joking\s++aside|back\s++to\s++reality"
    r"|the\s++truth\s++is|actually"
    r"|in\s++wirklichkeit|im\s++ernst|sérieusement|en\s++(?:serio|realidad|réalité)|sul\s++serio|in\s++realtà"
    r"|a\s++sério|na\s++verdade|serieus)\b",
    re.IGNORECASE,
)
