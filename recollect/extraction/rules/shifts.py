"""Changes in the speaker's life that a clause states: a job quit, a home left, a new name. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from recollect.dates import DateMention
from recollect.extraction.rules.clause_facts import facts_of, lead_length, statement_body
from recollect.extraction.rules.patterns.fact_pattern import short_pattern, value_of
from recollect.extraction.rules.vocabulary import PROFESSIONS
from recollect.lazy_pattern import LazyPattern
from recollect.text.granted import told_by_me
from recollect.types import LifeState, LoggedMessage, Shift

# A change longer ago than this is no news: 'I quit my job in 2015'.
_NEWS_DAYS = 400
_TRADE = "|".join(sorted(PROFESSIONS, key=len, reverse=True))
# A completed action: 'I've just', 'we finally'; wishes, plans, denials and suppositions do not match.
_DID = (
    r"(?:i|we)(?:'ve|\s++have|\s++had)?(?:\s++(?:just|finally|recently|actually|already|now|officially|both|also|"
    r"literally|basically|"
    r"only|sadly|happily|totally|really|then|even|went\s++and)){0,4}"
)
_WAS = (
    r"(?:i|we)(?:'ve|'m|'re)?(?: (?:was|were|am|are|have|got|get|been|being|just|finally|also|both|now|"
    r"recently|suddenly)){1,5}"
)
# After a verb of leaving, nothing but time or reason follows.
_NO_MORE_SAID = (
    r"(?=\s*+(?:$|[,.;!?)]|(?:today|yesterday|tonight|last|this|on|in|at\s++the|after|early|finally|"
    r"for\s++(?:good|real)|because|since|and|so|"
    r"but|to|over|when|as|lol|haha|btw|a\s++(?:week|month|year|day)|two|three|from\s++(?:there|work)|again)\b))"
)
_OF_SEVERAL = (
    r"(?!(?:[\w'-]{1,20} ){0,2}?(?:side|second|third|other|old|previous|former|extra|evening|weekend|"
    r"saturday|sunday|summer|student|holiday|part-?time|temp) )"
)
_NOT_ASIDE = r"(?!(?:[\w'-]{1,20} ){0,2}?(?:freelance|one-off|temporary) )"  # taken on beside a job
_OF_A_JOB = (
    r"(?![ -](?:offer|application|interview|advert|ad|search|hunt|title|description|contract|cent(?:er|re)|list|"
    r"letter|"
    r"posting|board|papers?|folder|certificate|reference|badge|id|key|notes?|done|that)s?\b)"
)
_WORKPLACE = (
    r"(?:job|position|role|post|gig|firm|company|agency|employer|start-?up|service|hospital|clinic|practice|bank|"
    r"bakery|restaurant|"
    r"caf[eé]|shop|store|factory|office|nursery|hotel|police|army|navy|force|council|ministry|newspaper|magazine|"
    r"lab|garage|salon|"
    r"warehouse|theatre|department|corporate world|rat race|business|team)"
)
_SUBJECT = (
    r"(?:psychology|law|medicine|biology|chemistry|physics|maths?|mathematics|statistics|economics|business|"
    r"history|philosophy|"
    r"sociology|anthropology|archaeology|geology|geography|architecture|engineering|(?:\w++ )engineering|computer "
    r"science|informatics|"
    r"linguistics|literature|english|french|german|spanish|journalism|nursing|dentistry|pharmacy|veterinary(?: "
    r"medicine)?|education|"
    r"teaching|theology|music|fine arts?|art(?: history)?|design|theatre|drama|film(?: studies)?|political "
    r"science|politics|"
    r"international relations|marketing|finance|accounting|social work|neuroscience|biochemistry|astronomy|"
    r"agriculture|ecology|forestry|classics)"
)
_SCHOOL = r"(?:uni|university|college|school|law school|med(?:ical)? school|grad(?:uate)? school|art school)"
_STUDIES = (
    rf"(?:{_SCHOOL}|(?:my|the) (?:[\w'-]++ ){{0,2}}?(?:degree|studies|course|phd|doctorate|masters?|master's|"
    rf"bachelors?|bachelor's|"
    r"apprenticeship|traineeship|program|programme|thesis|dissertation|major))"
)
_DWELLING = r"(?:flat|apartment|house|home|place|room|studio|cottage|bungalow|condo|dorm|farm|houseboat|loft|villa)"
_PLACE = r"(?-i:[A-Z])[\w'’.-]{1,30}+(?: (?-i:[A-Z])[\w'’.-]{1,30}+){0,2}"
_NAME = r"(?-i:[A-Z])[\w'’-]{1,30}+(?: (?-i:[A-Z])[\w'’-]{1,30}+){0,2}"
_NOW = r"(?:now|these days|nowadays|from now on|at the moment|for good|instead|officially|again|finally)"


@dataclass(frozen=True, slots=True)
class _Sign:
    """A pattern at the start of a clause; its group `old` is the previous state, `new` the present one."""

    state: LifeState
    pattern: LazyPattern[str]
    needs_old: bool = False


def _sign(state: LifeState, pattern: str, *, needs_old: bool = False) -> _Sign:
    return _Sign(state, short_pattern(pattern), needs_old)


_JOB = (
    rf"{_DID} (?:quit|resigned|retired){_NO_MORE_SAID}",
    rf"{_DID} (?:quit|left|lost|resigned from|walked out of|gave up|given up|chucked in|packed in|stepped down from) "
    rf"(?:my|that|our) {_OF_SEVERAL}(?P<old>(?:[\w'-]{{1,20}} ){{0,3}}?(?:jobs?|position|role|post|"
    rf"gig))\b{_OF_A_JOB}",
    rf"{_DID} (?:quit|resigned from|stopped working (?:at|for|in)|walked out of) (?:my|the|that|our|a|an) "
    rf"{_OF_SEVERAL}"
    rf"(?P<old>(?:[\w'-]{{1,20}} ){{0,3}}?{_WORKPLACE})\b{_OF_A_JOB}",
    rf"{_DID} (?:handed in|gave(?: them| in)?|given(?: in)?|put in|turned in|submitted|tendered) (?:my|our) "
    rf"(?:[\w'-]{{1,20}} ){{0,2}}?"
    r"(?:notice|resignation)\b",
    rf"{_DID} (?:gave|given|put in) (?:my )?(?:\w++ )?(?:(?:weeks?|months?)'? )?notice\b",
    rf"{_WAS} (?:laid off|let go(?! of)|fired(?! up)|sacked|made redundant|dismissed|axed|given the (?:sack|boot))\b",
    r"(?:they|(?:my|the|our) (?:[\w'-]{1,20} )?[\w'-]{2,20}|[\w'&-]{2,30}(?: [\w'&-]{2,30})?)(?:'ve)?(?: (?:has|"
    r"have|just|all|both)){0,3} "
    r"(?:(?:laid|let|kicked) (?:me|us) (?:off|go|out)(?! of)|(?:fired|sacked|dismissed) (?:me|us)\b|made (?:me|"
    r"us) redundant|"
    r"(?:didn't|did not) renew my contract|terminated my (?:contract|employment)|(?:cut|axed|eliminated) my "
    r"(?:job|position|role))",
    rf"my {_OF_SEVERAL}(?:job|position|role|contract|post) (?:(?:is|was|has|got|been|just|now) ){{0,4}}(?:gone\b|"
    rf"cut\b|axed|"
    r"eliminated|over\b|ended\b|terminated|scrapped|ran out|expired|(?:wasn't|isn't|not) (?:being |been "
    r")?(?:renewed|extended))",
    r"(?:my|our|the) (?:company|firm|employer|start-?up|restaurant|shop|practice|agency|studio)(?: (?:i "
    r"work(?:ed)? (?:at|for)|has|have|just)){0,3} "
    r"(?:went (?:bust|under|bankrupt|out of business)|folded|shut down|closed down|collapsed|ceased trading)\b",
    r"(?:(?:it|that|this) )?(?:(?:is|was|it's|that's) )?my (?:very )?last (?:day|shift|week)"
    r"(?: (?:of work|at work|on the job|at the (?:job|office|company|firm)|there|(?:at|with|for) (?P<old>[\w'’&. "
    r"-]{2,40}?)))?"
    r"(?: (?:is|was|will be)\b.{0,40})?\s*+$",
    rf"i(?:'m| am)(?: (?:now|officially|finally|currently|also)){{0,3}} (?:retired|unemployed|jobless|out of work|"
    rf"out of a job|"
    rf"between jobs|a pensioner|freelancing|freelance|self-employed|my own boss)(?=\s*+(?:$|[,.;!?)]|{_NOW}\b|"
    rf"since\b|and\b|but\b|so\b|as\b))",
    rf"(?:{_DID}|i(?:'m| am)(?: (?:just|finally))?) (?:got|get|landed|found|accepted|taken|took|started|starting|"
    rf"scored|have|got offered)"
    rf"(?: myself)? (?:a|an|the|my|another) new (?:[\w'-]{{1,20}} ){{0,2}}?(?:job|position|role|gig)\b{_OF_A_JOB}",
    rf"{_DID} (?:found|landed|scored|accepted|started) (?:a|an|the|my) {_OF_SEVERAL}{_NOT_ASIDE}(?:[\w'-]{{1,20}} "
    rf"){{0,2}}?(?:job|position)\b{_OF_A_JOB}",
    r"my new (?:job|role|position|employer|company|workplace)(?:'s| is| has| starts?| started| begins?| at| as)\b",
    rf"(?:i (?:have|got) )?(?:a )?new (?:job|gig|position)\b{_OF_A_JOB}(?! (?:for you|idea|ideas))",
    rf"{_DID} (?:started|begun|began)(?: (?:working|work))? (?:at|in|with|for) (?:the|a|an|my new|this) (?:new "
    rf")?(?:[\w'-]{{1,20}} ){{0,2}}?{_WORKPLACE}\b",
    rf"{_DID} (?:become|became|retrained as|trained as|qualified as|requalified as|turned) an? "
    rf"(?P<new>(?:[\w'-]{{1,20}} "
    rf"){{0,2}}?(?:{_TRADE}))\b",
    rf"{_DID} (?:switched|changed|swapped) (?:jobs?|careers?|employers?|companies|professions?)\b",
    rf"(?:{_DID}|i(?:'m| am)(?: now)?|i'll|i will) (?:start(?:ed|ing)?|joined|joining) (?:(?:working|work) "
    rf")?(?:at|with) "
    rf"{_OF_SEVERAL}(?P<new>(?!(?:Chapter|Level|Page|Part|Step|Unit)\b){_PLACE})(?! (?:gym|club|class|school))",
)
_LEFT_A_JOB = (
    rf"{_DID} (?:left|quit|resigned from|stopped working (?:at|for)|no longer work(?:ing)? (?:at|for)|moved on "
    rf"from|finished at|gave up|given up) "
    r"(?:the |my )?(?P<old>(?:(?!(?:and|to|for|because|last|on|in|at|now|this|after|when|so|but|"
    r"as)\b)[\w'’&.-]{1,30} ?){1,4})",
    r"i(?:'m| am) (?:no longer|not) (?:at|with|working (?:at|for)) (?P<old>[\w'’&. -]{2,40}?)(?: any ?more| any "
    r"longer)?\s*+$",
    r"i(?:'m| am) (?:done|finished|through) (?:at|with) (?P<old>[\w'’&. -]{2,40}?)\s*+$",
    r"i (?:don't|do not) work (?:at|for|in) (?P<old>[\w'’&. -]{2,40}?)(?: any ?more| any longer)?\s*+$",
)
_POSITION = (
    rf"{_DID} (?:(?:got|been|was) )*+promoted\b",
    r"i (?:got|was|am) (?:just )?promoted\b",
    rf"(?:they|(?:my|the) [\w'-]{{2,20}}|[\w'&-]{{2,30}})(?:'ve)?(?: (?:has|have|just|now|also)){{0,3}} (?:made|"
    rf"promoted|named|appointed) me"
    rf"(?: to)?(?: (?:an?|the|their))? (?P<new>(?:[\w'-]{{1,20}} ){{0,3}}?(?:{_TRADE}|lead|head|partner|chief))\b",
    rf"{_DID} (?:stepped down|been demoted|got demoted)\b",
    rf"i(?:'m| am) (?:no longer|not) (?:an? |the )?(?P<old>(?:[\w'-]{{1,20}} ){{0,3}}?(?:{_TRADE}))(?: any ?more| "
    rf"any longer|\s*+$)",
)
_STUDIED = (
    rf"{_DID} (?:dropped out(?: of {_STUDIES})?|flunked out){_NO_MORE_SAID}",
    rf"{_DID} (?:quit|left|gave up|given up|finished|completed|dropped|abandoned) {_STUDIES}\b(?! (?:early|for "
    rf"(?:today|the day)|at \d|run|pickup|work|chapter))",
    rf"{_DID} graduated\b",
    rf"{_DID} (?:got|received|earned|defended|handed in|finished) my (?:degree|diploma|phd|doctorate|bachelor'?s|"
    rf"master'?s)\b",
    rf"{_DID} (?:switched|changed|transferred|moved)(?: over)? (?:my )?(?:majors?|degrees?|courses?|subjects?|"
    rf"programs?|programmes?|"
    rf"universit(?:y|ies)|uni|unis|colleges?|schools?)\b",
    rf"{_DID} (?:switched|changed|transferred|moved)(?: over)?(?: from (?P<old>[\w ]{{2,30}}?))?"
    rf"(?: (?:to|into) (?P<new>{_SUBJECT}))\b",
    rf"{_DID} (?:started|begun|began) (?:studying|reading|my (?:\w++ )?(?:degree|phd|masters?|studies) in) "
    rf"(?P<new>{_SUBJECT})\b",
    rf"i(?:'m| am) (?:now studying|studying|doing) (?P<new>{_SUBJECT}) (?:now|instead)\b",
    r"i(?:'m| am) (?:no longer|not) (?:an? |the )?(?P<old>(?:[\w'-]{1,20} ){0,2}?student)(?: any ?more| any "
    r"longer|\s*+$)",
)
_MOVED = (
    rf"{_DID} (?:moved|relocated)(?=\s*+(?:$|[,.;!?]|(?:again|house|houses|home|flats?|apartments?|cities|"
    rf"countries|out|in|back|away|on my own|"
    r"last|this|over the|yesterday|today|together|lol|and|in with|at the weekend)\b))",
    rf"{_DID} (?:moved|relocated|emigrated)(?: (?:back|over|out|up|down|across|again|away|all the way|in)\b)*+ "
    rf"(?:to|into|in with|in to)"
    rf" (?P<new>(?:(?:an?|the|my|our|his|her|their) (?:[\w'-]{{1,20}} ){{0,3}}?(?:{_DWELLING}|city|town|village|"
    rf"countryside|suburbs?|coast|"
    rf"parents|boyfriend|girlfriend|partner|mum|mom|friends?|sister|brother|country|north|south|east|west|island)|"
    rf"(?!(?:Kotlin|Python|Java|Rust|React|Linux|Windows|AWS|Azure)\b){_PLACE}))\b(?!(?: \w++)? (?:team|project|"
    rf"role|department|branch|desk|framework|library))",
    rf"{_DID} (?:moved|relocated)(?: (?:away|out|house))? (?:from|of) (?:the |my |our )?(?P<old>{_PLACE}|"
    rf"(?:[\w'-]{{1,20}} ){{0,2}}?{_DWELLING})\b",
    r"(?:(?:the|our|my) )?(?:move|moving|moving out|moving in|moving house|moving day)(?:'s)?(?: (?:is|was|went|"
    r"has|been|all|finally|now)){0,4} "
    r"(?:done|over|complete|completed|finished|behind (?:us|me))\b",
    r"(?:i(?:'m| am)|we(?:'re| are)) (?:finally |all |now |officially ){0,3}(?:moved in|settled(?: in| into| "
    r"down)?|unpacked|done moving)\b",
    rf"{_DID} (?:settled(?: in| into| down)|unpacked|been evicted|got evicted|been kicked out|finished moving)\b",
    rf"{_DID} (?:got|picked up|collected|received) (?:the )?keys (?:to|for|of) (?:my|our|the) new {_DWELLING}\b",
    rf"(?:i |we )?(?:first night|slept|sleeping|woke up|waking up|spent the night|spent (?:my|our) first night)(?: in|"
    rf" at) "
    rf"(?:my|our|the) (?:new|own)(?: own| new)? {_DWELLING}\b(?!(?: \w++)? (?:of|for|at|in) (?:the|my|a))",
    rf"(?:i(?:'m| am) |we(?:'re| are) )?(?:finally|now|at last)(?: all)? in (?:my|our|the) (?:very )?(?:own|new)(?: "
    rf"own| new)? {_DWELLING}\b",
    rf"{_DID} (?:got|picked up|collected) (?:the|our|my) keys(?: today| yesterday)?\s*+$",
    rf"(?P<new>{_PLACE}) is (?:(?:now|officially|my|our) ){{0,3}}(?:home(?: now| these days)?|new home|where i "
    rf"live(?: now)?|where we live(?: now)?)\b",
    rf"home is (?:now )?(?P<new>{_PLACE})(?: {_NOW})?\s*+$",
    r"(?:my|our) new (?:home|address|place|flat|city|town|apartment|house|neighbou?rhood|village|landlord)(?:'s| "
    r"is| has| are)\b",
    rf"(?:i(?:'m| am)|we(?:'re| are)) (?:now )?(?:living|based|settled|renting|staying) (?:in|at|on|near|with) "
    rf".{{2,60}}?\b(?:{_NOW})\b",
    r"(?:i(?:'m| am)|we(?:'re| are)) now (?:living|based|settled|renting) (?:in|at|on|near|with)\b",
    rf"(?:i|we)(?: now)? live (?:in|at|on|with|near) .{{2,60}}?\b(?:{_NOW})\b",
    r"(?:i|we) now live\b",
    rf"{_DID} (?:gave up|given up|ended|terminated|sold) (?:my|our) (?:lease|(?:[\w'-]{{1,20}} )?{_DWELLING})\b",
    rf"{_DID} left (?P<old>{_PLACE}) (?:for good|behind)\b",
)
_NAMED = (
    r"(?:(?:please|just|you can|everyone|everybody|people)(?: should)? ){0,3}call(?:s)? me "
    r"(?P<new>[\w'’-]{1,30})\b.{0,60}\b(?:from now on|now|instead|"
    r"going forward|from here on|these days|from today)\b",
    rf"i(?:'m| am)? (?:now )?(?:go(?:ing)?|went) by (?P<new>{_NAME})(?: {_NOW}| these days)?",
    rf"{_DID} (?:started|begun|began) (?:going by|using(?: the name)?) (?P<new>{_NAME})",
    rf"{_DID} (?:legally |officially )?changed my (?:(?:first|last|family|full|legal|sur) ?)?name\b(?! (?:tag|"
    rf"badge|plate|sign|on))(?: (?:from (?P<old>[\w' -]{{1,40}}?) )?to (?P<new>{_NAME}))?",
    rf"{_DID} (?:took|taken) (?:my (?:husband|wife|partner|spouse)'s|his|her|their) (?:last |family |sur)?name\b",
    rf"my (?:(?:full|last|first|legal|family|new|married) ){{0,2}}(?:name|surname) (?:is now|has changed|changed|"
    rf"'s now)(?: to)?(?: (?P<new>{_NAME}))?",
    rf"my (?:new|married) (?:last |full |family )?(?:name|surname)(?:'s| is) (?P<new>{_NAME})",
    rf"my (?:(?:full|last|first|legal|family) )?(?:name|surname)(?:'s| is) (?P<new>{_NAME}) (?:now|these days)\b",
    rf"i(?:'m| am) (?P<new>{_NAME}),? (?:now|officially|legally|these days|from now on)\b",
    rf"(?:(?:it's|i'm|that's|it is) )?(?P<new>{_NAME}) (?:now|from now on),? (?:not|no longer|no more) "
    rf"(?P<old>{_NAME})",
    rf"i (?:no longer|don't)(?: go by| use| answer to)(?: the name)? (?P<old>{_NAME})(?: any ?more)?",
)
_PARTED = (
    r"i(?:'m| am)(?: (?:newly|officially|finally|now)){0,2} single(?: again| now|\s*+$)",
    rf"{_DID} (?:called off|broke off|broken off|ended) (?:the|our|my) (?:engagement|wedding|relationship|"
    rf"marriage)\b",
    rf"{_DID} (?:split|split up|broke up|broken up|separated|divorced|parted ways)(?: (?:with|from) "
    rf"(?P<old>{_NAME}|my \w++))?{_NO_MORE_SAID}",
    rf"(?:it's|it is|things are|we're|we are) (?:(?:all|finally|now) )?(?:over|done|finished) (?:between (?:us|"
    rf"me)|with (?P<old>{_NAME}|my \w++))",
)
_STATUS = (
    r"(?:i(?:'m| am)|we(?:'re| are))(?: (?:now|officially|finally|both)){0,2} (?:engaged|married|divorced|dating|"
    r"widowed)(?: to .{1,40})?"
    r"(?:,? (?:now|officially|since))?",
    rf"{_DID} (?:got|been|become) (?:engaged|married|divorced|hitched)\b",
    rf"{_DID} (?:tied the knot|eloped)\b",
)
_MOVED_DATE = (
    r"(?:postponed|moved|rescheduled|pushed(?: back)?|delayed|brought forward|called off|cancell?ed|put off|"
    r"swapped|scrapped|shifted|"
    r"double[- ]booked|overbooked|fully booked)"
)
_IT = r"(?:it|that|this|the whole thing|everything)"
_THING = r"(?:(?:the|my|our) (?P<old>(?:(?!(?:is|was|has|got|are|were)\b)[\w-]{1,30} ?){1,4}?))"
_RESCHEDULED = (
    rf"(?:they|he|she|we|i|you|(?:the|my|our) [\w'-]{{2,20}})(?:'ve)?(?: (?:have|has|had to|just|all|now|finally|"
    rf"decided to)){{0,3}} "
    rf"(?:{_MOVED_DATE}|postpone|move|reschedule|cancel|call off|push back|delay) {_IT}\b",
    rf"{_IT}(?:'s|'ve)?(?: (?:is|was|has|had|got|been|to|be|just|now|all)){{0,5}} {_MOVED_DATE}\b",
    rf"{_IT} (?:fell|has fallen) through\b",
    r"(?:i'm|we're|i am|we are) not (?:going|doing it|flying|travell?ing)(?: there)? (?:any ?more|after all)\b",
)
_RESCHEDULED_THING = (
    rf"{_THING}(?:'s|'ve)?(?: (?:is|was|were|are|has|have|had|got|been|to|be|just|now)){{1,5}} {_MOVED_DATE}\b",
    rf"{_THING}(?:'s| is| are)(?: now)? (?:on|at|in|from) .{{2,40}}?\bnow\b",
    rf"{_DID} (?:{_MOVED_DATE}) {_THING}(?: to\b|\s*+$)",
    rf"(?:they|he|she)(?:'ve)?(?: (?:have|has|had to|just)){{0,2}} {_MOVED_DATE} {_THING}(?: to\b|\s*+$)",
)
_OVER_A_TASTE = (
    r"(?:scratch|drop|skip|so much for|enough of|bye bye) (?:the |that |my |about )?(?P<old>[\w' -]{2,30}?)\s*+$",
    rf"{_DID} (?:gone off|went off|got over|moved on from|grown out of|outgrown|had enough of|gave up on|dropped|"
    rf"ditched) "
    rf"(?:the |my )?(?P<old>(?:(?!(?:and|to|for|because|so|but|since|as)\b)[\w'’&.-]{{1,30}} ?){{1,3}})",
    r"i(?:'m| am)(?: (?:so|totally|completely|really|kind of)){0,2} (?:over|done with|off|through with) (?:the "
    r"|my )?"
    r"(?P<old>(?:(?!(?:and|to|for|because|so|but|since|as)\b)[\w'’&.-]{1,30} ?){1,3})",
    rf"{_DID} (?:stopped|quit) (?:going to|doing|playing|reading|watching|using|wearing|drinking|eating|taking) "
    rf"(?:the |my )?"
    rf"(?P<old>(?:(?!(?:and|to|for|because|so|but|since|as)\b)[\w'’&.-]{{1,30}} ?){{1,3}})",
)
_SIGNS = (
    *(_sign(LifeState.JOB, pattern) for pattern in _JOB),
    *(_sign(LifeState.JOB, pattern, needs_old=True) for pattern in _LEFT_A_JOB),
    *(_sign(LifeState.POSITION, pattern) for pattern in _POSITION),
    *(_sign(LifeState.STUDIES, pattern) for pattern in _STUDIED),
    *(_sign(LifeState.HOME, pattern) for pattern in _MOVED),
    *(_sign(LifeState.NAME, pattern) for pattern in _NAMED),
    *(_sign(LifeState.PARTNER, pattern) for pattern in _PARTED),
    *(_sign(LifeState.STATUS, pattern) for pattern in _STATUS),
    *(_sign(LifeState.PLAN, pattern) for pattern in _RESCHEDULED),
    *(_sign(LifeState.PLAN, pattern, needs_old=True) for pattern in _RESCHEDULED_THING),
    *(_sign(LifeState.TASTE, pattern, needs_old=True) for pattern in _OVER_A_TASTE),
)
# 'Big step: I moved in with Ada.'
_HEADING = LazyPattern(r"[\w' ]{2,30}+(?::|\s[-–—]+)\s++")
# Verbs of change at the head of a clause that leaves its 'I' out: 'handed in my notice'.
_HEAD_VERB = LazyPattern(
    r"(?:(?:just|finally|officially|already|recently|so|also|both)\s++){0,3}+(?:handed|gave|put\s++in|got|quit|"
    r"left|found|accepted|broke|split|called|"
    r"changed|dropped|graduated|settled|unpacked|took|switched|transferred|resigned|retired|been|started|landed|"
    r"lost|finished|moved)\b",
    re.IGNORECASE,
)
# With such a word, a new value ends the old one: 'I'm a driving instructor now'.
_CHANGED = LazyPattern(
    r"\b(?:now|these\s++days|nowadays|new|started|joined|became|switched|moved|instead|no\s++longer|"
    r"from\s++now\s++on|officially)\b",
    re.IGNORECASE,
)
_STATE_OF = {
    "job": LifeState.JOB,
    "employer": LifeState.JOB,
    "location": LifeState.HOME,
    "school": LifeState.STUDIES,
    "field_of_study": LifeState.STUDIES,
    "name": LifeState.NAME,
    "full_name": LifeState.NAME,
}
# 'One of my jobs', 'as well': an additional value does not end the old one.
_BESIDE = LazyPattern(
    r"\b(?:also|too|as\s++well|besides|on\s++the\s++side|part[- ]time|second\s++job|in\s++addition|additionally|"
    r"another\s++job|"
    r"weekends|evenings)\b",
    re.IGNORECASE,
)
_WORKS_AS = LazyPattern(r"\b(?:promoted|made\s++me|named\s++me)\b", re.IGNORECASE)


def find_shifts(
    clause: str, mentions: Sequence[DateMention], message: LoggedMessage, *, is_news: bool = False
) -> list[Shift]:
    """Find the changes in its speaker's life that a clause states.

    Args:
        clause: With plain quotes, in the speaker's words; others' words blanked.
        mentions: Its dates, with spans from its start.
        message: The message, for the time it was said.
        is_news: It follows 'since' or 'now that', so it is news, whatever its words.
    """
    if any(message.said_at - date.end > timedelta(days=_NEWS_DAYS) for date in mentions):
        return []
    clause = told_by_me(clause) if is_news else clause
    shifts = [
        Shift(state=sign.state, old=_named(match, "old"), new=_named(match, "new"), needs_old=sign.needs_old)
        for body in dict.fromkeys(_bodies(clause, mentions))
        for sign in _SIGNS
        if (match := sign.pattern.match(body))
    ]
    is_news = is_news or bool(_CHANGED.search(clause)) or _is_ahead(mentions, message)
    if not shifts and is_news and not _BESIDE.search(clause):
        shifts = [
            Shift(state=LifeState.POSITION if _WORKS_AS.search(clause) else state, new=fact.value)
            for fact in facts_of(clause, mentions)
            if (state := _STATE_OF.get(fact.key)) and not fact.ends
        ]
    return list(dict.fromkeys(shifts))


def tells_of_shift(body: str) -> bool:
    """Return whether a clause without its lead states a change in its speaker's life.

    >>> tells_of_shift("Bristol is home now"), tells_of_shift("I might move to Bristol")
    (True, False)
    """
    return any(sign.pattern.match(read) for read in _with_subject(body) for sign in _SIGNS)


def _bodies(clause: str, mentions: Sequence[DateMention]) -> list[str]:
    """Return the forms of a clause that patterns read, with its dates and without."""
    plain = clause[lead_length(clause) :].strip(" ,.!;:")
    opening = next((date.span[1] for date in mentions if date.span[0] <= lead_length(clause)), 0)
    rest = clause[opening:].strip(" ,.!;:")
    heading = _HEADING.match(plain)
    headless = plain[heading.end() :] if heading else plain
    return [read for body in (statement_body(clause, mentions), plain, rest, headless) for read in _with_subject(body)]


def _with_subject(body: str) -> list[str]:
    return [body, with_subject(body)] if _HEAD_VERB.match(body) else [body]


def with_subject(body: str) -> str:
    """Restore the 'I' of a clause that leaves it out before a verb of change.

    >>> with_subject("Handed in my notice")
    'I handed in my notice'
    """
    return f"I {body[0].lower()}{body[1:]}" if _HEAD_VERB.match(body) else body


def _named(match: re.Match[str], group: str) -> str:
    return value_of(match.groupdict().get(group), max_words=8)


def _is_ahead(mentions: Sequence[DateMention], message: LoggedMessage) -> bool:
    """Return whether a clause names a future day: "from 1 March I'm a driving instructor"."""
    return any(date.start > message.said_at for date in mentions)
