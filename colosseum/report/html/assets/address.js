// Links: `#run=…&event=…&with=…&view=…` for a place; `q`, `only`, `sort`, `agent`, `channel`, `show` for all filters.

const SHORT = 16; // signs of a trial in a link
const STATE = ["q", "only", "sort", "agent", "channel", "show"];
const VIEWS = { arms: "arms side by side", channels: "channels side by side", time: "one after the other" };

/** What a hash asks for; null where it is no link into the conversations. */
function asked(hash) {
  if (!hash.startsWith("#run=")) return null;
  const given = new URLSearchParams(hash.slice(1));
  const event = given.get("event");
  return {
    run: given.get("run"),
    event: event !== null && /^\d{1,9}$/.test(event) ? Number(event) : null,
    beside: given.has("with") ? given.getAll("with").filter((each) => each) : null,
    view: Object.hasOwn(VIEWS, given.get("view") ?? "") ? given.get("view") : "arms",
  };
}

/** The hash of a place: a run, perhaps an event, how it is looked at, and the state of all filters. */
function address(run, event = null, looked = {}) {
  const parts = new URLSearchParams(run ? { run: run.trial.slice(0, SHORT) } : {});
  if (event !== null) parts.set("event", event);
  if (looked.beside) for (const key of looked.beside.length ? looked.beside : [""]) parts.append("with", key);
  if (looked.view && looked.view !== "arms") parts.set("view", looked.view);
  for (const [key, value] of stateOf()) parts.append(key, value);
  return `#${parts}`;
}

/** The state of the search and of all filters, as pairs of a link; what is as usual is left out. */
function stateOf() {
  const kinds = [...looked.kinds].sort().join(",");
  return [
    ["q", search.text],
    ...Object.entries(list.filters).map(([key, value]) => ["only", value === undefined ? "" : `${key}:${value}`]),
    ["sort", list.sort === WORTH.key ? "" : `${list.up ? "" : "-"}${list.sort}`],
    ["agent", looked.agent],
    ["channel", looked.channel],
    ["show", kinds === USUAL ? "" : kinds || "nothing"],
  ].filter(([, value]) => value !== "");
}

/** Take over the state that a link has; a link without any leaves everything as it is. */
function restore(given) {
  if (!STATE.some((key) => given.has(key))) return false;
  const split = (each) => [each.slice(0, each.indexOf(":")), each.slice(each.indexOf(":") + 1)];
  const sort = given.get("sort") ?? "";
  const key = sort.replace(/^-/, "");
  Object.assign(list, {
    filters: Object.fromEntries(given.getAll("only").map(split)),
    sort: COLUMNS.some((each) => each.key === key) ? key : WORTH.key,
    up: sort !== "" && !sort.startsWith("-"),
  });
  const kinds = given.get("show") ?? USUAL;
  looked.kinds = new Set(KINDS.map((each) => each.key).filter((each) => kinds.split(",").includes(each)));
  Object.assign(looked, { agent: given.get("agent") ?? "", channel: given.get("channel") ?? "" });
  list.restored();
  if ((given.get("q") ?? "") !== search.text) search.seek(given.get("q") ?? "");
  return true;
}

/** The run that a link means, or what is wrong with it. */
function meant(trial) {
  if (!/^[0-9a-f]{6,64}$/.test(trial)) return { fault: "The link is not one of this page: its run is no run's name." };
  const found = RUNS.filter((run) => run.trial.startsWith(trial));
  if (!found.length) return { fault: `This page has no run that begins with ${trial}. It may be in another report.` };
  if (found.length > 1) return { fault: `${count(found.length, "run")} of this page begin with ${trial}.` };
  return { run: found[0] };
}
