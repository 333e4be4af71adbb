"""Spanish: slots. Pure data, written for ToldOnce."""

from toldonce.extraction.rules.foreign.language import ForeignLanguage, ValueKind, any_of, pattern_of, slot, word_set

# Words between a verb and its object.
_GAP = r"(?:(?!no\b|nunca\b|casi\b|sin\b|tampoco\b|a_veces\b)[\w'-]{1,20} ){0,3}?"
# What denies a verb that follows it.
_YES = r"(?<!\bno\s)(?<!\bnunca\s)(?<!\bni\s)(?<!\btampoco\s)"
_V = r"(?P<v>[^\s,.;:!?()\n¿][^,.;:!?()\n¿]{0,79})"
_LIST = r"(?P<v>[^\s,.;:!?()\n¿][^.;:!?()\n¿]{0,119})"
# A list that holds at any time of the day.
_ALWAYS = (
    r"""(?![^,.;:!?\n]{0,60}\b(?:por la (?:noche|manana|tarde)|de noche|antes|despues|entre semana|en ayunas|hoy|
        para cenar|para desayunar)\b)"""
    + _LIST
)
_MY = r"(?:mi|mis|nuestr[oa]s?)"
_KIN = {
    "partner": any_of("mujer marido esposa esposo novia novio pareja prometida prometido compañera compañero"),
    "son:": "hijo|nene|chamaco",
    "daughter:": "hija|nena",
    "child:": "bebe|peque",
    "mother": "madre|mama",
    "father": "padre|papa",
    "sister:": "hermana",
    "brother:": "hermano",
    "boss": "jefa|jefe",
    "dog:": any_of("perro perra perrito perrita cachorro cachorra"),
    "cat:": any_of("gato gata gatito gatita"),
    "horse:": "caballo|yegua",
    "rabbit:": "conejo|coneja",
    "parrot:": "loro|perico",
}
_JOBS = any_of(
    """profe profesor profesora maestro maestra docente enfermero enfermera médico médica doctor doctora abogado
        abogada ingeniero ingeniera programador programadora desarrollador desarrolladora informático informática
        diseñador diseñadora cocinero cocinera panadero panadera carnicero peluquero peluquera contador contadora
        contable vendedor vendedora cajero cajera camarero camarera mesero mesera taxista chofer conductor
        conductora camionero mecánico electricista plomero fontanero albañil carpintero agricultor agricultora
        ganadero jardinero arquitecto arquitecta fotógrafo fotógrafa periodista escritor escritora músico actor
        actriz estudiante universitario universitaria jubilado jubilada pensionista policía militar bombero bombera
        piloto secretaria secretario administrativo administrativa auxiliar matrona fisioterapeuta fisio dentista
        veterinario veterinaria farmacéutico farmacéutica psicólogo psicóloga logopeda educador educadora traductor
        traductora investigador investigadora biólogo bióloga químico física bibliotecario bibliotecaria florista
        esteticista agente banquero comercial consultor consultora técnico técnica obrero cartero cartera artesano
        modista autónomo autónoma freelance funcionario funcionaria niñera portero repartidor repartidora notario
        jueza juez entrenador entrenadora trabajador_social trabajadora_social ama_de_casa azafata azafato soldador
        pescador guía contratista"""
)
_DIETS = {"vegetar": "vegetarian", "vega": "vegan", "pesc": "pescatarian", "flexi": "flexitarian"}
_DIET = r"(?P<v>vegetarian[oa]s?|vegan[oa]s?|pesc[ae]tarian[oa]s?|pescovegetarian[oa]s?|flexitarian[oa]s?)"
_LANGUAGES = {
    "espa": "Spanish", "cast": "Spanish", "ingl": "English", "fran": "French", "alem": "German", "ital": "Italian",
    "port": "Portuguese", "cata": "Catalan", "eusk": "Basque", "gall": "Galician", "ruso": "Russian", "arab": "Arabic",
    "chin": "Chinese", "japo": "Japanese",
}  # fmt: skip
_LANGUAGE = r"""(?P<v>espanol|castellano|ingles|frances|aleman|italiano|portugues|catalan|euskera|gallego|ruso|arabe|
    chino|japones)"""
_CONDITIONS = any_of(
    """diabetes asma migrañas migraña celiaquía epilepsia hipertensión artritis artrosis endometriosis eczema
    psoriasis vértigo tinnitus escoliosis gota fibromialgia hipotiroidismo tdah apnea insomnio rinitis depresión
    ansiedad reflujo gastritis hernia_discal una_hernia_discal colon_irritable anemia intolerancia_a_la_lactosa
    intolerancia_al_gluten dislexia autismo colesterol miopía lupus"""
)
_ADJECTIVES = any_of(
    """diabético diabética asmático asmática celíaco celíaca epiléptico epiléptica disléxico disléxica autista
    daltónico daltónica sordo sorda ciego ciega miope zurdo zurda hipertenso hipertensa intolerante_a_la_lactosa
    intolerante_al_gluten bipolar alcohólico_en_recuperación"""
)
_PLEASE = r"(?:(?:siempre|solo|por favor|porfa|a partir de ahora|unicamente|todo|ya) ){0,3}"
_LATER = r"(?=$|[,.!)]| (?:por favor|porfa|porfis|a partir|siempre|conmigo|y|desde|en adelante)\b)"

_SLOTS = (
    slot("name", ValueKind.CALLED, rf"\bme llamo {_V}"),
    slot("name", ValueKind.CALLED, rf"\bmi nombre (?:completo |real )?es {_V}"),
    slot(
        "name",
        ValueKind.NAME,
        rf"""(?:^|^(?:hola|buenas|buenos dias|buenas tardes|buenas noches|hey|que tal),? )(?:yo )?soy (?!{_JOBS}\b)
            (?:la |el )?(?P<v>[\w-]{{2,20}})(?=\s*(?:$|[,.!]| y | de \w))""",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        r"""\b(?:llamame|dime|llameme|puedes (?:llamarme|decirme)) (?!que\b|si\b|como\b|cual\b|donde\b|cuando\b|
            un\b|una\b|el\b|la\b|los\b|las\b|algo\b|mas\b)(?P<v>[\w-]{2,20})(?=\s*(?:$|[,.!]| por favor| porfa))""",
    ),
    slot(
        "address_as",
        ValueKind.CALLED,
        r"""\b(?:todos|todo el mundo|mis amig[oa]s|la gente|en casa|me) (?:me )?(?:dicen|llaman) (?!que\b|por\b|a\b|
            si\b)(?P<v>[\w-]{2,20})\b""",
    ),
    slot(
        "location",
        ValueKind.PLACE,
        rf"{_YES}\b(?:vivo|resido|vivimos|residimos|estoy viviendo|llevo \w{{1,8}} \w{{3,6}} viviendo) {_GAP}en {_V}",
    ),
    slot(
        "location",
        ValueKind.PLACE,
        rf"""{_YES}\b(?:me mude|nos mudamos|me he mudado|nos hemos mudado|me acabo de mudar|acabo de mudarme|
            nos acabamos de mudar|acabamos de mudarnos|me traslade) {_GAP}a (?!un\b|una\b|otr[oa]\b|mi\b|
            vivir\b){_V}""",
    ),
    slot(
        "origin",
        ValueKind.PLACE,
        rf"""{_YES}\b(?:soy|vengo) (?:originari[oa] )?de (?!los que\b|las que\b|esas\b|esos\b|letras\b|ciencias\b|
            buen\b){_V}""",
    ),
    slot("origin", ValueKind.PLACE, rf"\b(?:naci|me crie|creci) en {_V}"),
    slot(
        "job",
        ValueKind.WORK,
        rf"""{_YES}\b(?:trabajo|curro|laburo|chambeo) (?:(?:ahora|actualmente) )?(?:como|de) (?!noche\b|dia\b|
            lunes\b|casa\b|tarde\b|manana\b|lo\b|forma\b){_V}""",
    ),
    slot(
        "job",
        ValueKind.WORK,
        rf"""{_YES}\b(?:soy|llevo [\w\s]{{2,14}}? (?:de|como|siendo)) (?:(?:un|una|tambien|
            actualmente) )?(?P<v>(?:{_JOBS})(?: (?:de|en) [\w-]{{2,20}})?)\b""",
    ),
    slot("job", ValueKind.WORK, rf"\bme dedico a (?:la |el )?{_V}"),
    slot("age", ValueKind.NUMBER, r"\b(?:yo )?tengo (?:ya )?(?P<v>\d{1,3}) anos\b(?! de)"),
    slot(
        "diet",
        ValueKind.CLOSED,
        rf"""{_YES}\b(?:soy|somos|me hice|me he hecho|como|comemos) (?:(?:ahora|estrictamente|tambien|totalmente|
            todos|una?|casi) ){{0,2}}{_DIET}\b""",
        values=_DIETS,
    ),
    slot(
        "avoid:",
        ValueKind.THINGS,
        rf"""\b(?:no|nunca) (?:como|bebo|tomo|comemos|bebemos|tolero|consumo)(?: nada de| nunca)? (?!mucho\b|
            tanto\b|nada\b|bien\b|casi\b|mas\b|en\b|por\b|a\b|tan\b|suficiente\b|se\b|el desayuno){_ALWAYS}""",
    ),
    slot("avoid:", ValueKind.THINGS, rf"\bno puedo (?:comer|beber|tomar) {_ALWAYS}"),
    slot("avoid:", ValueKind.THINGS, rf"\b(?:he dejado|deje) de (?:comer|beber|tomar) {_ALWAYS}"),
    slot(
        "allergy:",
        ValueKind.THINGS,
        rf"{_YES}\bsoy (?:(?:muy|super|tambien) )?alergic[oa] (?:a la |a los |a las |al |a ){_LIST}",
    ),
    slot(
        "allergy:",
        ValueKind.THINGS,
        rf"{_YES}\b(?:tengo|me dieron) (?:una )?(?:(?:fuerte|grave) )?alergia (?:a la |a los |a las |al |a ){_LIST}",
    ),
    slot(
        "allergy:",
        ValueKind.THINGS,
        rf"\b(?:me da|me dan|les? tengo) alergia (?:la |el |los |las |al |a la |a los |a las ){_LIST}",
    ),
    slot(
        "condition:",
        ValueKind.WORK,
        rf"""{_YES}\b(?:tengo|sufro|padezco|me diagnosticaron)(?: de)? (?:(?:mucha|mucho|un poco de|la|
            el) )?(?P<v>{_CONDITIONS})\b""",
    ),
    slot("condition:", ValueKind.WORK, rf"{_YES}\bsoy (?:(?:muy|un poco|tambien) )?(?P<v>{_ADJECTIVES})\b"),
    *(
        slot(
            key,
            ValueKind.CALLED,
            rf"\b{_MY} (?:[\w-]{{2,15}} )?(?:{kin})(?: [\w-]{{2,15}})? se llama (?P<v>[\w-]{{2,20}})",
        )
        for key, kin in _KIN.items()
    ),
    *(
        slot(
            key,
            ValueKind.CALLED,
            rf"""\b(?:tengo|tenemos|adopte|adoptamos|hemos adoptado) (?:[\w'-]{{1,15}} ){{0,3}}?(?:{kin})
                (?: [\w'-]{{1,15}}){{0,4}}?,?"""
            r" (?:(?:que )?se llama|llamad[oa]|de nombre) (?P<v>[\w-]{2,20})",
        )
        for key, kin in _KIN.items()
    ),
    slot(
        "answer_language",
        ValueKind.CLOSED,
        rf"""\b(?:respondeme|responde|respondame|contestame|contesta|hablame|habla|
            escribeme) {_PLEASE}en {_LANGUAGE}{_LATER}""",
        values=_LANGUAGES,
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"""\b(?:prefiero|quiero|me gustan|dame(?: siempre)?|
            siempre) (?:las |unas )?respuestas (?:mas |muy |bien )?(?P<v>cortas|breves|concisas|largas|detalladas|
            sencillas|simples)\b""",
        values={"c": "short", "b": "short", "l": "long", "d": "detailed", "s": "simple"},
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"\b(?:se|sea) (?:siempre |mas |muy )?(?P<v>breve|concis[oa]|detallad[oa])\b",
        values={"b": "short", "c": "short", "d": "detailed"},
    ),
    slot(
        "answer_length",
        ValueKind.CLOSED,
        r"\b(?:responde|respondeme|contesta|contestame) (?:siempre )?(?P<v>brevemente|corto|en corto|con detalle)\b",
        values={"b": "short", "co": "short", "en": "short", "con": "detailed"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\b(?:tratame|hablame|puedes tratarme|tuteame)(?: siempre)? de (?P<v>tu|vos|usted)\b",
        values={"t": "informal", "v": "informal", "u": "formal"},
    ),
    slot(
        "answer_tone",
        ValueKind.CLOSED,
        r"\b(?:puedes |me puedes )?(?P<v>tuteame|tutearme|tutear)\b",
        values={"t": "informal"},
    ),
    slot(
        "emoji",
        ValueKind.CLOSED,
        r"\b(?P<v>sin|no uses|nada de) (?:emojis?|emoticonos?)\b",
        values={"s": "no", "n": "no"},
    ),
)


SPANISH = ForeignLanguage(
    slots=_SLOTS,
    value_end=pattern_of(
        r""" (?:y (?:yo|me|mi|mis|no|quiero|busco|necesito|tengo|soy|vivo|trabajo|estoy|estudio|el|la|los|las|nos|
            es|se|ahora|tambien|a (?:mi|veces|ver)|hay|quisiera|ando|como|bebo|nunca|siempre|desde|ya)|pero|porque|
            desde|hace|cuando|que|si|donde|con|para|como|asi que|por (?!la )|ahora|actualmente|porfa|por favor|
            aunque|pues|entonces|tambien|puedes|me (?!gust)|mientras|sin|en (?!la\b|el\b|los\b)|cada|todos|dame|
            hazme|dime|gracias|ni siquiera|aun|todavia|ya|o sea|de momento|excepto|salvo|solo|pues|nada|verdad|
            hasta|cual|este|el (?:mes|ano)|la semana|de lunes|originalmente|aqui|casi)\b|(?:\s[-–—]\s)"""
    ),
    no_value=word_set(
        """yo tú él ella nosotros vosotros ustedes ellos me te se nos mi mis tu tus su sus nuestro nuestra este
            esta esto ese esa eso nada todo todos qué que quién quien cómo como cuándo cuando dónde donde cuál no
            nunca un una el la los las lo aquí allí allá casa ciudad pueblo campo centro piso departamento afueras
            playa pareja familia paz solo sola extranjero capital momento busco quiero necesito tengo soy estoy
            puedo gracias ayuda ideas receta alguien algo bien mal muy más menos tan tanto siempre ahora hoy mucho
            mucha poco cansado cansada nuevo nueva curioso tal así verdad cenar comer dos tres tiempo lejos cerca
            medio comida desayuno noche ni y o a de por sin con para si ya fin mañana luego después pronto tarde
            madre padre mamá papá"""
    ),
    articles=pattern_of(r"(?:el|la|los|las|un|una|unos|unas|al|a la|a los|a las|a|ningun|ninguna|ni) "),
    between=pattern_of(r" (?:y|e|o|u|ni) "),
)
