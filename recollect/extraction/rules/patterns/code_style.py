"""Facts of code style: line length, names, quotes, docstrings, formatters, commits. Pure."""

import re
from collections.abc import Iterable

from recollect.extraction.rules.patterns.fact_pattern import ExtractedFact, FactPattern, fact_pattern, slot
from recollect.lazy_pattern import LazyPattern
from recollect.text import squeeze

IMPORTANCE = 0.6
_DENIED = LazyPattern(
    r"\b(?:no|not|never|don't|do\s++not|doesn't|without|avoid|hate|dislike|skip|drop|stop|can't\s++stand)\b",
    re.IGNORECASE,
)
_CASE = (
    r"(?:(?:lower_?|upper_?|screaming_?)?snake_?[\s-]?case|(?:lower|upper)?[\s-]?camel[\s-]?case|pascal[\s-]?case|"
    r"kebab[\s-]?case|hungarian\snotation)"
)
_NAMED = LazyPattern(
    rf"(?P<case>{_CASE})\s++for\s++(?:all\s++|the\s++|my\s++)?(?P<what>\w{{3,20}}(?:\s++names)?)|"
    rf"(?P<what2>\w{{3,20}})(?:\s++names)?\s++(?:are\s++)?(?:in|with|as|using)\s++(?P<case2>{_CASE})|"
    rf"(?P<case3>{_CASE})",
    re.IGNORECASE,
)
_TOOL = LazyPattern(
    r"\b(?P<verb>format|lint|type[\s-]?check|sort\s++imports)(?:s|ting|ing)?(?:\s++(?:my|our|all|the|everything|"
    r"code|python|files|it|imports)){0,4}"
    r"\s++(?:with|using|by)\s++(?P<v>[\w-]{2,20})",
    re.IGNORECASE,
)
_SLOT_OF_TOOL = {"format": "code_formatter", "lint": "linter", "sort": "import_sorter", "type": "type_checker"}


def _style(match: re.Match[str], key: str, value: str, says: str) -> ExtractedFact:
    groups = match.groupdict()
    ordered = groups.get("who") is None and groups.get("who2") is None and groups.get("rather") is None
    return ExtractedFact(
        category="instruction" if ordered else "preference",
        key=key,
        value=value,
        says=f"wants {value} in code" if ordered and not says else says or f"uses {value} in code",
        importance=IMPORTANCE,
        ordered=ordered,
    )


def _line_length(match: re.Match[str]) -> Iterable[ExtractedFact]:
    yield _style(
        match, "line_length", f"{match['v']} characters", f"keeps lines of code within {match['v']} characters"
    )


def _names(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for found in _NAMED.finditer(match["v"]):
        case = found["case"] or found["case2"] or found["case3"]
        what = (found["what"] or found["what2"] or "").lower()
        key = slot("naming", what) if what and what not in ("them", "everything", "code") else "naming_convention"
        value = f"{case} for {what}" if key != "naming_convention" else case
        yield _style(match, key, value, f"uses {value}")


def _quotes(match: re.Match[str]) -> Iterable[ExtractedFact]:
    yield _style(match, "quote_style", f"{match['v'].lower()} quotes", "")


def _switch(match: re.Match[str]) -> Iterable[ExtractedFact]:
    """Read what is used or not: semicolons, trailing commas, type hints."""
    what = squeeze(match["v"]).lower()
    denied = bool(_DENIED.search(match.group()))
    key = {"type annotations": "type_hints", "typehints": "type_hints"}.get(what, what.replace(" ", "_"))
    value = f"no {what}" if denied else what
    yield _style(match, key, value, "" if not denied else f"uses {value} in code")


def _docstrings(match: re.Match[str]) -> Iterable[ExtractedFact]:
    yield _style(match, "docstring_style", match["v"], f"writes docstrings in {match['v']} style")


def _braces(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = f"on the {match['v'].lower()} line"
    yield _style(match, "brace_style", value, f"puts opening braces {value}")


def _tools(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for found in _TOOL.finditer(match.group()):
        verb = found["verb"].lower()
        key = _SLOT_OF_TOOL[re.split(r"[\s-]", verb)[0].removesuffix("check")]
        yield _style(match, key, found["v"], f"uses {found['v']} to {verb} code")


def _tool(match: re.Match[str]) -> Iterable[ExtractedFact]:
    slot_of = squeeze(match["slot"]).lower()
    key = next(key for start, key in _SLOT_OF_TOOL.items() if slot_of.startswith((start, key.split("_")[0])))
    yield _style(match, key, match["v"], f"uses {match['v']} as {key.replace('_', ' ')}")


def _guide(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = squeeze(match["v"]).strip(" '")
    yield _style(match, "style_guide", value, f"follows {value} for code")


def _comments(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = squeeze(match["v"]).lower()
    value = "no" if value in ("without", "free of", "zero", "not any") else value
    yield _style(match, "code_comments", f"{value} comments", f"wants {value} comments in code")


def _commits(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = squeeze(match["v"]).strip(" .")
    yield _style(match, "commit_style", value, f"writes commit messages by this rule: {value}")


def _tests_first(match: re.Match[str]) -> Iterable[ExtractedFact]:
    yield _style(match, "testing_style", "tests first", "writes tests before the code")


def _construct(match: re.Match[str]) -> Iterable[ExtractedFact]:
    what = squeeze(match["v"])
    denied = bool(_DENIED.search(match.group()))
    value = f"no {what}" if denied else what
    yield _style(match, slot("code_style", what), value, f"{'does not use' if denied else 'uses'} {what} in code")


_USUALLY = (
    r"(?: (?:all|both|always|never|usually|mostly|mainly|generally|normally|still|only|also|really|now|try to|"
    r"prefer to|like to|"
    r"tend to|have to|want to|don't|do not)){0,3}"
)
_I = rf"(?P<who><I>|<AM>|we|we're|our team|my team){_USUALLY}"
_ANY = (
    rf"(?:{_I} |(?:(?:please|pls|also|and|always|just|never|don't|do not|from now on|going forward|in future|by "
    rf"default),? ){{0,3}})"
)
_OF_CODE = r"(?! (?:words?|syllables?|lines|seconds|minutes|pages|sentences|euros|dollars|degrees|per))(?!%)"
_WIDE = r"(?P<v>\d{2,3})\b(?:[\s-](?:chars?|characters|columns|cols))?"
_LANGUAGES = r"(?: (?:for|in) (?:my |our |all |the )?[\w+#]{1,20})?"
_DOCS = r"(?P<v>google|numpy|numpydoc|sphinx|rest|restructuredtext|epytext|jsdoc|javadoc|doxygen)"
_GUIDE = r"(?:(?:code |coding )?style(?: ?guide)?|coding standards?|code standards?|conventions?|guidelines)"
_CONSTRUCTS = (
    r"(?:(?:small|short|pure|arrow|anonymous|nested|async|static|helper|virtual|named|default|early|guard|bare|"
    r"broad|global|magic|wildcard|relative|"
    r"absolute|strict|explicit|implicit|optional|custom|abstract|functional|immutable|plain|raw|inline|mutable|"
    r"const|private) )?"
    r"(?:functions?|returns?|clauses?|exports?|imports?|comprehensions|f-strings|dataclasses|classes|inheritance|"
    r"composition|immutability|"
    r"globals|variables|numbers|ifs|loops|one-liners|ternar(?:y|ies)(?: operators?)?|dependency injection|excepts?|"
    r"exceptions|error codes|result types|"
    r"asserts?|assertions|print statements|abbreviations|barrel files|enums|interfaces|generics|macros|lambdas|"
    r"decorators|mixins|"
    r"singletons|template (?:strings|literals)|promises|callbacks|async ?/ ?await|oop|functional (?:style|"
    r"programming)|typing|mocks?|stored procedures|orms?|"
    r"raw sql|hooks|class components|function components|inline styles|utility classes|goto|pointers|error "
    r"handling|type casts|"
    r"strict mode|any types?)"
)
# Constructs that only code has; 'I like classes' may be about ballet.
_LIKED = (
    r"(?:(?:small|short|pure|arrow|named|default) (?:functions|exports)|early returns|guard clauses|list "
    r"comprehensions|f-strings|"
    r"dataclasses|composition|immutability|dependency injection|functional (?:style|programming)|generics|lambdas|"
    r"decorators|template literals|async ?/ ?await|error codes|exceptions|named exports|nested ifs|global variables|"
    r"magic numbers|explicit (?:imports|returns|types)|strict mode|static typing|type inference)"
)

RULES: tuple[FactPattern, ...] = (
    fact_pattern(
        rf"{_ANY}(?:keep|wrap|break|limit|cap|cut|hold|set) (?:(?:my|our|all|the|your|code|source|python) "
        rf"){{0,2}}(?:lines?|code)(?: of code| length| lengths)?"
        rf" (?:under|below|at|to|within|shorter than|no longer than|at most|up to|less than) {_WIDE}{_OF_CODE}",
        _line_length,
    ),
    fact_pattern(
        rf"(?:(?P<who>my|our|we have a|i have a|<I> (?:use|set|like|prefer|want) a|we use a) )?(?:(?:max(?:imum)?|"
        rf"preferred) )?line[\s-](?:length|width|limit)"
        rf"(?: limit)?(?:{_LANGUAGES} )?(?: ?(?:is|=|:|of))(?: set to| at| always){{0,2}} {_WIDE}{_OF_CODE}",
        _line_length,
    ),
    fact_pattern(
        rf"{_I} (?:use|have|stick to|stick with|go with|set|allow) (?:an? |at most |up to "
        rf")?(?P<v>\d{{2,3}})[\s-](?:char(?:acter)?s?|columns?|cols)\b",
        _line_length,
    ),
    fact_pattern(
        rf"{_ANY}(?:(?:allow )?no lines (?:over|longer than|above|beyond)|(?:(?P<rather>i(?:'d| would) (?:rather|"
        rf"like to|prefer to)? ?(?:have|keep|see|write)) )?lines no longer than) {_WIDE}{_OF_CODE}",
        _line_length,
    ),
    fact_pattern(
        rf"{_ANY}(?:use|name|write|prefer|stick to|stick with|like|call|want|go with) "
        rf"(?P<v>.{{0,60}}?\b{_CASE}\b.{{0,80}})",
        _names,
    ),
    fact_pattern(
        rf"(?P<who>my|our) (?P<v>\w{{3,20}}(?: names)? (?:are|is) (?:all )?(?:in )?{_CASE}\b.{{0,60}})", _names
    ),
    fact_pattern(rf"{_I} (?:use|prefer|like|want|stick to|stick with) (?P<v>single|double) quotes\b", _quotes),
    fact_pattern(
        r"(?:please |always |only )?(?:use |stick to )?(?P<v>single|double) quotes,? (?:only|please|pls|everywhere|"
        r"always|in all|throughout|not)\b",
        _quotes,
    ),
    fact_pattern(
        rf"{_ANY}(?:use|write|put|add|like|want|annotate|leave out|have|see|require|prefer|avoid|hate|skip) "
        rf"(?:(?:with|any|the|everything|my|our|all|code|functions|python|no) ){{0,4}}"
        r"(?P<v>semicolons|trailing commas|type hints|type annotations|typehints|static types)\b",
        _switch,
    ),
    fact_pattern(
        r"(?:please )?no (?P<v>semicolons|trailing commas|type hints|type annotations)\b(?= (?:in|please|at|"
        r"anywhere|ever)|\s*+[,.!]|\s*+$)",
        _switch,
    ),
    fact_pattern(
        rf"{_ANY}(?:use|write|follow|prefer|want|like|need) (?:the )?{_DOCS}(?:[\s-]style)?(?: for)? "
        rf"(?:docstrings?|doc ?comments)",
        _docstrings,
    ),
    fact_pattern(
        rf"{_ANY}(?:write|format|do|keep|want|like) (?:(?:my|our|all|the) )?docstrings in (?:the )?{_DOCS}\b",
        _docstrings,
    ),
    fact_pattern(rf"(?P<who>my|our) docstrings (?:are|follow|use|have)(?: in)?(?: the)? {_DOCS}\b", _docstrings),
    fact_pattern(
        rf"{_ANY}(?:put|place|keep|want|like|prefer) (?:the |my |our )?(?:opening |curly )?(?:braces?|brackets?) "
        rf"on (?:the|a) (?P<v>same|next|new|own) line",
        _braces,
    ),
    fact_pattern(
        rf"{_I} (?:format|lint|type[\s-]?check|sort imports)\b(?=.{{0,60}}\b(?:with|using)\b).{{0,120}}", _tools
    ),
    fact_pattern(
        rf"{_ANY}(?:follow|use|stick to|stick with|adhere to|comply with|go by|obey|code by) (?:the "
        rf")?(?P<v>(?:[\w-]+ )?[\w-]{{2,20}}(?:'s)? {_GUIDE}|pep[\s-]?8|psr[\s-]?\d\d?)(?=\s*+(?:$|[,.!]|(?:for|in|"
        rf"and|at|everywhere)\b))",
        _guide,
    ),
    fact_pattern(
        rf"(?P<who>my|our) {_GUIDE} (?:is|follows)(?: the)? (?P<v>pep[\s-]?8|psr[\s-]?\d\d?|airbnb|google|standard|"
        rf"[\w-]{{2,20}} style)",
        _guide,
    ),
    fact_pattern(
        rf"{_I} (?:want|like|prefer|write|use|need) (?P<v>no|few|fewer|minimal|sparse|lots of|many|more|detailed|"
        rf"short|zero) comments\b",
        _comments,
    ),
    fact_pattern(rf"{_I} (?:like|prefer|want|keep) (?:my |our )?code (?P<v>without|free of) comments\b", _comments),
    fact_pattern(
        r"(?:please )?(?P<v>no|few|fewer|minimal|zero) comments in (?:the |my |your |any |generated )?code\b", _comments
    ),
    fact_pattern(
        rf"(?:{_I} (?:use|follow|write|like|prefer|stick to)|(?P<who2>my|our) commits? (?:messages )?(?:follow|use|"
        rf"are)) (?:the )?(?P<v>conventional commits?)\b",
        _commits,
    ),
    fact_pattern(
        rf"(?:{_I} write |(?P<who2>my|our) )(?:(?:my|our|all|the) )?commit messages (?:are |is )?(?:always "
        rf")?(?P<v>in (?:the )?(?:imperative|present tense|past tense|english|german|french|spanish|lower "
        rf"?case)(?: mood)?)",
        _commits,
    ),
    fact_pattern(rf"{_I} (?:write|do|start with) (?:the |my |our )?tests first\b", _tests_first),
    fact_pattern(
        rf"{_I} (?:do|practi[sc]e|follow|use) (?:strict )?(?:tdd|test[\s-]driven development)\b", _tests_first
    ),
    fact_pattern(
        rf"{_I} (?:use|avoid|write|favou?r|allow|want|put|ban|forbid)(?: any)? (?P<v>{_CONSTRUCTS})(?=\s*+(?:$|"
        rf"[,.!]|(?:in|for|and|or|over|instead|wherever|where|everywhere|whenever|if|because|at|with|please|but|"
        rf"rather|when)\b))",
        _construct,
    ),
    fact_pattern(
        rf"{_I} (?:like|prefer|love|favou?r|hate|dislike|can't stand)(?: using| writing| having)?(?: any)? "
        rf"(?P<v>{_LIKED})\b",
        _construct,
    ),
    fact_pattern(
        r"(?P<who>my|our) (?:code )?(?P<slot>formatter|linter|type checker|import sorter) is (?P<v>[\w-]{2,20})", _tool
    ),
    fact_pattern(
        r"(?P<v>[\w-]{2,20}) is (?P<who>my|our) (?:code )?(?P<slot>formatter|linter|type checker|import sorter)\b",
        _tool,
    ),
    fact_pattern(
        rf"{_I} use (?P<v>[\w-]{{2,20}}) (?:to|for) (?P<slot>format|formatting|lint|linting|type[\s-]?check|"
        rf"type[\s-]?checking)\b",
        _tool,
    ),
)
