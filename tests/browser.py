"""The system's Chromium on the dashboard of a real server: what a page logs, loads and breaks is told. Opens ports."""

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import uvicorn
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    async_playwright,
    expect,
)

from dashboard_forms import form_name
from patience import PATIENCE_S
from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app

CHROMIUM = shutil.which("chromium")
NO_CHROMIUM = "chromium is not installed: the dashboard was NOT tested in a browser"
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--in-process-gpu",  # a process less
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_PATIENCE_MS = 1000 * PATIENCE_S
expect.set_options(timeout=_PATIENCE_MS)
DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 360, "height": 740}
# Tells of violations of the content security policy, of scripts that a text brought in, and of forms that are sent.
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile}`));
const formOf = (form, button) =>
  [form.getAttribute("method"), form.getAttribute("action"), button && button.name ? button.value : ""];
window.shownForms = () => [...document.forms].flatMap((form) => {
  const buttons = [...form.elements].filter((each) => each.type === "submit");
  return buttons.map((button) => formOf(form, button));
});
document.addEventListener("submit", (event) => window.noteSent(formOf(event.target, event.submitter)), true);
window.alert = window.confirm = window.prompt = () => { window.violations.push("a text ran as a script"); };
"""


@dataclass
class Visit:
    """A tab, and what was wrong in it."""

    page: Page
    base: str
    wrong: list[str] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)
    """Forms on the pages that were checked, by their names in `dashboard_forms`."""
    sent: set[str] = field(default_factory=set)
    """Forms that were sent."""
    refusals: int = 0
    """Pages that a refused form leads to; their status is no error of the console."""

    async def open(self, path: str) -> None:
        """Open a page of the dashboard; it must answer with a page."""
        answer = await self.page.goto(self.base + path, wait_until="load")
        assert answer is not None
        if answer.status != 200:
            self.wrong.append(f"{path}: status {answer.status}")
        await self.check(path)

    async def unfold(self, summary: str) -> Locator:
        """Open the first folded part of that name; return it."""
        part = self.page.locator(f'details:has(> summary:text-is("{summary}"))').first
        await part.locator("> summary").click()
        return part

    async def press(self, button: str, part: Locator | None = None, *, refused: bool = False) -> None:
        """Press a button that sends a form, and wait for the next page; check it.

        Args:
            button: Its name.
            part: Where it is; None: anywhere on the page.
            refused: The form is refused.
        """
        self.refusals += refused
        async with self.page.expect_navigation(wait_until="load") as leading:
            await (part or self.page).get_by_role("button", name=button, exact=True).first.click()
        answer = await leading.value
        status = answer.status if answer is not None else 0
        if (status >= 400) is not refused:
            text = await self.page.locator("main").inner_text()
            self.wrong.append(f"{button}: status {status} at {self.page.url}: {text[:300]}")
        await self.check(f"after {button}")

    async def check(self, where: str) -> None:
        """Note what the page that is shown did wrong."""
        found: list[str] = await self.page.evaluate("window.violations || []")
        forms: list[list[str]] = await self.page.evaluate("window.shownForms ? window.shownForms() : []")
        self.shown |= {form_name(*form) for form in forms}
        self.wrong += [f"{where}: {violation}" for violation in found]
        width: list[int] = await self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        if width[0] > width[1]:
            self.wrong.append(f"{where}: {width[0]} pixels wide in a window of {width[1]}")

    def note_message(self, message: ConsoleMessage) -> None:
        """Note an error of the console."""
        if self.refusals and "the server responded with a status of 4" in message.text:
            self.refusals -= 1
        elif message.type in ("error", "warning"):
            self.wrong.append(f"{self.page.url}: console: {message.text[:300]}")

    def note_request(self, request: Request) -> None:
        """Note a request to another host."""
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.wrong.append(f"{self.page.url}: asked {request.url[:200]}")


@asynccontextmanager
async def served(engine: AsyncToldOnce) -> AsyncIterator[str]:
    """Serve an engine on a free port of this machine; yield its URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(build_app(engine), log_config=None, access_log=False, lifespan="on")
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
        listener.close()


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Start the browser."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(_FLAGS), timeout=_PATIENCE_MS)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def visit(
    browser: Browser, base: str, *, phone: bool = False, dark: bool = False, scripts: bool = True
) -> AsyncIterator[Visit]:
    """Open a tab with a session of its own; at the end, nothing may have been wrong in it."""
    context: BrowserContext = await browser.new_context(
        viewport=PHONE if phone else DESKTOP,  # type: ignore[arg-type]  # a TypedDict of the library
        color_scheme="dark" if dark else "light",
        java_script_enabled=scripts,
    )
    context.set_default_timeout(_PATIENCE_MS)
    if scripts:
        await context.add_init_script(_WATCH)
    page = await context.new_page()
    tab = Visit(page, base)
    await page.expose_function("noteSent", lambda form: tab.sent.add(form_name(*form)))
    page.on("console", tab.note_message)
    page.on("pageerror", lambda error: tab.wrong.append(f"{page.url}: {error}"))
    page.on("request", tab.note_request)
    try:
        yield tab
    finally:
        await context.close()
    assert not tab.wrong, tab.wrong
