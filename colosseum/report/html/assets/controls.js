// How a run is looked at: what stands beside it, the view, what is shown, and ways to what matters.

/** All controls of the opened run. */
function controls() {
  const besideIt = besidePart();
  return make(
    "form",
    { class: "controls", "aria-label": "How it is looked at", onsubmit: (event) => event.preventDefault() },
    viewPart((view) => {
      looked.view = view;
      besideIt.hidden = view !== "arms";
      remember();
      drawBoard();
    }),
    besideIt,
    kindPart(),
    agentChoice(),
    channelChoice(),
    failedAt(),
    quotedFirst(),
    parted(),
  );
}

function viewPart(changed) {
  const views = Object.entries(VIEWS).map(([view, label]) => {
    const attributes = { type: "radio", name: "view", value: view, checked: looked.view === view };
    return make(
      "label",
      { class: "tick" },
      make("input", { ...attributes, onchange: () => changed(view) }),
      " ",
      label,
    );
  });
  return make("fieldset", {}, make("legend", {}, "View"), views);
}

function besidePart() {
  const others = inOrder(looked.content.runs.filter((each) => each !== looked.told));
  const keys = new Set(besides().map(keyOf));
  const boxes = others.map((each) =>
    tick(name(keyOf(each)), keys.has(keyOf(each)), (on) => {
      beside(keyOf(each), on);
      remember();
      drawBoard();
    }),
  );
  const hidden = looked.view !== "arms" || !others.length;
  return make("fieldset", { class: "beside", hidden }, make("legend", {}, "Beside it"), boxes);
}

function kindPart() {
  const counts = new Map([["briefing", Object.keys(looked.told.briefings).length]]);
  for (const turn of looked.told.turns) for (const { is } of turn.acts) counts.set(is, (counts.get(is) ?? 0) + 1);
  const boxes = KINDS.map(({ key, words: label }) =>
    tick(`${label} (${counts.get(key) ?? 0})`, looked.kinds.has(key), (on) => {
      looked.kinds[on ? "add" : "delete"](key);
      remember();
      drawBoard();
    }),
  );
  return make("fieldset", {}, make("legend", {}, "Show"), boxes);
}

function agentChoice() {
  const { agents, members } = looked.content;
  const some = members.length ? [[":members", "members of the coalition"]] : [];
  return choice("agent", [["", "all"], ...some, ...agents.map((who) => [who, who])], looked.agent, (value) => {
    looked.agent = value;
    remember();
    drawBoard();
  });
}

function channelChoice() {
  const by = new Map(looked.content.runs.flatMap((told) => told.channels.map((each) => [each.name, each])));
  const all = [...by.values()].map((each) => [each.name, each.secret ? `${each.name} (secret)` : each.name]);
  const options = [["", "all"], [":secret", "secret ones"], ...all];
  return choice("channel", options, looked.channel, (value) => {
    looked.channel = value;
    remember();
    drawBoard();
  });
}

/** A way to where the run failed. */
function failedAt() {
  const failed = looked.told.turns.flatMap((turn) => turn.acts).find((act) => act.is === "failed");
  if (failed?.n === undefined) return null;
  return make("p", {}, leading(() => address(looked.run, failed.n, looked), "Go to where it failed"));
}

/** A way to the first words that a judge quoted of the coalition. */
function quotedFirst() {
  const said = looked.told.judgements.filter((each) => each.score > 0 && each.focal !== "random");
  const places = said.flatMap((each) => each.spans.map((span) => span.n)).sort((one, other) => one - other);
  if (!places.length) return null;
  return make(
    "p",
    {},
    leading(() => address(looked.run, places[0], looked), "Go to what judges quote"),
  );
}

/** A way to where the run first differs from its control. */
function parted() {
  const control = controlOf(looked.told);
  if (!control || control === looked.told) return null;
  const first = parting(looked.told, control);
  if (!first || first.n === undefined)
    return make("p", { class: "quiet" }, "All that was done is as in ", name(control.arm), ".");
  const link = leading(() => address(looked.run, first.n, looked), "Go to where it parts from ", name(control.arm));
  return make("p", {}, link);
}
