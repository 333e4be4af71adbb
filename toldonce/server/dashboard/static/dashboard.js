// What pages do beyond HTML. Every page works without it.
"use strict";

// A filter applies as soon as it is chosen by pointer. By keyboard, a list passes through other choices on the way, and
// texts are typed one after another: there, the form's button applies them.
let isByPointer = false;
document.addEventListener("pointerdown", () => (isByPointer = true), true);
document.addEventListener("keydown", () => (isByPointer = false), true);
document.addEventListener("change", (event) => {
  const form = event.target.closest("form.filters");
  if (form && isByPointer && event.target.matches("select, input[type=checkbox]")) form.requestSubmit();
});

document.addEventListener("click", (event) => {
  // Links into a closed part of the page open it.
  const link = event.target.closest("a[href^='#']");
  const part = link && document.getElementById(link.hash.slice(1));
  const closed = part && part.closest("details");
  if (closed) closed.open = true;
});

for (const link of document.querySelectorAll("nav [aria-current]")) {
  // On phones, the links scroll sideways: the current one is in sight.
  const nav = link.parentElement;
  nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
}

for (const box of document.querySelectorAll("input[data-ticks]")) {
  // One box ticks all of a form; without scripts it is not there.
  box.parentElement.hidden = false;
  box.addEventListener("change", () => {
    for (const each of box.form.elements) if (each.name === box.dataset.ticks) each.checked = box.checked;
  });
}

// A table wider than its place can be scrolled by the keyboard, too.
function letScroll() {
  for (const table of document.querySelectorAll("table")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
  }
}
letScroll();
addEventListener("resize", letScroll);

// Instants in the reader's time zone, recent ones as "3 hours ago"; without scripts they are UTC.
const DAY_S = 86400;
const UNITS = [["day", DAY_S], ["hour", 3600], ["minute", 60]];
const ago = new Intl.RelativeTimeFormat("en");
const toMinute = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "short" });
const toSecond = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium" });
const ownZone = toMinute.resolvedOptions().timeZone;

function sinceThen(at) {
  const seconds = (Date.now() - at) / 1000;
  if (seconds < 0 || seconds >= 7 * DAY_S) return toMinute.format(at);
  const unit = UNITS.find(([, length]) => seconds >= length);
  return unit ? ago.format(-Math.floor(seconds / unit[1]), unit[0]) : "just now";
}

function showOwnTimes() {
  for (const time of document.querySelectorAll("time[data-ago], time[data-second]")) {
    const at = new Date(time.dateTime);
    const text = "ago" in time.dataset ? sinceThen(at) : toSecond.format(at);
    if (time.textContent !== text) time.textContent = text;
    time.title = `${toSecond.format(at)} ${ownZone}`;
  }
  for (const text of document.querySelectorAll("[data-zone]")) text.textContent = `Times are those of ${ownZone}.`;
}
showOwnTimes();
setInterval(showOwnTimes, 30_000);
document.addEventListener("htmx:after:swap", showOwnTimes);
