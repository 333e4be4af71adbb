"""Pages of settings: what is in effect, without secrets, and what `toldonce doctor` finds."""

from dataclasses import replace

from pydantic import SecretStr

from dashboard_client import dashboard_client
from toldonce.engine import AsyncToldOnce, Components

SETTINGS = "/dashboard/settings"


def changed(parts: Components, **values: object) -> AsyncToldOnce:
    """Open an engine over the same store with other settings."""
    return AsyncToldOnce(replace(parts, settings=parts.settings.model_copy(update=values)))


async def test_settings_are_shown_with_their_source(parts: Components) -> None:
    async with dashboard_client(changed(parts, time_zone="Europe/Rome")) as browser:
        html = await browser.open(SETTINGS)
        data = await browser.read(SETTINGS)

    by_name = {setting["name"]: setting for setting in data["settings"]}
    assert by_name["TOLDONCE_TIME_ZONE"]["value"] == "Europe/Rome"
    assert by_name["TOLDONCE_TIME_ZONE"]["source"] == "argument"
    assert "start command" in html
    assert "<code>sqlite:///path/to/file</code>" in html
    assert 'href="/docs"' in html


async def test_secrets_are_never_shown(parts: Components) -> None:
    engine = changed(parts, upstream_key=SecretStr("sk-of-the-provider"))
    async with dashboard_client(engine) as browser:
        html = await browser.open(SETTINGS)
        data = await browser.read(SETTINGS)
        findings = await browser.open(f"{SETTINGS}/findings")

    [shown] = [setting for setting in data["settings"] if setting["name"] == "TOLDONCE_UPSTREAM_KEY"]
    assert (shown["value"], shown["is_secret"]) == ("set", True)
    assert "sk-of-the-provider" not in html + findings


async def test_only_changed_settings_are_shown_on_request(parts: Components) -> None:
    async with dashboard_client(changed(parts, time_zone="Europe/Rome")) as browser:
        data = await browser.read(SETTINGS, changed="yes")
        html = await browser.open(SETTINGS, changed="yes")

    assert {"TOLDONCE_TIME_ZONE"} <= {setting["name"] for setting in data["settings"]}
    assert not any(setting["is_default"] for setting in data["settings"])
    assert data["total"] > len(data["settings"])
    assert "TOLDONCE_IDLE_TIMEOUT_S" not in html


async def test_hostile_values_break_no_page(parts: Components) -> None:
    engine = changed(parts, origins='<script>alert("1")</script>\u202e`')
    async with dashboard_client(engine) as browser:
        html = await browser.open(SETTINGS) + await browser.open(f"{SETTINGS}/findings")

    assert "<script>alert" not in html
    assert "⟨U+202E⟩" in html


async def test_findings_say_what_to_do(parts: Components) -> None:
    async with dashboard_client(changed(parts, upstream_url="http://127.0.0.1:1/v1")) as browser:
        html = await browser.open(f"{SETTINGS}/findings")
        data = await browser.read(f"{SETTINGS}/findings")

    [upstream] = [finding for finding in data["findings"] if finding["what"] == "upstream"]
    assert upstream["state"] != "ok"
    assert upstream["todo"]
    assert "To do:" in html


async def test_the_databases_files_are_verified_on_request(parts: Components) -> None:
    async with dashboard_client(changed(parts)) as browser:
        assert (await browser.read(f"{SETTINGS}/findings", check="yes"))["check"] is True
        assert "files and indexes too (slow)" in await browser.open(f"{SETTINGS}/findings")
