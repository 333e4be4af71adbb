"""Forms of requests to forget in German, French, Spanish, Italian, Portuguese and Dutch. Pure data."""

from toldonce.extraction.forget_forms import ENGLISH, TOPIC, ForgetForms, pattern

_GERMAN = ForgetForms(
    lead=pattern(
        r"(?:(?:bitte|ok|okay|also|und|aber|nun|jetzt|ach|hey|hallo|übrigens|doch|moment)[ ,.!:-]++){0,5}+"
        r"(?:(?:kannst|könntest|würdest|magst|willst) du |(?:können|könnten|würden) sie |du (?:kannst|könntest"
        r"|sollst|solltest|darfst) "
        r"|ich (?:möchte|will|hätte gern|bitte dich)(?: nicht)?,? (?:dass du )?)?+(?:(?:bitte|mal|einfach|auch"
        r"|das,?) ){0,3}+"
    ),
    asks=(
        pattern(
            rf"(?:vergiss|vergesse|vergessen sie|vergiß)(?: bitte| mal| einfach| doch){{0,3}}+,?(?! nicht) {TOPIC}"
        ),
        pattern(
            r"(?:lösch|lösche|löschen sie|entferne?|entfernen sie|streiche?|nimm"
            r"|tilge)(?: bitte)? (?P<topic>[^.!?;]{1,150}?) "
            r"(?:aus|von|in) (?:deinem|deinen|dem|ihrem|ihren|der) (?:gedächtnis|speicher|erinnerung(?:en)?"
            r"|notizen|kopf|profil)\b"
        ),
        pattern(
            r"(?:lösch|lösche|löschen sie|entferne)(?: bitte)?,? (?P<topic>(?:alles,? )?was (?:du|ich"
            r"|sie)\b[^.!?;]{1,200})"
        ),
        pattern(
            r"(?:merk|merke|speicher|speichere|behalte?"
            r"|notiere?)(?: dir)?(?: bitte)? (?P<topic>[^.!?;]{1,150}?) nicht(?: mehr| länger)?\b"
        ),
        pattern(rf"(?:merk|merke|speicher|speichere|behalte?)(?: dir)?(?: bitte)? nicht(?: mehr)?,? {TOPIC}"),
        pattern(
            r"(?:erwähn|erwähne|sprich|rede)(?: bitte)? (?P<topic>[^.!?;]{1,150}?) (?:nicht mehr|nie wieder"
            r"|nie mehr)\b"
        ),
        pattern(
            r"(?:dir |mir )?(?P<topic>(?:mein|dass|das|alles|was|die|der|den|dem"
            r"|unser)[^.!?;]{1,150}?) (?:vergisst|vergessen|löschst|löschen|nicht (?:mehr )?(?:merkst|speicherst"
            r"|erwähnst))\b"
        ),
    ),
    told=pattern(
        r"(?:(?:alles|das|die sache|das,|alles,|dass|wieder) ){0,2}+(?:was (?:ich (?:dir|ihnen)? ?)?)?+(?:(?:über"
        r"|von|mit|zu|an) )?+"
    ),
    tail=pattern(
        r"(?:(?<![ ,])[ ,]++(?:bitte|wieder|jetzt|nicht mehr|danke|gesagt habe|erzählt habe|erzählt hab|gesagt hab"
        r"|geschrieben habe|gesagt hatte|weißt|wieder)){1,3}$"
    ),
    vague=pattern(r"(?:es|das|dies|mich|ihn|sie|alles|was|nicht|nichts|mal|.{0,40}\b(?:zu|nicht zu))"),
    before=pattern(
        r"(?:das|dies|es|das,? was ich (?:dir )?(?:gerade|eben|zuletzt)? ?(?:gesagt|geschrieben|erzählt)(?: habe"
        r"| hab)?|was ich (?:dir )?(?:gerade|eben) (?:gesagt|geschrieben|erzählt)(?: habe| hab)?"
        r"|meine letzte nachricht)"
    ),
    everything=pattern(
        r"(?:alles,? was du (?:über|von) mi(?:ch|r) (?:weißt|gespeichert hast)|alles über mich|mich"
        r"|was du über mich weißt)"
    ),
)

_FRENCH = ForgetForms(
    lead=pattern(
        r"(?:(?:s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp|ok|bon|alors|et|mais|maintenant|au fait"
        r"|d'ailleurs)[ ,.!:-]++){0,5}+"
        r"(?:(?:peux|pourrais|veux|voudrais)-tu |(?:pouvez|pourriez|voulez|voudriez)-vous |tu (?:peux|pourrais"
        r"|dois|devrais) |vous (?:pouvez|pourriez) "
        r"|(?:j'aimerais|je veux|je voudrais) que (?:tu|vous) )?+(?:(?:s'il te pla[iî]t|bien|juste|aussi) ){0,2}+"
    ),
    asks=(
        pattern(rf"(?:oublie|oublies|oubliez|oublier)(?: donc)? {TOPIC}"),
        pattern(
            r"(?:supprime|supprimez|supprimer|efface|effacez|effacer|retire|retirez|retirer|enl[eè]ve|enlevez"
            r"|enlever) (?P<topic>[^.!?;]{1,150}?) "
            r"(?:de|dans) (?:ta|votre|la|tes|vos) (?:m[ée]moire|notes|souvenirs|profil)\b"
        ),
        pattern(r"(?:supprime|supprimez|efface|effacez) (?P<topic>(?:tout )?ce que (?:tu|vous|je)\b[^.!?;]{1,200})"),
        pattern(
            rf"ne (?:te souviens|vous souvenez|retiens|retenez|garde|gardez|m[ée]morise|enregistre) (?:pas"
            rf"|plus) {TOPIC}"
        ),
        pattern(
            rf"(?:ne|n')\s?(?:parle|parlez|mentionne|mentionnez|[ée]voque|[ée]voquez|me parle|me parlez) (?:plus"
            rf"|jamais)(?: jamais)? {TOPIC}"
        ),
        pattern(
            r"je ne veux (?:pas|plus) que (?:tu|vous) (?:te souviennes|vous souveniez|retiennes|reteniez|gardes"
            r"|gardiez|parles|mentionnes|saches) "
            rf"{TOPIC}"
        ),
        pattern(rf"arr[eê]te(?:z)? de (?:te souvenir|parler|mentionner|retenir) {TOPIC}"),
    ),
    told=pattern(
        r"(?:(?:tout|que|qu'|de|d'|du|des|ce que) ?){0,3}+(?:(?:je|j'ai|tu|vous) ?(?:t'ai|vous ai|te|ai|sais"
        r"|savez)? ?(?:dit|racont[ée]|[ée]crit|parl[ée])? ?)?+"
        r"(?:(?:sur|de|d'|du|[àa] propos de|[àa] propos du|au sujet de|concernant|que) ?){0,2}+"
    ),
    tail=pattern(
        r"(?:(?<![ ,])[ ,]++(?:s'il te pla[iî]t|s'il vous pla[iî]t|stp|svp|maintenant|merci|plus|jamais|d[ée]sormais"
        r"|pour toujours)){1,3}$"
    ),
    vague=pattern(r"(?:ça|cela|le|la|les|moi|tout|rien|lui|elle|pas|pas de .*)"),
    before=pattern(
        r"(?:ça|cela|ce que je viens de (?:te |vous )?(?:dire|d'[ée]crire)|mon dernier message|ce que j'ai dit)"
    ),
    everything=pattern(
        r"(?:tout ce que (?:tu sais|vous savez) (?:sur|de|à propos de) moi|tout sur moi|moi|ce que tu sais sur moi)"
    ),
)

_SPANISH = ForgetForms(
    lead=pattern(
        r"¿?(?:(?:por favor|vale|ok|bueno|pues|y|pero|ahora|oye|mira|por cierto)[ ,.!:-]++){0,5}+¿?"
        r"(?:(?:puedes|podr[ií]as|puede|podr[ií]a) |(?:quiero|me gustar[ií]a|prefiero"
        r"|necesito) que (?:te )?)?+(?:(?:por favor|simplemente) ){0,2}+"
    ),
    asks=(
        pattern(
            rf"(?:olvida|olv[ií]date de|olvide|olv[ií]dese de|olvidar|olvidarte de|olvides|olvidaras"
            rf"|olvidad) {TOPIC}"
        ),
        pattern(
            r"(?:borra|borre|borrar|borres|elimina|elimine|eliminar|elimines|quita|quite|quitar"
            r"|saca) (?P<topic>[^.!?;]{1,150}?) "
            r"de (?:tu|su|la|tus|sus) (?:memoria|recuerdos|notas|perfil)\b"
        ),
        pattern(r"(?:borra|borre|elimina|elimine) (?P<topic>(?:todo )?lo que (?:sabes|sabe|te|le)\b[^.!?;]{1,200})"),
        pattern(
            rf"(?:no|deja de|deje de) (?:recuerdes|recuerde|recordar|guardes|guarde|guardar|memorices"
            rf"|te acuerdes de|registres) {TOPIC}"
        ),
        pattern(rf"no quiero que (?:recuerdes|recuerde|guardes|sepas|menciones|te acuerdes de) {TOPIC}"),
        pattern(
            rf"no (?:vuelvas a mencionar|menciones m[aá]s|menciones nunca m[aá]s|me hables m[aá]s de"
            rf"|hables m[aá]s de|mencione m[aá]s) {TOPIC}"
        ),
        pattern(rf"deja de (?:mencionar|hablar de) {TOPIC}"),
    ),
    told=pattern(
        r"(?:(?:que|todo|de|eso de que|lo que|el hecho de que) ){0,3}+(?:(?:te|le|yo) )?(?:(?:dije|cont[eé]"
        r"|he dicho|he contado|sabes|sabe|escrib[ií]) )?+"
        r"(?:(?:sobre|de|acerca de|del|con) ){0,1}+"
    ),
    tail=pattern(r"(?:(?<![ ,])[ ,]++(?:por favor|ahora|m[aá]s|nunca m[aá]s|gracias|ya|para siempre)){1,3}$"),
    vague=pattern(r"(?:eso|esto|ello|lo|todo|nada|m[ií]|[eé]l|ella)"),
    before=pattern(
        r"(?:eso|esto|lo que (?:te )?(?:acabo de (?:decir|contar|escribir)(?:te)?|dije|he dicho)"
        r"|mi [uú]ltimo mensaje)"
    ),
    everything=pattern(
        r"(?:todo lo que sabes (?:de|sobre) m[ií]|lo que sabes (?:de|sobre) m[ií]|todo (?:de|sobre) m[ií]|de m[ií])"
    ),
)

_ITALIAN = ForgetForms(
    lead=pattern(
        r"(?:(?:per favore|per piacere|ok|va bene|allora|e|ma|ora|adesso|senti|a proposito)[ ,.!:-]++){0,5}+"
        r"(?:(?:puoi|potresti|pu[oò]|potrebbe) |(?:vorrei|voglio|preferirei) che (?:tu )?"
        r"|devi )?+(?:(?:per favore|semplicemente) ){0,2}+"
    ),
    asks=(
        pattern(
            rf"(?:dimentica|dimenticati di|dimenticare|dimenticarti di|dimenticassi|dimentichi|si dimentichi di"
            rf"|scorda|scordati di) {TOPIC}"
        ),
        pattern(
            r"(?:cancella|cancelli|cancellare|elimina|elimini|eliminare|rimuovi|rimuovere|togli"
            r"|togliere) (?P<topic>[^.!?;]{1,150}?) "
            r"(?:dalla|dalle|dai|dal|nella) (?:tua |tue |tuoi |sua )?(?:memoria|note|ricordi|appunti|profilo)\b"
        ),
        pattern(r"(?:cancella|elimina) (?P<topic>(?:tutto )?(?:quello|ci[oò]) che\b[^.!?;]{1,200})"),
        pattern(
            rf"(?:non|smetti di|smettila di) (?:ricordare|ricordarti|ricordarti di|memorizzare|conservare|salvare"
            rf"|tenere a mente) {TOPIC}"
        ),
        pattern(rf"non voglio che (?:tu )?(?:ricordi|ti ricordi|sappia|conservi|memorizzi|menzioni) {TOPIC}"),
        pattern(rf"non (?:menzionare|nominare|parlare|parlarmi)(?: mai)? pi[uù](?: di| del| della)? {TOPIC}"),
        pattern(rf"smetti(?:la)? di (?:menzionare|nominare|parlare di) {TOPIC}"),
    ),
    told=pattern(
        r"(?:(?:che|tutto|di|il fatto che|quello che|ci[oò] che|quanto) ){0,3}+(?:(?:ti|io) )?(?:(?:ho detto"
        r"|ho raccontato|ho scritto|dissi|sai) )?+"
        r"(?:(?:su|di|del|della|sul|sulla|riguardo a|a proposito di) ){0,1}+"
    ),
    tail=pattern(r"(?:(?<![ ,])[ ,]++(?:per favore|ora|adesso|pi[uù]|grazie|mai pi[uù]|per sempre)){1,3}$"),
    vague=pattern(r"(?:questo|quello|ci[oò]|lo|tutto|niente|me|lui|lei)"),
    before=pattern(
        r"(?:questo|quello|ci[oò]|(?:quello|ci[oò]) che (?:ti )?ho (?:appena )?(?:detto|scritto)"
        r"|il mio ultimo messaggio)"
    ),
    everything=pattern(r"(?:tutto (?:quello|ci[oò]) che sai (?:di|su) (?:di )?me|tutto (?:di|su) (?:di )?me|di me)"),
)

_PORTUGUESE = ForgetForms(
    lead=pattern(
        r"(?:(?:por favor|ok|bem|ent[aã]o|e|mas|agora|olha|ali[aá]s)[ ,.!:-]++){0,5}+"
        r"(?:(?:podes|pode|poderias|poderia|voc[eê] (?:pode|poderia)) |(?:quero|queria|gostaria"
        r"|prefiro) que (?:tu |voc[eê] )?(?:se |te )?)?+"
    ),
    asks=(
        pattern(rf"(?:esquece|esque[cç]a|esquecer|esqueças|esquecesse|esquece-te de|esqueça-se de) {TOPIC}"),
        pattern(
            r"(?:apaga|apague|apagar|remove|remova|remover|elimina|elimine|exclua|tira"
            r"|tire) (?P<topic>[^.!?;]{1,150}?) "
            r"d[ao]s? (?:(?:tua|sua|teu|seu|tuas|suas) )?(?:mem[oó]ria|notas|lembran[cç]as|perfil)\b"
        ),
        pattern(r"(?:apaga|apague|remova) (?P<topic>(?:tudo )?o que\b[^.!?;]{1,200})"),
        pattern(rf"n[aã]o (?:te lembres de|se lembre de|lembre|lembres|guarde|guardes|memorize) {TOPIC}"),
        pattern(
            rf"n[aã]o quero que (?:tu |voc[eê] )?(?:(?:te lembres|se lembre|lembre) (?:de |da |do )?|guarde "
            rf"|saiba |mencione ){TOPIC}"
        ),
        pattern(rf"n[aã]o (?:mencione|menciones|fale|fales) mais (?:(?:de|da|do|sobre) )?{TOPIC}"),
    ),
    told=pattern(
        r"(?:(?:que|tudo|de|o que) ){0,3}+(?:(?:eu|te|lhe) ){0,2}+(?:(?:disse|contei|falei|escrevi|sabes|sabe) )?+"
        r"(?:(?:sobre|de|da|do|acerca de) ){0,1}+"
    ),
    tail=pattern(r"(?:(?<![ ,])[ ,]++(?:por favor|agora|mais|nunca mais|obrigad[oa]|para sempre)){1,3}$"),
    vague=pattern(r"(?:isso|isto|o|tudo|nada|mim|ele|ela)"),
    before=pattern(
        r"(?:isso|isto|o que (?:eu )?(?:acabei de (?:dizer|contar|escrever)|disse)|minha [uú]ltima mensagem"
        r"|a minha [uú]ltima mensagem)"
    ),
    everything=pattern(r"(?:tudo (?:o )?que (?:voc[eê] )?sabe(?:s)? (?:sobre|de) mim|tudo sobre mim|de mim)"),
)

_DUTCH = ForgetForms(
    lead=pattern(
        r"(?:(?:alsjeblieft|alstublieft|aub|ok|oké|nou|en|maar|nu|trouwens)[ ,.!:-]++){0,5}+"
        r"(?:(?:kun|kan|zou|wil) (?:je|u) |je (?:mag|kunt|moet) |ik wil dat je )?+(?:(?:alsjeblieft|even"
        r"|gewoon) ){0,2}+"
    ),
    asks=(
        pattern(rf"vergeet(?: alsjeblieft| maar)?,?(?! niet) {TOPIC}"),
        pattern(
            r"(?:verwijder|wis|haal|schrap)(?: alsjeblieft)? (?P<topic>[^.!?;]{1,150}?) "
            r"(?:uit|van) (?:je|jouw|uw|het) (?:geheugen|notities|profiel|hoofd)\b"
        ),
        pattern(r"onthoud(?: alsjeblieft)? (?P<topic>[^.!?;]{1,150}?) niet(?: meer| langer)?\b"),
        pattern(rf"onthoud niet(?: meer)?,? {TOPIC}"),
        pattern(
            r"(?P<topic>(?:mijn|dat|wat|alles|de|het|onze)[^.!?;,]{1,150}?) (?:vergeten|vergeet"
            r"|niet meer (?:onthoudt|noemt))\b"
        ),
    ),
    told=pattern(r"(?:(?:dat|alles|wat|over) ){0,2}+(?:ik (?:je|u)? ?)?+(?:(?:over|van|met) )?+"),
    tail=pattern(
        r"(?:(?<![ ,])[ ,]++(?:alsjeblieft|alstublieft|nu|weer|bedankt|zei|vertelde|verteld heb|gezegd heb|weet)){1,3}$"
    ),
    vague=pattern(r"(?:het|dat|dit|mij|me|hem|haar|alles|niets|niet|.{0,40}\bte)"),
    before=pattern(r"(?:dat|dit|het|wat ik (?:net|zojuist) (?:zei|schreef|gezegd heb))"),
    everything=pattern(r"(?:alles,? (?:wat )?je (?:over|van) mij weet|alles over mij|mij)"),
)

LATIN = (ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE, _DUTCH)
