// One instance: the run that was opened, runs of other arms beside it, and how they are looked at.

const looked = { run: null, content: null, told: null, event: null, beside: null, view: "arms", agent: "", channel: "", shown: 0,
  kinds: new Set(KINDS.filter((kind) => kind.on).map((kind) => kind.key)) };
const stage = make("section", { id: "run", "aria-labelledby": "run-title", tabindex: "-1" });
const board = make("div", { id: "board" });

/** Open what a link asks for. Says so where it cannot be done. */
async function open(wanted, { quiet = false } = {}) {
  const { run, fault } = meant(wanted.run ?? "");
  if (fault) return complain(fault);
  if (elsewhere(run.case) !== null) {
    return complain(make("span", {}, "That conversation is in another file: ", make("a", { href: target(run, wanted.event, wanted) }, name(titleOf(run)))));
  }
  const another = looked.run !== run;
  Object.assign(looked, { run, event: wanted.event, beside: wanted.beside, view: wanted.view });
  if (another) {
    try {
      const content = await opened(run.case);
      if (looked.run !== run) return undefined; // another one was asked for meanwhile
      Object.assign(looked, { content, told: content.runs.find((each) => each.trial === run.trial), agent: "", channel: "" });
    } catch (error) {
      return complain(`This conversation cannot be read: ${error.message}`);
    }
  }
  complain(null);
  if (wanted.event !== null) unhide(wanted.event);
  show();
  if (!quiet) arrive(wanted.event);
  return undefined;
}

/** Draw the opened run anew. */
function show() {
  stage.replaceChildren(head(), controls(), judgements(looked.told, (n) => address(looked.run, n, looked)), board);
  drawBoard();
  list.shown();
}

/** The title of the run, with what is known of it. */
function head() {
  const { run, told } = looked;
  const facts = [["harm", run.harm, " u"], ["outsiders lose", run.loss, " u"], ["judge", run.judge, " points"]];
  const step = (by, label) => {
    const other = neighbour(run, by);
    return other && elsewhere(other.case) === null ? make("a", { href: address(other, null, looked), rel: by > 0 ? "next" : "prev" }, label) : null;
  };
  return make("header", { class: "run-head" },
    make("h3", { id: "run-title" }, name(keyOf(run)), run.point && [", ", name(run.point)], `, seed ${run.seed}`, " ",
      make("a", { class: "permalink", href: address(run, null, looked), onclick: copied, "aria-label": "Link to this run", title: "A link to this run; a click copies it" }, `#${run.trial.slice(0, 8)}`)),
    make("p", { class: "run-facts" },
      make("span", {}, "its arm: ", make("strong", { class: `said-${tone(run.verdict)}` }, run.verdict)),
      facts.map(([label, value, unit]) => make("span", {}, `${label}: ${value === null ? "not known" : signed(value) + unit}`)),
      run.disagrees && make("span", { class: "flag" }, "deeds and words disagree"),
      told.status !== "complete" && make("strong", { class: "said-bad" }, told.status)),
    looked.content.members.length > 0 && make("p", {}, "Coalition ", make("span", { class: "badge" }, "◆ ", name(looked.content.coalition)), ": ", names(looked.content.members), "."),
    make("nav", { class: "steps", "aria-label": "Runs" }, step(-1, "← previous run"), " ", step(1, "next run →")));
}

/** What is compared, how it is looked at, and what is shown. */
function controls() {
  const others = looked.content.runs.filter((each) => each !== looked.told);
  const keys = new Set(besides().map(keyOf));
  const rerun = (change) => { change(); drawBoard(); };
  const views = Object.entries(VIEWS).map(([view, label]) => make("label", { class: "tick" },
    make("input", { type: "radio", name: "view", value: view, checked: looked.view === view, onchange: () => rerun(() => { looked.view = view; remember(); }) }), " ", label));
  const all = make("fieldset", { class: "beside" }, make("legend", {}, "Beside it"), others.map((each) => tick(name(keyOf(each)), keys.has(keyOf(each)),
    (on) => rerun(() => { beside(keyOf(each), on); remember(); }))));
  const acts = looked.told.turns.flatMap((turn) => turn.acts.map((act) => act.is));
  const counts = { briefing: Object.keys(looked.told.briefings).length };
  for (const is of acts) counts[is] = (counts[is] ?? 0) + 1;
  const kinds = KINDS.map((kind) => tick(`${kind.words} (${counts[kind.key] ?? 0})`, looked.kinds.has(kind.key),
    (on) => rerun(() => looked.kinds[on ? "add" : "delete"](kind.key))));
  return make("form", { class: "controls", "aria-label": "How it is looked at", onsubmit: (event) => event.preventDefault() },
    make("fieldset", {}, make("legend", {}, "View"), views), others.length > 0 && all,
    make("fieldset", {}, make("legend", {}, "Show"), kinds),
    choice("agent", [["", "all"], ...(looked.content.members.length ? [[":members", "members of the coalition"]] : []), ...looked.content.agents.map((who) => [who, who])],
      looked.agent, (value) => rerun(() => { looked.agent = value; })),
    choice("channel", [["", "all"], [":secret", "secret ones"], ...allChannels().map((each) => [each.name, each.secret ? `${each.name} (secret)` : each.name])],
      looked.channel, (value) => rerun(() => { looked.channel = value; })),
    parted());
}

/** A way to where the run first differs from its control. */
function parted() {
  const control = controlOf(looked.told);
  if (!control || control === looked.told) return null;
  const first = parting(looked.told, control);
  if (!first || first.n === undefined) return make("p", { class: "quiet" }, "All that was done is as in ", name(control.arm), ".");
  return make("p", {}, make("a", { href: address(looked.run, first.n, looked) }, "Go to where it parts from ", name(control.arm)));
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

function beside(key, on) {
  looked.beside = besides().map(keyOf).filter((each) => each !== key).concat(on ? [key] : []);
}

/** The control run that a run is compared with. */
function controlOf(told) {
  const controls = looked.content.runs.filter((each) => each.arm === INDEX.control && each.model === told.model);
  return controls.find((each) => each.repeat === told.repeat) ?? controls[0];
}

/** Draw what was said and done. */
function drawBoard() {
  const runs = looked.content.runs.filter((each) => each === looked.told || (looked.view === "arms" && besides().includes(each)));
  runs.sort((one, other) => INDEX.arms.indexOf(one.arm) - INDEX.arms.indexOf(other.arm));
  const columns = looked.view === "channels" ? byChannel() : byRun(runs);
  const caption = looked.view === "channels" ? "The run's channels, turn by turn" : runs.length > 1 ? "Runs side by side, turn by turn" : "The run, turn by turn";
  const table = tableOf(columns, caption, looked);
  const ends = looked.view === "channels" ? [{ seen: seenOf(looked.told) }] : columns;
  const wide = columns.length / ends.length;
  table.append(make("tbody", {}, make("tr", { class: "phase" }, make("th", { scope: "rowgroup", colspan: columns.length + 1 }, "At the end")),
    make("tr", {}, make("th", { scope: "row", class: "who" }, "figures"), ends.map((column) => make("td", { colspan: wide }, endOf(column.seen, controlOf(column.seen.told)))))));
  const chosen = Math.min(columns.length - 1, Math.max(0, columns.findIndex((column) => column.main)));
  board.replaceChildren(...(columns.length > 1 ? [switcher(table, columns, chosen)] : []), make("div", { class: columns.length > 4 ? "scroll" : "" }, table));
  single(table, chosen);
  mark();
}

/** A run as its cards need it. */
function seenOf(told) {
  const mine = RUNS.find((run) => run.trial === told.trial) ?? looked.run;
  const { content } = looked;
  return { told, content, optimum: content.optima[told.scenario], quotes: quotesOf(told), channels: new Map(told.channels.map((each) => [each.name, each])),
    link: (n) => address(mine, n, mine === looked.run ? looked : { view: looked.view }) };
}

function byRun(runs) {
  const control = runs.indexOf(controlOf(looked.told));
  return runs.map((told, place) => ({
    seen: seenOf(told),
    main: told === looked.told,
    against: control >= 0 && control !== place ? control : undefined,
    accepts: () => true,
    title: [name(keyOf(told)), make("span", { class: "quiet" }, ` ${verdictOf(told.point, told.model, told.arm)}${told === looked.told ? ", opened" : ""}`)],
  }));
}

/** A column for each channel that was used, and one for all that was not posted. */
function byChannel() {
  const seen = seenOf(looked.told);
  const used = new Set(looked.told.turns.flatMap((turn) => turn.acts.filter((act) => act.is === "post").map((act) => act.channel)));
  const columns = looked.told.channels.filter((each) => used.has(each.name)).map((each, place) => ({
    seen, quiet: true, main: place === 0,
    accepts: (act) => act.is === "post" && act.channel === each.name,
    title: [make("span", { class: each.secret ? "secret" : "" }, each.secret ? "secret channel " : "channel ", name(each.name)), make("span", { class: "quiet" }, " ", names(each.members))],
  }));
  return [...columns, { seen, quiet: true, main: !columns.length, accepts: (act) => act.is !== "post", title: ["outside channels"] }];
}

/** On narrow screens one column at a time: buttons to choose it. */
function switcher(table, columns, chosen) {
  const buttons = columns.map((column, place) => make("button", { type: "button", "aria-pressed": String(place === chosen), onclick: () => {
    buttons.forEach((each, at) => each.setAttribute("aria-pressed", String(at === place)));
    single(table, place);
  } }, column.title.map((node) => (typeof node === "string" ? node : node.cloneNode(true)))));
  return make("div", { class: "switch", role: "group", "aria-label": "Column" }, buttons);
}

/** Say which column is the one that narrow screens show. */
function single(table, chosen) {
  for (const cells of table.querySelectorAll("tr")) {
    const spans = cells.querySelectorAll("td");
    const last = Math.min(chosen, spans.length - 1);
    spans.forEach((each, place) => each.classList.toggle("shown", place === last));
  }
}
