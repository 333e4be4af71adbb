"""Words that are said of a password and are none: 'my password is wrong', 'das Passwort ist falsch'. Data."""

_WORDS = """
a about above after again all almost already also always an and another any are as at away back bad be been
before being best better both bright but by bye can changed changing common compromised correct corrupt could
critical crucial current dead default different difficult done down due each easy either else empty enabled
encrypted enough entirely ever every everything exactly expired expiring far few fine first five for forgotten
four from fresh full funny gone good gonna got great hacked had hard has hashed have he her here hers hidden
high him his horrible how huge i if important in incorrect inside instead into invalid is it its just kept known
last leaked less like likely literally live long longer lost low made many masked maybe me mine missing more
most much must my mandatory needed never new next no none nope not nothing now null obvious of off ok okay old
on once one only open optional or other our out outdated over overdue own pending perfect perhaps please poor
prefilled private probably protected public quite random rather ready really redacted relevant reset required
right safe same saved second secret secure sensitive sent set shared short should simple six so some somehow
someone something sometimes somewhere soon spot still stolen stored strong such super sure taped ten terrible
that the their them then there these they thing this those three tied to too totally tough trivial two typical
ugly unchanged under undefined unique unknown unsafe unset up updated us useless valid very via visible was we
weak weird well were what when where which while who why will with within without working would wrong yes yet
you your yours impossible crazy silly stupid ridiculous written available accepted rejected refused denied der
die das ein eine einem einen mein meine dein zu sehr nicht falsch richtig korrekt abgelaufen weg lang kurz
sicher unsicher neu alt gleich anders einfach schwer schwierig leer bekannt unbekannt noch immer schon auch nur
wieder jetzt im auf bei mit von für aus weil wichtig gut schlecht schwach stark geheim privat ungültig gültig
nötig notwendig hier dort und oder el la los las un una mi tu su es muy incorrecta correcta larga corta segura
nueva vieja igual misma fácil difícil importante débil fuerte secreta que para por con sin en de del ya aún
todavía siempre nunca demasiado algo otra inválida le les une mon ma ton très pas faux fausse correcte longue
court courte sûr sûre nouveau nouvelle vieux vieille même facile trop dans sur avec sans pour encore toujours
jamais bon bonne mauvais mauvaise expiré invalide il lo gli uno mio mia molto non sbagliata corretta lunga
sicura nuova vecchia stessa difficile troppo debole forte segreta scaduta senza per ancora sempre mai o os um
uma meu minha muito não errada correta longa nova velha mesma demais fraca expirada com sem em ainda het een
mijn jouw niet fout juist goed slecht kort veilig nieuw oud hetzelfde te erg moeilijk makkelijk zwak sterk
verlopen op bij met zonder nog altijd nooit не неверный неправильный верный правильный новый старый длинный
короткий слабый надёжный сложный простой тот же такой мой это ещё уже всегда никогда очень слишком на в с без
для от устарел истёк изменён забыт неверен choose use pick enter minimum maximum type contains length characters
user username email name url host notes comment comments login site service account date role status password
pass key pin strength policy manager rules
"""
NO_PASSWORDS = frozenset(_WORDS.split())
# Endings of participles, adjectives and adverbs: 'compromised', 'olvidada', 'oubliée', 'rubata', 'верный'.
_ENDINGS = (
    *(
        "ed",
        "ing",
        "ly",
        "able",
        "ible",
        "ous",
        "ful",
        "less",
        "ive",
        "ada",
        "ado",
        "ida",
        "ido",
        "adas",
        "ados",
        "idas",
        "idos",
    ),
    *("é", "ée", "és", "ées", "ato", "ata", "uto", "uta", "ый", "ая", "ое", "ые", "ий", "ен", "ан", "ён"),
)


def is_predicate(word: str) -> bool:
    """Return whether a word is said of a password rather than being one.

    >>> is_predicate("wrong"), is_predicate("compromised"), is_predicate("sunshine")
    (True, True, False)
    """
    folded = word.casefold()
    if "-" in folded:
        return False
    return folded in NO_PASSWORDS or folded.endswith(_ENDINGS) or _is_german_participle(folded)


def _is_german_participle(word: str) -> bool:
    return len(word) > 5 and word.startswith(("ge", "ver")) and word.endswith(("t", "en"))
