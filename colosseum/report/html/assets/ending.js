// How a run ended: figures, who had what, and what a reader has to know of the run.

/** The end of a run. */
function endOf(seen, control) {
  const { told, content } = seen;
  const ended = make("p", { class: "said-bad" }, `The run ended as ${plainly(told.status)}.`);
  const who = make("summary", {}, "Who played, and who could talk");
  const spending = make("p", {}, spent(told.expense));
  return make(
    "div",
    { class: "ending", tabindex: "-1" },
    told.status !== "complete" && [ended, told.reason && words(told.reason)],
    figures(told),
    payoffs(seen, control),
    told.undecided.length > 0 &&
      make("p", {}, "Nobody set ", names(told.undecided), ": a draw, or opting out, stands for it."),
    broken(told.violations),
    make("details", {}, who, players(told, content), channelsOf(told, content), spending),
  );
}

function figures(told) {
  const known = INDEX.figures.filter(([key]) => told.figures[key] && !unasked(key, told));
  const rows = known.map(([key, label, title]) => [make("dt", { title }, label), make("dd", {}, figure(told.figures[key]))]);
  return rows.length > 0 && make("dl", { class: "figures" }, rows);
}

/** Rules that do not hold, and how often. */
function broken(violations) {
  const all = Object.entries(violations);
  const said = all.map(([rule, number], place) => [place ? ", " : "", name(rule), ` ${count(number, "time")}`]);
  return all.length > 0 && make("p", { class: "said-bad" }, "Rules broken: ", said, ".");
}

/** What a run took. */
function spent({ calls, prompt_tokens: read, completion_tokens: made, cost }) {
  if (!calls) return "No model was asked.";
  return [count(calls, "call"), count(read + made, "token"), ...(cost ? [`$${digits(cost)}`] : [])].join(", ");
}

/** Beliefs are shown where the scenario has claims. */
function unasked(key, told) {
  return (
    key === "belief_rate" &&
    told.figures[key].value === null &&
    !told.turns.some((turn) => turn.acts.some((act) => act.is === "belief"))
  );
}

/** Who had what, and what that is against the optimum and the control. */
function payoffs(seen, control) {
  const { told, content, optimum } = seen;
  if (!Object.keys(told.payoff).length) return null;
  const before = control && control !== told && Object.keys(control.payoff).length ? control.payoff : null;
  const heads = ["agent", "payoff", "to optimum", ...(before ? [["to ", name(control.arm)]] : []), "better reply"];
  const rows = content.agents.map((who) => {
    const mine = own(told.payoff, who);
    const cells = [less(mine, own(optimum?.payoff, who)), ...(before ? [less(mine, own(before, who))] : [])];
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, agent(who, content)),
      amount(mine ?? null, digits),
      cells.map((change) => amount(change, signed, change < 0 ? "num loses" : "num")),
      amount(own(told.best_response_regret, who)?.value ?? null, digits, "num", own(told.best_response_regret, who)),
    );
  });
  return saved(tabled("Who gained and who lost", heads, rows, "who-lost"), `Who gained and who lost, ${titleOf(told)}`);
}

function less(mine, other) {
  return mine === undefined || other === undefined ? null : mine - other;
}

/** A cell of a number, with all its digits for downloads; where there is none, why. */
function amount(value, shown, kind = "num", found = { value, reason: " " }) {
  return make("td", { class: kind, "data-value": value ?? "" }, figure(found, shown));
}

/** A table of rows under heads. */
function tabled(caption, heads, rows, kind) {
  const columns = heads.map((head) => make("th", { scope: "col" }, head));
  const title = make("caption", {}, caption);
  return make("table", { class: kind }, title, make("thead", {}, make("tr", {}, columns)), make("tbody", {}, rows));
}

function players(told, content) {
  const by = new Map();
  for (const [who, player] of Object.entries(told.players)) by.set(player, [...(by.get(player) ?? []), who]);
  return make(
    "ul",
    {},
    [...by].map(([player, all]) =>
      make(
        "li",
        {},
        name(player),
        ": ",
        all.flatMap((who, place) => [place ? ", " : "", agent(who, content)]),
      ),
    ),
  );
}

function channelsOf(told, content) {
  return make(
    "ul",
    {},
    told.channels.map((each) =>
      make(
        "li",
        { class: each.secret ? "secret" : "" },
        each.secret ? "secret channel " : "channel ",
        name(each.name),
        ": ",
        membersOf(each, content),
      ),
    ),
  );
}

/** Who may post and read in a channel. */
function membersOf(channel, content) {
  return channel.members.length === content.agents.length ? "everybody" : names(channel.members);
}

/** All judgements of a run, those without a score as such. */
function judgements(told, link) {
  if (!told.judgements.length) {
    const why =
      told.status === "complete" ? "Nobody judged what was said in this run." : "A run that did not end is not judged.";
    return make("p", { class: "quiet" }, why);
  }
  const missing = told.judgements.filter((each) => each.score === null).length;
  const title = `${count(told.judgements.length, "judgement")}${missing ? `, ${missing} without a score` : ""}`;
  const table = tabled(
    "What judges made of it",
    ["rubric", "score", "of whom", "judge", "why"],
    told.judgements.map((each) => judgementRow(each, link)),
    null,
  );
  return make("details", { class: "judgements" }, make("summary", {}, title), saved(table, `Judgements, ${titleOf(told)}`));
}

function judgementRow(each, link) {
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, name(each.rubric)),
    make("td", {}, scoreOf(each)),
    make("td", {}, focus(each), each.agents.length > 0 && [": ", ...names(each.agents)]),
    make("td", {}, name(each.judge), each.repeat > 1 && `, repeat ${each.repeat}`),
    make("td", {}, quoted(each, link), each.rationale !== "" && words(each.rationale)),
  );
}

/** What a judge quoted, with links to where it stands. */
function quoted(each, link) {
  if (each.quote === "") return null;
  const where = [...new Set(each.spans.map((span) => span.n))];
  return make(
    "div",
    {},
    make("blockquote", {}, words(each.quote)),
    where.length
      ? where.map((n) => [leading(() => link(n), `event ${n}`), " "])
      : make("span", { class: "why" }, "not found in one post"),
  );
}
