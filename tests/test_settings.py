"""Settings come from the environment, options before it, and each mistake is named in one sentence."""

from pathlib import Path

import pytest

from toldonce.errors import BadSettingError
from toldonce.settings import PREFIX, Settings, unknown_variables
from toldonce.settings.all_settings import secret_settings


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"{PREFIX}{name.upper()}", raising=False)


def test_the_defaults_need_no_key_and_no_network() -> None:
    settings = Settings.load()
    assert (settings.host, settings.port, settings.default_user) == ("127.0.0.1", 8765, "local")
    assert (settings.upstream_url, settings.upstream_key, settings.form_model, settings.embed_url) == (None,) * 4
    assert settings.database_url.startswith("sqlite:///")
    assert settings.database_url.endswith("toldonce.sqlite3")


def test_the_environment_counts_and_options_come_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLDONCE_PORT", "9000")
    monkeypatch.setenv("TOLDONCE_HOST", "::1")
    assert (Settings.load().port, Settings.load().host) == (9000, "::1")
    assert (Settings.load(port=9001, host=None).port, Settings.load(port=9001, host=None).host) == (9001, "::1")


def test_other_variables_of_the_same_prefix_are_nobodys_business(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLDONCE_SOAK", "200")
    assert Settings.load().port == 8765


def test_an_option_that_is_no_setting_is_refused() -> None:
    with pytest.raises(BadSettingError, match="TOLDONCE_PROT"):
        Settings.load(prot=1)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("PORT", "80000", "65535"),
        ("PORT", "", "integer"),
        ("TIME_ZONE", "Mars/Olympus", "Europe/Oslo"),
        ("TIME_ZONE", "", "Europe/Oslo"),
        ("TIME_ZONE", "../../etc/passwd", "Europe/Oslo"),
        ("UPSTREAM_URL", "localhost:11434/v1", "http"),
        ("UPSTREAM_URL", "ftp://host/v1", "http"),
        ("UPSTREAM_URL", "http:///v1", "http"),
        ("UPSTREAM_URL", "http://127.0.0.1:notaport/v1", "http"),
        ("UPSTREAM_URL", "http://127.0.0.1:99999/v1", "http"),
        ("UPSTREAM_URL", "http://127.0.0.1/v1?api-version=1", "cannot contain ? or #"),
        ("EMBED_URL", "http://127.0.0.1/v1#x", "cannot contain ? or #"),
        ("FORM_URL", "http://127.0.0.1/v1?", "cannot contain ? or #"),
        ("DATABASE_URL", "sqlite:memory.db", "sqlite:///path/to/file"),
        ("DATABASE_URL", "mysql://host/db", "sqlite:///path/to/file"),
        ("DATABASE_URL", "mysql://host/db", "postgresql://user:password@host"),
        ("DEFAULT_USER", " ", "blank"),
        ("DEFAULT_USER", "a\tb", "control character"),
        ("JWT_SECRET", "  ", "only spaces"),
        ("JWT_SECRET", "a\nb", "control character"),
        ("JWT_SECRET", "é" * 15 + "x", "has 31 bytes; a secret that signs must have 32 or more"),
        ("UPSTREAM_KEY", "key\r\n", "control character"),
        ("UPSTREAM_KEY", " ", "only spaces"),
        ("IDLE_TIMEOUT_S", "inf", "finite"),
        ("RECALL_TIMEOUT_S", "nan", "finite"),
        ("ORIGINS", "localhost:3000", "http://localhost:3000"),
        ("ORIGINS", "http://a.example, null", "http://localhost:3000"),
        ("ORIGINS", "http://a.example/chat", "http://localhost:3000"),
        ("PUBLIC_URL", "https://example.org/dashboard", "begins as this server's own"),
        ("PROXIES", "10.0.0.0/8, proxy.example", "10.0.0.0/8"),
        ("INJECTION", "somewhere", "split"),
        ("RECALL_LIMIT", "-1", "0"),
        ("FORM_TIMEOUT_S", "0", "greater than 0"),
        ("LOG_LEVEL", "loud", "debug"),
        ("WORKER", "perhaps", "'process', 'thread' or 'off'"),
    ],
)
def test_a_value_it_does_not_take_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, why: str
) -> None:
    monkeypatch.setenv(f"TOLDONCE_{name}", value)
    with pytest.raises(BadSettingError, match=f"TOLDONCE_{name}") as refused:
        Settings.load()
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_key_in_a_url_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLDONCE_UPSTREAM_URL", "https://me:geheim@host/v1")
    with pytest.raises(BadSettingError, match="a key belongs in the setting for the key") as refused:
        Settings.load()
    assert "geheim" not in str(refused.value)


def test_keys_show_in_no_print_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("UPSTREAM_KEY", "EMBED_KEY", "FORM_KEY", "JWT_SECRET")
    for name in secrets:
        monkeypatch.setenv(f"TOLDONCE_{name}", "geheim" * 6)
    settings = Settings.load()
    assert "geheim" not in f"{settings!r} {settings} {settings.model_dump_json()}"
    assert settings.upstream_key is not None
    assert settings.upstream_key.get_secret_value() == "geheim" * 6


@pytest.mark.parametrize("name", secret_settings())
def test_each_secret_may_be_read_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    secret = "sqlite:///from-a-file.sqlite3" if name == "database_url" else "from-a-file=" * 3 + "default"
    (tmp_path / "secret").write_text(secret + "\n", "utf-8")
    monkeypatch.delenv("TOLDONCE_DATABASE_URL", raising=False)
    monkeypatch.setenv(f"TOLDONCE_{name.upper()}_FILE", str(tmp_path / "secret"))
    assert unknown_variables([f"TOLDONCE_{name.upper()}_FILE"]) == []
    found = getattr(Settings.load(), name)
    assert (found if isinstance(found, str) else found.get_secret_value()) == secret
    monkeypatch.setenv(f"TOLDONCE_{name.upper()}", secret)
    with pytest.raises(BadSettingError, match=f"TOLDONCE_{name.upper()} is also set; unset one"):
        Settings.load()


def test_a_secret_file_that_cannot_be_used_is_refused_without_its_content(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "key"
    monkeypatch.setenv("TOLDONCE_UPSTREAM_KEY_FILE", str(path))
    with pytest.raises(BadSettingError, match=r"TOLDONCE_UPSTREAM_KEY_FILE.*cannot be read: No such file"):
        Settings.load()
    for content, why in (
        (b"\n", "is empty"),
        (b"geheim\xff", "it is no text"),
        (b"x" * 70_000, "more than 65,536 bytes"),
        (b"geheim\x07", "control character"),
    ):
        path.write_bytes(content)
        with pytest.raises(BadSettingError, match=why) as refused:
            Settings.load()
        assert "geheim" not in str(refused.value)


@pytest.mark.parametrize("name", ["UPSTREAM_URL", "EMBED_URL", "FORM_URL", "FORM_MODEL", "EMBED_MODEL"])
def test_an_empty_url_or_model_is_unset(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"TOLDONCE_{name}", "")
    assert getattr(Settings.load(), name.lower()) is None


def test_an_empty_default_user_stays_empty_for_anonymous(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLDONCE_DEFAULT_USER", "")
    assert Settings.load().default_user == ""


def test_the_end_of_a_url_is_mended() -> None:
    for url in ("http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434"):
        assert Settings.load(upstream_url=url).upstream_url == "http://127.0.0.1:11434/v1"
    assert Settings.load(upstream_url="https://api.example.org/").upstream_url == "https://api.example.org"


def test_an_embeddings_url_needs_model_and_dimension_beside_it() -> None:
    with pytest.raises(BadSettingError, match="TOLDONCE_EMBED_MODEL and TOLDONCE_EMBED_DIM"):
        Settings.load(embed_url="http://127.0.0.1:1/v1", embed_model="m")
    assert Settings.load(embed_url="http://127.0.0.1:1/v1", embed_model="m", embed_dim=384).embed_dim == 384


def test_a_model_that_forms_needs_a_url_its_own_or_upstreams() -> None:
    with pytest.raises(BadSettingError, match="TOLDONCE_FORM_URL or TOLDONCE_UPSTREAM_URL"):
        Settings.load(form_model="small")
    for name in ("form_url", "upstream_url"):
        assert Settings.load(form_model="small", **{name: "http://127.0.0.1:1/v1"}).form_model == "small"


def test_settings_are_not_changed_once_they_are_read() -> None:
    settings = Settings.load()
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1


def test_origins_are_read_as_browsers_write_them() -> None:
    origins = Settings.load(origins=" http://LOCALHOST:3000/, chrome-extension://abc ,").allowed_origins
    assert origins == {"http://localhost:3000", "chrome-extension://abc"}
    assert Settings.load().allowed_origins == frozenset()


def test_a_variable_that_is_no_setting_is_named_with_the_nearest_setting() -> None:
    known = ["TOLDONCE_PORT", "TOLDONCE_FAILPOINT", "TOLDONCE_SOAK", "TOLDONCE_TEST_DATA", "PATH"]
    said = unknown_variables([*known, "TOLDONCE_UPSTREAM", "TOLDONCE_QQQQQQQQ", "TOLDONCE_TEND_EVERY_S"])
    assert said == [
        "TOLDONCE_QQQQQQQQ is not a setting and has no effect",
        "TOLDONCE_TEND_EVERY_S is not a setting and has no effect; did you mean TOLDONCE_MAINTAIN_EVERY_S?",
        "TOLDONCE_UPSTREAM is not a setting and has no effect; did you mean TOLDONCE_UPSTREAM_URL?",
    ]
