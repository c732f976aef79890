// What a model was asked in a turn, and what it replied, as JSON: only in pages that were written with `--calls`.

/** The calls of a turn, folded; nothing where none are in the page. */
function callsOf(turn, told) {
  const all = told.calls ?? [];
  const mine = all.filter((each) => ["agent", "phase", "round"].every((key) => each[key] === turn[key]));
  if (!mine.length) return null;
  const filled = () => part.append(...mine.flatMap((each) => callPart(each, all)));
  const part = make("details", { class: "calls" }, make("summary", {}, count(mine.length, "call")));
  part.addEventListener("toggle", filled, { once: true });
  return part;
}

function callPart(call, all) {
  const request = { ...call.request, messages: messagesOf(call, all) };
  const shown = (content) => make("pre", { tabindex: "0" }, make("code", {}, spelled(JSON.stringify(content, null, 1))));
  return [make("p", {}, "Request"), shown(request), make("p", {}, "Reply"), shown(call.reply)];
}

/** All messages of a request: the first ones are those of the agent's last request. */
function messagesOf(call, all) {
  const before = all.slice(0, all.indexOf(call)).findLast((each) => each.agent === call.agent);
  const first = call.same > 0 ? messagesOf(before, all).slice(0, call.same) : [];
  return [...first, ...call.request.messages];
}
