// Search over all conversations of the file, case by case, without keeping the page from anything else.

const HITS = 100; // shown before more are asked for
const MOST = 2000; // that can be shown
const AROUND = 70; // signs of context on either side
const PAUSE = 60; // milliseconds between words on how far it is
const TERM = /(?:(agent|channel|arm|seed):)?(?:"([^"]*)"|([^\s"]+))/giu;
const search = { number: 0, text: "", seek: null };

/** The form, and where its hits are shown. */
function searchPart() {
  const field = make("input", { type: "search", id: "search", autocomplete: "off", "aria-describedby": "search-how" });
  const said = make("p", { role: "status", class: "quiet", id: "search-said" });
  const hits = make("ol", { class: "hits" });
  const stopped = () => {
    search.number += 1;
    stop.hidden = true;
    said.textContent += " Stopped.";
  };
  const stop = make("button", { type: "button", hidden: true, onclick: stopped }, "Stop");
  search.seek = (text) => {
    search.text = field.value = text;
    return seek(wantedOf(text), { said, hits, stop });
  };
  const submitted = (event) => {
    event.preventDefault();
    search.seek(field.value.trim());
    remember();
  };
  const how = make("p", { class: "quiet", id: "search-how" }, "All words must stand in one text. Narrow it down by ");
  how.append(make("code", {}, 'agent:NAME channel:NAME arm:NAME seed:1 "some words"'));
  const form = make("form", { role: "search", class: "search", onsubmit: submitted });
  form.append(make("label", { for: "search" }, "Search all conversations"), field);
  form.append(make("button", { type: "submit" }, "Search"), stop);
  return make("div", { class: "search-part" }, form, how, said, hits);
}

/** What a search asks for: words, and for each filter the names that it lets through. */
function wantedOf(text) {
  const wanted = { words: [], agent: [], channel: [], arm: [], seed: [] };
  for (const [, key, quoted, plain] of text.matchAll(TERM))
    wanted[key?.toLowerCase() ?? "words"].push((quoted ?? plain).toLowerCase());
  wanted.empty = Object.values(wanted).every((each) => !each.length);
  return wanted;
}

/** Whether a filter lets a name through. */
function lets(names, value) {
  return !names.length || names.includes(folded(value));
}

/** A name as filters compare it. */
function folded(value) {
  return String(value ?? "").toLowerCase();
}

/** Which filters name what is nowhere in the file, in words. */
function unknownOf(wanted, known) {
  const strange = Object.entries(known).flatMap(([key, names]) =>
    wanted[key].filter((each) => !names.has(each)).map((each) => `no ${key} ${each}`),
  );
  return strange.length ? ` What was searched has ${strange.join(" and ")}.` : "";
}

async function seek(wanted, { said, hits, stop }) {
  const mine = (search.number += 1);
  hits.replaceChildren();
  said.textContent = "";
  stop.hidden = wanted.empty;
  if (wanted.empty) return;
  const runs = RUNS.filter((run) => lets(wanted.arm, run.arm) && lets(wanted.seed, run.seed));
  const places = [...new Set(runs.map((run) => run.case))].sort((one, other) => one - other);
  const patterns = wanted.words.map((word) => new RegExp(word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu"));
  const found = { number: 0, places: [] };
  const known = { arm: new Set(RUNS.map((run) => folded(run.arm))), seed: new Set(RUNS.map((run) => folded(run.seed))) };
  const trials = new Set(runs.map((run) => run.trial));
  let unread = 0;
  let paused = performance.now();
  said.textContent = "Searching …";
  for (const [done, place] of places.entries()) {
    const content = await peeked(place).catch(() => null);
    if (mine !== search.number) return;
    if (content === null) unread += 1;
    else {
      for (const hit of hitsIn(content, trials, wanted, patterns)) keep(found, hit, hits);
      named(content, known);
    }
    if (performance.now() - paused > PAUSE) {
      const read = `${done + 1} of ${count(places.length, "instance")}`;
      said.textContent = `${read} searched: ${count(found.number, "text")} so far.`;
      await new Promise((resume) => setTimeout(resume));
      paused = performance.now();
    }
    if (mine !== search.number) return;
  }
  stop.hidden = true;
  const most = found.number > MOST ? ` The first ${MOST.toLocaleString("en")} can be shown.` : "";
  const lost = unread ? ` ${count(unread, "instance")} cannot be read.` : "";
  const where = `Found ${count(found.number, "text")} in ${count(places.length, "instance")}.`;
  said.textContent = `${where}${most}${lost}${unknownOf(wanted, known)}`;
  more(found, hits);
}

/** A case, without pushing out those that were opened. */
async function peeked(place) {
  return inflated.get(place) ?? JSON.parse(await unpacked(packs[place]));
}

/** Add the agents and channels of a case to what is known. */
function named(content, known) {
  known.agent = new Set([...(known.agent ?? []), ...content.agents.map(folded)]);
  known.channel = new Set([
    ...(known.channel ?? []),
    ...content.runs.flatMap((told) => told.channels.map((each) => folded(each.name))),
  ]);
}

/** All texts of a case that fit, with the first word that was searched: {trial, n, label, text, from, to}. */
function* hitsIn(content, trials, wanted, patterns) {
  for (const told of content.runs.filter((each) => trials.has(each.trial))) {
    for (const { n, who, channel, label, text } of textsOf(told)) {
      if (!lets(wanted.agent, who) || !lets(wanted.channel, channel)) continue;
      const matches = patterns.map((pattern) => pattern.exec(text));
      if (matches.includes(null)) continue;
      const from = matches[0]?.index ?? 0;
      yield { trial: told.trial, n, label, text, from, to: from + (matches[0]?.[0].length ?? 0) };
    }
  }
}

/** All words of a run, with who wrote them and where. */
function* textsOf(told) {
  const secret = new Set(told.channels.filter((each) => each.secret).map((each) => each.name));
  for (const [who, { n, texts }] of Object.entries(told.briefings))
    for (const text of texts) yield { n, who, label: [name(who), " is told"], text };
  for (const { agent: who, acts } of told.turns) {
    for (const act of acts) {
      const found = WRITTEN_IN[act.is]?.(act);
      if (!found) continue;
      const { channel } = act;
      const where = channel === undefined ? [] : [secret.has(channel) ? "secret channel " : "", name(channel)];
      yield { n: act.n, who, channel, label: [who && name(who), found[0], where], text: found[1] };
    }
  }
  for (const each of told.judgements)
    yield {
      n: each.spans[0]?.n ?? null,
      label: ["judge ", name(each.judge), ", ", name(each.rubric)],
      text: each.rationale,
    };
}

/** By kind of act, a label and the words. */
const WRITTEN_IN = {
  post: (act) => [" → ", act.text],
  note: (act) => [", private note", act.text],
  thought: (act) => [", thought", act.text],
  mistake: (act) => [", mistake", `${act.tool}: ${act.message}`],
  decide: (act) => [" decides", `${act.variable} = ${act.value}`],
  refused: (act) => [", refused", `${act.variable} = ${act.value}: ${act.rule}`],
  belief: (act) => [", belief", `${act.claim}: ${act.belief}`],
  failed: (act) => ["the run failed", act.reason],
};

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
      hit.to > hit.from && make("mark", {}, spelled(hit.text.slice(hit.from, hit.to))),
      spelled(after),
      hit.to + AROUND < hit.text.length ? "…" : "",
    ),
  );
}
