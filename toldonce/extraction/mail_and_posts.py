"""Find mail, letters, posts and reviews that were copied into a message: no statements of the user. Pure.

'Is this fine? Dear Mr. Ray, I am ill.' says nothing about the user's health. Everything from the first header,
salutation or mark of a post runs to the end of the message, since nothing shows where the user speaks again.
"""

import re

from toldonce.extraction.spans import Span
from toldonce.extraction.transcripts import is_dialogue
from toldonce.lazy_pattern import LazyPattern

# Lines after a header line that are searched for further ones.
_HEADER_LINES = 6
# Words of a name in a salutation.
_NAME_WORDS = 3
_FORWARDED = LazyPattern(
    r"^[ \t>]*+(?:-{2,}+[ \t]*+(?:forwarded|original|weitergeleitete|ursprüngliche|message transféré|message d'origine|"
    r"mensaje reenviado|mensaje original|messaggio inoltrato|messaggio originale|mensagem encaminhada)\b"
    r"|(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message (?:réexpédié|transféré))\s?:"
    r"|(?P<attribution>(?:on|am|le|el|il|op|em)\s[^\n]{4,160}\s"
    r"(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|escreveu)\b[^\n:]{0,60}:[ \t]*+$)"
    # As web mail shows it: 'Bruno Meier <b@x.example>', optionally followed by the time.
    r"|[^\W\d_][^\n<>@:]{0,60}[ \t]<[\w.+-]{1,60}@[\w.-]{1,80}>[^\n:]{0,20}(?::\d\d[^\n:]{0,40})?[ \t]*+$)",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED_NEXT = LazyPattern(r"\s{0,99}+>")
_FROM_HEADER = LazyPattern(
    r"^[ \t>*]*+(?:from|sender|von|de|da|van)\*{0,2}[ \t]?:\*{0,2}[ \t]*+\S", re.IGNORECASE | re.MULTILINE
)
_TITLED = r"subject|betreff|objet|asunto|oggetto|assunto"
_FURTHER_HEADER = LazyPattern(
    r"^[ \t>*]*+(?:sent|date|to|cc|reply-to|gesendet|datum|an|envoyé|à|enviado|fecha|para|inviato|data|"
    rf"{_TITLED})\*{{0,2}}[ \t]?:",
    re.IGNORECASE | re.MULTILINE,
)
_SUBJECT_HEADER = LazyPattern(
    rf"^[ \t>*]*+(?:{_TITLED})\*{{0,2}}[ \t]?:\*{{0,2}}[ \t]*+\S", re.IGNORECASE | re.MULTILINE
)
# A salutation at the start of a line, with or without a name; the letter may follow on the same line.
_SALUTATION = LazyPattern(
    r"^[ \t>]*+(?:my\s)?(?:dear(?:est)?|to whom it may concern|ladies and gentlemen|sehr geehrte[rs]?|liebe[rs]?|"
    r"chère?s?|estimad[oa]s?|querid[oa]s?|gentile|caro|cara|prezad[oa]s?|beste|geachte|kjære|kära|kære)\b"
    r"(?P<who>(?:(?:dr|mr|mrs|ms|prof|st)\.|[^\n,:!.]){0,60})(?P<mark>[,:!.]?)",
    re.IGNORECASE | re.MULTILINE,
)
_GREETING = LazyPattern(
    r"^[ \t>]*+(?:hi|hello|hey|hallo|good (?:morning|afternoon|evening)|bonjour|hola|ciao)[ \t]"
    r"(?P<who>[^\n,:!.]{1,40})[,:!.]?[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
# After other lines, a salutation followed by text also begins a letter: 'Hello dear, my name is …'.
_GREETING_WITHIN = LazyPattern(
    r"(?<=\n)[ \t>]*+(?:hi|hello|hey|hallo|greetings|good (?:morning|day|afternoon|evening)|bonjour|hola|ciao|olá)[ \t]"
    r"(?P<who>[^\n,:!.]{1,40})[,:!][ \t]++(?=\S)",
    re.IGNORECASE,
)
_SIGNATURE = LazyPattern(
    r"^[ \t>]*+(?:(?:best|kind|warm|with|many)\s)?(?:regards|wishes|best|sincerely|yours|cheers|love|thanks|thank you|"
    r"xoxo|(?:mit\s)?(?:freundlichen|liebe|viele|herzliche)[nr]?\sgrü(?:ß|ss)en?|cordialement|saludos|saluti|"
    r"atenciosamente)\b[^\n]{0,30}\n[ \t>]*+(?-i:[A-ZÀ-Þ])[^\n]{0,40}",
    re.IGNORECASE | re.MULTILINE,
)
# Addressees a user greets when writing to an assistant.
_ASSISTANTS = frozenset(
    """ai all assistant bard bot chat chatbot chatgpt claude copilot deepseek everyone gemini gpt grok llama mistral
    there again friend folks guys team you toldonce me god lord heaven""".split()
)
_GROUP_ADDRESSEES = frozenset("all everyone folks guys team".split())


def find_mail(text: str) -> list[Span]:
    """Find mail or a letter, from its beginning to the end of the message; of mail quoted line by line its head.

    >>> text = "I moved. Is this fine?\\n\\nDear Mr. Ray,\\nI am ill."
    >>> [text[start:end] for start, end in find_mail(text)]
    ['Dear Mr. Ray,\\nI am ill.']
    >>> text = "On Monday Ana wrote:\\n> Do you ski?\\nNo."
    >>> [text[start:end] for start, end in find_mail(text)]
    ['On Monday Ana wrote:']
    """
    heads, starts = list[Span](), list[int]()
    for found in _FORWARDED.finditer(text):
        if not found["attribution"] or not _QUOTED_NEXT.match(text, found.end()):
            starts.append(found.start())
            break
        heads.append(found.span())
    starts += [found.start() for found in (_headed(text), _letter(text)) if found]
    return [*heads, (min(starts), len(text))] if starts else heads


def _headed(text: str) -> "re.Match[str] | None":
    """Find mail headers: the sender and another header, or the subject and a salutation."""
    for found in _FROM_HEADER.finditer(text):
        following = text[found.end() : found.end() + 1_000].split("\n")[: _HEADER_LINES + 1]
        if any(_FURTHER_HEADER.match(line) for line in following[1:]):
            return found
    subject = _SUBJECT_HEADER.search(text)
    greeted = subject and (
        _SALUTATION.search(text, subject.end()) or _GREETING.search(text, subject.end()) or _SIGNATURE.search(text)
    )
    return subject if greeted else None


def _letter(text: str) -> "re.Match[str] | None":
    for found in _SALUTATION.finditer(text):
        names = found["who"].casefold().split()
        alone = not text[found.end() : found.end() + 80].partition("\n")[0].strip()
        if (found["mark"] or alone) and not _is_assistant(names):
            return found
    signed = max((found.start() for found in _SIGNATURE.finditer(text)), default=0)
    for found in _GREETING.finditer(text):
        names = found["who"].casefold().split()
        many = bool(_GROUP_ADDRESSEES.intersection(names)) and signed > found.start()
        another = found["who"][:1].isupper() and not _is_assistant(names) and len(names) <= _NAME_WORDS
        if (many or another) and found.end() < len(text):
            return found
    for found in _GREETING_WITHIN.finditer(text):
        names = found["who"].casefold().split()
        stranger = found["who"][:1].isupper() or names[:1] in (["dear"], ["sir"], ["madam"], ["dearest"], ["customer"])
        if stranger and not _is_assistant(names) and len(names) <= _NAME_WORDS:
            return found
    return None


def _is_assistant(names: list[str]) -> bool:
    return bool(_ASSISTANTS.intersection(name.strip(".!") for name in names))


_UNIT = r"(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|h|d|w|mo|yr?s?)"
# First lines of copied posts, pages and files.
_FIRST_LINE = LazyPattern(
    # '3 hours ago', 'vor 3 Stunden' and their like alone, or between the marks of a forum.
    rf"^[ \t>]{{0,9}}(?:\d{{1,2}}\s?{_UNIT}(?:\sago)?(?:\s\(?edited\)?)?|vor \d{{1,2}} \w{{4,8}}"
    rf"|il y a \d{{1,2}} \w{{4,8}}|hace \d{{1,2}} \w{{4,8}}"
    r"|há \d{1,2} \w{4,8}|\d{1,2} \w{3,9} (?:fa|geleden))[ \t]*+\n(?=[ \t]*+\S)"
    rf"|^[^\n.!?]{{1,60}}\s\d{{1,2}}\s?{_UNIT}(?:\sago\s?[|·•–\[(]|\s?[|·•])[^\n]{{0,80}}$"
    rf"|^[^\n]{{0,40}}\bposted by\b[^\n]{{0,60}}$|^/?r/\w{{2,30}}[ \t]*+$"
    r"|^(?:today|yesterday|heute|gestern|hoy|ayer|hoje|ontem|oggi|ieri|vandaag|gisteren|aujourd'hui"
    r"|hier),?\s(?:at\s|um\s|à\s)?\d{1,2}:\d{2}"
    r"(?:\s?[ap]m)?[ \t]*+\n(?=[ \t]*+\S)"
    # Reviews.
    r"|^[ \t]{0,9}[★☆⭐✩]{1,5}|^[^\n]{0,30}\bverified purchase\b[^\n]{0,30}$|^reviewed in [^\n]{3,60}$"
    # Pages and papers.
    r"|^from wikipedia\b[^\n]{0,40}$|^(?:jump|skip) to [\w ]{3,30}$|^\d{1,2} min read\b[^\n]{0,30}$"
    r"|^table of contents[ \t]*+$"
    r"|^[^\n]{1,60}\((?:reuters|ap|afp|dpa|upi|efe|ansa)\)\s?[-–—]\s"
    # Files and answers of servers.
    r"|^BEGIN:V[A-Z]{3,12}\b|^HTTP/\d(?:\.\d)?\s\d{3}\b|^[dl-][rwx-]{9}[.+@]?\s"
    r"|^[^\n]{0,60}<<-?\s?['\"]?[A-Z]{2,10}['\"]?[ \t]*+$|^\.\.\s\w[\w-]{1,30}::"
    r"|^[\w./-]{1,120}\.\w{1,5}:\d{1,6}:",
    re.MULTILINE | re.IGNORECASE,
)
# Lines that messengers and forums put below or within a post: the whole message is copied.
_POST_FOOTER = LazyPattern(
    r"^[ \t]{0,9}(?:·|[·•]\s?(?:1st|2nd|3rd\+?|follow(?:ing)?)|delivered|seen|read \d{1,2}:\d{2}(?:\s?[ap]m)?"
    r"|gelesen|zugestellt|via \w{2,20} web app)[ \t]*+$",
    re.MULTILINE | re.IGNORECASE,
)
_CLOSING_TIME = LazyPattern(r"^[ \t]{0,9}\d{1,2}:\d{2}\s?[ap]m\s*+\Z", re.MULTILINE | re.IGNORECASE)
# An attribution after a dash at the end, with first and last name: a line of its own, or after a sentence.
_ATTRIBUTION = LazyPattern(
    r"(?:^"
    r"|[.!?…\"”»'’]\s)[—–-]{1,2}\s?(?-i:[A-ZÀ-Þ])[\w.'’-]{1,20}(?:\s(?-i:[A-ZÀ-Þ])[\w.'’-]{1,20}){1,3}(?:,\s\d{4})?\s*+\Z",
    re.MULTILINE,
)
# Speech in a novel: '— I ski.' before a question; '— I ski — he said.' Lists have dashes as well.
_DASH_SPEECH = LazyPattern(r"^[ \t]{0,9}[–—]\s?\S(?=[^\n]{0,400}\n[ \t]{0,9}[–—][^\n?]{1,200}\?)", re.MULTILINE)
_DASH_SPEECH_WITH_SPEAKER = LazyPattern(
    r"^[ \t]{0,9}[–—]\s?[^\n–—]{1,400}[–—]\s?(?:he|she|they|[A-Z]\w{1,20})\s\w{2,12}", re.MULTILINE
)
# Speakers in other notations: '**Bruno:** …', '[Bruno] …', 'bruno> …', 'Bruno - …', 'A1. …'
_SPEAKER_NOTATIONS = (
    LazyPattern(r"^[ \t>*-]{0,9}\*\*(?P<who>[^*\n:]{1,40})(?::\*\*|\*\*:?)\s\S", re.MULTILINE),
    LazyPattern(r"^[ \t]{0,9}[\[(](?P<who>[A-Za-zÀ-ÿ][\w .'’-]{0,30})[\])]\s\S", re.MULTILINE),
    LazyPattern(r"^[ \t]{0,9}(?P<who>[\w.-]{1,20})>\s\S", re.MULTILINE),
    LazyPattern(r"^[ \t]{0,9}(?P<who>[^\W\d_][\w.'’-]{0,20})\s\|\s\S", re.MULTILINE),
    LazyPattern(r"^[ \t]{0,9}(?P<who>[A-ZÀ-Þ][\w.'’]{0,20})\s[-–—]\s\S", re.MULTILINE),
    LazyPattern(r"^[ \t]{0,9}(?:\d{1,2}[.)]\s)?(?P<who>[A-Z]):\s\S", re.MULTILINE),
    LazyPattern(r"^[ \t]{0,9}(?P<who>[QA])\d{1,2}[.):]\s\S", re.MULTILINE),
)
# Of these, two speakers are enough: no list is written so.
_CHAT_NOTATIONS = _SPEAKER_NOTATIONS[1:4]
_MIN_SPEECHES = 2
# The sheet of a game character.
_CHARACTER_SHEET_LINE = LazyPattern(
    r"^[ \t*-]{0,9}(?:race|class|alignment|hp|level|strength|dexterity|charisma|species"
    r"|faction)\b\*{0,2}\s?:",
    re.M | re.I,
)


def find_posts(text: str) -> list[Span]:
    """Find a copied post, page or dialogue, from its beginning to the end of the message.

    >>> text = "Is it good?\\n★★★★★ I ski"
    >>> [text[start:end] for start, end in find_posts(text)]
    ['★★★★★ I ski']
    """
    opening = (_FIRST_LINE, _DASH_SPEECH, _DASH_SPEECH_WITH_SPEAKER)
    starts = [found.start() for pattern in opening if (found := pattern.search(text))]
    if (
        _POST_FOOTER.search(text)
        or _CLOSING_TIME.search(text)
        or _ATTRIBUTION.search(text)
        or len(_CHARACTER_SHEET_LINE.findall(text)) >= _MIN_SPEECHES
    ):
        starts.append(0)
    for pattern in _SPEAKER_NOTATIONS:
        named = list(pattern.finditer(text))
        names = [found["who"] for found in named]
        if is_dialogue(names) or (pattern in _CHAT_NOTATIONS and len({*names}) > 1):
            starts.append(named[0].start())
    return [(min(starts), len(text))] if starts else []
