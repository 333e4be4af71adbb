"""Report tables for a terminal and for Markdown. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toldonce.evaluation.report import ALL, categories

# Names of figures, in display order.
_ALL_FIGURES = ("R@", "all@", "hit@", "NDCG@", "MRR", "budget", "prompt", "sessions@", "all-sessions@")
_TITLES = {
    "budget": "in {budget} tokens",
    "prompt": "in the prompt",
    "prompt_own_text": "own text in the prompt",
    "prompt_answer_words": "answer's words in the prompt",
    "prompt_tokens": "tokens of memory in the prompt",
}
_INJECTED = {
    "related": "questions of the data",
    "unrelated": "another conversation's questions",
    "small_talk": "small talk",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """Title, column names and rows."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(report: Mapping[str, Any]) -> list[ReportTable]:
    """Build the tables of a report: retrieval, categories, answers, injection, cost of reading and writing."""
    found = [
        *_retrieval(report),
        *_prompts(report),
        *_answers(report["answers"]),
        _injection(report["injection"]),
        _reading(report["reading"]),
        _writing(report),
    ]
    return [table for table in found if table.rows]


def headline(report: Mapping[str, Any]) -> str:
    """Return one line on what was evaluated."""
    data, settings = report["data"], report["settings"]
    part = "PARTIAL, broken off: " if report["partial"] else ""
    return (
        f"{part}{data['kind']} from {data['name']} ({_size(data['bytes'])}), "
        f"{data['conversations_done']} of {data['conversations']} conversations, "
        f"{report['reading']['questions']:,} of {data['questions']:,} questions; "
        f"embedder {settings['embedder']}, formed by {_former(settings)}, profile {settings['profile']}"
    )


def _size(count: int) -> str:
    """Write a number of bytes.

    >>> _size(812), _size(1_077_504)
    ('812 bytes', '1.1 MB')
    """
    return f"{count} bytes" if count < 1_000 else f"{count / 1e3:.1f} kB" if count < 1e6 else f"{count / 1e6:.1f} MB"


def markdown(report: Mapping[str, Any]) -> str:
    """Format a report as Markdown."""
    return "".join(_markdown(report))


def _markdown(report: Mapping[str, Any]) -> Iterator[str]:
    data, settings, machine = report["data"], report["settings"], report["machine"]
    yield f"# ToldOnce {report['toldonce']}: {data['kind']}\n\n{headline(report)}.\n"
    yield f"\n{' '.join(report['counted'])}\n"
    for table in tables(report):
        yield f"\n## {table.title}\n\n"
        yield f"| {' | '.join(table.head)} |\n|{'---|' * len(table.head)}\n"
        for row in table.rows:
            yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n"
    yield "\n## To run it again\n\n"
    yield f"```\n{' '.join(report['command'])}\n```\n\n"
    yield f"- data: `{data['name']}`, SHA-256 `{data['sha256']}`\n"
    yield f"- seed {settings['seed']}, k {settings['k']}, token budget {settings['budget_tokens']}\n"
    for name, value in settings["changed"].items():
        yield f"- setting `{name}`: `{value}`\n"
    yield f"- {', '.join(f'{name} {value}' for name, value in machine.items())}; {report['seconds']:g} s\n"


def _former(settings: Mapping[str, Any]) -> str:
    formed = {"turns": "no extractor (quotations alone)", "observations": "the data's recorded observations"}
    return formed.get(str(settings["formed"]), str(settings["forms"]))


def _retrieval(report: Mapping[str, Any]) -> Iterator[ReportTable]:
    rows, settings = report["retrieval"], report["settings"]
    shown: dict[str, Any] = {row: groups for row, groups in rows.items() if ALL in groups}
    if not shown:
        return
    names = dict.fromkeys(name for groups in shown.values() for name in groups[ALL])
    figures = [name for start in _ALL_FIGURES for name in names if name.startswith(start) and _wanted(name, settings)]
    yield ReportTable(
        title="All questions with evidence, in % (95 % interval)",
        head=("", *shown),
        rows=tuple(
            (
                _TITLES.get(name, name).format(budget=f"{settings['budget_tokens']:,}"),
                *(_cell(name, groups[ALL].get(name)) for groups in shown.values()),
            )
            for name in figures
        ),
    )
    main = f"R@{settings['k']}" if f"R@{settings['k']}" in names else f"sessions@{settings['k']}"
    first = next(iter(shown.values()))
    yield ReportTable(
        title=f"{main} by category, in % (95 % interval)",
        head=("", "questions", *shown),
        rows=tuple(
            (
                group,
                str(first[group][main]["questions"]),
                *(_share(of.get(group, {}).get(main)) for of in shown.values()),
            )
            for group in categories(first)
            if main in first[group]
        ),
    )


def _prompts(report: Mapping[str, Any]) -> Iterator[ReportTable]:
    """Build a table of each figure of prompts of several sizes: rows are sizes and categories."""
    rows, sizes = report["retrieval"], report["settings"]["prompt_tokens"]
    for figure in (name for name in _TITLES if name.startswith("prompt") and sizes):
        names = [f"{figure}@{size}" for size in sizes]
        shown = {row: groups for row, groups in rows.items() if any(name in groups.get(ALL, {}) for name in names)}
        first: Mapping[str, Any] = next(iter(shown.values()), {})
        unit = "" if figure == "prompt_tokens" else ", in % (95 % interval)"
        yield ReportTable(
            title=f"Prompts of several sizes: {_TITLES[figure]}{unit}",
            head=("tokens", "", "questions", *shown),
            rows=tuple(
                (
                    f"{size:,}",
                    group,
                    str(first[group][name]["questions"]),
                    *(_cell(name, groups.get(group, {}).get(name)) for groups in shown.values()),
                )
                for size, name in zip(sizes, names, strict=True)
                for group in categories(first)
                if name in first[group]
            ),
        )


def _wanted(name: str, settings: Mapping[str, Any]) -> bool:
    """Of figures at several ranks, select the last rank, and five for sessions; of prompts, the profile's own size."""
    start, at, place = name.partition("@")
    if start.startswith("prompt"):
        return not at
    if not at or start == "all-sessions":
        return True
    return place == str(min(5, settings["k"]) if start == "sessions" else settings["k"])


def _cell(name: str, found: Mapping[str, Any] | None) -> str:
    if name.startswith("prompt_tokens") and found is not None:
        return f"{found['mean']:,.0f}"
    return _share(found)


def _share(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "–"
    return f"{100 * found['mean']:.1f} ({100 * found['low']:.1f}–{100 * found['high']:.1f})"


def _answers(answers: Mapping[str, Any]) -> Iterator[ReportTable]:
    if not answers:
        return
    yield ReportTable(
        title="Answers, judged",
        head=(
            "",
            "group",
            "questions",
            "right %",
            "wrong",
            "unjudged",
            "failed",
            "prompt tokens",
            "answer tokens",
            "cut",
        ),
        rows=tuple(
            (
                row,
                group,
                str(counts["questions"]),
                f"{100 * counts['right_share']:.1f}",
                str(counts["wrong"]),
                str(counts["unjudged"]),
                str(counts["failed"]),
                f"{counts['prompt_tokens'].get('mean', 0):,.0f}",
                f"{counts['completion_tokens'].get('mean', 0):,.0f}",
                str(counts["cut_contexts"]),
            )
            for row, found in answers.items()
            for group in categories(found)
            for counts in (found[group],)
        ),
    )


def _injection(injection: Mapping[str, Any]) -> ReportTable:
    rows = []
    for name, title in _INJECTED.items():
        group = injection[name]
        if group is None:
            rows.append((title, "not measured: the data has one conversation", "", "", ""))
        elif group["prompts"]:
            rows.append(
                (
                    title,
                    f"{group['prompts']:,}",
                    f"{group['tokens']['mean']:,.1f}",
                    f"{group['recalled_tokens']['mean']:,.1f}",
                    f"{100 * group['recalled_share']:.1f}",
                )
            )
    return ReportTable(
        title="What memory adds to a prompt",
        head=("", "prompts", "mean tokens", "beyond the profile block", "prompts with any beyond it, %"),
        rows=tuple(rows),
    )


def _reading(reading: Mapping[str, Any]) -> ReportTable:
    names = {
        "recall_ms": "a recall, beside embedding the query, ms",
        "embedding_ms": "embedding the query, ms",
        "cpu_ms": "both, of a processor, ms",
        "injected_tokens": "tokens put into a prompt",
        "question_tokens": "tokens of a question",
    }
    return ReportTable(
        title="What reading costs",
        head=("", "mean", "p50", "p95"),
        rows=tuple(
            (
                title,
                *(f"{reading[name][part]:,.2f}" if part in reading[name] else "" for part in ("mean", "p50", "p95")),
            )
            for name, title in names.items()
            if reading[name]
        ),
    )


def _writing(report: Mapping[str, Any]) -> ReportTable:
    writing = report["writing"]
    own = writing["own_seconds_per_turn"]
    kinds = ", ".join(f"{count:,} {kind}s" for kind, count in writing["memories"].items()) or "none"
    junk = ", ".join(f"{rule} {count}" for rule, count in writing["junk"].items())
    listed: Sequence[tuple[str, str]] = (
        ("turns told (messages)", f"{writing['turns']:,} ({writing['messages']:,})"),
        ("model calls a turn", f"{writing['model_calls_per_turn']:g}"),
        ("prompt + completion tokens a turn", _tokens(writing)),
        ("own time a turn, ms: wall · CPU", f"{1000 * own['wall']:.1f} · {1000 * own['cpu']:.1f}"),
        ("memories", kinds),
        ("said twice in the same words", f"{writing['duplicates']} ({100 * writing['duplicate_share']:.1f} %)"),
        (
            "said twice by the resolver's measure",
            f"{writing['near_duplicates']} ({100 * writing['near_duplicate_share']:.1f} %)",
        ),
        ("junk", f"{sum(writing['junk'].values())} ({100 * writing['junk_share']:.1f} %){f': {junk}' if junk else ''}"),
        *((("formations not done", str(writing["undone"])),) if writing["undone"] else ()),
        *((("messages taken for resent ones", str(writing["unlogged"])),) if writing["unlogged"] else ()),
    )
    return ReportTable(title="What writing costs", head=("", ""), rows=tuple(listed))


def _tokens(writing: Mapping[str, Any]) -> str:
    told = f"{writing['prompt_tokens_per_turn']:,.0f} + {writing['completion_tokens_per_turn']:,.0f}"
    missing = writing["answers_without_usage"]
    return f"{told} ({missing} answers told none)" if missing else told
