// Labels by people: scores of 0 to 5 with a comment, kept by this browser for a campaign, and saved as JSON.

const SCORES = ["–", "0", "1", "2", "3", "4", "5"];
const labels = { campaign: "", draw: null, rater: "", kept: new Map(), changed: () => {} };

/** Begin with what this browser has kept for a campaign. */
function openLabels(campaign, draw = null) {
  const kept = JSON.parse(attempt(() => localStorage.getItem(`${KEEPS}-labels-${campaign}`)) ?? "null");
  const known = (kept?.labels ?? []).map((each) => [`${each.item} ${each.rubric}`, each]);
  Object.assign(labels, { campaign, draw, rater: kept?.rater ?? "", kept: new Map(known) });
}

/** Keep a label; one without a score is none. */
function label(item, rubric, score, comment) {
  if (score === null) labels.kept.delete(`${item} ${rubric}`);
  else labels.kept.set(`${item} ${rubric}`, { item, rubric, score, comment });
  keepLabels();
}

function keepLabels() {
  const text = JSON.stringify({ rater: labels.rater, labels: [...labels.kept.values()] });
  if (attempt(() => localStorage.setItem(`${KEEPS}-labels-${labels.campaign}`, text)) === null)
    announce("This browser keeps no labels: save them before you leave.");
  labels.changed();
}

/** The form of one item. */
function labelForm(item, rubrics) {
  const rubric = make("select", { "aria-label": "rubric", onchange: () => fill() });
  rubric.append(...rubrics.map((each) => make("option", { value: each }, plainly(each))));
  const scores = SCORES.map((score) => make("option", { value: score }, score));
  const score = make("select", { "aria-label": "score", onchange: () => keep() }, scores);
  const comment = make("input", { "aria-label": "comment", placeholder: "comment", onchange: () => keep() });
  const keep = () => label(item, rubric.value, score.value === "–" ? null : Number(score.value), comment.value);
  const fill = () => {
    const known = labels.kept.get(`${item} ${rubric.value}`);
    score.value = String(known?.score ?? "–");
    comment.value = known?.comment ?? "";
  };
  fill();
  const asked = { class: "label-form", onsubmit: (event) => event.preventDefault() };
  return make("form", asked, rubrics.length > 1 && rubric, "score ", score, comment);
}

/** Who labels, how many labels there are, and a button that saves them. */
function labelStatus(of = null) {
  const said = make("span", { role: "status" });
  const who = make("input", {
    "aria-label": "your name",
    placeholder: "your name",
    value: labels.rater,
    onchange: () => {
      labels.rater = who.value.trim();
      keepLabels();
    },
  });
  const button = make("button", { type: "button", onclick: saveLabels }, "Save labels");
  labels.changed = () => {
    said.textContent = of === null ? `${count(labels.kept.size, "label")} of yours.` : `${labels.kept.size} of ${of}.`;
    button.disabled = !labels.kept.size || !labels.rater;
  };
  labels.changed();
  return make("div", { class: "label-status" }, said, who, button);
}

/** Hand all labels over as a file that `colosseum judge label DIR --import` reads. */
function saveLabels() {
  const { rater, draw, kept } = labels;
  const content = { schema: 1, rater, draw, labels: [...kept.values()] };
  save(`labels ${rater}`, "JSON", "application/json", `${JSON.stringify(content, null, 1)}\n`);
}
