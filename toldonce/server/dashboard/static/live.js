// The page of live requests: htmx asks every two seconds for what is new; this adds no row twice, and pauses.
"use strict";

const MAX_ROWS = 1000;
const rows = document.getElementById("requests");
const pause = document.getElementById("pause");
const state = document.getElementById("live-state");
const isPaused = () => pause.getAttribute("aria-pressed") === "true";
const isPoll = (event) => event.target.id === "more";

function show(text) {
  if (state.textContent !== text) state.textContent = text;
}

if (document.getElementById("more")) {
  pause.hidden = false;
  document.getElementById("refresh").hidden = true;
  show("New requests appear by themselves.");
  pause.addEventListener("click", () => {
    pause.setAttribute("aria-pressed", String(!isPaused()));
    pause.textContent = isPaused() ? "Go on" : "Pause";
    show(isPaused() ? "Paused. What comes meanwhile appears when you go on." : "New requests appear by themselves.");
  });
}

document.addEventListener("htmx:config:request", (event) => {
  // What is not asked for now is asked for later: the next question begins where the last answer ended.
  if (isPoll(event) && (isPaused() || document.hidden)) event.preventDefault();
});

document.addEventListener("htmx:error", (event) => {
  if (isPoll(event)) show("The server does not answer. This page goes on asking.");
});

document.addEventListener("htmx:before:swap", (event) => {
  if (!isPoll(event)) return;
  const { ctx, tasks } = event.detail;
  const added = tasks.find((task) => task.target === rows);
  if (ctx.response.status !== 200 || !added) {
    event.preventDefault(); // an error, or the login: keep the rows, and go on asking
    show("The server did not answer as expected. Load the page again if this stays.");
    return;
  }
  for (const row of added.fragment.querySelectorAll("li[id]")) {
    // The last seconds come again, for several processes record at once.
    if (document.getElementById(row.id)) row.remove();
  }
  if (!isPaused()) show("New requests appear by themselves.");
});

document.addEventListener("htmx:after:swap", () => {
  const empty = document.getElementById("no-request");
  if (empty && rows.children.length) empty.remove();
  while (rows.children.length > MAX_ROWS) rows.lastElementChild.remove();
});
