"""What each language is told by: its function words and letters, and its stemmer. Data, our own. Pure.

All words are written as `fold` leaves them: without accents and case, so that who types none is understood as well.
Stop words say nothing of a text's subject; negations are never among them, as "not" is the whole difference between two
memories. Marks are words that tell the language as surely, but are looked for in memories as any other.
"""

from dataclasses import dataclass

from recollect.text.normalize import fold


@dataclass(frozen=True, slots=True)
class Language:
    """One language."""

    script: str
    """Of `scripts.SCRIPTS`."""
    stemmer: str
    """Name of the Snowball stemmer; of our own: `cut`, `whole`, `hebrew`, `urdu`."""
    stop: frozenset[str]
    marks: frozenset[str] = frozenset()
    letters: str = ""
    """Letters and marks that few other languages of the script have."""


def folded(words: str) -> frozenset[str]:
    """Read a list of words as they are compared: see `fold`."""
    return frozenset(fold(word) for word in words.split())


def _latin(stemmer: str, stop: str, marks: str = "", letters: str = "") -> Language:
    return Language("latin", stemmer, folded(stop), folded(marks), letters)


# English words that stand in most messages and say nothing of their subject. Negations are not among them.
STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be been being both but by can could did do does doing done for
    from get got had has have having he her here hers him his how i i'd i'll i'm i've if in into is it it's its just
    let like me might more most much must my of oh on one or our ours out over really she should so some such than
    that that's the their theirs them then there these they this those through to too under up us very was we were
    what when where which while who whom whose why will with would yeah yes you your yours""".split()
)

# Words of other languages that are English words as well: alone they tell nothing.
ENGLISH_TOO = STOP_WORDS | frozenset(
    """ad ah ai al ale alt apa arm art as ate bar bare bat be ben bet bi bin bio bit biz bo bon bra but butter ca camp
        cap car care cat ce chat chi co com come comment con dan dare data de den dew die dig din dir do don door dove
        ed el em end er era et eve fa fall far fare fast fest few fin fine finger fire for fort fur gift go god gods gut
    ha hade half ham hand hat hay hell hem hen hi hon hun ii ill ins io ja jest jog ken kin kind kit la lam land
    las le len les li list lo long los ma made mag main mais male man mar mas max men met mi min mine mint mit mod
    mode moment mon must na nada nag name nap nas nay ne need net never ni nil no non nor nos not now nun of ok on
    once op or os pa pain pan par pas past per pet place plain plus port post pour pre pro rad rat re red res ring
    sa sage sale sam san sang sans santa sea seal sed see sein seine sell sen sense ser serve si sin sine singe sit
    sky slut sole son song sons stand still sur ta take tan tar ten the ti tie till to todo todos tom ton tot tour
    tout tu two um un under van var ve very via vid wan want war ware warm wart was well wet wie wild wind winter
    wo word ya yes yet yo""".split()
)

# Words that also begin names of people and places: less of a sign than others.
NAME_PARTS = frozenset(
    "al da das de dei del della den der des di do dos du el la las le les los san van von ter".split()
)

_ENGLISH = _latin("english", "", "not no never don't doesn't didn't can't isn't know think want live lives work")

LATIN = {
    "en": Language("latin", "english", STOP_WORDS, _ENGLISH.marks),
    "es": _latin(
        "spanish",
        """a al algo como con cual cuando cuanto de del desde donde e el ella ellas ellos en entre era eres es esa ese
        eso esta estaba estas este esto estos estoy fue ha hace hacia han hasta hay he la las le les lo los mas me mi
        mis mucho muy nos nosotros o otra otro para pero por porque que quien se sea ser si sobre son soy su sus tal
        tambien te tener tengo ti tiene todo todos tu tus un una uno unos usted y ya yo""",
        """no nunca nada nadie ni sin vivo vive trabajo gusta gustan quiero hola gracias cuantos cuales
        ahora anos tambien comer bebo como puedo puede quiere prefiero necesito hermana hermano madre padre
        hijo hija amigo amigos amiga perro gato casa dia dias semana cumpleanos ciudad alergia""",
        "ñ¿¡",
    ),
    "fr": _latin(
        "french",
        """a ai as au aux avec avez avoir avons c ca ce cela ces cette chez comme dans de depuis des donc du elle elles
        en es est et etait ete etre eu il ils j je l la le les leur leurs lui ma mais me mes moi mon nos notre nous on
        ont ou par pour qu quand que quel quelle quelles quels qui sa se ses si son sont suis sur ta te tes toi ton
        tous tout tres tu un une vos votre vous y aussi ainsi""",
        """ne pas jamais rien personne sans habite travaille aime bonjour merci quoi combien pourquoi
        aujourd'hui mange bois peux peut veux prefere besoin soeur frere mere pere fils fille ami amis amie
        chien maison jour jours semaine anniversaire ville travail""",
        "çœêùû",
    ),
    "de": _latin(
        "german",
        """aber als am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der des die dir doch
        du durch ein eine einem einen einer eines er es etwas euch fur habe haben hast hat hatte hatten ich ihm ihn ihr
        ihre im in ins ist ja kann konnen man mein meine meinem meinen meiner mich mir mit nach noch nur ob oder sehr
        sein seine seit sich sie sind so uber um und uns unser unter vom von vor war waren was wegen weil wenn wer wie
        wir wird wo wurde zu zum zur zwei""",
        """nicht kein keine keinen nie niemals nichts ohne wohne wohnt arbeite mag hallo danke warum welche
        wann wohin esse isst trinke trinkt mochte brauche gerne schwester bruder mutter vater sohn tochter
        freund freunde freundin hund katze haus tag tage woche geburtstag stadt arbeit jahre jahren wieder
        immer unsere unserer unser""",
        "ßäöü",
    ),
    "it": _latin(
        "italian",
        """a ad ai al alla alle anche che chi ci come con da dal dalla degli dei del della delle di dove e ed era
        fa gli ha hai hanno ho i il in io la le lei li lo loro lui ma me mi mia mie miei mio molto ne nei nel nella noi
        nostro o per perche piu poi quale quali quando quanto quello questa queste questi questo se sei si sia siamo
        sono sta sto su sua sue sugli sui sul sulla suo suoi ti tra tu tua tuo tutti tutto un una uno vi voi""",
        """non mai niente nulla nessuno senza abito vivo lavoro lavora piace ciao grazie quanti quanta
        adesso cosa anni mangio bevo posso voglio preferisco sorella fratello madre padre figlio figlia
        amico amici cane gatto giorno giorni settimana compleanno citta anno chiama chiamo sto""",
        "ìò",
    ),
    "pt": _latin(
        "portuguese",
        """a ao aos as ate com como da das de dela dele deles depois do dos e ela elas ele eles em entre era essa esse
        esta estao estar estas este estes estou eu foi foram ha isso isto ja la lhe mais mas me mesmo meu meus minha
        minhas muito na nas no nos o os ou para pela pelo por porque qual quais quando que quem se ser seu seus so
        sou sua suas tambem te tem tenho teu teve tu tua tudo um uma umas uns voce voces""",
        """nao nunca nada ninguem nem moro mora trabalho trabalha gosto gosta quero ola obrigado obrigada
        onde quantos bebo posso pode quero prefiro preciso irma irmao mae pai filho filha amigo amigos
        cachorro gato dia dias semana aniversario cidade trabalho""",
        "ãõç",
    ),
    "nl": _latin(
        "dutch",
        """aan al als alle ben bent bij dan dat de deze die dit door dus een eens en er ge geweest had hadden heb
        hebben heeft
        hem het hier hij hoe hun ik in is ja je jij jou jouw jullie kan kunnen maar me meer men met mij mijn moet na
        naar nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor waar want
        waren was wat we wel werd wie wij word worden ze zelf zich zij zijn zo zou""",
        """niet geen nooit niets niemand zonder woon woont werk werkt hou houdt hallo bedankt waarom wanneer
        welke vind eet drink drinkt wil graag zus broer moeder vader zoon dochter vriend vrienden vriendin
        hond kat huis dag dagen verjaardag stad jaar jaren elke gaan""",
        "ĳ",
    ),
    "sv": _latin(
        "swedish",
        """alla allt att av bara blev bli blir da dar de dem den denna deras dess det detta dig din dina ditt du efter
        eller en er ett fran for ha hade han hans har henne hennes hon hur i in inom ja jag kan man med mellan men
        mig min mina mitt mot mycket nar nagon nagot ni nu och om oss pa sa samma sedan sig sin sina sitt ska som till
        under upp ut vad var vara vart vem vi vid vilken ar""",
        """inte aldrig ingen inget ingenting utan bor arbetar jobbar gillar alskar hej tack varfor varje
        ater dricker vill garna syster bror mor dotter van vanner hund hundar katt katter hus dag dagar
        vecka fodelsedag stad arbete heter vilka tycker""",
        "åäö",
    ),
    "da": _latin(
        "danish",
        """ad af alle alt at blev blive bliver da de dem den denne der deres det dette dig din dine dit du efter eller
        en end er et for fra ham han hans har havde hende hendes her hos hun hvad hvem hvilken hvis hvor hvornar i ind
        jeg jer kan man mange med meget men mig min mine mit mod nar nogen noget nu og om op os over pa sa selv sig
        sin sine sit skal som til ud under var vi vil ville vaere""",
        """ikke aldrig ingen intet uden bor arbejder elsker hej tak hvorfor af mig dig vaeret spiser drikker
        gerne soster bror mor datter ven venner hund kat hus dag dage uge fodselsdag arbejde hedder hvilke""",
        "æøå",
    ),
    "no": _latin(
        "norwegian",
        """alle alt at av ble bli blir da de deg dem den denne der deres det dette din dine ditt du eller en er et etter
        for fra ha hadde han hans har henne hennes her hos hun hva hvem hvilken hvis hvor i inn ja jeg kan man mange med
        meg men min mine mitt mot mye nar noe noen na og om opp oss over pa sa seg selv sin sine sitt skal som til under
        ut var vi vil ville vaere""",
        """ikke aldri ingen ingenting uten bor jobber arbeider liker elsker hei takk hvorfor av meg deg
        vaert spiser drikker gjerne soster bror mor datter venn venner hund katt hus dag dager uke bursdag
        arbeid heter hvilke""",
        "æøå",
    ),
    "fi": _latin(
        "finnish",
        """ettei etta han hanen he heidan hanta ja joka jos jotka kanssa keita ken kenen koska kuin kuka kun me mika
        mina minua minulla minun minut missa mista mihin milloin miten mitka mita mukaan mutta myos ne niin nyt
        nyt oli olemme olen olet olette olin olisi on ovat se sen sina sinua sinulla sinun siella siita sita tai tama
        tassa taman te tuo vaan vai vain viela voi""",
        """en et ei emme eivat ilman asun asuu tyoskentelen tykkaan pidan rakastan hei kiitos miksi syon syo
        juon juo haluan sisko siskoni veli aiti isa poika tytar ystava ystavani koira koirani kissa kissani
        talo paiva viikko kaupunki tyo vuosi joka nimi""",
        "äö",
    ),
    "hu": _latin(
        "hungarian",
        """a az abban ahol ami amely amikor arra be benne csak de ebben egy egyik ehhez el en es ez ezt fel hanem hat
        hogy hogyan hol ha honnan igen is itt kell ki kit le lehet lesz lett ma maga magam meg mely mert mi miert mikor
        mint minden mit mivel most mar neki nekem o ok olyan ott s sok szamara szerint te tehat tobb ugy utan vagy
        vagyok van volt voltam""",
        """nem ne soha semmi senki sem nelkul lakom lakik elek dolgozom dolgozik szeretem szereti szia
        koszonom eszem iszom szeretnek kik kinek testverem noverem batyam anyam apam fiam lanyom baratom
        barataim kutya kutyam macska haz nap het szuletesnap varos munka ev minden hivjak hol melyik""",
        "őűöü",
    ),
    "ro": _latin(
        "romanian",
        """a acea aceasta aceste acest acesta ai al ale am ar are as asa asta ati au avea avem ca care cand cat ce
        cea cei cel cele cine cu cum da dar de decat deci despre din doar dupa ea ei ele el era este esti eu fi fie
        fost i iar ii il in intre isi la le li lor lui mai mea mei mele meu mi mie ne noastra noi nostru o or pe pentru
        prin sa sale sau se si sunt sunteti suntem ta tau te ti toate tot toti tu un una unde unei unor unui va voi""",
        """nu niciodata nimic nimeni fara nici locuiesc locuieste lucrez lucreaza place salut multumesc
        multe mananc beau vreau sora fratele mama tata fiul fiica prieten prieteni caine pisica casa zi zile
        saptamana oras ani""",
        "țșăţş",
    ),
    "tr": _latin(
        "turkish",
        """acaba ama ancak bana bazi belki ben beni benim bir biri bize biz bizim bu buna bunda bunlar bunu bunun cok
        cunku da daha de diye e en gibi hem hep her hepsi icin ile ise iste kadar ki kim kimin mi mu nasil ne neden
        nerede nereye niye o olan olarak oldu olur ona onlar onu onun sana sanki sen seni senin siz sizin su var ve
        veya ya yani hangi""",
        """degil yok hayir asla hic olmadan yasiyorum yasiyor calisiyorum oturuyorum severim seviyorum
        merhaba yerim icerim istiyorum kardesim annem babam oglum kizim arkadasim arkadaslar kopek kedi
        kedim ev gun hafta sehir yil hangi adi kim kimler""",
        "ığşöü",
    ),
    "id": _latin(
        "indonesian",
        """ada adalah agar akan aku anda apa apakah atau bagaimana bagi bahwa banyak beberapa bila bisa boleh dalam
        dan dapat dari dengan di dia dimana hanya harus ia ini itu jadi jika juga kami kamu kapan karena ke kepada kita
        lagi lain lebih maka mana masih mereka oleh pada para pernah saat saya sampai sangat saja satu sebagai secara
        sedang sekarang seperti siapa sudah suatu telah tentang tetapi tapi untuk yang""",
        """tidak bukan belum jangan tak tanpa tinggal bekerja suka berapa mengapa terima kasih kenapa makan
        minum mau ingin kakak adik ibu ayah anak teman kucing anjing rumah hari minggu kota kerja tahun nama
        namanya setiap bersama""",
    ),
    "ca": _latin(
        "catalan",
        """a al als amb aquest aquesta aquests aixo aixi com de del dels des els em en entre era es esta estic et eren
        fa fins ha han he hem hi i ja jo l la les li lo mes meu meva molt nosaltres o on pel per pero perque pels quan
        que qui quin quina se ser seu seva si sobre soc son sota tambe te tinc teu teva tot tots un una unes uns
        vaig va van vosaltres""",
        """mai res ningu sense cap visc viu treballo treballa agrada bon dia gracies avui menjo bec puc vull
        germana germa mare pare fill filla amic amics gos gat casa dia dies setmana ciutat feina""",
        "·",
    ),
    "pl": _latin(
        "polish",
        """a aby ale albo az bardzo bo by byc byl byla bylo byly chce ci cie co czy czyli dla do gdzie go i ich ile im
        ja jak jako jego jej jest jestem jestes jeszcze ktora ktore ktory kiedy kto ma mam mi mnie moj moja moje mu my
        na nad nam nas o od on ona one oni ono oraz po pod przed przez przy sa sie sobie sam swoj swoja ta tak takze
        tam te tego tej ten to tobie tu tutaj twoj twoja ty tych tym u w wiec wszystko za ze z""",
        """nie nigdy nic nikt bez ani mieszkam mieszka pracuje lubie kocham czesc dziekuje dlaczego ktorym
        jem pije chce siostra brat matka ojciec syn corka przyjaciel pies psa kot kota dom dzien tydzien
        urodziny miasto praca rok lat jaki jaka jakie jacy sa""",
        "łąęśźżń",
    ),
    "cs": _latin(
        "czech",
        """a aby ale asi az by byl byla bylo byt co do ho i ja jak jako je jeho jej jeji jen jeste ji jich jsem jsi
        jsme jsou k kde kdo kdy kdyz ke ktera ktere ktery ma mam mi mit mne moje muj my na nad nas o od on ona oni pak
        po pod podle pro proto protoze pred pri s se si sve svuj ta tady tak take takze te ten tento to tohle tom tu
        tvuj ty u uz v ve vsak vsechno z za ze""",
        """ne neni nikdy nic nikdo bez bydlim bydli pracuji pracuju rad rada miluji ahoj dekuji dekuju proc
        nemam jim piju chci sestra bratr matka otec syn dcera pritel pes psa kocka dum den tyden narozeniny
        mesto prace rok let jaky jaka jake""",
        "řěůčšž",
    ),
    "sr": _latin(
        "serbian",
        """a ali bi bih bila bili bilo bio biti da do ga gde gdje i ih ili im ima imam iz ja je jedan jedna jesam jeste
        jos kad kada kao kako ko koja koje koji kod li me mi moj moja moje moze mu na nad nam nas njegov njen o od on
        ona oni ono ovaj ovo po pod pre prije sa sam samo se si smo ste sta sto su sve svi svoj ta tako te ti to tu tvoj
        u uz vec vi vrlo za zar""",
        "ne nije nisam nikad nikada nista niko bez zivim zivi stanujem radim radi volim zdravo hvala zasto",
        "đćčšž",
    ),
    "lt": _latin(
        "lithuanian",
        """ant apie ar as bei bet bus buvo butu dar del i ir is iki ja jau jei ji jie jo jos jog ju jus kad kada kai
        kaip kas kiek koks kol kur kuri kuris labai man mane mano mes mus musu nuo o pas per po prie savo su ta tad
        tai taip tas tau tavo ten tik to tu turi turiu uz yra zmones""",
        "ne nera niekada nieko niekas be gyvenu gyvena dirbu dirba megstu myliu labas aciu kodel",
        "ėįųūž",
    ),
    "et": _latin(
        "estonian",
        """aga ehk et ja jah juba ka kas keda kelle kes kui kuhu kuid kuidas kus ma mida meie milline millal
        mina minu mis mul mulle nad nagu need nende ning nii nuud oled oleme olen oli olid olin on ole oma palju see
        seda selle seal siin siis sa sina sinu sul ta talle tema te teie uks vaga veel voi""",
        "ei mitte kunagi miski keegi ilma elan elab tootan tootab armastan meeldib tere aitah miks mulle",
        "õäöü",
    ),
    "eu": _latin(
        "basque",
        """al ala baina bat batean batek baten bere da daiteke dago dira ditu dituzte du dut dute edo egin egon ere eta
        gu guk gure hau hauek hemen hori hura izan izango nago naiz nire nik ni nola non noiz nor zer zein zen zu zuk
        zure zara gara zergatik""",
        "ez inoiz ezer inor gabe bizi lan kaixo eskerrik gustatzen maite",
    ),
    "ga": _latin(
        "irish",
        """a ag agus an ar as at ba bhi bhfuil cad cathain ce cen chun conas da de den do don e faoi go i is iad le leis
        liom leat me mar mo na o os sa se seo sin si sinn sibh ta taim te tu uaim""",
        "ni nil nach gan rud conai oibrim obair maith dia duit ca",
    ),
    "eo": _latin(
        "esperanto",
        """al ankau au car cu da de do ech el en esti estas estis gi hodiau ili ilia io iu je jes kaj kajn ke kia kiam
        kie kiel kio kiu kun la lau li lia mi mia mian miaj ni nia nun oni per pli plej por post pri se sed sia si sur
        tia tie tio tiu tre tro vi via""",
        "ne neniam nenio neniu sen logas laboras satas amas saluton dankon kial mangas",
        "ĉĝĥĵŝŭ",
    ),
    "vi": _latin(
        "whole",
        """anh ay ban bi boi cac cai cho co con cua cung da dang dau de den di do duoc em gi ho hay khi la lai lam len
        luc ma minh moi mot nao nay neu nguoi nha nhu nhung nhieu o ra rat roi se the thi thich toi trong tu va van vao
        ve vi voi""",
        "khong chua song lam viec xin chao cam on sao duoc",
        "ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    ),
}
