"""Portuguese of Brazil and Portugal: slots, and statements about oneself. Pure data, written for Recollect."""

from recollect.extraction.rules.foreign.language import ForeignLanguage, ValueKind, any_of, pattern_of, slot, word_set

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
_ANY_KIN = "|".join(_KIN.values())
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
    slot("location", ValueKind.PLACE, rf"\b(?:nao|n) (?:moro|vivo|moramos|vivemos) mais {_IN} {_V}", ends=True),
    slot("location", ValueKind.PLACE, rf"\bja nao (?:moro|vivo|moramos|vivemos) {_IN} {_V}", ends=True),
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
        "employer",
        ValueKind.WORK,
        rf"""{_YES}\btrabalh(?:o|amos) {_GAP}(?:na|no|para a|para o|pra|pro|nas|nos) (?!casa\b|area\b|ramo\b|
            setor\b|turno\b|periodo\b|mesm|escritorio\b|momento\b|noite\b|parte\b|comercio\b){_V}""",
    ),
    slot(
        "employer",
        ValueKind.NAME,
        rf"""{_YES}\btrabalho (?:(?:atualmente|agora|como [\w-]{{2,20}}) )?em (?P<v>[\w&.-]{{2,20}})(?=\s*(?:$|
            [,.!]| ha | como | desde ))""",
    ),
    slot(
        "employer",
        ValueKind.WORK,
        rf"\b(?:nao trabalho mais|ja nao trabalho) (?:na|no|para a|para o|em) {_V}",
        ends=True,
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
    slot(
        "field_of_study",
        ValueKind.WORK,
        rf"""{_YES}\b(?:estudo|curso|faco faculdade de|faco curso de|estou cursando|to cursando|
            faço faculdade de) (?!para\b|pra\b|em\b|com\b|muito\b|por\b|de\b|um\b|uma\b|na\b|no\b|os\b|as\b|todo|
            a\b|o\b|a noite\b){_V}""",
    ),
    slot("age", ValueKind.NUMBER, r"\b(?:eu )?tenho (?:ja )?(?P<v>\d{1,3}) anos\b(?! de)"),
    slot(
        "diet",
        ValueKind.CLOSED,
        rf"""{_YES}\b(?:sou|somos|virei|me tornei|tornei-me) (?:(?:agora|tambem|estritamente|todos|uma?|ja|
            ha \w{{1,6}} anos) ){{0,2}}{_DIET}\b""",
        values=_DIETS,
    ),
    slot("diet", ValueKind.CLOSED, rf"\b(?:nao|n) (?:sou|somos) (?:mais )?{_DIET}\b", values=_DIETS, ends=True),
    slot("diet", ValueKind.CLOSED, rf"\b(?:deixei de ser|parei de ser) {_DIET}\b", values=_DIETS, ends=True),
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
    slot("allergy:", ValueKind.THINGS, rf"\b(?:nao|n) sou (?:mais )?alergic[oa] (?:ao|aos|as|a) {_LIST}", ends=True),
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
    *(
        slot(key, ValueKind.NAME, rf"\b{_MY} (?:[\w-]{{2,15}} )?(?:{kin}),? (?P<v>[\w-]{{2,20}})(?![\w-]| e eu\b)")
        for key, kin in _KIN.items()
    ),
    slot(
        "marital_status",
        ValueKind.CLOSED,
        rf"""{_YES}\b(?:sou|estou|to|somos|estamos) (?:(?:bem|recem|ainda) )?(?P<v>casad[oa]s?|divorciad[oa]|
            solteir[oa]|noiv[oa]s?|viuv[oa]|separad[oa])\b""",
        values={
            "cas": "married",
            "div": "divorced",
            "sol": "single",
            "noiv": "engaged",
            "viu": "widowed",
            "sep": "separated",
        },
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

_LIFE = pattern_of(
    rf"""
    \b(?:todo mundo|toda a gente|meus amigos|em casa) (?:so )?(?:me chama|me chamam|chama-me|chamam-me|me trata)\b
    |\b(?:sou|somos|virei) (?:\w{{1,12}} )?(?:(?:{_JOBS})|mineir[oa]|gauch[oa]|carioca|paulista|paulistan[oa]|
    baian[oa]|nordestin[oa]|pernambucan[oa]|cearense|paraense|alentejan[oa]|portuense|lisboeta|algarvi[oa]|
    brasileir[oa]|portugues[a]?|angolan[oa]|filh[oa] unic[oa]|fa|torcedor[a]?|corintian[oa]|flamenguista|
    palmeirense|benfiquista|sportinguista|portista|ate[ua]|atei[oa]|catolic[oa]|evangelic[oa]|crente|budista|
    espirita|mae|pai|avo|av[oó]|ti[oa]|madrinha|padrinho|introvertid[oa]|timid[oa]|canhot[oa]|voluntari[oa]|contra|
    a favor|do (?:interior|time|signo)|de (?:touro|leao|libra|virgem|peixes)|viciad[oa]|apaixonad[oa]|hipertens[oa])
    \b
    |\b(?:tenho|temos|tive|tivemos) (?:\w{{1,12}} ){{0,3}}?(?:filh[oa]s?|irmaos?|irmas?|cachorr[oa]s?|gat[oa]s?|
    caes|netos?|gemeos|anos|horta|jardim|loja|oficina|padaria|empresa|restaurante|salao|negocio|carro|moto|
    bicicleta|casa|apartamento|divida|dividas|emprestimo|financiamento|fies|consulta|entrevista|prova|exame|
    vestibular|concurso|casamento|cirurgia|tatuagem|tatuagens|medo|panico|pavor|pressao|colesterol|enxaqueca|
    insonia|rinite|refluxo|gastrite|hernia|ansiedade|fobia|namorad[oa]|sogra|prisao de ventre|problema de coluna|
    dor (?:nas|de|no))\b
    |\b(?:prefiro|trabalho|como|almoco|janto|levanto|vejo|cozinhamos|pago|devo|ando|uso|estudo|faco|fazemos|vou|
    vamos|sonho|falo) (?!(?:isso|que|como|se|um favor|uma pergunta|essa|esse|este|esta) )
    (?:[\w-]{{1,16}} ){{0,4}}?(?:todo dia|todos os|todas as|toda|sempre|nunca|cada|desde|ha (?:\w{{1,8}}) (?:anos|
    meses)|as \d|por dia|por semana|por mes|de (?:manha|noite|madrugada|bicicleta|bike|metro|onibus|autocarro|carro|
    trem|aluguel)|aos|a pe|no domingo|nos fins|fim de semana|faculdade|academia|ginasio|igreja|missa|terapia|
    futebol|violao|guitarra|piano|frio|calor|inverno|verao|cafe|cha|carne|peixe|\d|minha (?:mae|avo|filha)|
    meu (?:pai|filho|avo))\b
    |\b(?:nao |nunca |ja |eu |so |sempre |tambem )?(?:sofro|odeio|amo|adoro|detesto|curto|gosto|moro|vivo|fumo|bebo|
    durmo|acordo|corro|nado|pedalo|malho|treino|jogo|toco|canto|danco|pinto|leio|escuto|ouco|assisto|cozinho|
    coleciono|cultivo|crio|cuido|ganho|recebo|pagamos|alugo|economizo|poupo|dirijo|conduzo|tomo|rezo|voto|acredito|
    aprendo|viajo|torco|planto|suporto|aguento|frequento|pratico|malhamos|moramos|criamos|cuidamos|ensino|dou aula|
    tenho pavor|faco (?:faculdade|academia|dieta|terapia|natacao|yoga|ioga|danca|crossfit|musculacao|caminhada|
    hemodialise|tratamento|trilha|curso|um curso|estagio|mestrado|doutorado|croche|trico|ballet|bolo)|vou (?:casar|
    de (?:onibus|metro|bike|carro)|a (?:igreja|missa|academia|terapia)|ser (?:pai|mae)|trocar de|comecar|operar|
    viajar|morar|mudar|me (?:mudar|casar|formar|aposentar))) (?!que\b|isso\b|como\b|se\b|dessa\b|desse\b|da sua\b|
    do seu\b|esse\b|essa\b|de saber|muito obrigad)\w
    |\b(?:ja )?(?:fui|era|eramos) (?!eu\b|o\b|a\b|ver\b|um erro|isso|que\b|la\b|no site)\w{{3}}|\b(?:me chamam|
    todos me chamam|chamam-me)\b|\b(?:estou|to|tou|ando) (?!(?:com duvida|com um problema|com uma duvida|tentando|
    precisando|procurando|querendo|pensando|usando|fazendo (?:um|uma) (?:trabalho|projeto|texto|codigo)|aqui|bem|
    cansad|com sono|com fome|em duvida|perdid|confus|criando|desenvolvendo|escrevendo um|a (?:tentar|fazer um|
    precisar|procurar)|no|na|a|so|vendo|pronto|pronta|de volta|certo|errado|curios|ansios[oa] para|feliz|
    com dificuldade|trabalhando (?:em|num) (?:um|projeto)|lendo|jogando agora)\w{{0,3}}\b)\w{{3}}
    |\b(?:tenho|temos) (?!(?:uma?|outra|esta|esse|essa) (?:duvida|pergunta|problema|erro|texto|arquivo|ficheiro|
    ideia|lista|codigo|trabalho|projeto|questao|tarefa|prova de codigo)|razao|certeza|vontade|que\b|de\b|interesse|
    o seguinte|a seguinte|duvida|curiosidade|tentado|pensado|visto|algo|algumas? (?:duvidas?|perguntas?)
    |um codigo)\w
    |\btoda? (?:segunda|terca|quarta|quinta|sexta|sabado|domingo|semana|noite|manha) (?:tem|tenho|temos|e|vou|
    a gente)\b
    |\b(?:estou|to|estamos|tamos) (?:\w{{1,10}} )?(?:gravida|desempregad[oa]|aposentad[oa]|aprendendo|a aprender|
    estudando|a estudar|de dieta|morando|a morar|noiv[oa]|separad[oa]|de licenca|endividad[oa]|fazendo (?:faculdade|
    dieta|mestrado|doutorado|terapia|curso|academia|tratamento)|a fazer (?:dieta|mestrado)|escrevendo (?:meu|minha|
    o meu|a minha) (?:tcc|tese|dissertacao|livro)|a escrever a tese|tirando a (?:carteira|cnh)|a tirar a carta|
    juntando dinheiro|a poupar|esperando (?:um bebe|gemeos|meu)|a espera de|planejando|a planear|reformando|
    treinando|tomando (?:remedio|antibiotico|antidepressivo)|namorando)\b
    |\b(?:fui|fomos|fiz|fizemos|era|morei|vivi|trabalhei|estudei|joguei|toquei|nasci|cresci|perdi|ganhei|larguei|
    pedi demissao|comecei|parei|comprei|compramos|vendi|adotei|adotamos|herdei|abri|montei|publiquei|corri|terminei|
    casei|casamos|me formei|formei-me|me divorciei|divorciei-me|me separei|separei-me|engravidei|tirei|passei|
    reprovei|quebrei|parti|operei|mudei|mudamos|me aposentei|reformei-me|entrei|sai|aprendi|viajei|dancei|lutei|
    treinei) (?!o (?:codigo|texto|erro)|isso|aqui|ver\b|um erro)(?:\w{{1,14}} ){{0,4}}?(?:em|no|na|anos|meses|de|da|
    do|a|o|um|uma|meu|minha|com|por|como|ha|demitid[oa]|despedid[oa]|diagnosticad[oa]|operad[oa]|assaltad[oa]|
    promovid[oa]|aprovad[oa]|pra|para)\b
    |\b(?:me caso|vou casar|casamos|vamos casar|caso-me|vou ser (?:mae|pai|avo|tia|tio)|quero (?:estudar|
    fazer (?:faculdade|medicina|intercambio|mestrado)|me mudar|mudar|casar|abrir|montar|parar de|emagrecer|
    ter (?:um|outro) filho|comprar (?:uma casa|um carro|um ap)|prestar|tirar a (?:carta|cnh|carteira)|aprender|
    trocar de|adotar|sair do)|pretendo|vou (?:prestar|fazer (?:uma cirurgia|vestibular|intercambio|enem|erasmus)|
    me mudar|mudar|me formar|operar|defender|viajar|tirar a)|vamos (?:ter (?:um|uma|gemeos)|nos mudar|mudar|viajar|
    abrir|comprar|casar))\b
    |\b(?:morreu|faleceu|nasceu) (?:o meu|a minha|meu|minha|nosso|nossa)|\b(?:meu|minha) \w{{2,20}} (?:morreu|
    faleceu|nasceu)\b|\b(?:em casa|la em casa|aqui em casa|no meu trabalho|na minha empresa|na minha familia)
    ,? (?:a gente|nos|todo mundo|jantamos|almocamos|comemos|ninguem|e|so|falamos|somos)\b
    |\b(?:todo|toda|todos os|todas as|aos|as) (?:dia|dias|manha|noite|semana|sabado|domingo|sabados|domingos|
    segunda|segundas|tercas|quartas|quintas|sextas|manhas|noites|ano|mes)s? (?:eu |a gente |nos )?(?:vou|como|tomo|
    bebo|almoco|almocamos|janto|jantamos|corro|treino|jogo|faco|fazemos|acordo|leio|assisto|vejo|visito|saio|
    cozinho|ando|nado|pedalo|vamos|estudo|durmo)\b
    |\b{_MY} (?:[\w-]{{2,15}} )?(?:{_ANY_KIN}|pais|avos?|avo|sogr[oa]s?|ti[oa]s?|prim[oa]s?|sobrinh[oa]s?|
    vizinh[oa]s?|familia|empresa|salario|ordenado|aluguel|renda|casa|carro|casamento|financiamento|aniversario|
    sonho|lingua materna|time|clube|equipa|equipe|banda|cor|comida|filme|livro|serie|cantora?|escritora?|signo|
    prova|tcc)(?: (?:favorit[oa]|preferid[oa]|de \w{{2,12}}))?(?: [\w-]{{2,20}})?(?:e|sao|esta|estao|tem|mora|moram|
    vive|vivem|trabalha|trabalham|odeia|adora|ama|gosta|faz|nasceu|era|morreu|vai|vem|custa|quer|se|come|dorme|fala|
    chama|completa)\b
"""
)

PORTUGUESE = ForeignLanguage(
    slots=_SLOTS,
    statement=_LIFE,
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
