"""Pages of statistics: the plots' numbers, their tables, the range, and the budget of a subject."""

import json
import re
from typing import Any

import pytest

from dashboard_client import dashboard_client
from sample_chats import user
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock

STATISTICS = "/dashboard/statistics"
ANA = "/dashboard/subjects/user%3Aana/statistics"
CHAT = {"model": "toldonce/offline", "messages": [user("Where do I live?")]}


def plot_data(html: str) -> dict[str, Any]:
    """Return what the page's script draws, by the plots' ids."""
    [block] = re.findall(r'<script type="application/json" id="plot-data">(.*?)</script>', html, re.DOTALL)
    return {plot["id"]: plot for plot in json.loads(block)}


async def fill(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.bulk.add(["Ana lives in Rome.", "Ana drinks tea."], user="ana")
    clock.advance(days=40)
    await engine.add("Ana has a bicycle.", user="ana")
    await engine.add("Ben has a boat.", user="ben")
    clock.advance(hours=3)
    await engine.add("Ana sings.", user="ana")


async def test_the_plots_are_those_of_the_chosen_time(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await fill(engine, clock)
    async with dashboard_client(engine) as browser:
        month = plot_data(await browser.open(STATISTICS))["stored"]
        quarter = plot_data(await browser.open(STATISTICS, range="90"))["stored"]
        hours = plot_data(await browser.open(STATISTICS, range="1", by="day"))["stored"]
        own = plot_data(await browser.open(ANA))["stored"]

    assert (len(month["begins"]), len(quarter["begins"]), len(hours["begins"])) == (30, 90, 24)
    assert [sum(plot["series"][0]["values"]) for plot in (month, quarter, hours, own)] == [3, 5, 3, 2]
    assert hours["series"][0]["values"][-4:] == [2, 0, 0, 1]
    assert hours["seconds"] == 3600


async def test_a_long_time_is_shown_by_day(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await fill(engine, clock)
    async with dashboard_client(engine) as browser:
        html = await browser.open(STATISTICS, range="365", by="hour")
        data = await browser.read(STATISTICS, range="365", by="hour")
        nonsense = await browser.read(STATISTICS, range="0; DROP", by="year")

    assert "So long a time is shown by day." in html
    assert (data["by"], len(data["plots"][0]["begins"])) == ("day", 365)
    assert (nonsense["range"], nonsense["by"]) == ("30", "day")


async def test_every_number_of_a_plot_is_in_its_table(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await fill(engine, clock)
    async with dashboard_client(engine) as browser:
        html = await browser.open(STATISTICS)

    [table] = re.findall(r"<caption>Memories stored</caption>(.*?)</table>", html, re.DOTALL)
    cells = [int(cell) for cell in re.findall(r'<td class="number">(\d+)</td>', table)]
    assert cells == plot_data(html)["stored"]["series"][0]["values"]


async def test_memories_are_counted_by_kind_and_age(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await fill(engine, clock)
    async with dashboard_client(engine) as browser:
        data = await browser.read(STATISTICS)
        html = await browser.open(STATISTICS)

    assert data["kinds"] == [
        {"kind": "note", "ages": [3, 0, 0, 2, 0, 0], "active": 5, "held": 0, "closed": 0},
    ]
    assert 'aria-label="5 active"' in html


async def test_prompts_tokens_and_kept_beginnings_are_counted(engine: AsyncToldOnce) -> None:
    await engine.add("Ana lives in Rome.", user="ana")
    named = {"x-toldonce-user": "ana", "x-toldonce-conversation": "c1"}
    async with dashboard_client(engine) as browser:
        first = await browser.http.post("/v1/chat/completions", json=CHAT, headers=named)
        said = first.json()["choices"][0]["message"]
        again = {**CHAT, "messages": [*CHAT["messages"], said, user("And what do I drink?")]}
        await browser.http.post("/v1/chat/completions", json=again, headers=named)
        await engine.turns.close()
        data = await browser.read(STATISTICS)
        html = await browser.open(STATISTICS)

    plots = {plot["id"]: plot for plot in data["plots"]}
    assert sum(plots["prompts"]["series"][0]["values"]) == 2
    assert sum(plots["tokens"]["series"][0]["values"]) > 0
    assert plots["prefix"]["series"][0]["values"][-2:] == [None, 1.0]
    assert '<td class="number">100 %</td>' in html
    assert data["statistics"]["process"]["recalls"] == 2


async def test_a_subjects_page_shows_its_budget(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        data = await browser.read(ANA)
        html = await browser.open(ANA)

    assert data["energy"]["subject"] == "user:ana"
    assert "Budget of memory work" in html
    assert "Nothing in this time" in html


@pytest.mark.parametrize("page", [STATISTICS, ANA])
async def test_the_plots_are_drawn_by_own_files_alone(engine: AsyncToldOnce, page: str) -> None:
    async with dashboard_client(engine) as browser:
        html = await browser.open(page)
        scripts = re.findall(r'<script src="([^"]+)"', html)
        statuses = [(await browser.http.get(script)).status_code for script in scripts]

    assert any("plots.js" in script for script in scripts)
    assert any("uplot" in script for script in scripts)
    assert set(statuses) == {200}
    # What else is in script elements is data.
    assert set(re.findall(r"<script(?! src=)([^>]*)>", html)) == {' type="application/json" id="plot-data"'}


async def test_the_statistics_of_one_tenant_are_its_own(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await fill(engine, clock)
    async with dashboard_client(engine) as browser:
        data = await browser.read(STATISTICS, tenant="acme")
        refused = await browser.http.get(STATISTICS, params={"tenant": "</script>"}, headers={"accept": "text/html"})

    assert data["kinds"] == []
    assert refused.status_code == 400
    assert "</script>'" not in refused.text
