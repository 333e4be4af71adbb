// A conversation's page: opens the message that the address names, also if it is folded away or on another page.
"use strict";

function openNamedMessage() {
  const named = /^#m([1-9][0-9]{0,8})$/.exec(location.hash);
  if (!named) return;
  const message = document.getElementById(named[0].slice(1));
  if (message) {
    for (let part = message.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    message.scrollIntoView();
  } else if (new URLSearchParams(location.search).get("at") !== named[1]) {
    location.replace(`${location.pathname}?at=${named[1]}${location.hash}`);
  }
}

window.addEventListener("hashchange", openNamedMessage);
openNamedMessage();
