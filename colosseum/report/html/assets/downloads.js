// Every table as a file: CSV for spreadsheets, JSON for programs. A cell's `data-value` is its number in full.

const FORMULA = /^[=+\-@'\t\r]/; // texts that a spreadsheet would not take for a text

/** Two buttons that save a table; `read` gives {columns, rows} where the page does not show all of it. */
function downloads(table, title, read = () => contentOf(table)) {
  const kinds = { CSV: ["text/csv", csvOf], JSON: ["application/json", jsonOf] };
  const buttons = Object.entries(kinds).map(([kind, [type, text]]) =>
    make(
      "button",
      { type: "button", "aria-label": `${plainly(title)} as ${kind}`, onclick: () => save(title, kind, type, text(read())) },
      kind,
    ),
  );
  return make("div", { class: "downloads" }, buttons);
}

/** A table that scrolls sideways where it must, and can be saved. */
function saved(table, title) {
  return [make("div", { class: "scroll" }, table), downloads(table, title)];
}

/** Hand a text over as a file. */
function save(title, kind, type, text) {
  const stem = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  make("a", { href: address, download: `${stem || "table"}.${kind.toLowerCase()}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** What a table of the page shows; rows that head a group are the first column of those below them. */
function contentOf(table) {
  const lines = [...table.tBodies].flatMap((body) => [...body.rows]);
  const heads = [...table.tHead.rows[0].cells].map((each, place) => {
    const ends = lines.some((row) => row.cells[place]?.dataset.low !== undefined);
    return ["", ...(ends ? [" low", " high"] : [])].map((end) => textOf(each) + end);
  });
  const rows = [];
  let group;
  for (const { cells } of lines) {
    if (cells.length === 1 && cells[0].colSpan > 1) group = textOf(cells[0]);
    else rows.push([group, ...heads.flatMap((names, place) => valuesOf(cells[place], names.length))]);
  }
  const grouped = rows.some(([first]) => first !== undefined);
  const cut = (row) => (grouped ? row : row.slice(1));
  return { columns: cut(["group", ...heads.flat()]), rows: rows.map(cut) };
}

/** The words of a cell, with one blank between those of its elements. */
function textOf(cell) {
  return cell.innerText.replace(/\s+/g, " ").trim();
}

/** The number of a cell in full, or its words; then the ends of its interval where the column has them. */
function valuesOf(cell, count) {
  const { value, low, high } = cell.dataset;
  const numbers = [value, low, high].map((each) => (each === undefined || each === "" ? null : Number(each)));
  return [value === undefined ? textOf(cell) : numbers[0], ...numbers.slice(1, count)];
}

function csvOf({ columns, rows }) {
  const cell = (value) => {
    if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
    const text = FORMULA.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
}

function jsonOf({ columns, rows }) {
  return `${JSON.stringify(
    rows.map((row) => Object.fromEntries(columns.map((column, place) => [column, row[place] ?? null]))),
    null,
    1,
  )}\n`;
}

/** Buttons below each table that came with the page. */
function offerDownloads() {
  for (const table of document.querySelectorAll("main section:not(#conversations) table")) {
    const title = table.getAttribute("aria-label") ?? table.caption?.textContent ?? table.dataset.name ?? "table";
    if (table.tHead) (table.closest(".scroll") ?? table).after(downloads(table, title));
  }
}
