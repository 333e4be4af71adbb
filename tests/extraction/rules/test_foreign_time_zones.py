"""The user's own time zone, stated in languages other than English."""

import pytest
from toldonce.extraction.rules.foreign_facts import foreign_facts

from toldonce.time_zones import read_zone


@pytest.mark.parametrize(
    ("language", "text", "value", "zone"),
    [
        ("de", "Meine Zeitzone ist Europe/Oslo.", "Europe/Oslo", "Europe/Oslo"),
        ("de", "meine zeitzone ist MEZ", "MEZ", "Europe/Berlin"),
        ("de", "Übrigens, meine Zeitzone ist die von New York, und ich koche gern.", "New York", "America/New_York"),
        ("es", "Mi zona horaria es America/Bogota.", "America/Bogota", "America/Bogota"),
        ("es", "mi zona horaria es UTC-5", "UTC-5", "UTC-05:00"),
        ("fr", "Mon fuseau horaire est UTC+1.", "UTC+1", "UTC+01:00"),
        ("pt", "Meu fuso horário é Sao Paulo.", "Sao Paulo", "America/Sao_Paulo"),
        ("it", "Il mio fuso orario è CET.", "CET", "CET"),
        ("nl", "Mijn tijdzone is Amsterdam.", "Amsterdam", "Europe/Amsterdam"),
        ("ru", "Мой часовой пояс — UTC+3.", "UTC+3", "UTC+03:00"),
        ("zh", "我的时区是Asia/Shanghai。", "Asia/Shanghai", "Asia/Shanghai"),
        ("ja", "私のタイムゾーンはAsia/Tokyoです。", "Asia/Tokyo", "Asia/Tokyo"),
        ("ar", "منطقتي الزمنية هي Asia/Dubai.", "Asia/Dubai", "Asia/Dubai"),
    ],
)
def test_the_zone_that_a_statement_names_is_read(language: str, text: str, value: str, zone: str) -> None:
    [found] = foreign_facts(text, language)
    assert (found.key, found.value, str(read_zone(found.value))) == ("time_zone", value, zone)
    assert text[found.start : found.end].endswith(value)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Mon fuseau est le même."),
        ("de", "Die Zeitzone von Tim ist Europe/Oslo."),
        ("de", "Meine Zeitzone ist dieselbe. Tim wohnt in Oslo."),
        ("es", "La zona horaria de mi jefe es UTC-5."),
        ("zh", "东京的时区是UTC+9。"),
    ],
)
def test_no_other_zone_is_the_users(language: str, text: str) -> None:
    assert "time_zone" not in {fact.key for fact in foreign_facts(text, language)}
