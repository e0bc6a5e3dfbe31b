// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Points of two objectives with their Pareto front: front points are larger, filled, and joined by a line.
drawers.scatter = function (box, figure, width) {
  const list = element(box, "ul", "legend");
  [["front", 1], ["other points", -1]].forEach(([name, n]) => {
    const item = element(list, "li");
    element(item, "span", "swatch").style.background = color(n);
    item.appendChild(document.createTextNode(name));
  });
  const height = 300, left = 56, top = 24, bottom = height - 42, right = width - 14;
  const svg = drawing(box, figure, width, height);
  const all = figure.points.concat(figure.front);
  const x = paddedScale(all.map(p => p[0]), [left, right]), y = paddedScale(all.map(p => p[1]), [bottom, top]);
  horizontalGrid(svg, y, left, right);
  dots(svg, figure, figure.points, x, y, 3).style("fill", "var(--wait)").style("stroke", "var(--soft)").style("stroke-width", 0.7);
  const front = figure.front.slice().sort((a, b) => a[0] - b[0]);
  svg.append("path").attr("d", d3.line().x(p => x(p[0])).y(p => y(p[1]))(front))
    .style("fill", "none").style("stroke", color(1)).style("stroke-width", 1.2).style("stroke-dasharray", "4 3");
  dots(svg, figure, front, x, y, 5).style("fill", color(1)).style("stroke", "var(--paper)");
  bottomAxis(svg, x, bottom, figure.x, right - left);
  leftAxis(svg, y, left, figure.y);
};

function dots(svg, figure, points, x, y, radius) {
  const shapes = svg.append("g").selectAll("circle").data(points).enter().append("circle")
    .attr("cx", p => x(p[0])).attr("cy", p => y(p[1])).attr("r", radius);
  shapes.append("title").text(p => `${p[2]}: ${figure.x} ${number(p[0])}, ${figure.y} ${number(p[1])}`);
  return shapes;
}

// A linear scale with some room at both ends; one value alone stands in the middle.
function paddedScale(values, range) {
  const [low, high] = d3.extent(values);
  const room = high > low ? (high - low) * 0.06 : Math.abs(high) * 0.1 || 1;
  return d3.scaleLinear().domain([low - room, high + room]).range(range);
}

// The mean of an objective at each value of a parameter, with bars from the least to the most.
drawers.effect = function (box, figure, width) {
  const height = 230, left = 56, top = 24, bottom = height - 46, right = width - 14;
  const svg = drawing(box, figure, width, height);
  const x = d3.scalePoint().domain(figure.points.map((_, i) => i)).range([left, right]).padding(0.6);
  const y = paddedScale([].concat(...figure.points.map(p => [p[2], p[3]])), [bottom, top]);
  horizontalGrid(svg, y, left, right);
  const middle = d3.line().x((_, i) => x(i)).y(p => y(p[1]));
  svg.append("path").attr("d", middle(figure.points)).style("fill", "none").style("stroke", color(0)).style("stroke-width", 1.6);
  figure.points.forEach((p, i) => {
    svg.append("line").attr("x1", x(i)).attr("x2", x(i)).attr("y1", y(p[2])).attr("y2", y(p[3])).style("stroke", "var(--soft)").style("stroke-width", 1.5);
    svg.append("circle").attr("cx", x(i)).attr("cy", y(p[1])).attr("r", 4).style("fill", color(0)).style("stroke", "var(--paper)")
      .append("title").text(`${figure.x} ${p[0]}: mean ${number(p[1])}, ${number(p[2])} to ${number(p[3])}, ${p[4]} points`);
  });
  const room = figure.points.length > 1 ? x.step() : right - left;
  const every = Math.ceil(d3.max(figure.points, p => Math.min(p[0].length, 14)) * 6.6 / room);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`)
    .call(d3.axisBottom(x).tickValues(x.domain().filter(i => i % every === 0)).tickFormat(i => clipped(figure.points[i][0], room * every)));
  axisTitle(svg, figure.x, (left + right) / 2, bottom + 36, right - left);
  leftAxis(svg, y, left, figure.y);
};

numbers.scatter = f => ({columns: [text("front"), text("point"), count(f.x), count(f.y)],
  rows: f.front.map(p => ["yes", p[2], p[0], p[1]]).concat(f.points.map(p => ["", p[2], p[0], p[1]]))});
numbers.effect = f => ({columns: [text(f.x), count("mean"), count("least"), count("most"), count("points")], rows: f.points});
