"""Phrases of many languages with the days they mean, said on a Friday: all of our own writing.

Each row has a language, a text with the words of the date between stars, and its first day; a row without stars names
no day.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

SAID = datetime(2026, 11, 20, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Phrase:
    """A text and the days it names."""

    language: str
    text: str
    quotes: tuple[str, ...]
    first_days: tuple[str, ...]


def phrases(language: str, rows: str) -> list[Phrase]:
    """Read rows of 'text *words* = day day'."""
    read = []
    for row in filter(None, (line.strip() for line in rows.splitlines())):
        said, _, days = row.rpartition("=") if "=" in row else (row, "", "")
        parts = said.strip().split("*")
        read.append(Phrase(language, "".join(parts), tuple(parts[1::2]), tuple(days.split())))
    return read


LATIN = {
    "de": """
        *Letzten Sommer* war ich in Italien und im Winter fahre ich nach Norwegen = 2026-06-01
        *Im Sommer 2019* war ich in Rom = 2019-06-01
        Bis Freitag muss ich fertig sein
        *Ende Mai* ziehen wir um = 2027-05-01
        *Am Freitag, den 13. November*, war ich im Kino = 2026-11-13
        Was habe ich *letzten Montag* gemacht? = 2026-11-16
        Ich habe am Montag einen Termin beim Zahnarzt
        *Am Montag* werde ich beim Zahnarzt sein = 2026-11-23
        *Am Montag* war ich beim Zahnarzt und am Mittwoch fliege ich nach Rom = 2026-11-16
        *Seit dem 3. Mai 2021* wohne ich in Halle = 2021-05-03
        Wir ziehen *im März* um = 2027-03-01
        Ich bin *im März* umgezogen = 2026-03-01
        *nächste Woche Dienstag* muss ich zum Arzt = 2026-11-24
        *Vor drei Tagen* war ich krank = 2026-11-17
        Das Treffen ist *am 12.3.2026* = 2026-03-12
        Das Treffen war *am 12.3.* = 2026-03-12
        *in zwei Wochen* fliege ich nach Spanien = 2026-11-30
        *letztes Jahr* war ich in Spanien = 2025-01-01
        Ich fahre *übermorgen* nach Köln und war *vorgestern* in Bonn = 2026-11-22 2026-11-18
        Das Konzert ist auf *den 3. Mai* verschoben = 2027-05-03
        Ich arbeite von Montag bis Freitag
        Ich gehe montags schwimmen und jeden Dienstag zum Yoga
        Ich habe den Roman in zwei Tagen gelesen
        Guten Morgen! Ich bin es.
        Wir treffen uns am ersten Montag im Monat
        Kommst du *morgen*? = 2026-11-21
    """,
    "es": """
        El *verano pasado* estuve en Italia = 2026-06-01
        *este fin de semana* voy a la playa = 2026-11-21
        *A finales de mayo* nos mudaremos = 2027-05-01
        ¿Qué hice *el lunes pasado*? = 2026-11-16
        *El 3º de mayo* voy a Madrid = 2027-05-03
        *Ayer por la noche* cené con Ana y *mañana por la mañana* viajo a Lima = 2026-11-19 2026-11-21
        *hace dos semanas* compré un coche = 2026-11-02
        me mudé *en marzo de 2023* = 2023-03-01
        Reunión *el 12/03/2026* = 2026-03-12
        la *semana que viene* tengo un examen = 2026-11-23
        *Anteayer* llovió y *pasado mañana* viene mi hermana = 2026-11-18 2026-11-22
        Los lunes voy al gimnasio por la mañana
        Trabajo de lunes a viernes
        Hoy en día todo es caro
    """,
    "fr": """
        L'*été dernier* je suis allé en Grèce = 2026-06-01
        *ce week-end* je vais à la plage = 2026-11-21
        Qu'est-ce que j'ai fait *lundi dernier* ? = 2026-11-16
        *Le 1er mars 2026* je commence mon nouveau boulot = 2026-03-01
        *Mardi* j'ai mangé chez ma mère = 2026-11-17
        J'ai une réunion mardi
        Je serai en réunion *mardi* = 2026-11-24
        *il y a trois jours* j'ai vu un film = 2026-11-17
        l'*année dernière* nous avons déménagé = 2025-01-01
        le *mois prochain* nous partons au Japon = 2026-12-01
        *Avant-hier* il pleuvait, *après-demain* je pars = 2026-11-18 2026-11-22
        *dans deux semaines* je me marie = 2026-11-30
        Le lundi je fais du yoga
        Le premier lundi du mois je fais du yoga
        Du lundi au vendredi je travaille
    """,
    "pt": """
        *No verão passado* fui à Grécia = 2026-06-01
        *Na segunda-feira passada* fui ao médico = 2026-11-16
        *amanhã* tenho uma reunião às 9 da manhã = 2026-11-21
        *há três meses* mudei para o Porto = 2026-08-01
        no *próximo mês* vou viajar = 2026-12-01
        *Na segunda* fui ao médico e na sexta tenho uma reunião = 2026-11-16
        *Anteontem* choveu e *depois de amanhã* vou ao dentista = 2026-11-18 2026-11-22
        Nasci *em 12 de maio de 1990* = 1990-05-12
        Na segunda variação da história eu não fui
    """,
    "it": """
        L'*estate scorsa* siamo andati in Grecia = 2026-06-01
        Cosa ho fatto la *settimana scorsa*? = 2026-11-09
        *Ieri sera* sono andato al cinema, *dopodomani* parto = 2026-11-19 2026-11-22
        *tre giorni fa* ho comprato una bici = 2026-11-17
        *fra due settimane* mi sposo = 2026-11-30
        *Lunedì prossimo* ho un esame = 2026-11-23
        Siamo arrivati *il 5 marzo 2024* = 2024-03-05
        Ho comprato 3 set di piatti
        Il lunedì vado a nuotare
    """,
    "nl": """
        *Vorige zomer* was ik in Griekenland = 2026-06-01
        Wat heb ik *afgelopen maandag* gedaan? = 2026-11-16
        *Morgen* ga ik naar de tandarts = 2026-11-21
        *drie weken geleden* was ik ziek = 2026-10-26
        *Op 5 mei 2024* ben ik verhuisd = 2024-05-05
        *volgende maand* ga ik naar Rome = 2026-12-01
        Ik was *eergisteren* ziek en ga *overmorgen* werken = 2026-11-18 2026-11-22
        Ik sport elke maandag
    """,
    "pl": """
        Co robiłem *w zeszły poniedziałek*? = 2026-11-16
        *5 maja* mam wizytę u lekarza = 2027-05-05
        *W piątek* byłem u lekarza, *w sobotę* pojadę do Krakowa = 2026-11-13 2026-11-21
        *dwa tygodnie temu* kupiłem rower = 2026-11-02
        *Przedwczoraj* padało, a *pojutrze* jadę do Gdyni = 2026-11-18 2026-11-22
        *Za tydzień* mam egzamin = 2026-11-23
    """,
    "cs": """
        Co jsem dělal *minulé pondělí*? = 2026-11-16
        *12. března 2026* letím do Říma = 2026-03-12
        *Před třemi dny* jsem byl nemocný = 2026-11-17
        *za týden* jedeme do Prahy = 2026-11-23
        *Zítra* jdu k lékaři = 2026-11-21
    """,
    "tr": """
        *Geçen yaz* Bodrum'a gittik = 2026-06-01
        *Mayıs ayında* taşınıyoruz = 2027-05-01
        *Geçen pazartesi* ne yaptım? = 2026-11-16
        *12 Mart'ta* sınavım var = 2027-03-12
        *Üç gün önce* hastaydım = 2026-11-17
        *Gelecek hafta* İzmir'e gidiyorum = 2026-11-23
        *5 Mayıs 2024'te* taşındım = 2024-05-05
        *Yarın* doktora gidiyorum = 2026-11-21
    """,
    "sv": """
        Vad gjorde jag *förra måndagen*? = 2026-11-16
        *På fredag* ska jag åka till Lund = 2026-11-27
        För *tre dagar sedan* var jag sjuk = 2026-11-17
        *Den 5 maj 2024* flyttade jag = 2024-05-05
        *Igår* var jag hos tandläkaren = 2026-11-19
    """,
    "da": """
        Hvad lavede jeg *sidste mandag*? = 2026-11-16
        For *tre dage siden* var jeg syg = 2026-11-17
        Jeg flyttede *den 5. maj 2024* = 2024-05-05
        *I morgen* skal jeg til tandlægen = 2026-11-21
    """,
    "no": """
        Hva gjorde jeg *forrige mandag*? = 2026-11-16
        For *to uker siden* kjøpte jeg bil = 2026-11-02
        *I overmorgen* skal jeg til tannlegen = 2026-11-22
    """,
    "fi": """
        *Toukokuussa* lähdemme Roomaan = 2027-05-01
        Mitä tein *viime maanantaina*? = 2026-11-16
        *Kolme päivää sitten* olin sairas = 2026-11-17
        Muutin *12. maaliskuuta 2024* = 2024-03-12
        *Ensi viikolla* lähden Roomaan = 2026-11-23
        *Huomenna* menen lääkäriin = 2026-11-21
    """,
    "hu": """
        Mit csináltam *múlt hétfőn*? = 2026-11-16
        *Három nappal ezelőtt* beteg voltam = 2026-11-17
        *2026. március 12-én* Rómába utazom = 2026-03-12
        *Jövő héten* vizsgám van = 2026-11-23
        *Tegnap* az orvosnál voltam = 2026-11-19
    """,
    "ro": """
        Ce am făcut *lunea trecută*? = 2026-11-16
        *Acum trei zile* am fost bolnav = 2026-11-17
        *Pe 12 martie 2026* plec la Roma = 2026-03-12
        *Săptămâna viitoare* am un examen = 2026-11-23
        În mai multe cazuri am fost la Roma
    """,
    "id": """
        Apa yang saya lakukan *Senin lalu*? = 2026-11-16
        *Tiga hari yang lalu* saya sakit = 2026-11-17
        *Pada tanggal 12 Maret 2026* saya pergi ke Bali = 2026-03-12
        *Minggu depan* saya ada ujian = 2026-11-23
    """,
    "vi": """
        *Thứ hai tuần trước* tôi đã làm gì? = 2026-11-09
        *Ba ngày trước* tôi bị ốm = 2026-11-17
        *Ngày 12 tháng 3 năm 2026* tôi đi Huế = 2026-03-12
        *Tuần sau* tôi có bài thi = 2026-11-23
    """,
    "ca": """
        Què vaig fer *dilluns passat*? = 2026-11-16
        *Fa tres dies* vaig estar malalt = 2026-11-17
        *El 12 de març del 2026* vaig a Roma = 2026-03-12
    """,
    "sr": """
        Šta sam radio *prošlog ponedeljka*? = 2026-11-16
        *Pre tri dana* sam bio bolestan = 2026-11-17
        *Sutra* idem kod lekara = 2026-11-21
    """,
    "et": "Mida ma *eelmisel esmaspäeval* tegin? = 2026-11-16",
    "lt": "Ką veikiau *praėjusį pirmadienį*? = 2026-11-16",
}
OTHERS = {
    "ru": """
        *Прошлым летом* я был в Греции = 2026-06-01
        Что я делал *в прошлый понедельник*? = 2026-11-16
        *12 марта 2026 года* я еду в Москву = 2026-03-12
        Я переехал *в марте* = 2026-03-01
        Мы встречаемся в пятницу, а *вчера* я был в кино = 2026-11-19
        *Три дня назад* я купил машину = 2026-11-17
        *через две недели* у меня экзамен = 2026-11-30
        в *прошлом году* я жил в Киеве = 2025-01-01
        Актуальность в 2000-х годах была большой
        Я работаю с понедельника по пятницу
    """,
    "uk": """
        *Минулого тижня* я був у Львові = 2026-11-09
        *Завтра* їду до Києва, *5 травня* маю іспит = 2026-11-21 2027-05-05
    """,
    "bg": """
        Какво правих *миналия понеделник*? = 2026-11-16
        *Преди три дни* бях болен = 2026-11-17
    """,
    "sr-cyrl": "Шта сам радио *прошлог понедељка*? = 2026-11-16",
    "el": """
        Τι έκανα *την περασμένη Δευτέρα*; = 2026-11-16
        *Στις 12 Μαρτίου 2026* πετάω για Ρώμη = 2026-03-12
        *Πριν από τρεις μέρες* ήμουν άρρωστος = 2026-11-17
        *Την Παρασκευή* πήγα στον γιατρό = 2026-11-13
    """,
    "ar": """
        ماذا فعلت *يوم الاثنين الماضي*؟ = 2026-11-16
        موعدي *يوم ١٢ مارس ٢٠٢٦* = 2026-03-12
        *قبل ثلاثة أيام* اشتريت سيارة = 2026-11-17
        *الأسبوع القادم* عندي امتحان = 2026-11-23
        سافرت إلى دبي *قبل أسبوعين* = 2026-11-02
        *غدا* سأذهب إلى الطبيب = 2026-11-21
    """,
    "he": """
        מה עשיתי *ביום שני שעבר*? = 2026-11-16
        *אתמול* הייתי אצל הרופא = 2026-11-19
        *לפני שבועיים* קניתי אוטו = 2026-11-02
        *12 במרץ 2026* אני טס לרומא = 2026-03-12
    """,
    "fa": """
        *دوشنبه گذشته* چه کار کردم؟ = 2026-11-16
        *۱۲ مارس ۲۰۲۶* به تهران می‌روم = 2026-03-12
        *سه روز پیش* مریض بودم = 2026-11-17
        ۱۲ مارس ۱۴۰۵ به تهران می‌روم
    """,
    "hi": """
        मैंने *पिछले सोमवार* को क्या किया था? = 2026-11-16
        *12 मार्च 2026* को मेरी परीक्षा है = 2026-03-12
        *तीन दिन पहले* मैं बीमार था = 2026-11-17
        *अगले हफ़्ते* मैं दिल्ली जाऊँगा = 2026-11-23
    """,
    "zh": """
        *去年夏天*我去了日本 = 2025-06-01
        每个周末我去游泳
        我*上周五*去看了医生 = 2026-11-13
        *2026年3月12日*我要去北京 = 2026-03-12
        *三天前*我买了一辆车 = 2026-11-17
        *下个月*我要搬家 = 2026-12-01
        *去年三月*我去了日本 = 2025-03-01
        *明天*我要去医院 = 2026-11-21
        *下周二*我有面试 = 2026-11-24
        *2026年03月05日*开会 = 2026-03-05
        他是現今日本最有名的演员
    """,
    "ja": """
        *去年の夏*に日本へ行った = 2025-06-01
        週末に海に行きます
        *先週の月曜日*に何をしましたか？ = 2026-11-09
        *３月12日*に東京へ行きます = 2027-03-12
        *三日前*に引っ越しました = 2026-11-17
        *来月*結婚します = 2026-12-01
        *昨年5月*に日本へ行った = 2025-05-01
        *昨日*映画を見ました = 2026-11-19
        令和8年3月12日に生まれた
        べんきょうをします
    """,
    "ko": """
        *지난 여름*에 제주도에 갔어 = 2026-06-01
        *지난주 월요일*에 뭐 했지? = 2026-11-09
        *3월 12일*에 시험이 있어요 = 2027-03-12
        *어제* 병원에 갔어요 = 2026-11-19
        *3일 전*에 이사했어요 = 2026-11-17
        *다음 달*에 결혼합니다 = 2026-12-01
        *작년 5월*에 서울로 이사했어요 = 2025-05-01
    """,
    "th": """
        *วันจันทร์ที่แล้ว*ฉันทำอะไร = 2026-11-16
        *สามวันก่อน*ฉันป่วย = 2026-11-17
        วันที่ 12 มีนาคม 2569 ฉันไปเชียงใหม่
    """,
}
PHRASES = [phrase for code, rows in (LATIN | OTHERS).items() for phrase in phrases(code, rows)]
