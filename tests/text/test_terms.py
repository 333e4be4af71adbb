"""Which texts share a term: spellings, joined words, pictures, several languages in one text."""

from time import process_time

import pytest

from toldonce.text import STOP_WORDS, read_terms, stem, term_key, term_keys, terms, terms_of_word
from toldonce.text.languages import LANGUAGES, folded
from toldonce.text_caches import clear_text_caches


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("cafe", "A café by the sea"),
        ("café", "A cafe by the sea"),
        ("Strasse", "Die Straße ist laut"),
        ("Straße", "Die Strasse ist laut"),
        ("Muenchen", "I moved to München"),
        ("Munchen", "I moved to München"),
        ("München", "I moved to Muenchen"),
        ("Aarhus", "Jeg bor i Århus"),
        ("Kobenhavn", "Jeg bor i København"),
        ("Lodz", "Mieszkam w mieście Łódź"),
        ("Istanbul", "İstanbul'da yaşıyorum"),
        ("ısparta", "Isparta'ya gittik"),
        ("елка", "Мы нарядили ёлку, ёлка большая"),
        ("ha noi", "Tôi sống ở Hà Nội"),
        ("שלום", "שָׁלוֹם לכולם"),
        ("كتاب", "كِتَابٌ جديد"),
        ("كتاب", "كتـــاب جديد"),
        ("احمد", "صديقي أحمد"),
        ("ＯＳＬＯ", "I moved to Oslo"),
        ("٢٠٢٤", "It was in 2024"),
        ("2024", "كان ذلك سنة ٢٠٢٤"),
        ("コーヒー", "ｺｰﾋｰが好き"),
        ("naïve", "a nai\u0308ve plan"),
        ("over­see", "I oversee it"),
        ("homme", "C'est l'homme de la maison"),
        ("accord", "Je suis d\u2019accord"),
        ("OBrien", "Mr. O'Brien called"),
        ("O'Brien", "Mr. O\u2019Brien called"),
        ("dont", "I don't eat meat"),
        ("Istanbul", "We met in Istanbul'da, she says"),
    ],
)
def test_a_word_is_found_however_it_is_typed(asked: str, text: str) -> None:
    assert terms(asked).keys() & terms(text).keys()


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("email", "My e-mail is full"),
        ("e-mail", "My email is full"),
        ("nodejs", "It runs on node.js"),
        ("node.js", "It runs on nodejs"),
        ("ISO 9001", "We passed ISO-9001"),
        ("ISO-9001", "We passed ISO9001"),
        ("ISO 9001", "We passed ISO9001"),
        ("C++", "I write C++ at work"),
        ("C#", "I write C# at work"),
        ("1000", "It cost 1,000 euros"),
        ("3.5", "The 3.5 release"),
        ("@ana", "Ask Ana"),
        ("ana@example.com", "Write to ana@example.com."),
        ("ana", "Write to ana@example.com."),
        ("example.com", "It is at https://example.com/start"),
        ("getUserName", "call getusername first"),
        ("user name", "call getUserName first"),
        ("user_name", "the column username"),
        ("🐈", "My cat 🐈 sleeps"),
        ("👍🏽", "fine 👍"),
        ("🇳🇴", "Off to 🇳🇴!"),
        ("iPhone", "我的iPhone坏了"),
    ],
)
def test_what_is_joined_is_found_whole_and_in_parts(asked: str, text: str) -> None:
    assert terms(asked).keys() & terms(text).keys()


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("C++", "I take vitamin D and write Java"),
        ("🐈", "My dog 🐕 sleeps"),
        ("🇳🇴", "Off to 🇸🇪!"),
        ("й", "и"),
        ("3.5", "I am 35"),
        ("Berlin", "Ich wohne in München"),
    ],
)
def test_what_is_something_else_is_not_found(asked: str, text: str) -> None:
    assert not terms(asked).keys() & terms(text).keys()


def test_c_plus_plus_is_nearer_to_itself_than_to_the_letter() -> None:
    assert len(terms("C++").keys() & terms("I write C++").keys()) > len(terms("C++").keys() & terms("vitamin C").keys())


def test_vowel_signs_do_not_cut_a_word() -> None:
    assert len(terms("दिल्ली")) == 1
    assert len(terms("வணக்கம்")) == 1


def test_a_sentence_in_another_language_is_stemmed_as_that() -> None:
    text = "I met them in the city this week. Mis hermanas no viven en las montañas. They were all very kind."
    assert {"herman", "montan", "citi", "week"} <= terms(text).keys()
    assert "them" not in terms(text)


def test_a_name_that_is_a_word_elsewhere_is_never_left_out() -> None:
    for name in ("Mei", "Ana", "Der", "Los", "Una", "Jo", "Ni", "Ele"):
        assert terms(f"I met {name} again") & terms(name), name


def test_english_has_one_term_a_word() -> None:
    text = "Caroline is moving to a bigger apartment because her counseling practice keeps growing"
    assert sorted(terms(text)) == sorted(
        ["carolin", "move", "bigger", "apart", "becaus", "counsel", "practic", "keep", "grow"]
    )


NEGATIONS = {
    "en": "not no never none nobody nothing nor without don't can't",
    "es": "no nunca nada nadie ni sin",
    "fr": "ne pas jamais rien personne sans non",
    "de": "nicht kein keine keinen nie niemals nichts ohne nein",
    "it": "non no mai niente nulla nessuno senza",
    "pt": "nao nunca nada ninguem nem sem",
    "nl": "niet geen nooit niets niemand zonder nee",
    "sv": "inte aldrig ingen inget utan nej ej",
    "da": "ikke aldrig ingen intet uden nej",
    "no": "ikke aldri ingen ingenting uten nei",
    "fi": "en et ei emme eivat ilman",
    "hu": "nem ne soha semmi senki sem",
    "ro": "nu niciodata nimic nimeni fara nici",
    "tr": "degil yok hayir asla hic",
    "id": "tidak bukan belum jangan tak tanpa",
    "ca": "no mai res ningu sense",
    "pl": "nie nigdy nic nikt bez ani",
    "cs": "ne neni nikdy nic nikdo bez ani",
    "sr": "ne nije nisam nikad nista niko bez ni",
    "lt": "ne nera niekada nieko niekas be",
    "et": "ei mitte kunagi miski keegi ilma",
    "eu": "ez inoiz ezer inor gabe",
    "ga": "ni nil nach gan",
    "eo": "ne neniam nenio neniu sen",
    "vi": "khong chua",
    "ru": "не ни нет никогда ничего никто без",
    "uk": "не ні ані немає ніколи нічого ніхто без",
    "bg": "не ни няма никога нищо никой",
    "sr-cyrl": "не ни није нисам никад ништа нико без",
    "ar": "لا ليس ليست لم لن غير بدون ابدا",
    "fa": "نه نيست نيستم هرگز هيچ بدون",
    "ur": "نہيں نہ مت كبھي بغير",
    "he": "לא אין אף בלי אל",
    "yi": "נישט ניט קיין אן",
    "hi": "नहीं न ना मत कभी बिना",
    "ne": "छैन होइन न",
    "mr": "नाही नको",
    "el": "δεν δε μην μη ποτε οχι χωρις",
    "hy": "ոչ չէ առանց",
    "ta": "இல்லை",
    "ko": "안 못 아니 없",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_list_of_stop_words_holds_a_negation(code: str) -> None:
    assert not LANGUAGES[code].stop & folded(NEGATIONS[code])


@pytest.mark.timing
def test_a_long_text_takes_a_time_in_proportion() -> None:
    for piece in ("a", "aB", "1", "a-", "a.b", "x_", "é", "猫", "ส", "C+", "don't ", "1,"):
        started = process_time()
        terms(piece * 50_000)
        assert process_time() - started < 2, piece


def test_no_word_is_kept_when_caches_are_emptied() -> None:
    terms("zyzzyva montañas")
    term_keys(b"salt")["zyzzyva"]
    clear_text_caches()
    assert terms_of_word.cache_info().currsize == stem.cache_info().currsize == 0
    assert "zyzzyva" not in term_keys(b"salt")


def test_hashes_of_many_terms_are_those_of_each() -> None:
    words = [f"word{number}" for number in range(12_000)]
    keys = term_keys(b"another salt")
    assert [keys[word] for word in words] == [term_key(b"another salt", word) for word in words]
    assert len(keys) <= 10_000


def test_words_are_read_in_order_with_their_terms() -> None:
    assert read_terms("¿Dónde están las montañas?")[-1] == ("montañas", ("montana", "montan"))
    assert not STOP_WORDS & terms("where is the cat").keys()
