"""Find mail and letters in a message: whoever wrote them, their words are no statements of the user. Pure."""

import re

from recollect.extraction.spans import Span

# Lines looked at behind a header line for further ones.
_HEADER_LINES = 6
# Most words of a name in a salutation.
_NAME_WORDS = 3
_FORWARDED = re.compile(
    r"^[ \t>]*+(?:-{2,}+[ \t]*+(?:forwarded|original|weitergeleitete|ursprüngliche|message transféré|message d'origine|"
    r"mensaje reenviado|mensaje original|messaggio inoltrato|messaggio originale|mensagem encaminhada)\b"
    r"|(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message (?:réexpédié|transféré))\s?:"
    r"|(?:on|am|le|el|il|op|em)\s[^\n]{4,160}\s(?:wrote|schrieb|a écrit|escribió|ha scritto|schreef|escreveu)\b"
    r"[^\n:]{0,60}:[ \t]*+$"
    # As web mail shows it: 'Bruno Meier <b@x.example>', with the time or nothing behind.
    r"|[^\W\d_][^\n<>@:]{0,60}[ \t]<[\w.+-]{1,60}@[\w.-]{1,80}>[^\n:]{0,20}(?::\d\d[^\n:]{0,40})?[ \t]*+$)",
    re.IGNORECASE | re.MULTILINE,
)
_FROM = re.compile(
    r"^[ \t>*]*+(?:from|sender|von|de|da|van)\*{0,2}[ \t]?:\*{0,2}[ \t]*+\S", re.IGNORECASE | re.MULTILINE
)
_TITLED = r"subject|betreff|objet|asunto|oggetto|assunto"
_FURTHER = re.compile(
    r"^[ \t>*]*+(?:sent|date|to|cc|reply-to|gesendet|datum|an|envoyé|à|enviado|fecha|para|inviato|data|"
    rf"{_TITLED})\*{{0,2}}[ \t]?:",
    re.IGNORECASE | re.MULTILINE,
)
_SUBJECT = re.compile(rf"^[ \t>*]*+(?:{_TITLED})\*{{0,2}}[ \t]?:\*{{0,2}}[ \t]*+\S", re.IGNORECASE | re.MULTILINE)
# A salutation at the head of a line, with a name or none; what may follow it on the line is the letter.
_DEAR = re.compile(
    r"^[ \t>]*+(?:my\s)?(?:dear(?:est)?|to whom it may concern|ladies and gentlemen|sehr geehrte[rs]?|liebe[rs]?|"
    r"chère?s?|estimad[oa]s?|querid[oa]s?|gentile|caro|cara|prezad[oa]s?|beste|geachte|kjære|kära|kære)\b"
    r"(?P<who>(?:(?:dr|mr|mrs|ms|prof|st)\.|[^\n,:!.]){0,60})(?P<mark>[,:!.]?)",
    re.IGNORECASE | re.MULTILINE,
)
_GREETS = re.compile(
    r"^[ \t>]*+(?:hi|hello|hey|hallo|good (?:morning|afternoon|evening)|bonjour|hola|ciao)[ \t]"
    r"(?P<who>[^\n,:!.]{1,40})[,:!.]?[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
# Behind other lines a salutation with text on its line begins a letter as well: 'Hello dear, my name is …'.
_GREETS_WITHIN = re.compile(
    r"(?<=\n)[ \t>]*+(?:hi|hello|hey|hallo|greetings|good (?:morning|day|afternoon|evening)|bonjour|hola|ciao|olá)[ \t]"
    r"(?P<who>[^\n,:!.]{1,40})[,:!][ \t]++(?=\S)",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"^[ \t>]*+(?:(?:best|kind|warm|with|many)\s)?(?:regards|wishes|best|sincerely|yours|cheers|love|thanks|thank you|"
    r"xoxo|(?:mit\s)?(?:freundlichen|liebe|viele|herzliche)[nr]?\sgrü(?:ß|ss)en?|cordialement|saludos|saluti|"
    r"atenciosamente)\b[^\n]{0,30}\n[ \t>]*+(?-i:[A-ZÀ-Þ])[^\n]{0,40}",
    re.IGNORECASE | re.MULTILINE,
)
# Whom a user greets who writes to an assistant.
_ASSISTANTS = frozenset(
    """ai all assistant bard bot chat chatbot chatgpt claude copilot deepseek everyone gemini gpt grok llama mistral
    there again friend folks guys team you recollect me god lord heaven""".split()
)
_OTHERS = frozenset("all everyone folks guys team".split())


def find_mail(text: str) -> list[Span]:
    """Find where mail or a letter begins; it runs to the end of the message.

    >>> text = "I moved. Is this fine?\\n\\nDear Mr. Ray,\\nI am ill."
    >>> [text[start:end] for start, end in find_mail(text)]
    ['Dear Mr. Ray,\\nI am ill.']
    """
    starts = [found.start() for found in (_FORWARDED.search(text), _headed(text), _letter(text)) if found]
    return [(min(starts), len(text))] if starts else []


def _headed(text: str) -> "re.Match[str] | None":
    """Find the headers of a mail: who sent it and a further one, or its subject and a salutation."""
    for found in _FROM.finditer(text):
        behind = text[found.end() : found.end() + 1_000].split("\n")[: _HEADER_LINES + 1]
        if any(_FURTHER.match(line) for line in behind[1:]):
            return found
    subject = _SUBJECT.search(text)
    greeted = subject and (
        _DEAR.search(text, subject.end()) or _GREETS.search(text, subject.end()) or _SIGNED.search(text)
    )
    return subject if greeted else None


def _letter(text: str) -> "re.Match[str] | None":
    for found in _DEAR.finditer(text):
        names = found["who"].casefold().split()
        alone = not text[found.end() : found.end() + 80].partition("\n")[0].strip()
        if (found["mark"] or alone) and not _is_assistant(names):
            return found
    signed = max((found.start() for found in _SIGNED.finditer(text)), default=0)
    for found in _GREETS.finditer(text):
        names = found["who"].casefold().split()
        many = bool(_OTHERS.intersection(names)) and signed > found.start()
        another = found["who"][:1].isupper() and not _is_assistant(names) and len(names) <= _NAME_WORDS
        if (many or another) and found.end() < len(text):
            return found
    for found in _GREETS_WITHIN.finditer(text):
        names = found["who"].casefold().split()
        stranger = found["who"][:1].isupper() or names[:1] in (["dear"], ["sir"], ["madam"], ["dearest"], ["customer"])
        if stranger and not _is_assistant(names) and len(names) <= _NAME_WORDS:
            return found
    return None


def _is_assistant(names: list[str]) -> bool:
    return bool(_ASSISTANTS.intersection(name.strip(".!") for name in names))
