"""The command `eval`. Reads a data set, writes the requested files, shows a progress bar on stderr."""

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from toldonce.cli.output import note, rows, say, say_json
from toldonce.cli.replay import ProgressBar

if TYPE_CHECKING:
    from toldonce.evaluation.answerer import Answerer
    from toldonce.evaluation.extraction_modes import Formed
    from toldonce.evaluation.report import RunOrigin
    from toldonce.evaluation.run import EvaluationPlan
    from toldonce.settings import Settings
    from toldonce.types import EmbedderSpec

_INTERRUPTED = 130
_STDOUT = Path("-")

_What = Annotated[
    str, typer.Argument(metavar="locomo|longmemeval|beam|FILE", help="Published data set, or your own JSONL file.")
]
_Data = Annotated[
    Path | None, typer.Option("--data", metavar="PATH", help="Path of the data set, plain or packed with gzip.")
]
_Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        metavar="PATH|URL|multilingual|static",
        help="Embedder: ONNX model folder, API base URL including /v1, `multilingual` or `static` (default: from the "
        "settings).",
    ),
]
_EmbedderModel = Annotated[
    str | None,
    typer.Option("--embedder-model", metavar="NAME", help="Model of --embedder (default: $TOLDONCE_EMBED_MODEL)."),
]
_QueryPrefix = Annotated[
    str, typer.Option("--query-prefix", metavar="TEXT", help="Text put before queries (with --embedder).")
]
_PassagePrefix = Annotated[
    str, typer.Option("--passage-prefix", metavar="TEXT", help="Text put before stored texts (with --embedder).")
]
_Profile = Annotated[
    str | None, typer.Option("--profile", metavar="NAME", help="Profile (default: $TOLDONCE_PROFILE).")
]
_Form = Annotated[
    str, typer.Option("--form", metavar="settings|turns|observations", help="What is formed besides the log.")
]
_Baselines = Annotated[
    bool, typer.Option("--baselines", help="Also measure BM25, vectors, both combined, and whole sessions.")
]
_PromptTokens = Annotated[
    str,
    typer.Option(
        "--prompt-tokens", metavar="N,...", help="Also measure prompts of these token limits, such as 400,800,1600."
    ),
]
_K = Annotated[int, typer.Option("--k", min=1, max=200, metavar="N", help="Number of results that count.")]
_Budget = Annotated[
    int, typer.Option("--budget", min=1, metavar="TOKENS", help="Token budget in which evidence must be found.")
]
_Limit = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="Use only the first N conversations.")]
_Questions = Annotated[
    int | None, typer.Option("--questions", min=1, metavar="N", help="Use only N random questions per conversation.")
]
_Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of all random choices.")]
_Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="Model that answers the questions.")]
_Judge = Annotated[
    str | None, typer.Option("--judge", metavar="NAME", help="Model that judges the answers (default: --model).")
]
_Url = Annotated[
    str | None,
    typer.Option("--model-url", metavar="URL", help="API of both models (default: $TOLDONCE_UPSTREAM_URL)."),
]
_Timeout = Annotated[
    float, typer.Option("--model-timeout", min=1, metavar="SECONDS", help="Timeout for an answer of a model.")
]
_Requests = Annotated[
    int, typer.Option("--model-requests", min=1, metavar="N", help="Maximum number of concurrent requests to models.")
]
_Answers = Annotated[
    Path | None,
    typer.Option(
        "--answers", metavar="FOLDER", help="Write questions, prompts and answers as JSONL; use answers in it again."
    ),
]
_Context = Annotated[
    int, typer.Option("--context-tokens", min=0, metavar="N", help="Token limit of the full-context row; 0 omits it.")
]
_Json = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the complete results as JSON; - prints them.")
]
_Markdown = Annotated[Path | None, typer.Option("--markdown", metavar="FILE", help="Write the tables as Markdown.")]


class _Opened(NamedTuple):
    """How models are asked."""

    url: str | None
    context_tokens: int
    timeout_s: float
    requests: int
    answers: Path | None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("eval")(evaluate)


def evaluate(  # noqa: PLR0913  # a command's options are its parameters
    what: _What,
    data: _Data = None,
    embedder: _Embedder = None,
    embedder_model: _EmbedderModel = None,
    query_prefix: _QueryPrefix = "",
    passage_prefix: _PassagePrefix = "",
    profile: _Profile = None,
    form: _Form = "settings",
    baselines: _Baselines = False,
    prompt_tokens: _PromptTokens = "",
    k: _K = 10,
    budget: _Budget = 1000,
    limit: _Limit = None,
    questions: _Questions = None,
    seed: _Seed = 0,
    model: _Model = None,
    judge: _Judge = None,
    model_url: _Url = None,
    context_tokens: _Context = 100_000,
    # The model reads a whole conversation before it answers; local models take minutes for it.
    model_timeout: _Timeout = 180.0,
    # Enough to keep a hosted model busy, few enough for a local one.
    model_requests: _Requests = 4,
    answers: _Answers = None,
    json_file: _Json = None,
    markdown_file: _Markdown = None,
) -> None:
    """Measure memory quality on data with known answers. Your own memories are not touched."""
    from zoneinfo import ZoneInfo

    from toldonce.datasets.load import JSONL, KINDS, read_data
    from toldonce.evaluation.run import EvaluationPlan, narrowed
    from toldonce.settings import Settings

    if what in KINDS and data is None:
        raise typer.BadParameter(f"{what} is not part of ToldOnce: give its path with --data")
    if what not in KINDS and data is not None:
        raise typer.BadParameter(f"--data is only for {', '.join(KINDS)}")
    for target in (json_file, markdown_file):
        _check_writable(target)
    _check_folder(answers)
    # With --embedder, the embedder settings are not used, so they need not be valid.
    settings = Settings.load(embed_url=None if embedder is None else "", profile=profile)
    path = data or Path(what)
    read = read_data(what if what in KINDS else JSONL, path, ZoneInfo(settings.time_zone))
    plan = EvaluationPlan(
        data=narrowed(read, conversations=limit, questions=questions, seed=seed),
        settings=settings,
        embedder=_embedder(settings, embedder, embedder_model, query_prefix, passage_prefix),
        formed=_formed(form),
        baselines=baselines,
        prompt_tokens=_sizes(prompt_tokens),
        keeps_blocks=answers is not None or model is not None,
        k=k,
        budget=budget,
        seed=seed,
    )
    named = {} if model is None else {"model": model, "judge": judge or model}
    origin = _origin(path, named)
    opened = _Opened(model_url, context_tokens, model_timeout, model_requests, answers)
    answerer = _answerer(settings, named, opened)
    report = _run(plan, origin, answerer, answers)
    _write(report, json_file, markdown_file)
    if report["partial"]:
        raise typer.Exit(_INTERRUPTED)


def _embedder(
    settings: "Settings", where: str | None, model: str | None, query_prefix: str, passage_prefix: str
) -> "EmbedderSpec | None":
    """Describe the embedder to measure; None for that of the settings."""
    from dataclasses import replace

    from toldonce.cli.embedder import embedder_spec

    if where is None:
        given = {"--embedder-model": model, "--query-prefix": query_prefix, "--passage-prefix": passage_prefix}
        named = next((option for option, value in given.items() if value), None)
        if named is not None:
            raise typer.BadParameter(f"{named} requires --embedder")
        return None
    is_url = where.startswith(("http://", "https://"))
    spec = embedder_spec(where, model or (settings.embed_model if is_url else None), option="--embedder-model")
    return replace(spec, query_prefix=query_prefix, passage_prefix=passage_prefix)


def _formed(form: str) -> "Formed":
    from toldonce.evaluation.extraction_modes import FORMED

    mode_found = next((mode for mode in FORMED if mode == form), None)
    if mode_found is None:
        raise typer.BadParameter(f"--form is {form!r}; it takes {', '.join(FORMED)}")
    return mode_found


def _sizes(text: str) -> tuple[int, ...]:
    """Read token limits, in rising order, each once."""
    try:
        sizes = {int(part) for part in text.split(",")} if text else set[int]()
    except ValueError:
        sizes = {0}
    if any(size < 1 for size in sizes):
        raise typer.BadParameter(f"--prompt-tokens is {text!r}; it takes whole numbers from 1, such as 400,800")
    return tuple(sorted(sizes))


def _check_writable(path: Path | None) -> None:
    """Refuse an unwritable path before hours of work."""
    if path is not None and path != _STDOUT and (path.is_dir() or not path.parent.is_dir()):
        raise typer.BadParameter(f"{path} cannot be written: it is a folder, or its folder does not exist")


def _check_folder(path: Path | None) -> None:
    """Create the folder of the answers, and refuse one that cannot be written."""
    from tempfile import TemporaryFile

    if path is None:
        return
    try:
        path.mkdir(exist_ok=True)
        with TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise typer.BadParameter(f"--answers {path}: the folder cannot be written ({error.strerror})") from None


def _origin(path: Path, models: dict[str, str]) -> "RunOrigin":
    from importlib.metadata import version

    from toldonce.evaluation.instrumentation import machine
    from toldonce.evaluation.report import RunOrigin

    return RunOrigin(
        version=version("toldonce"),
        command=("toldonce", *sys.argv[1:]),
        machine=machine(),
        data_name=path.name,
        data_bytes=_size(path),
        models=models,
    )


def _size(path: Path) -> int:
    """Return the size of a file, or of all files in a folder, in bytes."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


def _answerer(settings: "Settings", models: dict[str, str], opened: _Opened) -> "Answerer | None":
    """Open the answering and judging models; None without --model."""
    if not models:
        if opened.url is not None:
            raise typer.BadParameter("--model-url requires --model")
        return None
    from zoneinfo import ZoneInfo

    from toldonce.evaluation.answer_files import KeptReplies
    from toldonce.evaluation.answerer import Answerer, ChatModel, Models
    from toldonce.providers.token_counter import token_counter
    from toldonce.settings import Settings

    where = Settings.load(upstream_url=opened.url).upstream_url or settings.form_url
    if where is None:
        raise typer.BadParameter("--model needs an address: give --model-url or set TOLDONCE_UPSTREAM_URL")
    key, counter = _key(settings, where), token_counter()
    kept = KeptReplies(opened.answers) if opened.answers else None
    answers, judge = (
        ChatModel(where, models[name], counter, key=key, timeout_s=opened.timeout_s, kept=kept)
        for name in ("model", "judge")
    )
    return Answerer(
        Models(
            answers=answers,
            judge=judge,
            counter=counter,
            zone=ZoneInfo(settings.time_zone),
            context_tokens=opened.context_tokens,
            requests=opened.requests,
        )
    )


def _key(settings: "Settings", url: str) -> str | None:
    """Return the key set for this server; a key is never sent to another one."""
    from urllib.parse import urlsplit

    meant = ((settings.upstream_url, settings.upstream_key), (settings.form_url, settings.form_key))
    for where, key in meant:
        if where is not None and key is not None and urlsplit(where)[:2] == urlsplit(url)[:2]:
            return key.get_secret_value().strip() or None
    return None


def _run(
    plan: "EvaluationPlan", origin: "RunOrigin", answerer: "Answerer | None", answers: Path | None
) -> dict[str, Any]:
    """Run the plan, and write its answers; after Ctrl-C report partial results."""
    from toldonce.evaluation.answer_files import write_answers
    from toldonce.evaluation.report import document
    from toldonce.evaluation.run import EvaluationRun

    async def work(run: EvaluationRun) -> None:
        try:
            await run.all()
        finally:
            if answerer is not None:
                await answerer.close()

    with ProgressBar() as bar:
        run = EvaluationRun(plan, bar, answerer)
        try:
            asyncio.run(work(run))
        except KeyboardInterrupt:
            note("interrupted: the results are partial")
    for path in write_answers(answers, run.result, origin.models) if answers else ():
        note(f"written: {path}")
    return document(plan, run.result, origin)


def _write(report: dict[str, Any], json_file: Path | None, markdown_file: Path | None) -> None:
    from toldonce.evaluation.report_tables import headline, markdown, tables

    if json_file == _STDOUT:
        say_json(report)
    else:
        say(headline(report))
        for sentence in report["counted"]:
            say(sentence)
        for table in tables(report):
            say()
            say(table.title)
            # Figures need their names in a pipe as well.
            rows(table.head, table.rows if sys.stdout.isatty() else (table.head, *table.rows))
    if json_file is not None and json_file != _STDOUT:
        _write_file(json_file, json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    if markdown_file is not None:
        _write_file(markdown_file, markdown(report))


def _write_file(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    note(f"written: {path}")
