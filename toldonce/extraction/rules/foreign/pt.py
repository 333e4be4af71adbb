"""Portuguese of Brazil and Portugal: slots. Pure data, written for ToldOnce."""

from toldonce.extraction.rules.foreign.language import ForeignLanguage, ValueKind, any_of, pattern_of, slot, word_set

# Words between a verb and its object.
_GAP = r"(?:(?!nao\b|nunca\b|quase\b|sem\b|jamais\b|n\b)[\w'-]{1,20} ){0,3}?"
# What denies a verb that follows it.
_YES = r"(?<!\bnao\s)(?<!\bnunca\s)(?<!\bn\s)(?<!\bnem\s)"
_V = r"(?P<v>[^\s,.;:!?()\n][^,.;:!?()\n]{0,79})"
_LIST = r"(?P<v>[^\s,.;:!?()\n][^.;:!?()\n]{0,119})"
# A list that holds at any time of the day.
_ALWAYS = (
    r"(?![^,.;:!?\n]{0,60}\b(?:a (?:noite|tarde)|de (?:noite|manha)|depois|antes|hoje|durante a semana)\b)" + _LIST
)
_MY = r"(?:(?:o |a |os |as )?(?:meu|minha|meus|minhas|noss[oa]s?))"
_IN = r"(?:em|no|na|nos|nas)"
_KIN = {
    "partner": "mulher|marido|esposa|esposo|namorada|namorado|noiva|noivo|companheira|companheiro|parceira|parceiro",
    "son:": "filho|filhinho",
    "daughter:": "filha|filhinha",
    "child:": "bebe",
    "mother": "mae|mamae",
    "father": "pai|papai",
    "sister:": "irma|irmazinha",
    "brother:": "irmao|irmaozinho",
    "boss": "chefe|patrao|patroa",
    "dog:": "cachorro|cachorra|cao|cadela|cachorrinho|cachorrinha|cadelinha|caozinho",
    "cat:": "gato|gata|gatinho|gatinha",
    "horse:": "cavalo|egua",
    "rabbit:": "coelho|coelha|coelhinho",
    "parrot:": "papagaio|calopsita|periquito",
}
_JOBS = any_of(
    """prof professor professora docente enfermeiro enfermeira médico médica doutor doutora advogado advogada
        engenheiro engenheira programador programadora desenvolvedor desenvolvedora dev informático designer
        cozinheiro cozinheira padeiro padeira chef confeiteiro confeiteira açougueiro cabeleireiro cabeleireira
        barbeiro contador contadora contabilista vendedor vendedora caixa garçom garçonete empregado_de_mesa taxista
        uber motorista caminhoneiro camionista mecânico eletricista encanador canalizador pedreiro carpinteiro
        marceneiro agricultor agricultora jardineiro arquiteto arquiteta fotógrafo fotógrafa jornalista escritor
        escritora músico ator atriz estudante universitário universitária aposentado aposentada reformado reformada
        policial polícia militar bombeiro bombeira piloto secretário secretária administrativo administrativa
        recepcionista auxiliar parteira fisioterapeuta dentista veterinário veterinária farmacêutico farmacêutica
        psicólogo psicóloga fonoaudióloga pedagogo pedagoga educador educadora tradutor tradutora pesquisador
        pesquisadora investigador investigadora biólogo bióloga químico química físico bibliotecário bibliotecária
        florista esteticista manicure corretor corretora bancário bancária consultor consultora técnico técnica
        operário operária carteiro artesão artesã costureira autônomo autônoma freelancer funcionário_público
        funcionária_pública servidor_público servidora_pública babá porteiro motoboy entregador notário juiz juíza
        treinador treinadora personal assistente_social dona_de_casa diarista comissária soldador pescador guia
        empresário empresária analista gerente vigilante segurança nutricionista"""
)
_DIETS = {"vegetar": "vegetarian", "vega": "vegan", "pesc": "pescatarian", "flexi": "flexitarian"}
_DIET = r"(?P<v>vegetarian[oa]s?|vegan[oa]s?|pesc[ae]tarian[oa]s?|pescetarian[oa]s?|flexitarian[oa]s?)"
_LANGUAGES = {
    "port": "Portuguese", "ingl": "English", "espa": "Spanish", "fran": "French", "alem": "German", "ital": "Italian",
    "russ": "Russian", "chin": "Chinese", "japo": "Japanese", "mand": "Chinese",
}  # fmt: skip
_LANGUAGE = r"(?P<v>portugues|ingles|espanhol|frances|alemao|italiano|russo|chines|japones|mandarim)"
_CONDITIONS = any_of(
    """diabetes asma enxaqueca enxaquecas epilepsia hipertensão pressão_alta pressão_baixa tensão_alta artrite
        artrose endometriose eczema psoríase vertigem labirintite escoliose gota fibromialgia hipotireoidismo
        hipotiroidismo tdah phda apneia insônia insónia rinite depressão ansiedade refluxo gastrite hérnia_de_disco
        uma_hérnia hérnia intestino_irritável anemia intolerância_à_lactose intolerância_ao_glúten doença_celíaca
        dislexia autismo colesterol_alto tireoide hashimoto lúpus miopia síndrome_do_pânico doença_de_crohn zumbido
        ovário_policístico"""
)
_ADJECTIVES = any_of(
    """diabético diabética asmático asmática celíaco celíaca epilético epilética disléxico disléxica autista
        daltônico daltónico surdo surda cego cega míope canhoto canhota hipertenso hipertensa intolerante_à_lactose
        intolerante_ao_glúten bipolar anêmico anêmica"""
)
_LATER = r"(?=$|[,.!)]| (?:por favor|pfv|pf|sempre|a partir|daqui|comigo|e|obrigad[oa])\b)"

_SLOTS = (
    slot("name", ValueKind.CALLED, rf"\b(?:eu )?(?:me chamo|chamo-me) {_V}"),
    slot("name", ValueKind.CALLED, rf"\b(?:o )?meu nome (?:completo |verdadeiro )?e {_V}"),
    slot(
        "name",
        ValueKind.NAME,
        rf"""(?:^|^(?:oi|ola|bom dia|boa tarde|boa noite|e ai)(?: gente| pessoal)?,? )(?:eu )?sou (?!{_JOBS}\b)
            (?:a |o )?(?P<v>[\w-]{{2,20}})(?=\s*(?:$|[,.!]| e ))""",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        r"""\b(?:me chama|me chame|chama-me|chame-me|pode me chamar|podes chamar-me|trata-me por)
            (?: so)?(?: de| por)? (?!quando\b|se\b|um\b|uma\b|atencao\b|depois\b)(?P<v>[\w-]{2,20})(?=\s*(?:$|
            [,.!]| por favor| pfv))""",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        r"""\b(?:todo mundo|toda a gente|todos|meus amigos|os amigos|em casa) (?:so )?(?:me chamam?|chamam?-me|
            me trata(?:m)?)(?: de| por)? (?P<v>[\w-]{2,20})\b""",
    ),
    slot(
        "location",
        ValueKind.PLACE,
        rf"""{_YES}\b(?:moro|moramos|vivo|vivemos|resido|a gente mora|estou morando|to morando|estou a morar|
            estou a viver) {_GAP}{_IN} {_V}""",
    ),
    slot(
        "location",
        ValueKind.PLACE,
        rf"""{_YES}\b(?:me mudei|mudei-me|mudei|nos mudamos|mudamo-nos|mudamos|a gente se mudou|vim morar|
            viemos morar|fui morar|fomos morar) (?:ha pouco |agora |recentemente |de [\w\s]{{2,20}}? )?(?:pra|para|
            para o|para a|pro|em|no|na) (?!um\b|uma\b|outr|ca\b|aqui\b|minha\b|meu\b|casa\b){_V}""",
    ),
    slot(
        "origin",
        ValueKind.PLACE,
        rf"""{_YES}\b(?:sou|venho) (?:(?:natural|original|originari[oa]) )?(?:de|do|da|dos) (?!tipo\b|exatas\b|
            humanas\b|quem\b|falar\b|boa\b|familia\b|poucas\b|paz\b|rir\b|esquerda\b|direita\b|igreja\b|signo\b|
            time\b|lua\b|candomble|umbanda|axe\b|terreiro|santo\b|ogum|oxum){_V}""",
    ),
    slot(
        "origin",
        ValueKind.PLACE,
        rf"""{_YES}\b(?:nasci|cresci|fui criad[oa])(?: e (?:cresci|fui criad[oa]))? {_IN} (?!uma?\b|\d|janeiro\b|
            ano\b|roca\b){_V}""",
    ),
    slot(
        "job",
        ValueKind.WORK,
        rf"""{_YES}\btrabalho {_GAP}(?:como|de) (?!casa\b|noite\b|dia\b|segunda\b|manha\b|tarde\b|forma\b|home\b|
            lunes\b){_V}""",
    ),
    slot(
        "job",
        ValueKind.WORK,
        rf"""{_YES}\b(?:sou|estou como) (?:(?:um|uma|tambem|atualmente) )?(?P<v>(?:{_JOBS})(?: (?:de|em|da|
            do) [\w-]{{2,20}})?)\b""",
    ),
    slot("age", ValueKind.NUMBER, r"\b(?:eu )?tenho (?:ja )?(?P<v>\d{1,3}) anos\b(?! de)"),
    slot(
        "diet",
        ValueKind.CLOSED,
        rf"""{_YES}\b(?:sou|somos|virei|me tornei|tornei-me) (?:(?:agora|tambem|estritamente|todos|uma?|ja|
            ha \w{{1,6}} anos) ){{0,2}}{_DIET}\b""",
        values=_DIETS,
    ),
    slot(
        "avoid:",
        ValueKind.THINGS,
        rf"""\b(?:nao|nunca|n) (?:como|bebo|tomo|comemos|bebemos|consumo|tolero)
            (?: mais| nada de| nunca)? (?!muito\b|tanto\b|nada\b|bem\b|quase\b|em\b|por\b|a\b|tao\b|fora\b|
            direito\b|banho\b|cafe da manha\b|remedio\b){_ALWAYS}""",
    ),
    slot("avoid:", ValueKind.THINGS, rf"\b(?:nao|n) posso (?:comer|beber|tomar) {_ALWAYS}"),
    slot("avoid:", ValueKind.THINGS, rf"\b(?:parei|deixei) de (?:comer|beber|tomar) {_ALWAYS}"),
    slot("allergy:", ValueKind.THINGS, rf"{_YES}\bsou (?:(?:muito|super|tambem) )?alergic[oa] (?:ao|aos|as|a) {_LIST}"),
    slot(
        "allergy:",
        ValueKind.THINGS,
        rf"{_YES}\btenho (?:uma )?(?:(?:forte|grave|muita) )?alergia (?:ao|aos|as|a|de) {_LIST}",
    ),
    slot(
        "condition:",
        ValueKind.WORK,
        rf"""{_YES}\b(?:tenho|sofro de|sofro com|fui diagnosticad[oa] com|descobri que tenho) (?:(?:muita|muito|
            um pouco de|a|o) )?(?P<v>{_CONDITIONS})\b""",
    ),
    slot("condition:", ValueKind.WORK, rf"{_YES}\bsou (?:(?:muito|um pouco|tambem) )?(?P<v>{_ADJECTIVES})\b"),
    *(
        slot(
            key,
            ValueKind.CALLED,
            rf"\b{_MY} (?:[\w-]{{2,15}} )?(?:{kin}) (?:se chama|chama-se|chama) (?P<v>[\w-]{{2,20}})",
        )
        for key, kin in _KIN.items()
    ),
    *(
        slot(
            key,
            ValueKind.CALLED,
            rf"""\b(?:tenho|temos|adotei|adotamos|ganhei) (?:[\w'-]{{1,15}} ){{0,3}}?(?:{kin})
                (?: [\w'-]{{1,15}}){{0,4}}?,? (?:(?:que )?(?:se chama|chama-se)|chamad[oa]|
                de nome) (?P<v>[\w-]{{2,20}})""",
        )
        for key, kin in _KIN.items()
    ),
    slot(
        "answer_language",
        ValueKind.CLOSED,
        rf"""\b(?:me responda|me responde|responda|responde|responde-me|fale|fala|me fala|escreva|escreve)
            (?: (?:sempre|so|comigo|por favor|apenas|tudo|me)){{0,3}} em {_LANGUAGE}{_LATER}""",
        values=_LANGUAGES,
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"""\b(?:prefiro|quero|gosto de|me da(?: sempre)?|sempre|
            da-me) (?:as )?respostas (?:mais |bem |muito )?(?P<v>curtas|breves|concisas|longas|detalhadas|simples)\b""",
        values={"c": "short", "b": "short", "l": "long", "d": "detailed", "s": "simple"},
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"\b(?:seja|se) (?:sempre |mais |bem )?(?P<v>breve|concis[oa]|diret[oa]|detalhad[oa])\b",
        values={"b": "short", "c": "short", "dir": "short", "det": "detailed"},
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"""\b(?:responda|responde|explique|explica)(?: (?:sempre|me|tudo)){0,2} (?P<v>curto|de forma curta|
            de forma simples|resumido|com detalhes|de forma breve)\b""",
        values={
            "curto": "short",
            "de forma c": "short",
            "de forma s": "simple",
            "de forma b": "short",
            "res": "short",
            "com": "detailed",
        },
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"""\b(?:me trate|me trata|trata-me|pode me tratar|podes tratar-me|trate-me)(?: sempre)? por (?P<v>tu|voce|
            senhora?)\b""",
        values={"t": "informal", "v": "informal", "s": "formal"},
    ),
    slot("emoji", ValueKind.CLOSED, r"\b(?P<v>sem|nao use|nao uses|nada de) emojis?\b", values={"s": "no", "n": "no"}),
)


PORTUGUESE = ForeignLanguage(
    slots=_SLOTS,
    value_end=pattern_of(
        r""" (?:e (?:eu|me|meu|minha|nao|quero|preciso|tenho|sou|moro|vivo|trabalho|estou|to|estudo|o|a|os|as|nos|e|
            agora|tambem|gosto|adoro|bebo|como|nunca|sempre|ja|queria|faco|busco|procuro|odeio|amo)|mas|porque|pq|
            desde|ha (?!\w{1,3}$)|quando|que|se|onde|com|para|pra|como|entao|por (?!sol)|agora|atualmente|pfv|
            por favor|embora|pois|em (?:janeiro|fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|
            novembro|dezembro|\d{4})|tambem|pode|podes|me (?!g)|enquanto|sem|cada|todos|todo|da-me|faz|faca|
            obrigad[oa]|ainda|ja|exceto|menos|so|mesmo|nem|ate|qual|quais|quanto|este|essa|esse|mais|no momento|
            no mes|o que|to|estou|na verdade|de segunda|faz \w{1,6} (?:anos|meses)|tem \w{1,6} anos|mudei)\b|
            (?:\s[-–—]\s)"""
    ),
    no_value=word_set(
        """eu tu você ele ela nós vós vocês eles elas me te se nos mim ti meu minha teu tua seu sua nosso nossa
            este esta isto esse essa isso aquele aquilo nada tudo todos que quem como quando onde qual quanto não
            nunca um uma o a os as aqui ali lá cá casa cidade campo centro interior apartamento ap apê prédio praia
            família paz sozinho sozinha exterior capital momento sítio fazenda bairro busco quero preciso tenho sou
            estou posso obrigado obrigada ajuda ideias receita alguém algo bem mal muito muita mais menos tão tanto
            sempre agora hoje pouco cansado cansada novo nova curioso assim verdade jantar comer dois três duas
            tempo longe perto meio república condomínio zona roça gente boa favor contra acordo mãe pai e ou de do
            da em no na por sem com para mas também remoto home segunda feliz triste fã louco louca dona"""
    ),
    articles=pattern_of(r"(?:os?|as?|uns|umas|um|uma|ao|aos|nenhum|nenhuma|nem|de) "),
    between=pattern_of(r" (?:e|ou|nem) "),
)
