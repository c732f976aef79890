// Runs as a table: turns are rows, aligned; runs or channels are columns.

const MOST_COLUMNS = 4; // that share the width; more of them scroll

const PHASES = {
  "": "Before the first turn",
  briefing: "What they are told",
  planning: "Planning",
  survey: "Asked in private",
  execution: "Decisions",
};

/** The table of a view. A column is {seen, title, accepts(act), quiet}. */
function tableOf(columns, caption, looked) {
  const table = make("table", { class: "side" });
  const cols = columns.map(() => make("col", { class: columns.length > MOST_COLUMNS && "wide" }));
  const titles = columns.map((column) => make("th", { scope: "col" }, column.title));
  table.append(
    make("caption", {}, caption),
    make("colgroup", {}, make("col", { class: "who" }), cols),
    make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "who" }, "turn"), titles)),
  );
  const groups = [];
  for (const group of groupsOf(columns, looked.kinds.has("briefing"))) {
    const silent = isSilent(group, columns, looked);
    const last = groups[groups.length - 1];
    if (silent && last?.silent && last.phase === group.phase) groups[groups.length - 1] = joined(last, group);
    else groups.push({ ...group, silent });
  }
  table.append(...groups.map((group) => groupBody(group, columns, looked)));
  return table;
}

/** Whether nothing of a round is looked at. */
function isSilent(group, columns, looked) {
  return group.rows.every((row) => columns.every((column, place) => !shownOf(row, column, place, looked).length));
}

/** Silent rounds as one. */
function joined(one, next) {
  return { ...one, until: next.round, rows: [...one.rows, ...next.rows] };
}

/** What of a turn is looked at. */
function shownOf(row, column, place, looked) {
  return (row.turns[place]?.acts ?? []).filter((act) => isShown(act, row.turns[place], column, looked));
}

/** Phases and rounds with their turns, side by side: {phase, round, rows: [{who, place, turns}]}. */
function groupsOf(columns, briefed) {
  const orders = new Set(columns.map((column) => JSON.stringify(column.seen.told.order)));
  const groups = new Map();
  columns.forEach((column, place) => {
    const times = new Map();
    for (const turn of [...(briefed ? briefings(column.seen.told) : []), ...column.seen.told.turns]) {
      const key = `${turn.phase} ${turn.round}`;
      const group =
        groups.get(key) ?? groups.set(key, { phase: turn.phase, round: turn.round, rows: new Map() }).get(key);
      const by = orders.size === 1 ? `${key} ${turn.agent}` : key;
      times.set(by, (times.get(by) ?? 0) + 1);
      const at = `${by} ${times.get(by)}`;
      const row =
        group.rows.get(at) ?? group.rows.set(at, { who: orders.size === 1 ? turn.agent : "", turns: [] }).get(at);
      row.turns[place] = turn;
    }
  });
  const ranks = Object.keys(PHASES);
  return [...groups.values()]
    .sort((one, other) => ranks.indexOf(one.phase) - ranks.indexOf(other.phase) || one.round - other.round)
    .map((group) => ({ ...group, rows: [...group.rows.values()].map((row, place) => ({ ...row, place: place + 1 })) }));
}

/** Briefings as turns that come before all others. */
function briefings(told) {
  return Object.entries(told.briefings).map(([who, { n, texts }]) => ({
    agent: who,
    phase: "briefing",
    round: 0,
    acts: [{ is: "briefing", n, texts }],
  }));
}

function groupBody(group, columns, looked) {
  const rounds =
    (group.until ?? group.round) > group.round ? `rounds ${group.round} to ${group.until}` : inRound(group.round);
  const numbered = group.phase === "planning" ? `, ${rounds}` : "";
  const title = make(
    "th",
    { scope: "rowgroup", colspan: columns.length + 1 },
    make("span", {}, (PHASES[group.phase] ?? plainly(group.phase)) + numbered),
  );
  const body = make("tbody", {}, make("tr", { class: "phase" }, title));
  let silent = [];
  const flush = () => {
    if (silent.length) body.append(silentRow(silent, columns));
    silent = [];
  };
  for (const row of group.rows) {
    const shown = columns.map((column, place) => shownOf(row, column, place, looked));
    if (shown.some((acts) => acts.length)) {
      flush();
      body.append(turnRow(row, columns, shown));
    } else silent.push(row);
  }
  flush();
  return body;
}

/** Whether an act is looked at: failures and broken answers always are. */
function isShown(act, turn, column, looked) {
  if (!column.accepts(act)) return false;
  if (act.is === "failed" || act.is === "finish") return true;
  if (!looked.kinds.has(act.is)) return false;
  if (
    looked.agent === ":members"
      ? !column.seen.content.members.includes(turn.agent)
      : looked.agent && turn.agent !== looked.agent
  )
    return false;
  if (act.is !== "post" || !looked.channel) return true;
  return looked.channel === ":secret"
    ? Boolean(column.seen.channels.get(act.channel)?.secret)
    : act.channel === looked.channel;
}

function turnRow(row, columns, shown) {
  const label = row.who === "" ? `turn ${row.place}` : agent(row.who, columns[0].seen.content);
  const made = make("tr", {}, make("th", { scope: "row", class: "who" }, label));
  columns.forEach((column, place) => {
    const turn = row.turns[place];
    const alike = column.against !== undefined && turn && same(turn, row.turns[column.against]);
    const cards = shown[place].map((act) => actCard(act, turn, column.seen));
    made.append(
      make(
        "td",
        {},
        alike &&
          cards.length > 0 &&
          make("p", { class: "alike" }, "as in ", name(columns[column.against].seen.told.arm)),
        turn && cards.length > 0 && callsOf(turn, column.seen.told),
        cards.length ? cards : make("p", { class: "nothing" }, column.quiet ? "" : unseen(turn, column.seen.told)),
      ),
    );
  });
  return made;
}

/** Turns of which nothing is shown, as one row. */
function silentRow(rows, columns) {
  const hidden = rows.flatMap((row) => row.turns.filter(Boolean).flatMap((turn) => turn.acts));
  const agents = [...new Set(rows.map((row) => row.who))];
  const who = agents.includes("") ? [] : [": ", ...names(agents)];
  const why =
    hidden.length && !columns[0].quiet ? `nothing to show (hidden: ${tally(hidden)})` : "nobody said or did anything";
  return make(
    "tr",
    { class: "silent" },
    make("th", { scope: "row", class: "who" }, count(rows.length, "turn")),
    make("td", { colspan: columns.length, class: "shown" }, make("p", { class: "nothing" }, why, who)),
  );
}

/** Why a cell is empty. */
function unseen(turn, told) {
  if (!turn) return told.status === "complete" ? "no such turn" : "not reached: the run had failed";
  return turn.acts.length ? `hidden: ${tally(turn.acts)}` : "said and did nothing";
}

/** How many acts of each kind. */
function tally(acts) {
  const by = new Map();
  for (const act of acts) by.set(act.is, (by.get(act.is) ?? 0) + 1);
  return [...by]
    .map(([is, number]) =>
      number === 1 ? `1 ${ONE[is]}` : `${number} ${KINDS.find((kind) => kind.key === is)?.words ?? is}`,
    )
    .join(", ");
}

const ONE = {
  post: "post",
  decide: "decision",
  belief: "belief",
  note: "private note",
  thought: "thought",
  briefing: "briefing",
  mistake: "mistake",
  refused: "refused decision",
  finish: "broken answer",
  failed: "failure",
};

/** Whether the same was done in two turns. */
function same(one, other) {
  return other !== undefined && bare(one) === bare(other);
}

function bare(turn) {
  return JSON.stringify([turn.agent, turn.acts.map(({ n, number, ...act }) => act)]);
}

/** The first event of a run in whose turn something else was done than in another run; null where there is none. */
function parting(told, other) {
  const pair = [{ seen: { told } }, { seen: { told: other } }];
  for (const group of groupsOf(pair, false)) {
    for (const {
      turns: [mine, theirs],
    } of group.rows) {
      if (mine?.acts.length && (!theirs || !same(mine, theirs))) return mine.acts[0];
    }
  }
  return null;
}
