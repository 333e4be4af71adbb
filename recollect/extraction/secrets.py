"""Shapes of secrets and payment data: patterns, each with the name it is counted under. Pure."""

import re

_I = re.IGNORECASE

# Shapes whose prefix alone gives them away.
PREFIXED = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    # models and their hosts
    r"sk-(?:ant-|proj-|or-v1-|live-)?[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}"
    r"|r8_[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{32,}"
    # payment
    r"|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,}|sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{40,}"
    r"|access_token\$(?:production|sandbox)\$[a-z0-9]{10,}\$[a-f0-9]{20,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,}"
    # code and packages
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|rt|ptt|dt|oas|cbt|ft|agent|sa|c)[-_][A-Za-z0-9_-]{16,}"
    r"|ATBB[A-Za-z0-9]{24,}|ATATT3[A-Za-z0-9_=-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{20,}|rubygems_[a-f0-9]{32,}"
    r"|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"
    # clouds and operations
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|do[opr]_v1_[a-f0-9]{32,}"
    r"|[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{30,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}|hv[sbr]\.[A-Za-z0-9_-]{20,}"
    r"|dapi[a-f0-9]{32}|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9]{32,}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{20,}|sbp_[a-f0-9]{32,}"
    r"|NRAK-[A-Z0-9]{20,}|PMAK-[a-f0-9]{20,}-[a-f0-9]{20,}|sntry[su]_[A-Za-z0-9+/=_-]{20,}"
    # chat, mail, offices
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}|\d{8,10}:AA[A-Za-z0-9_-]{30,}|SK[a-f0-9]{32}"
    r"|[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
    r"|key-[a-f0-9]{32}|[a-f0-9]{32}-us\d{1,2}|lin_(?:api|oauth)_[A-Za-z0-9]{30,}|(?:ntn|secret)_[A-Za-z0-9]{40,}"
    r"|pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}|figd_[A-Za-z0-9_-]{20,}"
    # wallets and files
    r"|AGE-SECRET-KEY-1[A-Z0-9]{50,}|[xyz]prv[A-Za-z0-9]{90,}"
    r")(?![A-Za-z0-9])"
)
JWT = re.compile(r"(?<![\w-])eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}")
PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.{0,20000}?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.S,
)
URL_PASSWORD = re.compile(r"(?P<keep>\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:)(?P<value>[^\s/@]{3,200})(?=@)", _I)
URL_TOKEN = re.compile(
    r"(?P<keep>[?&](?:sig|signature|(?:access_?|auth_?|id_?)?token|api_?key|key|secret|password|pwd|code|x-amz-"
    r"(?:signature|credential|security-token))=)(?P<value>[^\s&#\"'<>]{12,2000})",
    _I,
)
WEBHOOK = re.compile(
    r"(?P<keep>https://(?:hooks\.slack\.com/(?:services|workflows)|(?:[a-z]+\.)?discord(?:app)?\.com/api/webhooks)/)"
    r"(?P<value>[\w/-]{20,200})",
    _I,
)
BEARER = re.compile(r"(?P<keep>\bbearer\s++)(?P<value>[A-Za-z0-9._~+/=-]{16,})", _I)
BASIC = re.compile(r"(?P<keep>\bbasic\s++)(?P<value>[A-Za-z0-9+/]{8,400}={0,2})", _I)
_NAMES = (
    r"password|passwd|passphrase|passcode|pwd|pw|pin(?:\s++code)?|cvv|cvc|secret(?:[\s_-]?key)?|(?:api|access|private|wallet|"
    r"signing|encryption|master|account|storage|license)[\s_-]?key|(?:auth|access|refresh|session|bot|id)[\s_-]?token|"
    r"client[\s_-]?secret|token|accountkey|sharedaccesskey"
)
# 'password: hunter2', 'my pin is 4821', 'API_KEY=abc…': a name of a secret, then its value.
ASSIGNED = re.compile(
    rf"(?P<keep>\b(?:[A-Za-z0-9_]{{0,40}}[_-])?(?:{_NAMES})\b[\"']?"
    r"\s*+(?P<tie>(?:(?:is|was)\s*+)?[:=]|\b(?:is|was)\b(?:\s++(?:now|still|currently|set\s++to))?)\s*+[\"'`“]?)"
    r"(?P<value>[^\s\"',;`”]{3,300})",
    _I,
)
# A password in quotation marks may have blanks in it.
QUOTED = re.compile(
    r"(?P<keep>\b(?:password|passphrase|passcode|pass\s++phrase)\b\s*+(?:is|was|[:=])(?:\s++now)?\s*+[\"“'‘])"
    r"(?P<value>[^\"”'’\n]{4,120})(?=[\"”'’])",
    _I,
)
# 'I changed my password to hunter2', 'password hunter2', 'cvv 123'.
NAMED = re.compile(
    r"(?P<keep>\b(?:password|passwd|pwd|pw|passcode|passphrase|pin(?:\s++code)?|cvv|cvc)\b(?:[^.\n:=]{0,30}?\bto)?\s++[\"'`“]?)"
    r"(?P<value>[^\s\"',;`”]{3,100})",
    _I,
)
ONE_TIME = re.compile(
    r"(?P<keep>\b(?:one[\s-]?time|verification|security|login|log-in|sign-?in|auth(?:entication)?|confirmation|backup|recovery|"
    r"access|2fa|sms|door|gate|alarm)[\s-]++(?:pass)?(?:code|pin|password|passcode)s?\b\s*+(?:is|was|are|[:=-])?\s*+(?:now\s++)?"
    r"|\b(?:otp|tan)\s*+(?:is|was|[:=])?\s*+)(?P<value>\d{3}[ -]?\d{3}|\d{4,8})(?!\d)",
    _I,
)
SEED = re.compile(
    r"(?P<keep>\b(?:(?:seed|recovery|backup|secret|mnemonic|wallet)\s++(?:phrase|words)|mnemonic|seed)\b\s*+(?:is|are|was|[:=])?"
    r"\s*+[\"'“]?)(?P<value>[a-z]{3,8}(?:[\s,]++[a-z]{3,8}){11,23})",
    _I,
)
ACCOUNT = re.compile(
    r"(?P<keep>\baccount\s++(?:number|no\.?|nr\.?)\s*+(?:is|was|[:=#])?\s*+)(?P<value>\d[\d .-]{6,18}\d)(?![\w-])", _I
)
ROUTED_SSN = re.compile(
    r"(?P<keep>\b(?:ssn|social\s++security(?:\s++number|\s++no\.?)?)\b\D{0,12})"
    r"(?P<value>(?!000|666|9\d\d)\d{3}[ -]?(?!00)\d{2}[ -]?(?!0000)\d{4})(?!\d)",
    _I,
)
DIGITS = re.compile(r"(?<![\w.])(?:\d[ -]?){12,18}\d(?![\w.]*\d)")
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?\b")
SSN = re.compile(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
LONG_RUN = re.compile(
    r"(?<![\w/.@+-])(?=[A-Za-z0-9_+/-]*\d)(?=[A-Za-z0-9_+/-]*[A-Za-z])[A-Za-z0-9_+/-]{32,200}={0,2}(?![\w/.@])"
)
