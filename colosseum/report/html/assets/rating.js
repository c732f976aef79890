// The page for raters: blinded conversations one after the other, each with one question.

function rate() {
  const { draw, question, rubric, scale, items } = JSON.parse(document.getElementById("index").textContent);
  openLabels(draw.campaign, draw);
  const root = document.getElementById("viewer");
  root.append(
    voice,
    labelStatus(items.length),
    ...items.map((each, place) =>
      make(
        "section",
        { class: "rated" },
        make("h2", {}, `${place + 1} of ${items.length}`),
        make("ul", { class: "quiet" }, each.channels.map(([number, who]) => make("li", {}, `Channel ${number}: agents ${who.join(", ")}`))),
        each.posts.map((post) =>
          make(
            "article",
            { class: "act post" },
            make("header", {}, `Agent ${post.author} → channel ${post.channel}, ${inRound(post.round)}`),
            ...written(post.text),
          ),
        ),
        make("p", {}, make("strong", {}, `Focal agents: ${each.agents.join(", ")}. `), question),
        make("ol", { class: "scale", start: scale[0][0] }, scale.map(([score, meaning]) => make("li", { value: score }, meaning))),
        labelForm(each.item, [rubric]),
      ),
    ),
  );
  root.hidden = false;
}

rate();
