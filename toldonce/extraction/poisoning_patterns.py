"""Patterns of text that may try to manipulate a memory. Pure data; `review_gate` decides.

'Ignore all previous instructions' matches `FORGED`; 'I like instructions' matches nothing.
"""

import re
from typing import NamedTuple

from toldonce.lazy_pattern import LazyPattern

_I = re.IGNORECASE


class PoisoningPattern(NamedTuple):
    """A pattern of manipulation, with the reason it is held for."""

    pattern: LazyPattern[str]
    why: str
    hints: tuple[str, ...]
    """Lower-case substrings; every match of the pattern contains one. Most texts have none, which saves the "
    "search."""

    def within(self, text: str, lower: str) -> bool:
        """Return whether a text matches; `lower` is the text in lower case."""
        return any(hint in lower for hint in self.hints) and self.pattern.search(text) is not None


# Attempts to change how a memory or its model works; no plain statement needs these words.
FORGED: tuple[PoisoningPattern, ...] = (
    PoisoningPattern(
        LazyPattern(
            r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:\s++about)?|overlook|override|overwrite|"
            r"bypass)\s++(?:(?:all|any|the|your|my|of|previous|prior|"
            r"earlier|above|preceding|every|everything|existing|what|other|safety|system|these|"
            r"those)\s++)+(?:instructions?|rules?|"
            r"guidelines?|prompts?|safety|memor(?:y|ies)|directives?|orders?|constraints?|filters?|policies|"
            r"checks|you\s++know|"
            r"you\s++(?:were|have\s++been)\s++told|above)"
            r"|\bthe\s++rules\s++(?:above|before\s++this)\b"
            r"|\b(?:ignore|disregard|forget|overlook)\s++(?:all|everyth?ing|"
            r"what(?:ever)?)\s++(?:that\s++)?you(?:['’]ve|\s++have|\s++were)"
            r"|\bignore\s++the\s++(?:\w+\s++)?(?:function|(?:web)?page|resume|document|content|text|e-?mail|"
            r"data)\s++and\b"
            r"|\b(?:override|god)[\s_]mode\b"
            r"|\b(?:vergessen\s++sie|vergiss|olvid\w+|oubli\w+|dimentic\w+|esque[cç]\w+|zignoruj|игнорир\w+|"
            r"забуд\w+)\b.{0,40}"
            r"(?:anweisung|instru[ck]|regel|r[eè]g[lol]|инструкц|указани|правил)"
            r"|(?:无视|忽略|無視|忽視).{0,12}(?:指令|指示|说明|規則|规则|之前|以前)|(?:指示|命令|"
            r"ルール).{0,6}無視|(?:지시|명령|규칙).{0,10}무시"
            r"|\b(?:you\s++are\s++now\s++\w+|new\s++system|jailbreak)\b|\bdeveloper\s++mode\b|(?:^|"
            r"[\s>\]])(?:system|assistant)\s*+:"
            r"|\b(?:act\s++as|pretend\s++to\s++be)\b.{0,60}\b(?:no|without)\s++(?:any\s++)?(?:filters?|rules|"
            r"restrictions|limits)\b"
            r"|\bignor\w{1,6}\b.{0,40}\b(?:instruc+i\w+|instructions|anweisung\w*|regeln|r[eè]gles|reglas|"
            r"consignes|istruzioni|"
            r"instruç\w+|instructies|instrukcj\w+)",
            _I,
        ),
        "it tries to change the rules that are given elsewhere",
        (
            "ignor",
            "disregard",
            "forget",
            "overlook",
            "overrid",
            "overwrit",
            "bypass",
            "rules",
            "are",
            "mode",
            "new",
            "jailbreak",
            "system",
            "assistant",
            "act",
            "pretend",
            "vergess",
            "vergiss",
            "olvid",
            "oubli",
            "dimentic",
            "esque",
            "zignoruj",
            "игнорир",
            "забуд",
            "无视",
            "忽略",
            "無視",
            "忽視",
            "무시",
        ),
    ),
    PoisoningPattern(
        LazyPattern(
            r"</?\s*+(?:system|assistant|user|instructions?|(?:toldonce|recollect)[\s_-]*+memory|"
            r"conversation\s++ended)\s*+/?>|<\|\w{2,20}\|>|"
            r"\[/?(?:INST|SYS|SYSTEM)\]|<<SYS>>|\bnew\s++memory\s*+:|\bnotes?\s++to\s++(?:the\s++)?summari[sz]er",
            _I,
        ),
        "it forges the marks of another speaker",
        ("<", "[inst", "[/inst", "[sys", "[/sys", "|>", "memory", "note"),
    ),
    PoisoningPattern(
        LazyPattern(
            r"\b(?:re-?save|save|write|copy|repeat|keep|store|carry|include|put)\s++(?:this|these|"
            r"the\s++above)\s++(?:paragraph|"
            r"instructions?|orders?|message|notes?|rules?|text)\b.{0,40}\b(?:memor(?:y|ies)|summar(?:y|ies)|again)\b"
            r"|\bupdate\s++(?:your|the)\s++memory\b.{0,60}\b(?:again|write|keep|this)\b",
            _I,
        ),
        "it wants to be written into memory again and again",
        ("this", "these", "above", "memory"),
    ),
    PoisoningPattern(
        LazyPattern(
            r"\badd\s++(?:this|these|the\s++following)\s++(?:\w+\s++)?(?:rules?|instructions?|"
            r"lines?)\s++to\s++(?:your|the)\s++(?:rules?|"
            r"instructions?|prompt|system)\b|\b(?:treat|read|take|"
            r"regard)\s++(?:[\w'’]+\s++){1,8}as\s++(?:\w+\s++){0,2}(?:commands?|orders|"
            r"instructions)\b",
            _I,
        ),
        "it tries to change the rules that are given elsewhere",
        ("rule", "instruction", "line", "command", "order"),
    ),
)
# Loans that a bank pre-approves: 'I got pre-approved for a mortgage of $350,000' …
_LENT = (
    r"\s++(?:(?:for|by|on|up\s++to|a|an|my|our|his|her|their|your|the|home|car|auto|student|small|personal|bank|"
    r"\w+'s)\s++)*"
    r"(?:mortgages?|loans?|credit|financing|lease|cards?|visas?|amount|letter|[$£€]\s?\d)"
)
# … is harmless; pre-approved payments are not, whatever follows.
_ASKED_FOR = (
    r"\b(?:payments?|transfers?|refunds?|purchases?|transactions?|withdrawals?|orders?|requests?|actions?|invoices?)"
)
# Acts that an order allows without a check.
_RISKY = r"(?:delete|run|execute|send|forward|upload|share|read|access|transfer|pay|reveal|disclose|install|bypass)\b"
# Claims that no person makes about themselves; an assistant's advice may sound like them.
CLAIMS: tuple[PoisoningPattern, ...] = (
    PoisoningPattern(
        LazyPattern(
            r"\b(?:this\s++is|message\s++from)\s++(?:the|your)\s++(?:\w+\s++){0,2}(?:team|operator|vendor|"
            r"provider|administrator|"
            r"department)\b|\bas\s++your\s++\w+,?\s++i\s++(?:instruct|order|require|command|direct)\b",
            _I,
        ),
        "it claims an authority that nothing shows",
        ("this", "message from", "as your"),
    ),
    PoisoningPattern(
        LazyPattern(
            r"\b(?:granted?|gave|given|gives?)\s++(?:you|the\s++assistant)\s++(?:\w+\s++)?(?:root|admin\w*|full|"
            r"unlimited)\b|"
            rf"\bpre-?approved\b(?!{_LENT})|{_ASKED_FOR}\s++(?:[\w.]+\s++){{0,6}}pre-?approved\b|"
            r"\bapprov\w+\s++(?:\w+\s++){0,6}without\b|\bwithout\s++(?:a\s++|any\s++|further\s++|asking\s++)?"
            r"(?:checks?|again|confirmation|verification)\b|\bthe\s++user\s++is\s++(?:the|"
            r"an?)\s++(?:administrator|admin|operator|"
            r"root)\b|\b(?:treat|consider)\s++(?:this|the)\s++(?:account|user)\s++as\b|\b(?:skip(?:s|ped|ping)?|"
            r"turn(?:ed|ing)?\s++off|"
            r"disabl\w+|by-?pass\w*)\s++(?:the\s++|all\s++|any\s++|your\s++)?(?:\w+\s++)?(?:verification|safety|"
            r"checks?|confirmation|"
            r"filters?|two-factor|2fa|security)\b",
            _I,
        ),
        "it grants rights or takes checks away",
        ("grant", "gave", "give", "approv", "without", "user", "account", "skip", "turn", "disabl", "pass"),
    ),
    PoisoningPattern(
        LazyPattern(
            r"\bdecode\b.{0,120}\b(?:follow|obey|do|run|execute|carry)\b|\b(?:rot-?13|base64|hex|"
            r"morse)\b.{0,60}\b(?:orders?|"
            r"instructions?|commands?|carry|follow|obey|execute)\b",
            _I,
        ),
        "it is an order in a code",
        ("decode", "rot13", "rot-13", "base64", "hex", "morse"),
    ),
    PoisoningPattern(
        LazyPattern(
            r"\bas\s++(?:an?|the|your|its)\s++(?:most\s++)?(?:trusted|trustworthy|authoritative|reliable|"
            r"preferred|go-to)\s++sources?\b|"
            r"\b(?:recommend|mention|list|cite|praise)\s++(?:it|them|us|this\s++\w+)\s++(?:first|always)\b"
            r"|\b(?:quote|cite|name|rank|mention)\s++(?:\w+\s++){1,4}(?:as\s++(?:an?|"
            r"the)\s++(?:\w+\s++)?(?:expert|authority|leader)|"
            r"above\s++(?:all\s++)?others?)\b|\bis\s++the\s++(?:only|best)\s++(?:\w+\s++)?that\s++(?:is|"
            r"are)\s++(?:safe|trusted|reliable)\b",
            _I,
        ),
        "it wants something or someone recommended",
        ("source", "first", "always", "expert", "authority", "leader", "other", " is the "),
    ),
    PoisoningPattern(
        LazyPattern(
            r"\b(?:delete|erase|wipe|overwrite|clear|purge)\s++(?:all|every|everything|what|"
            r"any)\b.{0,30}\b(?:memor(?:y|ies)|you\s++"
            r"know|about\s++(?:the\s++user|me))",
            _I,
        ),
        "it wants memories deleted",
        ("delete", "erase", "wipe", "overwrite", "clear", "purge"),
    ),
    PoisoningPattern(
        LazyPattern(
            rf"{_ASKED_FOR}\s++(?:(?:to|from|by|of)\s++[^.!?\n]{{1,40}}?\s)?(?:never|do(?:es)?\s++not|do(?:es)?n['’]t|no\s++longer)"
            r"\s++(?:needs?|requires?)\s++(?:an?\s++|any\s++)?(?:approval|confirmation|checks?|review)\b"
            r"|\b(?:treat|regard)\s[^.!?\n]{1,60}\s(?:from|by|of)\s++(?:the|an?|your)\s++(?:system\s++)?(?:admin\w*|operators?|"
            r"developers?|vendor)\b"
            rf"|\b(?:always|must|shall)\s++(?:trust|obey|follow|approve|accept|execute)\s++(?!my\b|the\b|our\b)(?:\w+\s++){{0,3}}?"
            r"(?:instructions?|orders?|commands?|requests?|payments?)\b"
            rf"|\b(?:authori[sz]e[ds]?|allow(?:ed|s)?|permit(?:ted|s)?)\s++you\s++to\s++{_RISKY}"
            rf"|\byou(?:['’]re|\s++are)\s++(?:now\s++)?(?:authori[sz]ed|allowed|permitted|cleared)\s++to\s++{_RISKY}"
            r"|\b(?:all|every|other|the)\s++(?:users?|customers?|clients?)\s++(?:has|have)\s++(?:\w+\s++)?(?:agreed|consented|opted)\b",
            _I,
        ),
        "it grants rights or takes checks away",
        (
            "need",
            "requir",
            "treat",
            "regard",
            "always",
            "must",
            "shall",
            "you to",
            "allow",
            "authori",
            "permit",
            "clear",
            "agreed",
            "consent",
            "opted",
        ),
    ),
    PoisoningPattern(
        LazyPattern(
            r"\b(?:if|when|whenever|once|every\s++time|each\s++time|next\s++time)\s++(?:any(?:one|body)|some(?:one|body)|people|"
            r"(?:a|any|another)\s++(?:user|customer|person))\s++(?:asks?|mentions?|says?|wants?|needs?|talks?|inquires?|brings?)\b"
            r"[^.!?\n]{0,80}?,\s*+(?:(?:please|always|never)\s++){0,2}(?:say|claim|answer|reply|respond|tell|send|recommend|name|"
            r"insist|pretend|give|point|refer|mention)\b",
            _I,
        ),
        "it is an order that waits for a trigger",
        ("anyone", "anybody", "someone", "somebody", "people", "user", "customer", "person"),
    ),
    PoisoningPattern(
        LazyPattern(
            r"\b(?:save|store|remember|keep|note|memori[sz]e)\s++(?:\w+\s++){0,3}?for\s++(?:everyone|everybody|all(?:\s++users?)?)\s*+:",
            _I,
        ),
        "it is meant for other people's memory",
        ("for everyone", "for everybody", "for all"),
    ),
    PoisoningPattern(
        LazyPattern(
            r"\b(?:every|each|all)\s++(?:of\s++)?(?:your\s++|my\s++)?(?:answers?|repl(?:y|ies)|responses?|conversations?|chats?)\s++"
            r"(?:\w+\s++){0,2}?(?:promotes?|advertises?|praises?|recommends?|endorses?|plugs?)\b"
            r"|\b(?:claim|insist|pretend|say)\s++(?:that\s++)?(?:only\s++\w|[^.!?,\n]{1,40}?\s(?:is|are)\s++the\s++only\b)",
            _I,
        ),
        "it wants something or someone recommended",
        ("promot", "advertis", "prais", "recommend", "endors", "plug", "only"),
    ),
)

WEB = LazyPattern(
    r"https?://|www\.|\bftp://|[\w-]\.(?:com|net|org|io|ai|dev|ru|cn|xyz|top|info|biz|app|site|"
    r"link|click|example)\b|!\[|\]\(|<img|\bdata:\w+/",
    _I,
)
TOOLS = LazyPattern(
    r"\b(?:tool(?:s|_calls?)?|(?:by|via)\s++e-?mail|function\s++calls?|api\s++call|shell|terminal|bash|curl|"
    r"wget|powershell|"
    r"cmd\.exe|exec(?:ute)?|eval|sudo|browser|webhook|plugin|mcp|sql|wire\s++(?:the|all|my)?\s*+money"
    r"|(?:send|forward|write)\s++(?:an?\s++|the\s++|all\s++|every\s++)?(?:my\s++)?(?:e-?mails?|mails?|messages?|"
    r"files?|data)|delete\s++"
    r"(?:all|the|every|files?)|rm\s++-rf|script|command)\b",
    _I,
)
SECRETS = LazyPattern(
    r"\b(?:passwords?|passphrases?|api\s*+keys?|secrets?\s++keys?|secret|tokens?|credentials?|private\s++keys?|"
    r"credit\s++cards?|bank\s++account|ssn|one-time\s++code|2fa|contraseñas?|passw[oö]rte?r?|mots?\s++de\s++passe"
    r"|system\s++prompt|developer\s++message|hidden\s++(?:prompt|note|rule))\b|\[(?:secret|card|iban|ssn)\]",
    _I,
)
HIDES = LazyPattern(
    r"\b(?:secretly|silently|covertly|without\s++(?:telling|mentioning|asking|informing|saying|notifying|the\s++user)"
    r"|(?:do(?:n't|\s++not)|never)\s++(?:tell|inform|let)\s++(?:the\s++users?|any(?:one|body)|them|him|her|"
    r"users?|people)\b"
    r"|(?:do(?:n't|\s++not)|never)\s++(?:mention|reveal|disclose|show|say|admit)\s++(?:this|that|it|these|the)\b"
    r"|tell\s++(?:nobody|no[\s-]one)\b|(?:do(?:n't|\s++not)|never)\s++say\s++why\b|hide\s++(?:this|it|from)|"
    r"(?:quietly|subtly|discreetly)\s++(?:include|insert|add|mention|slip|weave|promote|put)|(?:slip|sneak|weave)\s++in\b|"
    r"in\s++white\s++(?:text|letters?|font)|"
    r"keep\s++(?:this|it)\s++(?:secret|hidden|between)|pretend|unnoticed|confidential\s++from)",
    _I,
)
OTHERS = LazyPattern(
    r"\b(?:other\s++(?:users?|people|customers?|accounts?|tenants?)(?:'s?)?|(?:every|each|all)\s++(?:future|later)\s++(?:users?|customers?|visitors?)|another\s++(?:user|person|"
    r"customer|account)(?:'s)?|all\s++users|every\s++user|everyone's|someone\s++else's"
    r"|(?:users|customers)\s++(?:data|memories|conversations|files|records))\b",
    _I,
)
# What a tool is told to do; 'use the terminal in your examples' tells it nothing.
ACTS = LazyPattern(
    r"\b(?:run|execute|exec|eval|call|invoke|open(?!\s++source)|start|launch|load|fetch|send|forward|copy|move|"
    r"upload|download|post|submit|"
    r"wire|pay|transfer|delete|remove|erase|install|collect|read|search|use\s++(?:the|a|an|your|this|"
    r"that)\s++(?:\w+\s++){0,2}?"
    r"(?:tool|plugin|function|api|webhook|script))\b",
    _I,
)
# 'Write mails to my boss in a formal tone', 'use the terminal in your examples': how to word what was asked for.
ON_STYLE = LazyPattern(
    r"\b(?:tone|style|formal(?:ly)?|polite(?:ly)?|short|shorter|brief|long|in\s++(?:your|the|all|"
    r"my)\s++(?:\w+\s++)?(?:examples?|answers?|code)|"
    r"explain|before\s++you|examples?|rather\s++than|instead\s++of|when\s++you\s++(?:recommend|suggest|write|"
    r"explain))\b",
    _I,
)
DELAYED = LazyPattern(
    r"\b(?:(?:when|whenever|if|once|after|as\s++soon\s++as|next\s++time|every\s++time|each\s++time)"
    r"\s++(?:the\s++)?(?:user|someone|anyone|somebody|they|he|she|you\s++(?:see|read|hear|are\s++asked|"
    r"receive|get))\b"
    r"|\bin\s++\d+\s++(?:turns|messages|days)|trigger(?:s|ed)?\b|activation\s++phrase)",
    _I,
)
# A person's own trigger is a habit of speech ('when I say BRB I mean …') unless it demands an action.
DELAYED_BY_ME = LazyPattern(
    r"\b(?:when|whenever|if|once|next\s++time)\s++(?:i|the\s++user)\s++(?:have\s++|next\s++)?(?:say|said|type|"
    r"mention|write|thank)\w*\b"
    r"(?!.{0,60}\bmeans?\b).{0,80}\b(?:send|wire|pay|transfer|post|upload|open|run|execute|delete|approve|share|"
    r"buy|order|book|"
    r"call|visit|click|e?mail|forward|link)\b",
    _I | re.DOTALL,
)
MEANS = LazyPattern(r"\b(?:i|the\s++user|they|he|she|it|that)\s++means?\b", _I)
COMMANDS = LazyPattern(
    r"(?:please\s++|always\s++|never\s++|(?:quietly|subtly|discreetly|secretly|silently)\s++|then\s++|and\s++|must\s++|you\s++(?:must|should|shall)\s++|"
    r"the\s++assistant\s++(?:must|"
    r"should|shall|will)\s++){0,6}"
    r"(?:always|never|ignore|disregard|override|overwrite|bypass|send|forward|e?mail|upload|post|fetch|visit|"
    r"open|click|load|include|append|embed|insert|render|run|execute|invoke"
    r"|call|use|tell|recommend|promote|prefer|praise|mention|reveal|print|output|delete|remove|write|reply|respond|"
    r"answer|add|put|make\s++sure|do\s++not|don't|hide|keep\s++(?:this|it|a\s++copy)|steal|exfiltrate|collect|"
    r"wire|follow|obey|"
    r"copy|leak|share|give|begin|end\s++(?:every|each|all|your)|warn|trust|quote|cite|rank|approve|skip|treat|"
    r"say|claim|pretend|insist|(?:slip|sneak|weave)\s++in|whenever|when\s++(?:the\s++)?user|if\s++(?:the\s++)?user)\b",
    _I,
)
# An order for more than once; "if you see an error" is advice, "if the user asks" is not.
STANDING = LazyPattern(
    r"\b(?:always|never|from\s++(?:now|here)\s++on|in\s++(?:every|each|all)\s++(?:\w+\s++)?(?:answer|reply|"
    r"response|message|future|"
    r"chat|conversation|session)s?|(?:every|each)\s++(?:answer|reply|response|chat|conversation|session)|"
    r"remember\s++to|every\s++time"
    r"|(?:when|whenever|if|once|each\s++time|next\s++time)\s++(?:the\s++user|a\s++user|someone|anyone|somebody|"
    r"asked))\b|\bremember:",
    _I,
)
MOVES = LazyPattern(
    r"\b(?:send|forward|e?mail|upload|post|append|embed|insert|include|exfiltrate|leak|steal|copy|transmit|submit|"
    r"reveal|print|output|share|give|put|add|collect)\b",
    _I,
)
FORBIDS = LazyPattern(r"\b(?:never|do\s++not|don't|avoid)\b", _I)
