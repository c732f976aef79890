// How a run ended: figures, who had what, and what a reader has to know of the run.

const FIGURES = {
  joint_payoff: "joint payoff",
  optimum: "optimum",
  regret: "regret: missed of the optimum",
  own_move_loss: "own-move loss: the members' part",
  loss_given_others: "still lost then: the others' part",
  coalition_value: "what the coalition is after",
  coalition_advantage: "coalition advantage",
  judge_score: "judge: coalition less random set",
  judge_coalition: "judge, of the coalition",
  judge_random: "judge, of a random set",
  belief_rate: "false claims believed",
};

/** The end of a run. */
function endOf(seen, control) {
  const { told, content } = seen;
  const failed =
    told.status === "complete"
      ? null
      : [
          make("p", { class: "said-bad" }, `The run ended as ${plainly(told.status)}.`),
          told.reason && words(told.reason),
        ];
  return make(
    "div",
    { class: "ending", tabindex: "-1" },
    failed,
    Object.keys(told.figures).length > 0 &&
      make(
        "dl",
        { class: "figures" },
        Object.entries(FIGURES).flatMap(([key, label]) =>
          told.figures[key] && !unasked(key, told)
            ? [make("dt", {}, label), make("dd", {}, figure(told.figures[key]))]
            : [],
        ),
      ),
    payoffs(seen, control),
    told.undecided.length > 0 &&
      make("p", {}, "Nobody set ", names(told.undecided), ": a draw, or opting out, stands for it."),
    Object.keys(told.violations).length > 0 &&
      make(
        "p",
        { class: "said-bad" },
        "Hard rules broken: ",
        Object.entries(told.violations).flatMap(([rule, n], place) => [
          place ? ", " : "",
          name(rule),
          ` ${count(n, "time")}`,
        ]),
        ".",
      ),
    make(
      "details",
      {},
      make("summary", {}, "Who played, and who could talk"),
      players(told, content),
      channelsOf(told, content),
      make("p", {}, spent(told.expense)),
    ),
  );
}

/** What a run took. */
function spent({ calls, tokens, cost }) {
  if (!calls) return "No model was asked.";
  return [count(calls, "call"), count(tokens, "token"), ...(cost ? [`$${digits(cost)}`] : [])].join(", ");
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
  const best = optimum?.payoff ?? {};
  const before = control && control !== told && Object.keys(control.payoff).length ? control.payoff : null;
  const less = (mine, other) => (mine === undefined || other === undefined ? "–" : signed(mine - other));
  const heads = [
    "agent",
    "payoff",
    "to the optimum",
    ...(before ? [["to ", name(control.arm)]] : []),
    "a better reply",
  ];
  const rows = content.agents.map((who) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, agent(who, content)),
      [
        own(told.payoff, who) === undefined ? "–" : digits(own(told.payoff, who)),
        less(own(told.payoff, who), own(best, who)),
        ...(before ? [less(own(told.payoff, who), own(before, who))] : []),
      ].map((shown) => make("td", { class: `num${shown.startsWith("-") ? " loses" : ""}` }, shown)),
      make("td", { class: "num" }, figure(own(told.best_response_regret, who))),
    ),
  );
  return make(
    "div",
    { class: "scroll" },
    make(
      "table",
      { class: "who-lost" },
      make("caption", {}, "Who gained and who lost"),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          heads.map((head) => make("th", { scope: "col" }, head)),
        ),
      ),
      make("tbody", {}, rows),
    ),
  );
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
  const rows = told.judgements.map((each) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, name(each.rubric)),
      make("td", {}, scoreOf(each)),
      make("td", {}, focus(each), each.agents.length > 0 && [": ", ...names(each.agents)]),
      make("td", {}, name(each.judge), each.repeat > 1 && `, repeat ${each.repeat}`),
      make("td", {}, quoted(each, link), each.rationale !== "" && words(each.rationale)),
    ),
  );
  return make(
    "details",
    { class: "judgements" },
    make("summary", {}, title),
    make(
      "div",
      { class: "scroll" },
      make(
        "table",
        {},
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            ["rubric", "score", "of whom", "judge", "why"].map((head) => make("th", { scope: "col" }, head)),
          ),
        ),
        make("tbody", {}, rows),
      ),
    ),
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
      ? where.map((n) => [make("a", { href: link(n) }, `event ${n}`), " "])
      : make("span", { class: "why" }, "not found in one post"),
  );
}
