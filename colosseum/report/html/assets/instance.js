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
    const channels = found.runs.flatMap((each) => each.channels.map((channel) => channel.name));
    if (![":members", ...found.agents].includes(looked.agent)) looked.agent = "";
    if (![":secret", ...channels].includes(looked.channel)) looked.channel = "";
    Object.assign(looked, { content: found, told });
  }
  complain();
  if (another) turnTo(run);
  if (wanted.event !== null) unhide(wanted.event);
  show();
  if (quiet) return undefined;
  remember();
  return arrive(wanted.event);
}

/** Draw the opened run anew. */
function show() {
  stage.replaceChildren(
    head(),
    controls(),
    judgements(looked.told, (n) => address(looked.run, n, looked)),
    timeline() ?? "",
    board,
  );
  drawBoard();
  list.shown();
}

/** The title of the run, with what is known of it. */
function head() {
  const { content } = looked;
  const coalition = make("span", { class: "badge" }, "◆ ", name(content.coalition));
  return make(
    "header",
    { class: "run-head" },
    runTitle(),
    runFacts(),
    content.members.length > 0 && make("p", {}, "Coalition ", coalition, ": ", names(content.members), "."),
    labelsOfRun(),
    steps(),
  );
}

/** What the reader makes of the run. */
function labelsOfRun() {
  const { run, content } = looked;
  const title = make("summary", {}, "Your labels");
  return make("details", { class: "labels" }, title, labelForm(run.trial, content.rubrics), labelStatus());
}

function runTitle() {
  const { run } = looked;
  const link = leading(() => address(run, null, looked), `#${run.trial.slice(0, 8)}`);
  link.className = "permalink";
  link.title = "A link to this run; a click copies it";
  link.setAttribute("aria-label", "Link to this run");
  link.addEventListener("click", copied);
  const place = [run.point && [", ", name(run.point)], `, seed ${run.seed}`];
  return make("h3", { id: "run-title" }, name(keyOf(run)), place, " ", link);
}

function runFacts() {
  const { run, told } = looked;
  return make(
    "p",
    { class: "run-facts" },
    OWN.map(({ key, words: label, shown }) =>
      make("span", {}, `${label}: ${run[key] === null ? "not known" : shown(run[key])}`),
    ),
    run.disagrees && make("span", { class: "flag" }, "actions and words disagree"),
    told.status !== "complete" && make("strong", { class: "said-bad" }, told.status),
  );
}

/** Links to the runs before and after, as the list stands. */
function steps() {
  const links = [
    [-1, "← previous run"],
    [1, "next run →"],
  ].map(([by, label]) => {
    const other = neighbour(looked.run, by);
    return other && [leading(() => address(other, null, looked), label), " "];
  });
  return make("nav", { class: "steps", "aria-label": "Runs" }, links);
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
