// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Tables, and the tables of numbers that belong to the other figures.
function drawTable(box, name, columns, rows) {
  const scroll = element(box, "div", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Table: " + name);
  const table = element(scroll, "table");
  const head = element(element(table, "thead"), "tr");
  for (const column of columns) {
    if (column.name) element(head, "th", column.type, column.name).scope = "col";
    else element(head, "td");
  }
  const body = element(table, "tbody");
  for (const row of rows) {
    const line = element(body, "tr");
    row.forEach((value, i) => {
      const type = columns[i].type;
      element(line, "td", type + (value === "FAILED" ? " failed" : ""), type === "number" ? number(value) : value);
    });
  }
}

drawers.table = (box, figure) => drawTable(box, figure.title, figure.columns, figure.rows);

drawers.fact = (box, figure) => element(box, "p", "fact", figure.text);

const text = name => ({name, type: "text"}), count = name => ({name, type: "number"});

// The numbers of a figure as {columns, rows}; none for tables.
const numbers = {
  bars: f => ({columns: [text(""), ...f.series.map(s => count(s.name))], rows: f.categories.map((c, i) => [c, ...f.series.map(s => s.values[i])])}),
  heat: f => ({columns: [text(f.y || "row"), text(f.x), count(f.unit)], rows: f.cells.map(([r, c, v]) => [f.rows[r], f.columns[c], v])}),
  lines: f => ({columns: [count(f.x), ...f.series.map(s => count(s.name))], rows: f.series[0].points.map((p, i) => [p[0], ...f.series.map(s => s.points[i][1])])}),
  roofline: f => ({columns: [text(""), count(f.x), count(f.y)], rows: f.points.map(p => [p.name, p.x, p.y])}),
  waterfall: f => ({columns: [text("step"), count(f.unit)], rows: f.steps.map(s => [s.name, s.value])}),
  timeline: f => ({columns: [text("unit"), text("slot"), text("wave"), count("start"), count("cycles")],
    rows: [].concat(...f.units.map(u => u.waves.map(w => [u.name, u.lanes[w.lane], w.name, w.start, w.cycles])))}),
};
const MOST_NUMBERS = 3000;

// Filled when it is opened.
function drawNumbers(box, figure) {
  if (!numbers[figure.kind]) return;
  const details = element(box, "details");
  element(details, "summary", "", "Numbers");
  details.ontoggle = () => {
    if (!details.open || details.childElementCount > 1) return;
    const {columns, rows} = numbers[figure.kind](figure);
    drawTable(details, `Numbers of ${figure.title}`, columns, rows.slice(0, MOST_NUMBERS));
    if (rows.length > MOST_NUMBERS) element(details, "p", "note", `The first ${MOST_NUMBERS} of ${rows.length} rows.`);
  };
}
