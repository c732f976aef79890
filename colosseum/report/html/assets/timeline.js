// A run beside its control: the first decision that differs, the posts before it, and what each such decision cost whom.

const BEFORE = 6; // posts that stand before a decision before the rest is asked for
const GLANCE = 160; // signs of a post in the timeline

/** What differs between the opened run and its control; it says nothing of why. */
function timeline() {
  const { told } = looked;
  const control = controlOf(told);
  if (!control || control === told || told.status !== "complete" || control.status !== "complete") return null;
  const acts = told.turns.flatMap((turn) => turn.acts.map((act) => ({ ...act, agent: turn.agent, round: turn.round })));
  const made = acts.filter((act) => act.is === "decide" && Object.hasOwn(told.changed_back, act.variable));
  const final = made.filter((act) => act.value === told.assignment[act.variable]);
  const others = Object.keys(told.changed_back).length;
  const versus = name(keyOf(control));
  if (!others) return make("p", { class: "quiet" }, "All decisions are as in ", versus, ".");
  const title = make("summary", {}, `${count(others, "decision")} ${others === 1 ? "differs" : "differ"} from `, versus);
  if (!final.length) return make("details", {}, title, costs(told, control, final));
  const [first] = final;
  const before = acts.filter((act) => act.is === "post" && act.n < first.n);
  return make(
    "details",
    { class: "timeline", open: true },
    title,
    make(
      "p",
      {},
      "The first one: ",
      agent(first.agent, looked.content),
      " decides ",
      choiceOf(first.variable, first.value, control),
      " ",
      eventLink(first.n),
    ),
    before.length ? postsBefore(before) : make("p", { class: "quiet" }, "Nobody posted before it."),
    costs(told, control, final),
  );
}

function eventLink(n) {
  return leading(() => address(looked.run, n, looked), `#${n}`);
}

/** A decision, and what it was in the control. */
function choiceOf(variable, value, control) {
  const there = own(control.assignment, variable);
  return [name(variable), " = ", make("strong", {}, chosen(value)), ", in ", name(control.arm), " ", chosen(there)];
}

/** The last posts before the first decision that differs, and the earlier ones on demand. */
function postsBefore(posts) {
  const secret = new Set(looked.told.channels.filter((each) => each.secret).map((each) => each.name));
  const item = (act) =>
    make(
      "li",
      {},
      agent(act.agent, looked.content),
      " → ",
      make("span", { class: secret.has(act.channel) ? "secret" : "" }, name(act.channel)),
      `, ${inRound(act.round)}: `,
      make("span", { dir: "auto" }, spelled(act.text.slice(0, GLANCE)), act.text.length > GLANCE && "…"),
      " ",
      eventLink(act.n),
    );
  const list = make("ul", { class: "before" }, posts.slice(-BEFORE).map(item));
  const earlier = posts.slice(0, -BEFORE);
  const all = () => {
    list.prepend(...earlier.map(item));
    button.remove();
  };
  const button = make("button", { type: "button", class: "more", onclick: all }, `Show ${earlier.length} earlier`);
  return [make("p", {}, `${count(posts.length, "post")} before it:`), earlier.length > 0 && button, list];
}

/** What each decision that differs changed for each agent, were all others as they were. */
function costs(told, control, final) {
  const order = final.map((act) => act.variable);
  const variables = [...new Set([...order, ...Object.keys(told.changed_back)])];
  const rows = variables.map((variable) => {
    const changes = told.changed_back[variable];
    const shown = Object.entries(changes ?? {}).map(([who, change], place) => [
      place ? ", " : "",
      agent(who, looked.content),
      " ",
      make("span", { class: change < 0 ? "loses" : "" }, signed(change)),
    ]);
    const act = final.find((each) => each.variable === variable);
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, choiceOf(variable, told.assignment[variable], control), " ", act && eventLink(act.n)),
      make(
        "td",
        {},
        changes === null ? "not known: the other decision breaks a hard rule here" : shown.length ? shown : "nobody's payoff",
      ),
    );
  });
  const caption = "What each decision changed for each agent, against the control's decision in its place. Rows do not add up.";
  return saved(tabled(caption, ["decision", "changed"], rows, "who-lost"), `What differs, ${titleOf(told)}`);
}
