// One instance: the run that was opened, runs of other arms beside it, and how they are looked at.

const looked = {
  run: null,
  content: null,
  told: null,
  event: null,
  beside: null,
  view: "arms",
  agent: "",
  channel: "",
  shown: 0,
  kinds: new Set(KINDS.filter((kind) => kind.on).map((kind) => kind.key)),
};
const stage = make("section", { id: "run", "aria-labelledby": "run-title", tabindex: "-1" });
const board = make("div", { id: "board" });

/** Open what a link asks for. Says so where it cannot be done. */
async function open(wanted, { quiet = false } = {}) {
  const { run, fault } = meant(wanted.run ?? "");
  if (fault) return complain(fault);
  if (elsewhere(run.case) !== null) {
    return complain(
      "That conversation is in another file: ",
      make("a", { href: target(run, wanted.event, wanted) }, name(titleOf(run))),
    );
  }
  const another = looked.run !== run;
  Object.assign(looked, { run, event: wanted.event, beside: wanted.beside, view: wanted.view });
  if (another) {
    const found = await opened(run.case).catch((error) => error);
    if (looked.run !== run) return undefined; // another one was asked for meanwhile
    const told = found.runs?.find((each) => each.trial === run.trial);
    if (!told) {
      Object.assign(looked, { run: null, told: null });
      stage.replaceChildren();
      return complain(`This conversation cannot be read: ${found.message ?? "it is not in this file"}.`);
    }
    Object.assign(looked, { content: found, told, agent: "", channel: "" });
  }
  complain();
  if (another) turnTo(run);
  if (wanted.event !== null) unhide(wanted.event);
  show();
  if (!quiet) arrive(wanted.event);
  return undefined;
}

/** Draw the opened run anew. */
function show() {
  stage.replaceChildren(
    head(),
    controls(),
    judgements(looked.told, (n) => address(looked.run, n, looked)),
    board,
  );
  drawBoard();
  list.shown();
}

/** The title of the run, with what is known of it. */
function head() {
  const { run, told } = looked;
  const facts = [
    ["harm", run.harm, shares],
    ["outsiders lose", run.loss, shares],
    ["judge", run.judge, points],
  ];
  const step = (by, label) => {
    const other = neighbour(run, by);
    return other && elsewhere(other.case) === null
      ? make("a", { href: address(other, null, looked), rel: by > 0 ? "next" : "prev" }, label)
      : null;
  };
  return make(
    "header",
    { class: "run-head" },
    make(
      "h3",
      { id: "run-title" },
      name(keyOf(run)),
      run.point && [", ", name(run.point)],
      `, seed ${run.seed}`,
      " ",
      make(
        "a",
        {
          class: "permalink",
          href: address(run, null, looked),
          onclick: copied,
          "aria-label": "Link to this run",
          title: "A link to this run; a click copies it",
        },
        `#${run.trial.slice(0, 8)}`,
      ),
    ),
    make(
      "p",
      { class: "run-facts" },
      make("span", {}, "its arm: ", make("strong", { class: `said-${tone(run.verdict)}` }, run.verdict)),
      facts.map(([label, value, shown]) =>
        make("span", {}, `${label}: ${value === null ? "not known" : shown(value)}`),
      ),
      run.disagrees && make("span", { class: "flag" }, "deeds and words disagree"),
      told.status !== "complete" && make("strong", { class: "said-bad" }, told.status),
    ),
    looked.content.members.length > 0 &&
      make(
        "p",
        {},
        "Coalition ",
        make("span", { class: "badge" }, "◆ ", name(looked.content.coalition)),
        ": ",
        names(looked.content.members),
        ".",
      ),
    make("nav", { class: "steps", "aria-label": "Runs" }, step(-1, "← previous run"), " ", step(1, "next run →")),
  );
}

/** What is compared, how it is looked at, and what is shown. */
function controls() {
  const others = inOrder(looked.content.runs.filter((each) => each !== looked.told));
  const keys = new Set(besides().map(keyOf));
  const rerun = (change) => {
    change();
    drawBoard();
  };
  const all = make(
    "fieldset",
    { class: "beside", hidden: looked.view !== "arms" },
    make("legend", {}, "Beside it"),
    others.map((each) =>
      tick(name(keyOf(each)), keys.has(keyOf(each)), (on) =>
        rerun(() => {
          beside(keyOf(each), on);
          remember();
        }),
      ),
    ),
  );
  const views = Object.entries(VIEWS).map(([view, label]) =>
    make(
      "label",
      { class: "tick" },
      make("input", {
        type: "radio",
        name: "view",
        value: view,
        checked: looked.view === view,
        onchange: () =>
          rerun(() => {
            looked.view = view;
            all.hidden = view !== "arms";
            remember();
          }),
      }),
      " ",
      label,
    ),
  );
  const acts = looked.told.turns.flatMap((turn) => turn.acts.map((act) => act.is));
  const counts = { briefing: Object.keys(looked.told.briefings).length };
  for (const is of acts) counts[is] = (counts[is] ?? 0) + 1;
  const kinds = KINDS.map((kind) =>
    tick(`${kind.words} (${counts[kind.key] ?? 0})`, looked.kinds.has(kind.key), (on) =>
      rerun(() => looked.kinds[on ? "add" : "delete"](kind.key)),
    ),
  );
  return make(
    "form",
    { class: "controls", "aria-label": "How it is looked at", onsubmit: (event) => event.preventDefault() },
    make("fieldset", {}, make("legend", {}, "View"), views),
    others.length > 0 && all,
    make("fieldset", {}, make("legend", {}, "Show"), kinds),
    choice(
      "agent",
      [
        ["", "all"],
        ...(looked.content.members.length ? [[":members", "members of the coalition"]] : []),
        ...looked.content.agents.map((who) => [who, who]),
      ],
      looked.agent,
      (value) =>
        rerun(() => {
          looked.agent = value;
        }),
    ),
    choice(
      "channel",
      [
        ["", "all"],
        [":secret", "secret ones"],
        ...allChannels().map((each) => [each.name, each.secret ? `${each.name} (secret)` : each.name]),
      ],
      looked.channel,
      (value) =>
        rerun(() => {
          looked.channel = value;
        }),
    ),
    quotedFirst(),
    parted(),
  );
}

/** A way to the first words that a judge quoted of the coalition. */
function quotedFirst() {
  const said = looked.told.judgements.filter((each) => each.score > 0 && each.focal !== "random");
  const places = said.flatMap((each) => each.spans.map((span) => span.n)).sort((one, other) => one - other);
  if (!places.length) return null;
  return make("p", {}, make("a", { href: address(looked.run, places[0], looked) }, "Go to what judges quote"));
}

/** A way to where the run first differs from its control. */
function parted() {
  const control = controlOf(looked.told);
  if (!control || control === looked.told) return null;
  const first = parting(looked.told, control);
  if (!first || first.n === undefined)
    return make("p", { class: "quiet" }, "All that was done is as in ", name(control.arm), ".");
  return make(
    "p",
    {},
    make("a", { href: address(looked.run, first.n, looked) }, "Go to where it parts from ", name(control.arm)),
  );
}

function allChannels() {
  const by = new Map();
  for (const told of looked.content.runs) for (const each of told.channels) by.set(each.name, each);
  return [...by.values()];
}

/** The runs that stand beside the opened one: those that were chosen, else its control. */
function besides() {
  const control = controlOf(looked.told);
  const wanted = looked.beside ?? (control ? [keyOf(control)] : []);
  return looked.content.runs.filter((each) => each !== looked.told && wanted.includes(keyOf(each)));
}

/** What stands beside a run once it is the one that is opened. */
function besidesOf(told) {
  return [looked.told, ...besides()].filter((each) => each !== told).map(keyOf);
}

/** Runs by their arms, the control first. */
function inOrder(runs) {
  return runs.sort((one, other) => INDEX.arms.indexOf(one.arm) - INDEX.arms.indexOf(other.arm));
}

function beside(key, on) {
  looked.beside = besides()
    .map(keyOf)
    .filter((each) => each !== key)
    .concat(on ? [key] : []);
}

/** The control run that a run is compared with. */
function controlOf(told) {
  const controls = looked.content.runs.filter((each) => each.arm === INDEX.control && each.model === told.model);
  return controls.find((each) => each.repeat === told.repeat) ?? controls[0];
}
