// The board: what was said and done in the runs that are looked at, as columns.

/** Draw what was said and done. */
function drawBoard() {
  const runs = looked.content.runs.filter(
    (each) => each === looked.told || (looked.view === "arms" && besides().includes(each)),
  );
  const columns = looked.view === "channels" ? byChannel() : byRun(inOrder(runs));
  const caption = looked.view === "channels" ? "Channels" : runs.length > 1 ? "Runs side by side" : "The run";
  const table = tableOf(columns, `${caption}, turn by turn`, looked);
  table.append(lastRows(columns));
  const chosen = columns.findIndex((column) => column.main);
  const pane = columns.length > MOST_COLUMNS && {
    class: "pane",
    tabindex: "0",
    role: "region",
    "aria-label": "Scrolls",
  };
  board.replaceChildren(
    ...(columns.length > 1 ? [switcher(table, columns, chosen)] : []),
    make("div", pane || {}, table),
  );
  single(table, chosen);
  mark();
}

/** How the runs ended, below their columns; channels are of one run. */
function lastRows(columns) {
  const ends = looked.view === "channels" ? columns.slice(0, 1) : columns;
  const wide = columns.length / ends.length;
  const cells = ends.map(({ seen }) => make("td", { colspan: wide }, endOf(seen, controlOf(seen.told))));
  return make(
    "tbody",
    {},
    make(
      "tr",
      { class: "phase" },
      make("th", { scope: "rowgroup", colspan: columns.length + 1 }, make("span", {}, "At the end")),
    ),
    make("tr", {}, make("th", { scope: "row", class: "who" }, "figures"), cells),
  );
}

/** A run as its cards need it. */
function seenOf(told) {
  const mine = BY_TRIAL.get(told.trial) ?? looked.run;
  const { content } = looked;
  return {
    told,
    content,
    optimum: content.optima[told.scenario],
    quotes: quotesOf(told),
    channels: new Map(told.channels.map((each) => [each.name, each])),
    link: (n) => address(mine, n, mine === looked.run ? looked : { beside: besidesOf(told), view: looked.view }),
  };
}

function byRun(runs) {
  const control = runs.indexOf(controlOf(looked.told));
  return runs.map((told, place) => ({
    seen: seenOf(told),
    main: told === looked.told,
    against: control >= 0 && control !== place ? control : undefined,
    accepts: () => true,
    title: [
      name(keyOf(told)),
      make(
        "span",
        { class: "quiet" },
        ` ${known(BY_TRIAL.get(told.trial) ?? {})}${told === looked.told ? ", opened" : ""}`,
      ),
    ],
  }));
}

/** A column for each channel that was used, and one for all that was not posted. */
function byChannel() {
  const seen = seenOf(looked.told);
  const used = new Set(
    looked.told.turns.flatMap((turn) => turn.acts.filter((act) => act.is === "post").map((act) => act.channel)),
  );
  const columns = looked.told.channels
    .filter((each) => used.has(each.name))
    .map((each, place) => ({
      seen,
      quiet: true,
      main: place === 0,
      accepts: (act) => act.is === "post" && act.channel === each.name,
      title: [
        make(
          "span",
          { class: each.secret ? "secret" : "" },
          each.secret ? "secret channel " : "channel ",
          name(each.name),
        ),
        make("span", { class: "quiet" }, " ", membersOf(each, seen.content)),
      ],
    }));
  return [
    ...columns,
    { seen, quiet: true, main: !columns.length, accepts: (act) => act.is !== "post", title: ["outside channels"] },
  ];
}

/** On narrow screens one column at a time: buttons to choose it. */
function switcher(table, columns, chosen) {
  const buttons = columns.map((column, place) =>
    make(
      "button",
      {
        type: "button",
        "aria-pressed": String(place === chosen),
        onclick: () => {
          buttons.forEach((each, at) => each.setAttribute("aria-pressed", String(at === place)));
          single(table, place);
        },
      },
      column.title.map((node) => (typeof node === "string" ? node : node.cloneNode(true))),
    ),
  );
  return make("div", { class: "switch", role: "group", "aria-label": "Column" }, buttons);
}

/** Say which column is the one that narrow screens show. */
function single(table, chosen) {
  for (const cells of table.querySelectorAll(":scope > tbody > tr")) {
    const spans = cells.querySelectorAll(":scope > td");
    const last = Math.min(chosen, spans.length - 1);
    spans.forEach((each, place) => each.classList.toggle("shown", place === last));
  }
}
