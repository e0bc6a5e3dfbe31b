// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Heat map; "scale": "row" gives each row its own scale.
drawers.heat = function (box, figure, width) {
  const rows = figure.rows.length, columns = figure.columns.length;
  const named = figure.columns.some(c => isNaN(c));
  const left = Math.max(labelWidth(figure.rows, width) + 8, 34), head = named ? 100 : 6;
  const end = named ? 60 : 8;  // right of the cells: the last slanted name
  const cell = rows > 60 ? 6 : rows > 20 ? 10 : 20;
  const height = head + rows * cell + 44;
  const most = d3.scaleLinear().domain([0, 1]);
  const rowMost = figure.rows.map((_, r) => figure.scale === "row" ? d3.max(figure.cells, c => c[0] === r ? c[2] : 0) : figure.most);
  heatLegend(box, figure);
  const svg = drawing(box, figure, width, height);
  const x = d3.scaleLinear().domain([0, columns]).range([left, width - end]);
  const step = (width - end - left) / columns;
  svg.append("rect").attr("x", left).attr("y", head).attr("width", width - end - left).attr("height", rows * cell).style("fill", "var(--heat0)");
  const style = getComputedStyle(document.documentElement);
  const shade = d3.interpolateRgb(style.getPropertyValue("--heat0").trim(), style.getPropertyValue("--heat1").trim());
  const cells = svg.append("g").attr("shape-rendering", "crispEdges");
  for (const [r, c, value] of figure.cells) {
    cells.append("rect").attr("x", x(c)).attr("y", head + r * cell).attr("width", step).attr("height", cell)
      .attr("fill", shade(rowMost[r] ? most(value / rowMost[r]) : 0));
  }
  heatTitles(cells, figure);
  heatRows(svg, figure, left, head, cell);
  named ? heatNames(svg, figure, x, step, head) : heatColumns(svg, figure, x, head + rows * cell, width - left);
};

// A cell gets its title when it is pointed at: elements of all of them would be most of a page's.
function heatTitles(cells, figure) {
  const nodes = [...cells.node().childNodes];
  cells.node().addEventListener("pointerover", event => {
    const rect = d3.select(event.target), cell = figure.cells[nodes.indexOf(event.target)];
    if (!cell || !rect.select("title").empty()) return;
    rect.append("title").text(`${figure.y} ${figure.rows[cell[0]]}, ${figure.x} ${figure.columns[cell[1]]}: ${number(cell[2])} ${figure.unit}`);
  });
}

function heatLegend(box, figure) {
  const list = element(box, "ul", "legend");
  const item = element(list, "li");
  const swatch = element(item, "span", "swatch");
  swatch.style.width = "90px";
  swatch.style.background = "linear-gradient(to right, var(--heat0), var(--heat1))";
  item.appendChild(document.createTextNode(figure.scale === "row" ? "0 to the largest of the row" : `0 to ${number(figure.most)} ${figure.unit}`));
  if (figure.y) element(list, "li", "", `rows: ${figure.y}`);
  element(list, "li", "", `columns: ${figure.x}`);
}

function heatRows(svg, figure, left, head, cell) {
  const every = Math.ceil(13 / cell);
  figure.rows.forEach((name, r) => {
    if (r % every) return;
    svg.append("text").attr("x", left - 5).attr("y", head + r * cell + Math.min(cell, 13) / 2 + 4).attr("text-anchor", "end").text(clipped(name, left - 6));
  });
}

function heatNames(svg, figure, x, step, head) {
  figure.columns.forEach((name, c) => {
    svg.append("text").attr("transform", `translate(${x(c) + step / 2 + 4},${head - 6}) rotate(-50)`).text(name);
  });
}

// Columns are numbers at equal distances: instances, or beginnings of intervals.
function heatColumns(svg, figure, x, bottom, width) {
  const first = +figure.columns[0], step = figure.columns.length > 1 ? +figure.columns[1] - first : 1;
  const scale = d3.scaleLinear().domain([first, first + step * figure.columns.length]).range(x.range());
  bottomAxis(svg, scale, bottom, figure.x, width);
}
