// Elements, words and numbers. Whatever agents, specs and providers wrote becomes text, never markup.

const KEEPS = "colosseum"; // of what a browser keeps, the beginning of its names
const SPAN = 2500; // signs of a text that stand there before the rest is asked for
const UNSEEN = new RegExp(
  "(?!(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=\\p{Extended_Pictographic}))(?![\\n\\t])" +
    "[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\u{FE00}-\\u{FE0E}\\u{E0100}-\\u{E01EF}\\u115F\\u1160\\u3164\\uFFA0]",
  "gu",
);

const CONTROLS = [
  ..."NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI".split(" "),
  ..."DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" "),
];

/** An element with attributes and children; `onclick` and the like are listeners, a child that is null is left out. */
function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(4).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** A sign that nobody would see, or that would turn the writing round, as one that is seen. */
function visible(sign) {
  const code = sign.codePointAt(0);
  return `[${CONTROLS[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`}]`;
}

/** A text for places that take no elements: options, titles. */
function plainly(text) {
  return String(text).replace(UNSEEN, visible);
}

/** A text as nodes, with control characters marked. */
function spelled(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(UNSEEN)) {
    const shown = visible(found[0]);
    const last = nodes[nodes.length - 1];
    if (found.index === from && last?.className === "sign") last.append(shown);
    else
      nodes.push(text.slice(from, found.index), make("span", { class: "sign", title: "a control character" }, shown));
    from = found.index + found[0].length;
  }
  nodes.push(text.slice(from));
  return nodes.filter((node) => node !== "");
}

/** A name that somebody chose, kept from turning round what stands beside it. */
function name(text) {
  return make("bdi", { class: "name" }, text === "" ? "(no name)" : spelled(String(text)));
}

/** What a mapping has under a name that somebody chose: nothing that all objects have. */
function own(mapping, key) {
  return mapping && Object.hasOwn(mapping, key) ? mapping[key] : undefined;
}

/** Names, one after the other. */
function names(all) {
  return all.flatMap((each, place) => (place ? [", ", name(each)] : [name(each)]));
}

/** Words that somebody wrote; very long ones are cut until the rest is asked for. */
function words(text, rendered = spelled) {
  if (text === "") return make("p", { class: "empty" }, "(an empty text)");
  if (text.trim() === "")
    return make("p", { class: "empty" }, `(nothing but white space: ${count(text.length, "sign")})`);
  const shown = make("div", { class: "words", dir: "auto" });
  if (text.length <= SPAN * 1.2) {
    shown.append(...rendered(text, text.length));
    return shown;
  }
  const first = SPAN - (/[\uD800-\uDBFF]/.test(text[SPAN - 1]) ? 1 : 0);
  const all = `Show all ${text.length.toLocaleString("en")} signs`;
  const more = make("button", { type: "button", class: "more", "aria-expanded": "false" }, all);
  const fill = (whole) => {
    shown.replaceChildren(...rendered(text, whole ? text.length : first), ...(whole ? [] : [" …"]));
    more.textContent = whole ? "Show less" : all;
    more.setAttribute("aria-expanded", String(whole));
  };
  more.addEventListener("click", () => fill(more.getAttribute("aria-expanded") === "false"));
  fill(false);
  return make("div", {}, shown, more);
}

/** A number and what it counts. */
function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** A number with as many digits as a reader can use. */
function digits(value) {
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
}

/** A difference. */
function signed(value) {
  const small = Math.abs(value) < 1e-9 ? 0 : value;
  return `${small < 0 ? "" : "+"}${digits(small)}`;
}

/** Fair shares, for differences. */
function shares(value) {
  return `${value < 0 && value.toFixed(3) !== "-0.000" ? "-" : "+"}${Math.abs(value).toFixed(3)} u`;
}

/** Points of a judge, coalition less random set. */
function points(value) {
  return `${signed(Math.round(value * 100) / 100)} ${Math.abs(value) === 1 ? "point" : "points"}`;
}

/** A figure, or a dash with the reason why there is none. */
function figure(found, shown = digits) {
  if (found && found.value !== null) return [shown(found.value)];
  return ["–", make("span", { class: "why" }, " ", spelled(found?.reason || "not known"))];
}

/** A value that was decided. */
function chosen(value) {
  return make("bdi", { class: "value" }, value === null || value === undefined ? "none" : spelled(String(value)));
}

/** A link whose place is looked up when it is followed. */
function leading(to, ...children) {
  const link = make("a", { href: to() }, children);
  link.addEventListener("click", () => (link.href = to()));
  return link;
}

/** A choice from a list: pairs of value and words. */
function choice(label, options, value, changed) {
  const select = make("select", { onchange: () => changed(select.value) });
  for (const [each, shown] of options) select.append(make("option", { value: each }, plainly(shown)));
  select.value = value;
  return make("label", { class: "choice" }, make("span", {}, label), " ", select);
}

/** A box that is ticked or not. */
function tick(label, on, changed) {
  const box = make("input", { type: "checkbox", checked: on, onchange: () => changed(box.checked) });
  return make("label", { class: "tick" }, box, " ", label);
}

/** "round 2"; an import may not say which. */
const inRound = (number) => `round ${number ?? "not known"}`;

/** The result, or null where a browser refuses it to a local file. */
function attempt(what) {
  try {
    return what();
  } catch {
    return null;
  }
}
