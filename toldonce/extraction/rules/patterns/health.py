"""Facts of health: medicines and intolerances. Pure."""

import re
from collections.abc import Iterable

from toldonce.extraction.rules.patterns.fact_pattern import ExtractedFact, FactPattern, fact_pattern, list_values, slot
from toldonce.lazy_pattern import LazyPattern

MEDICINES = (
    r"(?:aspirin|ibuprofen|paracetamol|acetaminophen|warfarin|heparin|insulin|metformin|ozempic|wegovy|mounjaro|"
    r"lithium|prozac|zoloft|"
    r"lexapro|xanax|valium|ritalin|adderall|vyvanse|concerta|methylphenidate|elvanse|levothyroxine|euthyrox|"
    r"prednisone|prednisolone|"
    r"methotrexate|humira|tamoxifen|accutane|isotretinoin|ventolin|salbutamol|symbicort|beta[- ]?blockers?|"
    r"blood\s?thinners?|"
    r"statins?|antidepressants?|antihistamines?|the\s++pill|birth\s++control|hrt|testosterone|oestrogen|estrogen|"
    r"melatonin|creatine|"
    r"vitamin\s++[a-z]\d{0,2}|iron\s++(?:tablets|supplements)|folic\s++acid|magnesium|omega[- ]?3|digoxin|codeine|"
    r"tramadol|morphine|"
    r"methadone|naltrexone|gabapentin|pregabalin|lamotrigine|valproate|levetiracetam|keppra|quetiapine|olanzapine|"
    r"risperidone|"
    r"aripiprazole|clozapine|venlafaxine|duloxetine|mirtazapine|bupropion|wellbutrin|trazodone|amitriptyline|"
    r"hydroxychloroquine|"
    r"mesalazine|azathioprine|allopurinol|colchicine|spironolactone|furosemide|cetirizine|loratadine|montelukast|"
    r"finasteride|"
    # Common endings of medicine names.
    r"[a-z]{3,14}(?:statin|traline|sartan|alopram|oxetine|triptyline|thyroxine|cillin|mycin|azepam|azolam|prazole|gliptin|"
    r"gliflozin|"
    r"thiazide|xaban|triptan|lukast|dipine|[^o\W]olol|[^a\W]pril))"
)
_DOSE = r"\d{1,5}(?:[.,]\d{1,3})?\s?(?:mg|mcg|µg|micrograms?|milligrams?|g|ml|units?|iu|drops|tablets?|pills?)"
_TAKEN = LazyPattern(
    rf"(?:(?P<dose>{_DOSE})\s++(?:of\s++)?)?(?P<name>{MEDICINES})\b(?:\s++(?P<after>{_DOSE}))?", re.IGNORECASE
)
_ONCE = LazyPattern(
    r"\b(?:yesterday|last\s++(?:night|week|month|year)|just\s++(?:now|took)|an?\s++(?:hour|day|week)\s++ago|should|"
    r"could|used\s++to|once\s++when)\b",
    re.IGNORECASE,
)


def _medication(name: str, dose: str | None) -> ExtractedFact:
    name = re.sub(r"^the\s++", "the ", name.lower())
    return ExtractedFact(
        category="constraint",
        key=slot("medication", name),
        value=f"{dose} of {name}" if dose else name,
        importance=0.85,
        dated=True,
    )


def _takes(match: re.Match[str]) -> Iterable[ExtractedFact]:
    if not _ONCE.search(match.string):
        for found in _TAKEN.finditer(match["v"]):
            yield _medication(found["name"], found["dose"] or found["after"])


def _intolerant(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for thing in list_values(match["v"]):
        yield ExtractedFact(category="constraint", key=slot("avoid", thing), value=thing, importance=0.85)


_MINE = r"(?:(?:my|the|our) )?"

RULES: tuple[FactPattern, ...] = (
    fact_pattern(
        r"(?:<I> take|<AM> (?:on|taking|prescribed)|<HAVE> been (?:on|taking|prescribed)|"
        r"<I> (?:was|got) (?:put on|prescribed)) (?P<v>.{1,300})",
        _takes,
    ),
    fact_pattern(
        r"(?:the|my) (?:doctor|doc|gp|psychiatrist|cardiologist|specialist|nurse) (?:put me on|prescribed(?: me)?|"
        r"started me on) (?P<v>.{1,300})",
        _takes,
    ),
    fact_pattern(
        r"<AM> (?:intolerant to|sensitive to) (?P<v>(?!(?:criticism|noise|light|sound|smell|heat|cold|this|that|"
        r"the)\b).+)",
        _intolerant,
    ),
    fact_pattern(r"<AM> (?P<v>(?!lactose|gluten)[a-z]{3,12})[- ]intolerant\b", _intolerant),
)
