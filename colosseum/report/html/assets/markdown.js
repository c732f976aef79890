// Texts of agents as Markdown, by elements alone: raw HTML stays text, links are not followed, nothing is loaded.
// Every piece of text knows its place in the raw text, so that quotes of judges are marked in it.

const DEEPEST = 6; // levels of lists and quotes
const LONGEST_BAR = 500; // signs of the line below the heads of a table
const BLOCKS = {
  fence: /^ {0,3}(`{3,}|~{3,})/,
  heading: /^ {0,3}(#{1,6}) +(?=\S)/,
  rule: /^ {0,3}([-*_])(?: *\1){2,} *$/,
  quote: /^ {0,3}> ?/,
  item: /^( {0,3})(?:([-*+])|(\d{1,9})[.)])(?: +|$)/,
  bar: /^ *\|?(?: *:?-+:? *\|)+(?: *:?-+:?)? *$/,
};
const INLINE = new RegExp(
  [
    "\\\\(?<escaped>[!-/:-@[-`{-~])",
    "(?<!`)(?<tick>`{1,9})(?<code>[^`](?:.{0,400}?[^`])??)\\k<tick>(?!`)",
    "(?<two>\\*\\*|~~|(?<!\\w)__)(?=\\S)(?<strong>.{0,400}?\\S)\\k<two>",
    "(?<![\\w*])(?<one>[*_])(?=[^\\s*_])(?<em>(?:.{0,400}?[^\\s*])??)\\k<one>(?!\\w)",
    "!?\\[(?<label>[^\\[\\]]{1,400})\\](?<url>\\([^\\s()]{1,400}\\))",
  ].join("|"),
  "gu",
);

/** The nodes of a text, and whether any Markdown is in it; `leaf(from, to)` makes the nodes of a piece of the text. */
function markdown(text, until, leaf) {
  const lines = [];
  for (let from = 0; from <= until; ) {
    const end = text.indexOf("\n", from);
    const to = end < 0 || end > until ? until : end;
    lines.push([from, to]);
    from = to + 1;
  }
  const page = { text, leaf, used: false };
  return { nodes: blocks(page, lines, 0), used: page.used };
}

/** Lines, each from one place to another, as paragraphs, lists, tables and so on. */
function blocks(page, lines, depth) {
  const nodes = [];
  const line = (at) => page.text.slice(...lines[at]);
  let plain = [];
  const flush = () => {
    if (plain.length) nodes.push(make("p", {}, joinedLines(page, plain, inline)));
    plain = [];
  };
  for (let at = 0; at < lines.length; ) {
    const text = line(at);
    const kind = depth < DEEPEST && Object.keys(READ).find((each) => BLOCKS[each].test(text));
    const under = text.includes("|") && at + 1 < lines.length ? line(at + 1) : "";
    const table = under.length < LONGEST_BAR && BLOCKS.bar.test(under);
    if (kind || table) {
      flush();
      page.used = true;
      const [node, next] = (table ? readTable : READ[kind])(page, lines, at, depth);
      nodes.push(node);
      at = next;
    } else {
      if (text.trim() === "") flush();
      else plain.push(lines[at]);
      at += 1;
    }
  }
  flush();
  return nodes;
}

/** The nodes of lines with the line ends between them. */
function joinedLines(page, lines, shown) {
  const end = (at) => (at ? page.leaf(lines[at - 1][1], lines[at - 1][1] + 1) : []);
  return lines.flatMap(([from, to], at) => [...end(at), ...shown(page, from, to)]);
}

/** By kind of block: what reads it from a line on, as its node and the line after it. */
const READ = {
  fence(page, lines, at) {
    const sign = BLOCKS.fence.exec(page.text.slice(...lines[at]))[1];
    let end = at + 1;
    while (end < lines.length && !page.text.slice(...lines[end]).trimStart().startsWith(sign)) end += 1;
    const code = joinedLines(page, lines.slice(at + 1, end), (_, from, to) => page.leaf(from, to));
    return [make("pre", {}, make("code", {}, code)), end + 1];
  },
  heading(page, lines, at) {
    const [from, to] = lines[at];
    const [all, signs] = BLOCKS.heading.exec(page.text.slice(from, to));
    const level = { class: "heading", role: "heading", "aria-level": Math.min(9, signs.length + 4) };
    return [make("p", level, inline(page, from + all.length, to)), at + 1];
  },
  rule: (page, lines, at) => [make("hr"), at + 1],
  quote(page, lines, at, depth) {
    const [inside, end] = prefixed(page, lines, at, (text) => BLOCKS.quote.exec(text)?.[0].length);
    return [make("blockquote", {}, blocks(page, inside, depth + 1)), end];
  },
  item(page, lines, at, depth) {
    const numbered = BLOCKS.item.exec(page.text.slice(...lines[at]))[3];
    const list = make(numbered ? "ol" : "ul", { start: numbered });
    let next = at;
    while (next < lines.length) {
      const [from, to] = lines[next];
      const found = BLOCKS.item.exec(page.text.slice(from, to));
      if (!found || Boolean(found[3]) !== Boolean(numbered)) break;
      const [rest, end] = prefixed(page, lines, next + 1, (text) => /^(?: {2,4}|\t)(?=\s*\S)/.exec(text)?.[0].length);
      list.append(make("li", {}, blocks(page, [[Math.min(to, from + found[0].length), to], ...rest], depth + 1)));
      next = end;
    }
    return [list, next];
  },
};

/** Lines from one on that have a prefix, without it, and the line after them. */
function prefixed(page, lines, at, prefix) {
  const inside = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const length = prefix(page.text.slice(...lines[next]));
    if (length === undefined) break;
    inside.push([lines[next][0] + length, lines[next][1]]);
  }
  return [inside, next];
}

function readTable(page, lines, at) {
  let end = at + 2;
  while (end < lines.length && page.text.slice(...lines[end]).includes("|")) end += 1;
  const row = (line, tag) => make("tr", {}, cellsOf(page, line).map((cell) => make(tag, {}, inline(page, ...cell))));
  const head = make("thead", {}, row(lines[at], "th"));
  const body = lines.slice(at + 2, end).map((line) => row(line, "td"));
  return [make("div", { class: "scroll" }, make("table", {}, head, make("tbody", {}, body))), end];
}

/** The cells of a line of a table. */
function cellsOf(page, [from, to]) {
  const cells = [];
  let start = from;
  for (let at = from; at <= to; at += 1) {
    if (at < to && (page.text[at] !== "|" || page.text[at - 1] === "\\")) continue;
    const cell = page.text.slice(start, at);
    const edge = cell.trim() === "" && (start === from || at === to);
    if (!edge) cells.push([start + cell.length - cell.trimStart().length, at - cell.length + cell.trimEnd().length]);
    start = at + 1;
  }
  return cells;
}

/** A piece of text with what is bold, italic, code or a link in it. */
function inline(page, from, to) {
  const nodes = [];
  let done = from;
  for (const { 0: all, index, groups } of page.text.slice(from, to).matchAll(INLINE)) {
    const start = from + index;
    const end = start + all.length;
    const side = (groups.tick ?? groups.two ?? groups.one ?? "").length;
    page.used = true;
    nodes.push(...page.leaf(done, start));
    if (groups.escaped) nodes.push(...page.leaf(start + 1, end));
    else if (groups.tick) nodes.push(make("code", {}, page.leaf(start + side, end - side)));
    else if (groups.label) {
      const address = end - groups.url.length;
      const label = address - 1 - groups.label.length;
      nodes.push(...inline(page, label, address - 1), make("span", { class: "address" }, page.leaf(address, end)));
    } else {
      const tag = groups.one ? "em" : groups.two === "~~" ? "s" : "strong";
      nodes.push(make(tag, {}, inline(page, start + side, end - side)));
    }
    done = end;
  }
  nodes.push(...page.leaf(done, to));
  return nodes;
}

/** A text as Markdown with what judges quoted marked, and a button for the raw text where the two differ. */
function written(text, quotes = []) {
  const notes = make("div", { class: "quotes" });
  let raw = !markdown(text, Math.min(text.length, SPAN * 1.2), () => []).used;
  const shown = () =>
    words(text, (whole, until) => {
      const leaf = marking(whole, until, quotes, notes);
      const nodes = raw ? leaf(0, until) : markdown(whole, until, leaf).nodes;
      return [...nodes, ...leaf(until, until)];
    });
  if (raw) return [shown(), notes];
  let now = shown();
  const toggled = () => {
    raw = !raw;
    button.setAttribute("aria-pressed", String(raw));
    const next = shown();
    now.replaceWith(next);
    now = next;
  };
  const button = make("button", { type: "button", class: "more", "aria-pressed": "false", onclick: toggled }, "Raw text");
  return [now, button, notes];
}

/** What makes the nodes of pieces of a text, in order, with the quotes in them marked; its end asks for (until, until). */
function marking(text, until, quotes, notes) {
  const points = quotes.flatMap((quote) => [quote.first, quote.last]);
  const units = offsets(text, points);
  const spans = quotes.map((quote) => ({ ...quote, from: units.get(quote.first), to: units.get(quote.last) }));
  const waiting = spans.filter((span) => span.to <= until).sort((one, other) => one.to - other.to);
  const cuts = [...new Set(spans.flatMap((span) => [span.from, span.to]))].sort((one, other) => one - other);
  notes.replaceChildren();
  return (first, last) => {
    const nodes = [];
    const behind = (place) => {
      while (waiting.length && waiting[0].to <= place) nodes.push(reference(waiting.shift(), notes));
    };
    behind(first);
    const places = [first, ...cuts.filter((cut) => cut > first && cut < last), last];
    places.slice(0, -1).forEach((from, at) => {
      const piece = spelled(text.slice(from, places[at + 1]));
      const over = piece.length ? spans.filter((span) => span.from <= from && span.to >= places[at + 1]) : [];
      const focal = over.some((span) => span.about.some((each) => each.focal !== "random"));
      nodes.push(...(over.length ? [make("mark", { class: focal ? "" : "random" }, piece)] : piece));
      behind(places[at + 1]);
    });
    return nodes;
  };
}
