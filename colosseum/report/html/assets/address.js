// Deep links: `#run=…&event=…&with=…&view=…`, and how they are followed.

const SHORT = 16; // signs of a trial in a link
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

/** The hash of a place: a run, perhaps an event, and how it is looked at. */
function address(run, event = null, looked = {}) {
  const parts = new URLSearchParams({ run: run.trial.slice(0, SHORT) });
  if (event !== null) parts.set("event", event);
  if (looked.beside) for (const key of looked.beside.length ? looked.beside : [""]) parts.append("with", key);
  if (looked.view && looked.view !== "arms") parts.set("view", looked.view);
  return `#${parts}`;
}

/** The run that a link means, or what is wrong with it. */
function meant(trial) {
  if (!/^[0-9a-f]{6,64}$/.test(trial)) return { fault: "The link is not one of this page: its run is no run's name." };
  const found = RUNS.filter((run) => run.trial.startsWith(trial));
  if (!found.length) return { fault: `This page has no run that begins with ${trial}. It may be in another report.` };
  if (found.length > 1) return { fault: `${count(found.length, "run")} of this page begin with ${trial}.` };
  return { run: found[0] };
}

/** Where a link to a run leads: into this page, or into the file that holds it. */
function target(run, event = null, looked = {}) {
  const file = elsewhere(run.case);
  return (file ?? "") + address(run, event, looked);
}
