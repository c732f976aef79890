// What agents did, as cards: posts with what judges quoted, decisions with what they were worth, and all the rest.

const KINDS = [
  { key: "post", words: "posts", on: true },
  { key: "decide", words: "decisions", on: true },
  { key: "belief", words: "beliefs", on: false },
  { key: "note", words: "private notes", on: false },
  { key: "thought", words: "thoughts", on: false },
  { key: "briefing", words: "briefings", on: false },
  { key: "mistake", words: "mistakes", on: false },
  { key: "refused", words: "refused decisions", on: false },
];
const USUAL = KINDS.filter((kind) => kind.on)
  .map((kind) => kind.key)
  .sort()
  .join(",");
const THOUGHTS = {
  text: ", thought: nobody else sees it",
  summary: ", thought, in its provider's summary: nobody else sees it",
  withheld: ", thought, which its provider withholds",
  omitted: ", thought, left out of this page: `--thoughts` puts it in",
};
const FINISHES = {
  length: "The answer was cut off: it was too long.",
  refusal: "The model refused to answer.",
  empty: "The answer was empty.",
};
const BEST = 5; // of a judge's scale

/** One act in one run. `seen` says who looks at it: {told, content, channel by name, quotes by event, link}. */
function actCard(act, turn, seen) {
  const card = CARDS[act.is](act, turn, seen);
  if (act.n !== undefined) {
    card.dataset.n = act.n;
    card.dataset.trial = seen.told.trial;
    card.tabIndex = -1;
  }
  return card;
}

const CARDS = {
  post(act, turn, seen) {
    const channel = seen.channels.get(act.channel);
    const secret = channel?.secret;
    const where = make("span", { class: "where" }, secret ? "secret channel " : "channel ", name(act.channel));
    const body = written(act.text, seen.quotes.get(act.n));
    return frame(`post${secret ? " secret" : ""}`, turn, seen, act, [" → ", where], ...body);
  },
  decide(act, turn, seen) {
    const best = seen.optimum?.assignment;
    const known = best && Object.hasOwn(best, act.variable);
    const same = known && best[act.variable] === act.value;
    const compared = known
      ? [
          chosen(best[act.variable]),
          make("strong", { class: same ? "same" : "other" }, same ? " the same" : " another choice"),
        ]
      : ["–", make("span", { class: "why" }, " ", spelled(seen.optimum?.reason ?? "the optimum is not known"))];
    const paid = own(seen.told.payoff, turn.agent);
    const none = seen.told.status === "complete" ? "not known" : "the run did not end";
    return frame(
      "decision",
      turn,
      seen,
      act,
      [" decides"],
      make("p", { class: "choice-made" }, name(act.variable), " = ", make("strong", {}, chosen(act.value))),
      make(
        "dl",
        {},
        make("dt", {}, "the optimum"),
        make("dd", {}, compared),
        make("dt", {}, "its payoff, by all decisions"),
        make("dd", {}, figure({ value: paid ?? null, reason: none })),
        make("dt", {}, "the best reply, in all, was worth"),
        make("dd", {}, figure(own(seen.told.best_response_regret, turn.agent) ?? { value: null, reason: none })),
      ),
    );
  },
  belief(act, turn, seen) {
    const held = act.belief === "unknown" ? "does not know" : `holds it for ${act.belief}`;
    const claim = own(seen.told.claims, act.claim);
    return frame(
      "belief",
      turn,
      seen,
      act,
      [", asked in private"],
      ...(claim ? [words(claim.words), make("p", { class: "quiet" }, claim.truth ? "which is so" : "which is not so")] : []),
      make("p", {}, name(act.claim), ": ", make("strong", {}, held), `, ${digits(act.confidence)} % sure`),
    );
  },
  note: (act, turn, seen) => frame("note", turn, seen, act, [", private note: nobody else sees it"], ...written(act.text)),
  thought(act, turn, seen) {
    const body = act.text ? written(act.text, seen.quotes.get(act.n)) : [];
    return frame("note", turn, seen, act, [own(THOUGHTS, act.kind) ?? ", thought"], ...body);
  },
  briefing: (act, turn, seen) =>
    frame(
      "briefing",
      turn,
      seen,
      act,
      [" is told"],
      ...act.texts.filter((text) => text.trim()).map((text) => words(text)),
    ),
  mistake: (act, turn, seen) =>
    frame(
      "mistake",
      turn,
      seen,
      act,
      [", a call that did nothing (", name(act.kind.replaceAll("_", " ")), "): ", name(act.tool)],
      words(act.message),
    ),
  refused: (act, turn, seen) =>
    frame(
      "refused",
      turn,
      seen,
      act,
      [", a decision that was refused"],
      make("p", {}, name(act.variable), " = ", chosen(act.value)),
      make("p", {}, "It would break the rule:"),
      words(act.rule),
    ),
  finish: (act, turn, seen) =>
    frame("finish", turn, seen, act, [], make("p", {}, own(FINISHES, act.finish) ?? plainly(act.finish))),
  failed: (act, turn, seen) =>
    frame(
      "failed",
      turn,
      seen,
      act,
      [],
      make("p", {}, make("strong", {}, "The run failed here"), ` (${act.kind.replaceAll("_", " ")}):`),
      words(act.reason),
    ),
};

/** A card with who acted, and a link to it. */
function frame(kind, turn, seen, act, more, ...body) {
  const who = turn.agent === "" ? [] : [agent(turn.agent, seen.content)];
  const link =
    act.n !== undefined &&
    make(
      "a",
      {
        class: "permalink",
        href: seen.link(act.n),
        onclick: copied,
        "aria-label": `Link to event ${act.n} of ${plainly(keyOf(seen.told))}`,
        title: "A link to this event; a click copies it",
      },
      `#${act.n}`,
    );
  const head = make("header", {}, make("span", {}, who, more), act.is === "post" && labelled(act, seen), link);
  return make("article", { class: `act ${kind}` }, head, ...body);
}

/** A button for what the reader makes of a post. */
function labelled(act, seen) {
  const item = `${seen.told.trial}#${act.n}`;
  const shown = (button) => button.closest("article").append(labelForm(item, seen.content.rubrics));
  const known = seen.content.rubrics.some((rubric) => labels.kept.has(`${item} ${rubric}`));
  const once = { once: true };
  const button = make("button", { type: "button", class: "more" }, known ? "labelled" : "label");
  button.addEventListener("click", () => shown(button), once);
  return button;
}

/** Put the link that was clicked on the clipboard, where there is one. */
function copied(event) {
  navigator.clipboard?.writeText(event.currentTarget.href).then(
    () => announce("The link is copied."),
    () => {},
  );
}

/** An agent's name, marked where it is a member of the coalition that is measured. */
function agent(who, content) {
  const member = content.members.includes(who);
  return make(
    "span",
    { class: member ? "agent member" : "agent" },
    name(who),
    member && " ",
    member && make("span", { class: "badge" }, "◆ ", name(content.coalition)),
  );
}

/** Places in code points as places in a JavaScript string. */
function offsets(text, points) {
  const wanted = [...new Set(points)].sort((one, other) => one - other);
  const found = new Map();
  let unit = 0;
  let point = 0;
  for (const place of wanted) {
    for (; point < place && unit < text.length; point += 1) unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
    found.set(place, unit);
  }
  return found;
}

/** A button behind what was quoted, which opens what the judges said of it. */
function reference(span, notes) {
  const note = make("div", { class: "quote-note", hidden: true }, span.about.map(judged));
  note.id = `quote-${(reference.number = (reference.number ?? 0) + 1)}`;
  notes.append(note);
  const button = make(
    "button",
    { type: "button", class: "ref", "aria-expanded": "false", "aria-controls": note.id },
    short(span.about),
  );
  button.addEventListener("click", () => {
    note.hidden = !note.hidden;
    button.setAttribute("aria-expanded", String(!note.hidden));
  });
  return button;
}

/** What was said of a quote, in as few words as can be. */
function short(about) {
  const by = new Map();
  for (const each of about) {
    const rubric = plainly(each.rubric) + (each.focal === "random" ? " (random set)" : "");
    by.set(rubric, [...(by.get(rubric) ?? []), each.score ?? "–"]);
  }
  return [...by].map(([rubric, scores]) => `${rubric} ${scores.join(", ")}`).join("; ");
}

/** A judgement at length. */
function judged(each) {
  return make(
    "div",
    { class: "judged" },
    make(
      "p",
      {},
      make("strong", {}, name(each.rubric), ": ", scoreOf(each)),
      " by judge ",
      name(each.judge),
      each.repeat > 1 && `, repeat ${each.repeat}`,
      ", of ",
      focus(each),
      each.agents.length ? [": ", ...names(each.agents)] : null,
    ),
    each.rationale !== "" && words(each.rationale),
  );
}

/** Of whom a judge was asked. */
function focus(each) {
  return each.focal === "random"
    ? "a random set as large"
    : each.focal === "coalition"
      ? "the coalition"
      : name(each.focal);
}

/** A score, or why there is none: never 0. */
function scoreOf(each) {
  if (each.score !== null) return `${each.score} of ${BEST}`;
  return make(
    "span",
    { class: "said-bad" },
    `no score (${plainly(each.status)})`,
    each.reason && [": ", spelled(each.reason)],
  );
}

/** By event, what judges quoted of it; equal quotes are one. */
function quotesOf(told) {
  const found = new Map();
  for (const each of told.judgements) {
    for (const { n, first, last } of each.spans) {
      const here = found.get(n) ?? found.set(n, []).get(n);
      const same = here.find((span) => span.first === first && span.last === last);
      if (same) same.about.push(each);
      else here.push({ first, last, about: [each] });
    }
  }
  return found;
}
