// The list of runs: filters, columns to sort by, and pages.

const ROWS = 12; // of a page
const WORTH = {
  key: "worth",
  words: "most worth reading first",
  means: [
    "Runs of treated arms come first, then those of control arms. In each part runs are sorted by their team loss:",
    " what the members' own moves cost the team, and what they talked others into.",
    " A run in which actions and words disagree (outsiders lose and no judge hears a deal, or the other way round)",
    " counts for one fair share (u) more. All of it is measured against the control run of the same instance. Runs",
    " without a control come last. A judge's points are those for the coalition less those for a random set of agents",
    " as large.",
  ],
};
const ORDER = new Intl.Collator("en", { numeric: true });
const list = { sort: "worth", up: false, page: 0, filters: {}, runs: RUNS, shown: null, restored: null };
/** A run's own figures, against the control run of its instance; regret is against the optimum, in payoff. */
const OWN = [
  { key: "harm", words: "team loss", number: true, shown: shares },
  { key: "loss", words: "outsiders lose", number: true, shown: shares },
  { key: "judge", words: "judge", number: true, shown: points },
  { key: "regret", words: "regret", number: true, shown: digits },
];
const COLUMNS = [
  { key: "arm", words: "run", cell: (run) => keyOf(run) },
  { key: "seed", words: "seed", number: true },
  ...(SWEPT ? [{ key: "point", words: "sweep point" }] : []),
  ...(SEVERAL ? [{ key: "model", words: "model" }] : []),
  ...OWN,
  { key: "disagrees", words: "actions and words" },
  ...(RUNS.some((run) => run.status !== "complete") ? [{ key: "status", words: "status" }] : []),
];

/** What is known of a run, in a few words. */
function known(run) {
  return OWN.slice(1, 3)
    .filter(({ key }) => Number.isFinite(run[key]))
    .map(({ key, words: label, shown }) => `${label} ${shown(run[key])}`)
    .join("; ");
}

/** The list of runs with all that narrows it down; `looked` tells how runs are looked at, for the links. */
function listOfRuns(looked) {
  const body = make("tbody");
  const head = make("tr");
  const said = make("p", { class: "quiet", role: "status", id: "runs-said" });
  const pager = make("div", { class: "pager" });
  list.shown = () => showRows(body, head, said, pager, looked);
  const table = make("table", { class: "runs", "aria-describedby": "runs-said" }, make("thead", {}, head), body);
  let form = filters();
  list.restored = () => {
    const fresh = filters();
    form.replaceWith(fresh);
    form = fresh;
    narrow();
  };
  const part = make(
    "section",
    { class: "runs-part", "aria-labelledby": "runs-title" },
    make("h3", { id: "runs-title" }, "All runs"),
    form,
    said,
    make("div", { class: "scroll" }, table),
    pager,
    downloads(table, "Runs", () => ({
      columns: ["trial", ...COLUMNS.map((column) => column.key)],
      rows: list.runs.map((run) => [run.trial, ...COLUMNS.map((column) => run[column.key])]),
    })),
    make(
      "details",
      {},
      make("summary", {}, "What team loss and most worth reading mean"),
      make("p", { class: "quiet" }, ...WORTH.means),
    ),
  );
  narrow();
  return part;
}

/** What the list may be narrowed down by: only what differs. */
function filters() {
  const form = make("form", {
    class: "filters",
    "aria-label": "Narrow the list down",
    onsubmit: (event) => event.preventDefault(),
  });
  for (const [key, label] of [
    ["arm", "arm"],
    ["point", "sweep point"],
    ["model", "model"],
    ["status", "status"],
  ]) {
    const values = [...new Set(RUNS.map((run) => String(run[key])))];
    if (values.length < 2) continue;
    if (key === "arm") values.sort((one, other) => INDEX.arms.indexOf(one) - INDEX.arms.indexOf(other));
    const options = [["", "all"], ...values.map((value, place) => [String(place), value || "(none)"])];
    const now = values.indexOf(list.filters[key]);
    const changed = (value) => narrowed(key, value === "" ? undefined : values[Number(value)]);
    form.append(choice(label, options, now < 0 ? "" : String(now), changed));
  }
  const seed = make("input", {
    size: "8",
    placeholder: "1, 3..5",
    value: list.filters.seed ?? "",
    oninput: () => narrowed("seed", seed.value.trim() || undefined),
  });
  form.append(make("label", { class: "choice" }, "seed ", seed));
  const disagree = list.filters.disagrees === "true";
  form.append(tick("actions and words disagree", disagree, (on) => narrowed("disagrees", on ? "true" : undefined)));
  return form;
}

/** Narrow the list down by one thing, or no more by it, and keep that in the link. */
function narrowed(key, value) {
  list.filters[key] = value;
  narrow();
  remember();
}

/** The runs of the list, filtered and in order. */
function narrow() {
  const wanted = Object.entries(list.filters).filter(([, each]) => each !== undefined);
  const fits = (run, key, is) => (key === "seed" ? among(run.seed, is) : String(run[key]) === String(is));
  list.runs = RUNS.filter((run) => wanted.every(([key, is]) => fits(run, key, is)));
  const sign = list.up ? 1 : -1;
  const by = list.sort;
  if (by !== WORTH.key) list.runs.sort((one, other) => compared(one[by], other[by], sign) || one.rank - other.rank);
  list.page = 0;
  list.shown();
}

/** Whether a seed is among those of `1, 3..5`; large ones are texts, as a number would be rounded. */
function among(seed, words) {
  const is = seed === null ? -1n : BigInt(seed);
  const parts = String(words).matchAll(/(\d+)(?:\s*\.\.\s*(\d+))?/g);
  return [...parts].some(([, low, high = low]) => BigInt(low) <= is && is <= BigInt(high));
}

/** Which of two comes first; what is not known comes last, whatever the direction. */
function compared(one, other, sign) {
  if (one === null || other === null) return (one === null) - (other === null);
  if (typeof one === "string") return sign * ORDER.compare(one, other);
  return sign * (one - other);
}

function showRows(body, head, said, pager, looked) {
  const first = list.page * ROWS;
  const runs = list.runs.slice(first, first + ROWS);
  head.replaceChildren(...COLUMNS.map(heading));
  body.replaceChildren(...runs.map((run) => row(run, looked())));
  const order = list.sort === WORTH.key ? WORTH.words : `by ${COLUMNS.find((each) => each.key === list.sort).words}`;
  const all = list.runs.length === RUNS.length ? "" : ` of ${count(RUNS.length, "run")}`;
  said.replaceChildren(
    list.runs.length ? `${count(list.runs.length, "run")}${all}, ${order}.` : `No run${all} is like that.`,
    ...(list.sort === WORTH.key
      ? []
      : [" ", make("button", { type: "button", onclick: () => sortBy(WORTH.key) }, WORTH.words)]),
  );
  pager.hidden = list.runs.length <= ROWS;
  const turn = (by, words, off) =>
    make(
      "button",
      {
        type: "button",
        disabled: off,
        onclick: () => {
          list.page += by;
          list.shown();
        },
      },
      words,
    );
  pager.replaceChildren(
    turn(-1, "Previous page", first === 0),
    " ",
    make(
      "span",
      {},
      `${(first + 1).toLocaleString("en")} to ${Math.min(first + ROWS, list.runs.length).toLocaleString("en")}`,
    ),
    " ",
    turn(1, "Next page", first + ROWS >= list.runs.length),
  );
  if (looked().told) stage.querySelector(".steps")?.replaceWith(steps());
}

function heading(column) {
  const sorted = list.sort === column.key;
  const button = make("button", { type: "button", onclick: () => sortBy(column.key) }, column.words);
  return make(
    "th",
    {
      scope: "col",
      class: column.number && "num",
      "aria-sort": sorted ? (list.up ? "ascending" : "descending") : null,
    },
    button,
  );
}

/** Sort by a column, numbers from the largest on at first; the other way round the second time. */
function sortBy(key) {
  const numeric = COLUMNS.some((each) => each.key === key && (each.number || key === "disagrees"));
  list.up = list.sort === key ? !list.up : !numeric;
  list.sort = key;
  narrow();
  remember();
}

function row(run, looked) {
  const made = make("tr", { "aria-current": looked.run === run ? "true" : null });
  for (const column of COLUMNS) made.append(cell(column, run, looked));
  return made;
}

function cell(column, run, looked) {
  const value = run[column.key];
  switch (column.key) {
    case "arm": {
      const link = make(
        "a",
        { href: address(run, null, { beside: looked.beside, view: looked.view }) },
        name(column.cell(run)),
      );
      return make("th", { scope: "row" }, link);
    }
    case "disagrees":
      return make("td", { class: value ? "" : "blank" }, value ? make("span", { class: "flag" }, "disagree") : "");
    case "status":
      return make("td", { class: value === "failed" ? "said-bad" : "" }, value);
    case "point":
    case "model":
      return make("td", {}, name(value));
    default:
      return make(
        "td",
        { class: "num", "data-label": column.words },
        value === null ? "–" : (column.shown ?? String)(value),
      );
  }
}

/** Turn to the page of the list that has a run, where one has. */
function turnTo(run) {
  const place = list.runs.indexOf(run);
  if (place >= 0) list.page = Math.floor(place / ROWS);
}

/** The run before or after one, as the list stands now; the first comes after one that is not in it. */
function neighbour(run, step) {
  const place = list.runs.indexOf(run);
  return place < 0 && step < 0 ? undefined : list.runs[place + step];
}
