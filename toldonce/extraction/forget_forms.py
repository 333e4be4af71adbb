"""Forms of requests to forget, and those of English. Pure data; `forget_requests` applies them.

A request is a lead ('please'), a form with a topic ('forget …'), what introduces the topic ('what I told you about')
and a tail ('again').
"""

import re
from dataclasses import dataclass

from toldonce.lazy_pattern import LazyPattern


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetForms:
    """How a language asks to forget. Each pattern is matched at the start of the rest of the sentence."""

    lead: LazyPattern[str]
    """Politeness and particles at the start; may match nothing."""
    asks: tuple[LazyPattern[str], ...]
    """Forms of the request, each with a group `topic`."""
    told: LazyPattern[str]
    """Introduces the topic: 'what I told you about'; may match nothing."""
    tail: LazyPattern[str]
    """After the topic: 'again', 'please'."""
    vague: LazyPattern[str]
    """Topics that name nothing."""
    before: LazyPattern[str]
    """Topics that mean the previous message."""
    everything: LazyPattern[str]
    """Topics that mean everything known about the user."""


def pattern(text: str) -> LazyPattern[str]:
    """Compile a form; a blank matches one blank, since texts are squeezed before they are read."""
    return LazyPattern(text, re.IGNORECASE)


TOPIC = r"(?P<topic>[^.!?;]{1,250})"
_SHORT = r"(?P<topic>[^.!?;]{1,150}?)"

_YOUR_MEMORY = (
    r"(?:from|out of|off|in) (?:your|the|my) (?:(?:long-term|own|saved|stored) )?"
    r"(?:memory|memories|notes?|records?|mind|head|brain|knowledge|history|profile|database|storage|files?)\b"
    r"|from (?:what|everything|all(?: that)?) you (?:know|remember|have|stored|saved)\b"
)
# 'Delete everything about prices from this mail' is work on a text, not a request to forget.
_OF_A_TEXT = (
    r"[^.!?;]{0,200}\b(?:e-?mails?|mails?|letters?|essays?|texts?|documents?|docs?|files?|tables?|lists?|code|"
    r"functions?"
    r"|tests?|paragraphs?|sentences?|drafts?|slides?|deck|readme|scripts?|spreadsheets?|sheet|cv|resume|"
    r"sections?|pages?"
    r"|chapters?|recipes?|stor(?:y|ies)|poems?|speech|summary|article|report|columns?|rows?|answers?|json|above"
    r"|below)\b"
)
# How a request names what was told: 'the bit about my ex', 'what I said'.
_TOLD_PART = (
    r"(?:what i|(?:any|every)thing (?:i|about|on)|(?:the|that|those|these|all (?:the|that|this))(?: whole)? "
    r"(?:bits?|parts?"
    r"|things?|stuff|piece|info|information|details?|fact|story|note) (?:that |with )?(?:i|about|on|"
    r"regarding|of))\b"
)
ENGLISH = ForgetForms(
    lead=pattern(
        r"(?:(?:please|pls|plz|kindly|ok|okay|so|and|but|also|now|then|well|actually|just|oh|hey|hi|hmm|wait"
        r"|sorry|look|listen"
        r"|by the way|btw|one more thing|on second thoughts?|thinking about it"
        r"|(?:scratch|strike) that(?=[,;:-]))[ ,.!:;-]++){0,6}+"
        r"(?:(?:would|do) you mind |(?:can|could|would|will|won't|should|may) you |(?:i think )?you (?:can|could"
        r"|should|may|must|might) "
        r"|i(?:'d| would| do| just)? (?:really )?(?:want|need|like|love|prefer|ask)(?: for)? you to "
        r"|(?:i(?:'d| would) )?(?:rather|sooner|prefer(?: it)?(?: if)?|best(?: if)?) (?:that )?you (?:would )?|"
        r"i wish you(?:'d| would) "
        r"|i(?:'d| would) appreciate (?:it )?if you(?:'d| would| could)? "
        r"|it(?:'d| would) be (?:great|good|nice|best|better) if you(?:'d| would| could)? |is it possible to "
        r"|i(?:'ve| have)? (?:already |just )?(?:told|asked) you to |(?:can|could) we (?:please )?|let's "
        r"|we (?:can|could|should) (?:just )?|make sure (?:that )?(?:you|to) |go ahead and |feel free to )?+"
        r"(?:(?:please|kindly|just|also|completely|simply|now|all) ){0,3}+"
    ),
    asks=(
        pattern(r"(?:scratch|strike) (?P<topic>that|this)[ .!]*+$"),
        pattern(
            r"never ?mind (?:what|everything|all)(?: that)? (?:i|we)(?:'ve| have)? (?:ever |just )?(?:said|told you"
            rf"|mentioned|wrote)(?: to you)? (?:about|on|regarding|of) {_SHORT}(?:,[^.!?;]{{0,100}})?+[ .!]*+$"
        ),
        pattern(rf"(?:forget|forgot|forgetting|unlearn|unremember)(?: all)?(?: about)?(?: that)? {TOPIC}"),
        pattern(
            rf"(?:stop|quit|cease|avoid) (?:remembering|memori[sz]ing|storing|retaining|bringing up"
            rf"|reminding me (?:of|about)) {TOPIC}"
        ),
        pattern(rf"(?:stop|quit|cease) (?:mentioning|talking about|referring to|asking (?:me )?about) {TOPIC}"),
        pattern(
            rf"(?:don't|do not|never|didn't|not) (?:ever )?(?:remember|memori[sz]e|retain|hold on to"
            rf"|remind me (?:of|about)(?![^.!?;]{{0,250}}\b(?:haha|lol|lmao)\b)) {TOPIC}"
        ),
        pattern(
            r"(?:don't|do not|never|not) (?:ever )?(?:mention|bring up|talk about|refer to|ask (?:me )?about) "
            rf"{_SHORT} (?:again|any ?more|any longer|ever|from now on|to me)\b"
        ),
        pattern(
            r"(?:don't|do not|never|not) (?:ever )?(?:keep|store|save|record|hold|log|write down) "
            r"(?P<topic>(?:that|this|it|anything|what|the (?:fact|thing|part)|my|(?:that )?i(?:'m"
            r"|'ve)?)\b[^.!?;]{0,250})"
        ),
        pattern(
            r"(?:don't|do not|didn't|never|not|no need to|wouldn't|you needn't) (?:ever |be )?(?:keep(?:ing)?"
            r"|stor(?:e|ing)|sav(?:e|ing)|record(?:ing)?|remember(?:ing)?|log(?:ging)?|h[ao](?:ng|ld)(?:ing)? on ?to)"
            rf" (?P<topic>(?!{_OF_A_TEXT}){_TOLD_PART}[^.!?;]{{0,200}})"
        ),
        pattern(
            r"(?:don't|do not|didn't|not|needn't|no need to) (?:be )?(?:h[ao](?:ng|ld)(?:ing)? on ?to) (?P<topic>my\b"
            r"[^.!?;]{0,200})"
        ),
        pattern(
            rf"(?:unsave|un-save|let go of|strike|get shot of) "
            rf"(?P<topic>(?!{_OF_A_TEXT}){_TOLD_PART}[^.!?;]{{0,200}})"
        ),
        pattern(
            rf"(?:leave|keep) (?:out )?(?P<topic>(?!{_OF_A_TEXT}){_TOLD_PART}[^.!?;]{{1,150}}?) (?:from now on|"
            rf"in future"
            r"|going forward|out of it|to yourself|off the record|between us|from here on)\b"
        ),
        pattern(
            rf"(?P<topic>(?:that|this|it|{_TOLD_PART}[^.!?;]{{1,150}}?))(?:'s| is| stays?| should stay) (?:just )?"
            r"(?:between (?:us|you and me)|off the record|private|confidential)(?:,| and| so) ?(?:and |so ){0,2}"
            r"(?:don't|do not|no need to|never) (?:save|store|keep|remember|record|note|log)\b"
        ),
        pattern(
            rf"i(?:'d| would)? (?:like|want|prefer) (?P<topic>(?!{_OF_A_TEXT}){_TOLD_PART}[^.!?;]{{1,150}}?)"
            r" (?:to be )?(?:gone|deleted|forgotten|wiped|erased)\b"
        ),
        pattern(rf"don't (?:keep|store|save|hold) {_SHORT} in (?:your|the) (?:memory|notes|records|mind)\b"),
        pattern(
            r"(?:delete|deleting|erase|erasing|remove|removing|wipe|wiping|clear|scrub|purge|drop|strike|cut|take"
            r"|taking|get rid of|getting rid of|throw|lose"
            rf"|discard|keep|leave|rub) {_SHORT} (?:{_YOUR_MEMORY})"
        ),
        pattern(
            r"(?:delete|erase|remove|wipe|clear|scrub|purge|drop|strike|scratch|discard|disregard|ignore"
            r"|get rid of|lose|take back"
            r"|throw (?:away|out)) (?P<topic>(?:(?:everything|anything|all|what(?:ever)?|the (?:things?|stuff"
            r"|info|information|details?|data|parts?|bits?"
            r"|memory|memories|notes?|facts?|records?|entry|entries)|that|any (?:info|information|memory|memories"
            r"|notes?|data))[ ,]++){1,3}+"
            r"(?:i(?:'ve| have)? (?:ever |just |once )?(?:told|said|mentioned|wrote|shared|gave)|you(?:'ve"
            r"| have)? (?:know|remember|have|stored|saved|noted"
            r"|kept|learned|got)|about (?:me|my)|of (?:me|my)|on (?:me|my))\b[^.!?;]{0,200})"
        ),
        pattern(
            r"(?:delete|deleting|erase|erasing|remove|removing|wipe|wiping|clear|scrub|purge|drop|strike|ditch|bin"
            r"|get rid of|throw (?:away|out)|lose) (?:(?:everything|anything|all|whatever|all (?:of )?(?:the|"
            r"this|that)"
            r"|(?:all |any )?(?:the|this|that|your)) )(?:(?:stuff|things?|bits?|parts?|details?|info|"
            r"information|notes?"
            r"|memory|memories|talk|business) )?(?:about|regarding|concerning|related to|relating to|to do with"
            rf"|that has to do with) (?P<topic>(?!{_OF_A_TEXT})[^.!?;]{{1,200}})"
        ),
        pattern(
            r"(?:delete|erase|wipe|clear|purge|reset) (?P<topic>(?:all )?(?:of )?(?:your|the|my) (?:memory"
            r"|memories|memory of me"
            r"|memories of me|data|records?|profile)(?: (?:about|of|on) [^.!?;]{1,150})?)"
        ),
        pattern(
            r"(?:delete|erase|remove) (?P<topic>my (?:[\w'-]+ ){0,3}(?:address|phone|number|e-?mail|birthday"
            r"|birth date|date of birth|age|location"
            r"|job|employer|workplace|salary|data|details|info|information|diagnosis|condition|allerg(?:y|ies)"
            r"|diet|religion|partner|girlfriend|boyfriend"
            r"|wife|husband|ex))(?:,? (?:please|now|thanks))?[ .!]*$"
        ),
        pattern(
            r"i (?:don't|do not|no longer|never) want (?:you )?(?:to )?(?:remember|know|keep|store|save|retain"
            r"|bring up|mention|hear about|be reminded of|"
            rf"talk about|think about)(?: about)? {TOPIC}"
        ),
        pattern(rf"i never want(?:ed)? to (?:hear about|be reminded of|talk about) {_SHORT} again\b"),
        pattern(
            r"(?:pretend|act(?: as if| like)) (?:that )?i(?:'d| had)? never (?:told|mentioned|said|brought up"
            r"|talked about|spoke of|shared)"
            rf"(?: to)?(?: you)?(?: anything)?(?: about)?(?: that)? {TOPIC}"
        ),
        pattern(rf"(?:there's |there is )?no need to (?:remember|keep|store|save|retain) {TOPIC}"),
        pattern(rf"you (?:don't|do not) (?:need|have) to (?:remember|know|keep|store|retain) {TOPIC}"),
        pattern(
            r"(?P<topic>(?:what i|everything i|the (?:thing|part|bit|stuff|info|story|fact|detail)|my "
            r"|anything )[^.!?;]{1,150}?) "
            r"(?:should|must|needs to|has to|can|is to|ought to) be (?:forgotten|deleted|erased|removed|wiped)\b"
        ),
    ),
    told=pattern(
        r"(?:(?:that|about|of|the fact that|the (?:thing|things|stuff|part|bit|info|information|details?|story"
        r"|note|notes|memory|memories|data)"
        r"|everything|anything|all|what|whatever|any (?:info|information|memory|memories|notes?|data)"
        r"|your (?:memory|memories|notes?)) ){0,4}+"
        r"(?:(?:i(?:'ve| have)? (?:ever |just |once |already )?(?:told|said|mentioned|wrote|shared"
        r"|gave)(?: to)?(?: you)?(?: (?:yester|to)day| earlier| before"
        r"| last \w+)?|you(?:'ve| have)? (?:know|remember|have|stored|saved|noted|kept|learned"
        r"|got)(?: down)?) ){0,1}+"
        r"(?:(?:about|of|regarding|concerning|on|that|with) ){0,2}+"
    ),
    tail=pattern(
        r"(?:(?<![ ,])[ ,]++(?:please|pls|now|again|any ?more|any longer|ok|okay|thanks|thank you|from now on|forever"
        r"|for good|completely|entirely|altogether|for me"
        r"|will you|would you|if you (?:can|could)|right away|ever|too|as well|either|then|immediately)){1,4}$"
    ),
    vague=pattern(
        r"(?:it|this|that|these|those|me|them|him|her|us|you|everything|all|anything|what|something|nothing"
        r"|that one|one|to .*+|how to .*+|the (?:last|previous"
        r"|above|other|first|second|rest|whole thing)\b.*+|my (?:last |previous |earlier )?(?:question|request"
        r"|point|bad|words?|idea)|(?:all |the |your |my |any |"
        r"previous |prior |above |these |those |other ){0,6}+(?:instructions?|rules?|prompts?|guidelines|directions"
        r"|context|task)\b.*+|about (?:it|that|this)|(?:and|or|but|so|then|for now)\b.*+)(?:,.*+)?"
    ),
    before=pattern(
        r"(?:that|this|(?:that|about that|about this)?\s?(?:what|everything|anything|all|whatever|the thing"
        r"|the things|the stuff)?(?: that)? ?i(?:'ve| have)? "
        r"(?:just |only )?(?:told you|said|wrote|mentioned|shared|sent)(?: (?:just now|before|earlier"
        r"|a moment ago|a minute ago|to you))?"
        r"|(?:my|the) (?:last|previous) (?:message|messages|sentence|statement|remark|thing i (?:said|told you"
        r"|wrote))"
        r"|i(?:'ve| have)? (?:ever )?(?:said|told you|mentioned)(?: (?:anything|that|this|it)){1,2})"
    ),
    everything=pattern(
        r"(?:everything|all|anything|whatever|what|all of (?:it|that))?(?: that)? ?(?:you(?:'ve"
        r"| have)? (?:ever )?(?:know|remember|have|stored|saved|learned|noted|got)"
        r"(?: down)?(?: (?:about|of|on) (?:me|myself))?|(?:i(?:'ve| have)? ever told you|i(?:'ve"
        r"| have)? told you(?: (?:about|of) (?:me|myself|my life)))"
        r"|about me|about myself)"
        r"|me|(?:all )?(?:of )?(?:your|the) (?:memory|memories)(?: (?:about|of|on) (?:me|us))?"
        r"|(?:all )?(?:of )?my (?:data|records?|profile|memories|memory)"
        r"(?: completely)?|your (?:whole|entire) memory(?: of me)?"
    ),
)
