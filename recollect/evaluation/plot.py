"""A report as a picture: bars with their intervals, in SVG, readable on light and dark pages. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil
from typing import Any

from recollect.evaluation.report import ALL, categories
from recollect.evaluation.report_tables import headline

_WIDTH, _PLOT, _LEFT, _RIGHT = 960, 240, 62, 24
_TOP, _TITLE, _LABELS, _LEGEND, _GAP = 84, 40, 62, 26, 18
_GROUP_SHARE = 0.78
"""Of the room of a group that its bars take."""
_LABEL_FROM = 20
"""Narrower bars carry no number."""
# Told apart by lightness as well as by hue: with any colour vision, and in print.
_COLOURS = ("#3568c4", "#e08a1e", "#4a9b72", "#a35ab0", "#8a8f98")
_STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #22262c; }
.title { font-size: 19px; font-weight: 600; }
.panel { font-size: 15px; font-weight: 600; }
.soft, .value { fill: #5b636e; font-size: 12px; }
.value { font-size: 11px; }
.page { fill: #ffffff; }
.grid { stroke: #dfe3e8; stroke-width: 1; }
.axis { stroke: #8a929c; stroke-width: 1; }
.spread { stroke: #22262c; stroke-width: 1.2; opacity: .7; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e7eb; }
  .soft, .value { fill: #a6aeb8; }
  .page { fill: #16191d; }
  .grid { stroke: #2c323a; }
  .axis { stroke: #6c7580; }
  .spread { stroke: #e4e7eb; }
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One value in percent, with its interval where it has one."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Groups of bars, a bar for each series."""

    title: str
    axis: str
    groups: tuple[str, ...]
    series: Mapping[str, Sequence[Bar | None]]
    """By name: a bar for each group, None where there is none."""


def plot(report: Mapping[str, Any]) -> str:
    """Draw a report as an SVG document."""
    drawn = panels(report)
    height = _TOP + sum(_height(panel) for panel in drawn) + _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(headline(report))}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>',
        _text(_LEFT, 36, f"Recollect {report['recollect']} on {report['data']['kind']}", css="title"),
        *_wrapped(headline(report)),
    ]
    top = _TOP
    for panel in drawn:
        parts += _panel(panel, top)
        top += _height(panel)
    return "\n".join([*parts, "</svg>", ""])


def panels(report: Mapping[str, Any]) -> list[Panel]:
    """Choose what is drawn: figures of all questions, the main one by category, answers where there are some."""
    found: list[Panel] = []
    k = report["settings"]["k"]
    rows = {row: groups for row, groups in report["retrieval"].items() if ALL in groups}
    if rows:
        first = next(iter(rows.values()))
        main = f"R@{k}" if f"R@{k}" in first[ALL] else f"sessions@{k}"
        names = [
            name for name in (f"R@{k}", f"all@{k}", f"hit@{k}", f"NDCG@{k}", "MRR", "budget") if name in first[ALL]
        ]
        if names:
            titles = tuple(f"in {report['settings']['budget_tokens']:,} tokens" if n == "budget" else n for n in names)
            series = {row: [_bar(of[ALL].get(name)) for name in names] for row, of in rows.items()}
            found.append(Panel(title="All questions with evidence", axis="%", groups=titles, series=series))
        kinds = [group for group in categories(first) if main in first[group]]
        by_kind = {row: [_bar(of.get(group, {}).get(main)) for group in kinds] for row, of in rows.items()}
        counted = tuple(f"{group} ({first[group][main]['questions']})" for group in kinds)
        found.append(Panel(title=f"{main} by category (questions)", axis=f"{main}, %", groups=counted, series=by_kind))
    if report["answers"]:
        kinds = categories(next(iter(report["answers"].values())))
        right = {row: [_right(of.get(group)) for group in kinds] for row, of in report["answers"].items()}
        found.append(Panel(title="Answers judged right", axis="%", groups=tuple(kinds), series=right))
    return found


def _bar(found: Mapping[str, Any] | None) -> Bar | None:
    if found is None:
        return None
    return Bar(value=100 * found["mean"], low=100 * found["low"], high=100 * found["high"])


def _right(found: Mapping[str, Any] | None) -> Bar | None:
    return Bar(value=100 * found["right_share"]) if found else None


def _height(panel: Panel) -> int:
    del panel
    return _TITLE + _LEGEND + _PLOT + _LABELS + _GAP


def _panel(panel: Panel, top: int) -> Iterator[str]:
    yield _text(_LEFT, top + 22, panel.title, css="panel")
    yield from _legend(panel, top + _TITLE)
    base, width = top + _TITLE + _LEGEND + _PLOT, _WIDTH - _LEFT - _RIGHT
    for share in range(0, 101, 20):
        y = base - _PLOT * share / 100
        yield f'<line class="grid" x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}"/>'
        yield _text(_LEFT - 8, y + 4, str(share), css="soft", anchor="end")
    middle = base - _PLOT / 2
    yield (
        f'<text class="soft" text-anchor="middle" transform="translate(18 {middle:.0f}) rotate(-90)">'
        f"{escape(panel.axis)}</text>"
    )
    room = width / max(1, len(panel.groups))
    for place, group in enumerate(panel.groups):
        yield from _group(panel, place, (_LEFT + place * room, base, room))
        for line, words in enumerate(_folded(group, room)):
            yield _text(_LEFT + (place + 0.5) * room, base + 18 + 14 * line, words, css="soft", anchor="middle")
    yield f'<line class="axis" x1="{_LEFT}" y1="{base}" x2="{_WIDTH - _RIGHT}" y2="{base}"/>'


def _group(panel: Panel, place: int, where: tuple[float, float, float]) -> Iterator[str]:
    start, base, room = where
    wide = room * _GROUP_SHARE / max(1, len(panel.series))
    left = start + room * (1 - _GROUP_SHARE) / 2
    for number, (name, bars) in enumerate(panel.series.items()):
        bar = bars[place]
        if bar is None:
            continue
        x, tall = left + number * wide, _PLOT * bar.value / 100
        yield (
            f'<rect x="{x + 1:.1f}" y="{base - tall:.1f}" width="{max(1.0, wide - 2):.1f}" height="{tall:.1f}" rx="2" '
            f'fill="{_COLOURS[number % len(_COLOURS)]}"><title>{escape(name)}: {bar.value:.1f} %</title></rect>'
        )
        top = bar.value
        if bar.low is not None and bar.high is not None:
            middle = x + wide / 2
            ends = (base - _PLOT * bar.low / 100, base - _PLOT * bar.high / 100)
            yield f'<line class="spread" x1="{middle:.1f}" y1="{ends[0]:.1f}" x2="{middle:.1f}" y2="{ends[1]:.1f}"/>'
            top = max(top, bar.high)
        if wide >= _LABEL_FROM:
            yield _text(x + wide / 2, base - _PLOT * top / 100 - 5, f"{bar.value:.0f}", css="value", anchor="middle")


def _legend(panel: Panel, top: int) -> Iterator[str]:
    x = float(_LEFT)
    for number, name in enumerate(panel.series):
        yield f'<rect x="{x:.0f}" y="{top}" width="12" height="12" rx="2" fill="{_COLOURS[number % len(_COLOURS)]}"/>'
        yield _text(x + 18, top + 11, name)
        x += 44 + 7.5 * len(name)


def _wrapped(line: str) -> Iterator[str]:
    for place, words in enumerate(_lines(line, 130)[:2]):
        yield _text(_LEFT, 58 + 16 * place, words, css="soft")


def _folded(words: str, room: float) -> list[str]:
    """Break a label into the lines that fit under its group; the last one is cut where it must be."""
    most = max(4, int(room / 6.0))
    lines = _lines(words.replace("_", " "), most)[:3]
    return [line if len(line) <= most else f"{line[: most - 1]}…" for line in lines]


def _lines(words: str, most: int) -> list[str]:
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _text(x: float, y: float, words: str, *, css: str = "", anchor: str = "start") -> str:
    name = f' class="{css}"' if css else ""
    return f'<text{name} x="{ceil(x)}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
