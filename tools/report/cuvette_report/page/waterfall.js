// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// From one total to another: each step begins where the one before it ended.
drawers.waterfall = function (box, figure, width) {
  legend(box, [{name: "cycles of a run", color: 0}, {name: "fewer", color: 2}, {name: "more", color: 3}]);
  const row = 24, left = labelWidth(figure.steps.map(s => s.name), width), right = 70;
  const bottom = figure.steps.length * row + 4;
  const svg = drawing(box, figure, width, bottom + 44);
  let at = 0;
  const spans = figure.steps.map(step => {
    const from = step.total ? 0 : at;
    at = from + step.value;
    return [Math.min(from, at), Math.max(from, at)];
  });
  const x = d3.scaleLinear().domain([Math.min(0, d3.min(spans, s => s[0])), d3.max(spans, s => s[1]) || 1]).nice().range([left, width - right]);
  verticalGrid(svg, x, 0, bottom, width - left - right);
  figure.steps.forEach((step, i) => {
    const y = i * row + 4, text = step.total || step.value < 0 ? number(step.value) : "+" + number(step.value);
    svg.append("text").attr("x", left - 6).attr("y", y + 13).attr("text-anchor", "end").text(clipped(step.name, left - 8));
    svg.append("rect").attr("x", x(spans[i][0])).attr("y", y).attr("height", row - 6).attr("width", Math.max(1, x(spans[i][1]) - x(spans[i][0])))
      .style("fill", color(step.total ? 0 : step.value < 0 ? 2 : 3)).append("title").text(`${step.name}: ${text} ${figure.unit}`);
    svg.append("text").attr("x", x(spans[i][1]) + 5).attr("y", y + 13).text(text);
  });
  bottomAxis(svg, x, bottom, figure.unit, width - left - right);
};
