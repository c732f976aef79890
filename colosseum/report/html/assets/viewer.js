// Puts the viewer together: where to begin, search, the list, the opened run; links, keys, light and dark, more runs.

const BEGIN = 6; // arms that are named where to begin
const WRITTEN = "input:not([type=checkbox], [type=radio]), select, textarea"; // where keys are signs

/** The runs that show best what was found of an arm, arms of which something was found first. */
function beginnings() {
  const by = new Map(RUNS.map((run) => [run.trial, run]));
  return INDEX.readings.map((each) => ({ ...each, run: by.get(each.run) })).filter((each) => each.run);
}

/** A few links for those who see this for the first time. */
function beginPart(found) {
  if (!found.length) return null;
  return make(
    "div",
    { class: "begin" },
    make("h3", {}, "Where to begin"),
    make(
      "ul",
      {},
      found.slice(0, BEGIN).map(({ reading, tone, run }) =>
        make(
          "li",
          {},
          make("strong", { class: `said-${tone}` }, reading),
          ": ",
          make("a", { href: address(run) }, name(titleOf(run))),
          known(run) && make("span", { class: "quiet" }, `; ${known(run)}`),
        ),
      ),
    ),
  );
}

function keysPart() {
  const on = tick("on", keys.on, (value) => {
    keys.on = value;
  });
  return make(
    "details",
    { class: "keys" },
    make("summary", {}, "Keys"),
    make(
      "p",
      {},
      make("kbd", {}, "j"),
      " next run of the list, ",
      make("kbd", {}, "k"),
      " the one before, ",
      make("kbd", {}, "n"),
      " next judged words, ",
      make("kbd", {}, "p"),
      " those before, ",
      make("kbd", {}, "/"),
      " search. ",
      on,
    ),
  );
}

const keys = { on: true };

function pressed(event) {
  if (!keys.on || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(WRITTEN)) return;
  const step = { j: 1, k: -1 }[event.key];
  const jump = { n: 1, p: -1 }[event.key];
  if (step && looked.run) {
    const other = neighbour(looked.run, step);
    if (!other) announce(step > 0 ? "This is the last run of the list." : "This is the first run of the list.");
    else location.href = address(other, null, looked);
  } else if (jump) judgedWords(jump);
  else if (event.key === "/") document.getElementById("search").focus();
  else return;
  event.preventDefault();
}

/** Show what was cut or waits, so that paper has all of it. */
function unfold() {
  for (const each of document.querySelectorAll(".more[aria-expanded=false], .timeline .more")) each.click();
}

/** Go to the next words that a judge quoted. */
function judgedWords(step) {
  const all = [...board.querySelectorAll(".ref")].filter((each) => each.offsetParent !== null);
  const here = all.indexOf(document.activeElement);
  const next = all.at(here < 0 && step < 0 ? -1 : (here + step) % all.length);
  next?.scrollIntoView({ block: "center" });
  next?.focus({ preventScroll: true });
  if (!next) announce("Judges quoted nothing here.");
}

/** Follow the address; one that is of no other section is said to be unknown. */
function follow() {
  const given = new URLSearchParams(location.hash.slice(1));
  const restored = restore(given);
  const wanted = asked(location.hash);
  if (wanted) return open(wanted);
  if (given.has("arm")) return toArm(Object.fromEntries(given));
  if (restored) return search.text && document.getElementById("search").scrollIntoView();
  const place = decoded(location.hash.slice(1));
  if (place && !document.getElementById(place)) complain("This page has no place that is called ", name(place), ".");
  return undefined;
}

/** Open the run that shows best what was found of an arm: where `#arm=…&point=…&model=…` leads. */
function toArm({ arm, point, model }) {
  const meets = (run) => run.arm === arm && run.point === (point ?? run.point) && run.model === (model ?? run.model);
  const found = beginnings().find(({ run }) => meets(run))?.run ?? RUNS.find(meets);
  if (!found) return complain("This page has no run of ", name([arm, point, model].filter(Boolean).join(", ")), ".");
  location.replace(address(found));
  return undefined;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A button for light and dark; what was chosen is kept where that is allowed. */
function theme() {
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const kept = attempt(() => localStorage.getItem(`${KEEPS}-theme`));
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  const dark = () =>
    (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const show = () => button.setAttribute("aria-pressed", String(dark()));
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    attempt(() => localStorage.setItem(`${KEEPS}-theme`, root.dataset.theme));
    show();
  });
  button.hidden = false;
  show();
}

function begin() {
  theme();
  offerDownloads();
  openLabels(INDEX.campaign);
  const root = document.getElementById("viewer");
  const found = beginnings();
  root.append(
    trouble,
    voice,
    ...(RUNS.length
      ? [beginPart(found), searchPart(), listOfRuns(() => looked), keysPart(), stage].filter(Boolean)
      : [make("p", {}, "There is no run to be read yet.")]),
  );
  root.hidden = false;
  addEventListener("hashchange", follow);
  addEventListener("click", (event) => {
    if (event.target.closest('a[href^="#run="]')?.hash === location.hash) follow(); // the address stays as it is
  });
  addEventListener("keydown", pressed);
  addEventListener("beforeprint", unfold);
  const first = found[0]?.run ?? RUNS[0];
  if (location.hash) follow();
  if (!asked(location.hash) && first)
    open({ run: first.trial, event: null, beside: null, view: "arms" }, { quiet: true });
}

begin();
