// What the page holds: the index of all runs, and cases that are inflated when they are wanted.

const KEPT = 6; // cases that stay inflated
const INDEX = JSON.parse(document.getElementById("index").textContent);
const RUNS = INDEX.runs.map(asRun);
const BY_TRIAL = new Map(RUNS.map((run) => [run.trial, run]));
const SEVERAL = severalModels();
const SWEPT = INDEX.cases.some((each) => each.point !== INDEX.cases[0].point);
const packs = [...document.querySelectorAll("script.pack")];
const inflated = new Map();

/** A row of the index by its columns' names, with its place. */
function asRun(row, rank) {
  const run = Object.fromEntries(INDEX.columns.map((column, place) => [column, row[place]]));
  const { point, seed } = INDEX.cases[run.case];
  return { ...run, rank, point, seed };
}

/** Whether models stand side by side in a case; where they are swept the sweep point says which one it is. */
function severalModels() {
  const seen = new Map(RUNS.map((run) => [run.case, run.model]));
  return RUNS.some((run) => seen.get(run.case) !== run.model);
}

/** A case as it was written. Throws where its pack is damaged. */
async function opened(place) {
  if (inflated.has(place)) return inflated.get(place);
  const found = JSON.parse(await unpacked(packs[place]));
  inflated.set(place, found);
  if (inflated.size > KEPT) inflated.delete(inflated.keys().next().value);
  return found;
}

/** Text from base64 of zlib. */
async function unpacked(pack) {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old to unpack it");
  const bytes = Uint8Array.from(atob(pack.textContent.trim()), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

/** What tells a run from the others of its case. */
function keyOf(run) {
  const parts = [run.arm];
  if (SEVERAL) parts.push(run.model);
  if (run.repeat !== 1) parts.push(`repeat ${run.repeat}`);
  return parts.join(" · ");
}

/** A run in a few words. */
function titleOf(run) {
  return [keyOf(run), ...(run.point ? [run.point] : []), `seed ${run.seed}`].join(", ");
}
