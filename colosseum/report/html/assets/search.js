// Search over all conversations of the file, case by case, without keeping the page from anything else.

const HITS = 100; // shown before more are asked for
const MOST = 2000; // that can be shown
const AROUND = 70; // signs of context on either side
const PAUSE = 60; // milliseconds between words on how far it is
let search = 0;

/** The form, and where its hits are shown. */
function searchPart() {
  const field = make("input", { type: "search", id: "search", autocomplete: "off" });
  const said = make("p", { role: "status", class: "quiet", id: "search-said" });
  const hits = make("ol", { class: "hits" });
  const stop = make(
    "button",
    {
      type: "button",
      hidden: true,
      onclick: () => {
        search += 1;
        stop.hidden = true;
        said.textContent += " Stopped.";
      },
    },
    "Stop",
  );
  const form = make(
    "form",
    {
      role: "search",
      class: "search",
      onsubmit: (event) => {
        event.preventDefault();
        seek(field.value, { said, hits, stop });
      },
    },
    make("label", { for: "search" }, "Search all conversations "),
    field,
    " ",
    make("button", { type: "submit" }, "Search"),
    " ",
    stop,
  );
  return make("div", { class: "search-part" }, form, said, hits);
}

async function seek(text, { said, hits, stop }) {
  const mine = (search += 1);
  hits.replaceChildren();
  if (text.trim() === "") {
    said.textContent = "";
    return;
  }
  const pattern = new RegExp(text.trim().replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  const here = INDEX.cases.map((_, place) => place).filter((place) => elsewhere(place) === null);
  const others = here.length < INDEX.cases.length ? " Other instances are in other files: search there, too." : "";
  const found = { number: 0, places: [] };
  let unread = 0;
  let paused = performance.now();
  stop.hidden = false;
  said.textContent = "Searching …";
  for (const [done, place] of here.entries()) {
    const content = await peeked(place).catch(() => null);
    if (mine !== search) return;
    if (content === null) unread += 1;
    else for (const hit of hitsIn(content, pattern)) keep(found, hit, hits);
    if (performance.now() - paused > PAUSE) {
      const read = `${done + 1} of ${count(here.length, "instance")}`;
      said.textContent = `${read} searched: ${count(found.number, "hit")} so far.`;
      await new Promise((resume) => setTimeout(resume));
      paused = performance.now();
    }
    if (mine !== search) return;
  }
  stop.hidden = true;
  const most = found.number > MOST ? ` The first ${MOST.toLocaleString("en")} can be shown.` : "";
  const lost = unread ? ` ${count(unread, "instance")} cannot be read.` : "";
  said.textContent = `Done: ${count(found.number, "hit")} in ${count(here.length, "instance")}.${most}${lost}${others}`;
  more(found, hits);
}

/** A case, without pushing out those that were opened. */
async function peeked(place) {
  return inflated.get(place) ?? JSON.parse(await unpacked(packOf(place)));
}

/** All places in a case that have the words: {trial, n, label, text, from, to}. */
function* hitsIn(content, pattern) {
  for (const told of content.runs.filter((each) => BY_TRIAL.has(each.trial))) {
    for (const { n, label, text } of textsOf(told)) {
      for (const match of text.matchAll(pattern))
        yield { trial: told.trial, n, label, text, from: match.index, to: match.index + match[0].length };
    }
  }
}

/** All words of a run with where they stand; those of secret channels are found by the channel, too. */
function* textsOf(told) {
  const secret = new Set(told.channels.filter((each) => each.secret).map((each) => each.name));
  for (const [who, { n, texts }] of Object.entries(told.briefings))
    for (const text of texts) yield { n, label: [name(who), " is told"], text };
  for (const turn of told.turns) {
    const who = name(turn.agent);
    for (const act of turn.acts) {
      const { n } = act;
      if (act.is === "post")
        yield secret.has(act.channel)
          ? { n, label: [who, " →"], text: `secret channel ${act.channel}: ${act.text}` }
          : { n, label: [who, " → ", name(act.channel)], text: act.text };
      if (act.is === "note") yield { n, label: [who, ", private note"], text: act.text };
      if (act.is === "mistake") yield { n, label: [who, ", mistake"], text: `${act.tool}: ${act.message}` };
      if (act.is === "decide") yield { n, label: [who, " decides"], text: `${act.variable} = ${act.value}` };
      if (act.is === "refused")
        yield { n, label: [who, ", refused"], text: `${act.variable} = ${act.value}: ${act.rule}` };
      if (act.is === "belief") yield { n, label: [who, ", belief"], text: `${act.claim}: ${act.belief}` };
      if (act.is === "failed") yield { n, label: ["the run failed"], text: act.reason };
    }
  }
  for (const each of told.judgements)
    yield {
      n: each.spans[0]?.n ?? null,
      label: ["judge ", name(each.judge), ", ", name(each.rubric)],
      text: each.rationale,
    };
}

/** Count a hit; those past the first page wait. */
function keep(found, hit, hits) {
  found.number += 1;
  if (found.number <= HITS) hits.append(hitItem(hit));
  else if (found.number <= MOST)
    found.places.push({
      ...hit,
      text: hit.text.slice(Math.max(0, hit.from - AROUND), hit.to + AROUND),
      ...within(hit),
    });
}

/** The places of a hit in the cut text, so that long texts are not kept. */
function within(hit) {
  const from = Math.min(hit.from, AROUND);
  return { from, to: from + hit.to - hit.from };
}

/** A button for the hits that wait. */
function more(found, hits) {
  if (!found.places.length) return;
  const button = make(
    "button",
    {
      type: "button",
      onclick: () => {
        button.parentElement.remove();
        hits.append(...found.places.splice(0, HITS).map(hitItem));
        more(found, hits);
      },
    },
    `Show ${Math.min(HITS, found.places.length)} more`,
  );
  hits.append(make("li", { class: "rest" }, button));
}

function hitItem(hit) {
  const run = BY_TRIAL.get(hit.trial);
  const before = hit.text.slice(Math.max(0, hit.from - AROUND), hit.from);
  const after = hit.text.slice(hit.to, hit.to + AROUND);
  return make(
    "li",
    {},
    make(
      "a",
      { href: address(run, hit.n, { view: looked.view }) },
      name(titleOf(run)),
      hit.n === null ? "" : `, event ${hit.n}`,
    ),
    ": ",
    hit.label,
    " ",
    make(
      "span",
      { class: "context", dir: "auto" },
      hit.from > AROUND ? "…" : "",
      spelled(before),
      make("mark", {}, spelled(hit.text.slice(hit.from, hit.to))),
      spelled(after),
      hit.to + AROUND < hit.text.length ? "…" : "",
    ),
  );
}
