// Getting to an event: it is unhidden, marked and scrolled to; what is in the way of it is said.

const HEARD = 4000; // milliseconds that words stay
const voice = make("p", { class: "voice", role: "status", id: "voice" });
const trouble = make("div", { class: "trouble", role: "alert", hidden: true });

/** Say something that needs no answer. */
function announce(text) {
  voice.textContent = text;
  setTimeout(() => {
    if (voice.textContent === text) voice.textContent = "";
  }, HEARD);
}

/** Say what went wrong, or that nothing does any more. */
function complain(...what) {
  trouble.replaceChildren(...what);
  trouble.hidden = !what.length;
  if (what.length) trouble.scrollIntoView({ block: "center" });
}

/** Turn on what an event needs in order to be seen. */
function unhide(n) {
  if (Object.values(looked.told.briefings).some((each) => each.n === n)) looked.kinds.add("briefing");
  for (const turn of looked.told.turns) {
    for (const act of turn.acts.filter((each) => each.n === n)) {
      if (KINDS.some((kind) => kind.key === act.is)) looked.kinds.add(act.is);
      const member = looked.content.members.includes(turn.agent);
      if (looked.agent === ":members" ? !member : looked.agent !== turn.agent) looked.agent = "";
      if (act.is === "post" && looked.channel !== act.channel) looked.channel = "";
    }
  }
}

/** The card of an event, or of what came of it: a reply is what its calls came to. */
function cardOf(n) {
  const cards = [...board.querySelectorAll("[data-n]")].filter((card) => card.dataset.trial === looked.told.trial);
  const after = cards.filter((card) => Number(card.dataset.n) >= n);
  after.sort((one, other) => one.dataset.n - other.dataset.n);
  return after[0] ?? board.querySelector(".ending");
}

/** Mark the event that was asked for. */
function mark() {
  for (const each of board.querySelectorAll(".asked")) each.classList.remove("asked");
  if (looked.event !== null && looked.event < looked.told.events) cardOf(looked.event)?.classList.add("asked");
}

/** Go to what was asked for. */
function arrive(n) {
  if (n === null) {
    stage.scrollIntoView();
    stage.focus({ preventScroll: true });
  } else if (n >= looked.told.events) {
    complain(`This run has no event ${n}: its last one is ${looked.told.events - 1}.`);
  } else {
    mark();
    const card = cardOf(n);
    const cell = card?.closest("td");
    const row = cell && [...cell.parentElement.querySelectorAll(":scope > td")];
    if (row?.length > 1) board.querySelectorAll(".switch button")[row.indexOf(cell)]?.click();
    card?.scrollIntoView({ block: "center" });
    card?.focus({ preventScroll: true });
  }
}

/** Keep in the address how a run is looked at and the state of all filters, without a step back to it. */
function remember() {
  const hash = address(looked.run, looked.event, looked);
  try {
    history.replaceState(null, "", hash);
  } catch {
    location.replace(hash);
  }
  list.shown();
}
