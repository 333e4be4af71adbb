"""Pursuits, routines and plans of the user. Pure.

"I've taken up bouldering" and "we're converting the attic" are some; "I'm building a regex" is the work at hand.
"""

import re

from recollect.lazy_pattern import LazyPattern

_ADVERBS = r"(?:(?:\w{2,13}ly|also|just|still|now|always|usually|often|mostly|never|even|actually|both|all) ){0,4}"
_I = rf"(?:i|we) {_ADVERBS}"
_HAVE = rf"(?:i|we)(?:'ve| have)? {_ADVERBS}"
_AM = rf"(?:i'm|i am|im|we're|we are) {_ADVERBS}"
# Things on a screen or a desk: working on them is the work at hand.
_WORK = LazyPattern(
    r"\b(?:functions?|class(?:es)?(?! with| at| on| for)|scripts?|apis?|regex\w{0,3}|quer(?:y|ies)|tables?|lists?|"
    r"arrays?|strings?|ints?|"
    r"integers?|databases?|servers?|code|programs?|web ?sites?|pages?|models?|bots?|components?|modules?|packages?|"
    r"pipelines?|dashboards?|forms?|"
    r"plugins?|tests?|parsers?|compilers?|datasets?|spreadsheets?|presentations?|essays?|papers?|reports?|e?mails?|"
    r"letters?|documents?|files?|json|csv|"
    r"prompts?|charts?|graphs?|formulas?|loops?|variables?|methods?|librar(?:y|ies)|frameworks?|prototypes?|"
    r"features?|endpoints?|images?|docker|"
    r"containers?|errors?|bugs?|logs?|settings|answers?|questions?|texts?|sentences?|paragraphs?|examples?|lines?|"
    r"columns?|rows?|steps?|"
    r"instructions?|tutorials?|suggestions?|advice|approach|solutions?|versions?|outputs?|inputs?|data|values?|"
    r"types?|keys?|tokens?|"
    r"screens?|buttons?|links?|urls?|commands?|terminal|windows?(?= app)|excel|python|javascript|sql|html|css|git|"
    r"branch|commit|that|it|your?|this(?! (?:summer|winter|year|spring|autumn|fall|month|weekend|christmas|easter)))\b",
    re.IGNORECASE,
)
_NO_BEGINNING = (
    r"(?!(?:get|see|hav|try|us|think|notic|look|feel|wonder|ask|read(?= the)|writ(?= the)|runn(?= the)|work(?= on)|"
    r"do|mak|be|"
    r"com|go(?!ing to [a-z]+ (?:class|club|group|lessons|therapy))|debugg|cod|test|process|load|show|fail|crash|"
    r"giv|tak(?= the))ing)"
)
_TOOK_UP = (
    rf"{_HAVE}(?:taken up|took up|picked up|gone back to|got(?:ten)? back into|taken to) (?!(?:the|a|an|my|on|"
    rf"where|what|how|from|some|"
    r"more|two|by|with|speed|space|time|issues?|errors?|signals?|\w+ (?:error|bug|issue)s?)\b)\w"
    rf"|{_HAVE}(?:taken up|took up|picked up) (?:the |my |a )?(?:\w+ )?(?:piano|guitar|violin|cello|ukulele|drums|"
    rf"flute|trumpet|saxophone|bass|harp|accordion|"
    r"banjo|instrument|habit|hobby|sport|language|\w+ing)\b"
    rf"|{_HAVE}(?:got(?:ten)?|been getting) into (?!(?:an?|the|this|that|it|trouble|details?|some|my|your|issues?|"
    rf"errors?)\b)\w"
    rf"|{_HAVE}(?:started|begun|began|taken up) {_NO_BEGINNING}\w{{2,15}}+(?<=ing)(?: (?!(?:the|this|that|an? "
    rf"(?:error|issue|new line))\b)\w|\b)"
    rf"|{_HAVE}(?:joined|signed up (?:for|to)|enrol?led (?:in|on|at)|become a member of) (?:an?|the|my|our|"
    rf"[a-z]{{4,}})\b"
)
_LEARNS = (
    rf"{_AM}(?:teaching (?:myself|ourselves)|taking (?:up|(?:[\w-]{{2,20}} ){{0,3}}(?:lessons|classes|courses?)|"
    rf"an? (?:[\w-]{{2,20}} ){{0,3}}(?:class|course|"
    r"workshop|gap year|sabbatical))|doing (?:an?|my) (?:[\w-]{2,20} ){0,3}(?:course|degree|apprenticeship|phd|"
    r"masters?|diploma|a[- ]levels|internship|"
    r"traineeship|evening class|training)|training (?:to (?:be|become)|as)|studying (?:to (?:be|become)|for)|"
    r"apprenticed|"
    r"learning (?!(?:how (?:this|to (?:use|write|call|parse|fix|read))|about|from|a lot|so much|the (?:hard|"
    r"basics)|that|this|it)\b)\w|"
    r"practi[sc]ing (?!(?:this|that|it)\b)\w|preparing for|saving(?: up)? for|working towards|giving up|applying "
    r"for|re-?learning|"
    r"reading my way through|hooked on|obsessed with|into the habit of|booked (?:on|in)to)(?! (?:this|that|it|your?)\b)"
    rf"|{_HAVE}booked (?:an?|some|my|our) (?:[\w-]{{2,20}} ){{0,3}}(?:course|lessons?|class|classes|trip|retreat|"
    rf"workshop|holiday|cruise|tour|cottage|cabin)"
    rf"|{_HAVE}been (?:learning|doing|playing|practi[sc]ing|teaching|training|singing|growing|keeping|collecting|"
    rf"studying) \w"
)
_MAKES = (
    rf"{_AM}(?:building|restoring|renovating|converting|sewing|knitting|crocheting|carving|digging|planting|"
    rf"brewing|repainting|redoing|"
    r"redecorating|decorating|refurbishing|rebuilding|writing|composing|painting|growing|raising|training|"
    r"fostering|rehearsing|"
    r"directing|organi[sz]ing|hosting|planning|turning|remodelling|remodeling|insulating|extending|landscaping|"
    r"hand-rearing) "
    r"(?:an?|the|my|our|two|three|some|old|vintage|\w+s)\b"
)
_ACTIVITY = (
    r"yoga|pilates|judo|karate|taekwondo|aikido|tai chi|crossfit|boxing|weights|gymnastics|ballet|athletics|cardio|"
    r"stretches|push-?ups|"
    r"archery|fencing|parkour|pottery|ceramics|calligraphy|origami|crosswords|sudokus?|puzzles|volunteer work|"
    r"community work|amateur dramatics|improv|theatre"
)
_DAY_PART = r"(?:breakfast|work|lunch|bed|dinner|school|dark|sunrise|sunset|church|class)"
_ACTS = (
    r"(?:run|swim|jog|walk|cycle|bike|row|hike|ski|climb|surf|sail|dance|sing|box|lift|train|skate|paddle|"
    r"stretch|meditate|pray|journal|read|write|draw|paint|sketch|knit|sew|crochet|garden|bake|cook|brew|fish|forage|"
    r"practi[sc]e|rehearse|nap|sleep|fast|commute|drive|volunteer|babysit|tutor|teach|coach|referee|compete)"
)
_DOES = (
    rf"{_I}(?:meditate|do (?:a bit of |some |a lot of )?(?:{_ACTIVITY})\b|go (?!(?:go|mak|debugg|test|"
    rf"be)ing\b)\w{{2,14}}+(?<=ing)\b"
    rf"|{_ACTS} (?:[\w'-]{{1,20}}+ ){{0,6}}?(?:before|after) {_DAY_PART}\b"
    rf"|{_ACTS} (?:[\w'-]{{1,20}}+ ){{0,6}}?(?:minutes|hours|lengths|laps|miles|kilomet(?:er|re)s|pages|words|k|km)\b"
    r"|(?:walk|feed|groom|train) (?:the|my|our) (?:dogs?|cats?|horses?|hens|chickens)\b"
    r"|(?:grow|keep|breed|raise) (?!(?:getting|going|trying|it|on|up|in|an eye|track|doing|saying|asking|thinking|"
    r"the|my|your|this|that|to|\w+ing)\b)\w"
    r"|(?:fix|repair|restore|collect|build|make|mend|flip|tinker with) (?:old|vintage|antique|model|second-?hand|"
    r"broken|wooden|handmade|my own|rare|used) \w"
    r"|(?:mentor|foster|tutor|coach|sponsor|care for|look after|babysit) (?:\w|my)"
    r"|(?:sit|serve|am) on (?:the|a|our|my) (?:[\w-]{2,20} ){0,3}(?:council|board|committee|jury|panel|pta)\b"
    r"|(?:support|follow|root for|cheer for) (?-i:[A-Z])\w"
    r"|(?:watch|read|listen to|play|eat|drink|cook|bake) (?:a lot of|lots of|mostly|mainly|loads of|only|too many|"
    r"too much|tons of|almost only) \w"
    r"|listen to (?!(?:you|this|that|it|me)\b)\w.{0,60} (?:while|when|on my|in the|at) \w"
    r"|(?:chair|run|lead|organi[sz]e|moderate|head|manage) (?:the|a|an|our|my) (?:[\w-]{2,20} ){0,3}(?:club|choir|"
    r"group|team|society|charity|league|"
    r"workshop|book club|scout\w*|band|shop|farm|caf[eé]|stall|b&b|meet-?up|food bank)\b"
    r"|moderate an? \w|do (?:stand-?up|open mics?|amateur \w+|pub quizzes|parkruns?)\b"
    r"|have (?:an? |my )?(?:season ticket|allotment|gym membership|standing order|lifetime membership)"
    r"|(?:belong to|play (?:in|for)|sing in|am (?:in|part of|a member of)) (?:an?|the|my|our) \w)"
    rf"|{_AM}(?:an? )?(?:[\w-]{{2,20}} ){{1,3}}(?:fan|supporter|season ticket holder|volunteer|scout leader|"
    rf"collector|enthusiast)\b"
    rf"|{_AM}(?:part of|a member of|a regular at|on|in) (?:an?|the|our) (?:[\w-]{{2,20}} ){{0,3}}(?:club|choir|"
    rf"team|band|league|committee|board|council|society|"
    r"orchestra|quartet|congregation|union|squad|crew)\b"
)
_STRIVES = (
    r"(?:quit|give up|cut (?:down|out|back)|stop (?!getting|this|the)\w+ing|lose (?:weight|\w+ (?:kilos|pounds|"
    r"kg))|eat (?:more|less|healthier|better|no)|"
    r"sleep (?:more|better|earlier|eight)|save|get (?:fit|into|pregnant|better at|back into|up earlier|in shape|"
    r"more sleep|enough)|"
    r"learn (?!(?:how|about|from|this|why|what)\b)\w|read (?:an?|more|one|two|\w+ books)|drink (?:more|less)|"
    r"become (?:an?|more)|be more|spend less|"
    r"walk (?:more|\d|ten)|run (?:an?|\d|more|every)|exercise|meditate|live|waste less|conceive|write (?:a novel|a "
    r"book|every|more|\w+ words)|"
    r"improve my|keep my|reduce my|work less|grow|play more|use my phone less|start a (?:family|business))"
)
_PLANNED = (
    r"(?:repaint|paint|redo|renovate|refurbish|remodel|convert|move|relocate|emigrate|adopt|foster|get (?:an?|"
    r"another|married|engaged|divorced|our|my|rid of|"
    r"solar|chickens|braces|glasses|lasik)|getting (?:an?|another|married|engaged|divorced|our|my|solar|chickens|"
    r"braces)|have (?:an?|the|our|my|another)|having (?:an?|the|our|my|another)|retire|"
    r"switch(?:ing)? to an?|plant|propose|sell|buy|build|visit|spend|apply (?:for|to)|put (?:the|our|my) (?:house|"
    r"flat|car|boat)|travel|fly|cycle|hike|sail|"
    r"drive|open an?|start an?|quit|join|"
    r"take (?:a|the|my|our|up|part)|go (?:to|on|back|part|full|freelance|vegan|vegetarian|camping|skiing|abroad|"
    r"away)|study|enrol|learn|stay|rent|"
    r"volunteer|train|run (?:an?|the|my)|host|throw|celebrate|marry|try for|leave|resign|become|cut (?:my|our)|dye|"
    r"redecorate|install|knock|extend|climb|"
    r"swim|walk|compete|exhibit|publish|record|write an?|do (?:an?|the|my) (?:masters?|phd|degree|course|camino|"
    r"marathon|road ?trip)|"
    r"\w{3,14}+(?<=ing))"
)
_PLANS = (
    rf"{_AM}(?:going to|gonna|planning to|planning on|hoping to|about to|thinking (?:of|about)|looking to|"
    rf"considering|meaning to|determined to|set to|due to|"
    rf"supposed to|trying to decide whether to) {_ADVERBS}{_PLANNED} \S"
    rf"|{_I}(?:plan to|intend to|hope to|want to|aim to|mean to|'d love to|would love to|would like to|are going "
    rf"to|am going to) {_ADVERBS}(?!learn how)"
    rf"(?:{_PLANNED} \S|retire\b)"
    rf"|(?:i|we)(?:'ll| will)(?: both| all)? (?:be (?:spending|moving|flying|visiting|getting|staying|starting|"
    rf"travelling|traveling|away|in|on)|spend|move|visit|"
    r"retire|get married|move) \S"
    rf"|{_AM}(?:getting|having) (?:braces|glasses|contact lenses|hearing aids|a tattoo|my [\w ]{{2,30}} (?:done|"
    rf"removed|out|fixed|operated|replaced|cut|dyed)|"
    r"(?:the|our) [\w ]{2,30} (?:done|redone|fixed|replaced|repainted|insulated|installed|extended)|(?:a|an|"
    r"another) (?!(?:error|issue|problem|hard|"
    r"exception|response|answer|message|warning|result|weird|strange|404|500)\b)(?:new |second |third )?(?:kitchen|"
    r"bathroom|roof|boiler|dog|cat|puppy|kitten|car|"
    r"bike|baby|operation|house|flat|extension|divorce|haircut|piano|sofa|dishwasher|heat pump)|solar panels)"
    rf"|(?:i|we)'d (?:love|like) to {_PLANNED} \S"
    r"|(?:most|some) (?:days|mornings|afternoons|evenings|nights|weekends),? (?:i|we) \w"
    r"|(?:this|next|in the) (?:coming )?(?:summer|winter|year|spring|autumn|fall|month|weekend|christmas|easter) "
    r"(?:i'm|we're|i am|we are|i'll|we'll) "
    r"(?!(?:going to (?:need|ask|use)|getting an? error)\b)\w"
    rf"|{_AM}trying to {_STRIVES}\b"
)


def _compiled(pattern: str) -> LazyPattern[str]:
    return LazyPattern(pattern.replace(" ", r"(?:\s++)"), re.IGNORECASE)


_PURSUES = tuple(_compiled(pattern) for pattern in (_TOOK_UP, _LEARNS, _MAKES, _DOES, _PLANS))
# The same without its 'I' or "I'm": 'took up rowing', 'gonna redo the bathroom'.
_LEFT_OUT = LazyPattern(r"(?:took\s++up|picked\s++up|got\s++(?:back\s++)?into|joined|signed\s++up)\b", re.IGNORECASE)
_LEFT_OUT_AM = LazyPattern(
    r"(?:(?:gonna|planning\s++to|hoping\s++to|about\s++to|thinking\s++of|trying\s++to|training\s++(?:for|to)|"
    r"learning|saving\s++up|teaching\s++myself)\b)",
    re.IGNORECASE,
)
_MAX_HEAD = 160


def is_pursuit(clause: str) -> bool:
    """Return whether a clause states a pursuit, a routine or a plan of its speaker.

    >>> is_pursuit("I've taken up bouldering"), is_pursuit("we're converting the attic"), is_pursuit("took up rowing")
    (True, True, True)
    >>> is_pursuit("I'm building a regex"), is_pursuit("she has taken up rowing")
    (False, False)
    """
    head = clause[:_MAX_HEAD]
    if _LEFT_OUT.match(head):
        head = f"i {head}"
    elif _LEFT_OUT_AM.match(head):
        head = f"i'm {head}"
    return any(pattern.match(head) for pattern in _PURSUES) and not _WORK.search(head)
