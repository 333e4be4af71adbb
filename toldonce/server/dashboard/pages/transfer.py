"""Taking a subject's memory along as a file, and bringing in what another product exported."""

from toldonce.server.dashboard.page import BadFormError, Download, HtmlPage, PageRequest, PageRoute
from toldonce.server.dashboard.upload import NO_FILE

_ENDINGS = {"markdown": "md", "jsonl": "jsonl"}


async def _download(request: PageRequest) -> Download:
    """Send all that is kept of a subject, or what is known about it, to read."""
    format_ = request.query.get("format", "jsonl")
    if format_ not in _ENDINGS:
        raise BadFormError(f"There are these formats: {', '.join(_ENDINGS)}.")
    name = "".join(char if char.isascii() and char.isalnum() else "-" for char in request.subject)
    return Download(
        steps=("subjects", request.subject, "export"),
        query={"format": format_},
        filename=f"toldonce-{name[:60]}.{_ENDINGS[format_]}",
    )


async def _import(request: PageRequest) -> HtmlPage:
    """Take in the file of the form, and show what came of it."""
    if request.file is None:
        raise BadFormError(NO_FILE)
    query = {"dry_run": request.field("dry_run") == "yes", "source_user": request.field("source_user") or None}
    report = await request.rest.upload("subjects", request.subject, "import", file=request.file, query=query)
    data = {"subject": request.subject, "report": report}
    return HtmlPage(template="imported", title="Import", data=data)


PAGES = (
    PageRoute("GET", "/subjects/{subject}/download", _download),
    PageRoute("POST", "/subjects/{subject}/import", _import),
)
