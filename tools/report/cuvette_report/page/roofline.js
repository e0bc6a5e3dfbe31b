// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Roofline on logarithmic scales: a roof has a level (y) or a slope (y = slope x).
drawers.roofline = function (box, figure, width) {
  const entries = figure.points.map((p, i) => ({name: p.name, color: i}));
  legend(box, entries);
  const roofs = element(box, "ul", "legend");
  for (const roof of figure.roofs) element(roofs, "li", "", `${roof.level ? "level" : "slope"}: ${roof.name}`);
  const height = 330, left = 56, top = 26, bottom = height - 44;
  const svg = drawing(box, figure, width, height);
  const level = d3.min(figure.roofs, r => r.level), slope = d3.min(figure.roofs, r => r.slope);
  const ridge = level && slope ? level / slope : undefined;
  const xs = figure.points.map(p => p.x).concat(ridge || []), ys = figure.points.map(p => p.y).concat(level || []);
  const x = d3.scaleLog().domain([d3.min(xs) / 4, d3.max(xs) * 4]).range([left, width - 14]);
  const y = d3.scaleLog().domain([d3.min(ys) / 4, d3.max(ys) * 2]).range([bottom, top]);
  horizontalGrid(svg, y, left, width - 14);
  const draw = (a, b, name) => svg.append("line").attr("x1", x(a[0])).attr("y1", y(a[1])).attr("x2", x(b[0])).attr("y2", y(b[1]))
    .style("stroke", "var(--ink)").style("stroke-width", 2).append("title").text(name);
  const [low, high] = x.domain();
  for (const roof of figure.roofs) {
    if (roof.level) {
      draw([ridge && ridge > low ? ridge : low, roof.level], [high, roof.level], roof.name);
    } else {
      const from = Math.max(low, y.domain()[0] / roof.slope), to = Math.min(high, ridge || high);
      draw([from, from * roof.slope], [to, to * roof.slope], roof.name);
    }
  }
  figure.points.forEach((p, i) => svg.append("circle").attr("cx", x(p.x)).attr("cy", y(p.y)).attr("r", 5.5)
    .style("fill", color(i)).style("stroke", "var(--paper)").append("title")
    .text(`${p.name}: ${number(p.x)} per byte, ${number(p.y)} per cycle`));
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`).call(d3.axisBottom(x).ticks(Math.max(3, width / 110), "~g"));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(d3.axisLeft(y).ticks(6, "~g"));
  axisTitle(svg, figure.x, (left + width) / 2, bottom + 36, width - left);
  svg.append("text").attr("class", "title").attr("x", 0).attr("y", 12).text(figure.y);
};
