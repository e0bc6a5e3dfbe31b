// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Horizontal bars, stacked within a category.
drawers.bars = function (box, figure, width) {
  if (figure.series.length > 1) legend(box, figure.series);
  const sums = figure.categories.map((_, i) => d3.sum(figure.series, s => s.values[i]));
  const top = d3.max(sums) || 1;
  const percent = figure.unit.startsWith("%") && top <= 100.5;
  const left = labelWidth(figure.categories, width), right = 64;
  const row = figure.categories.length > 24 ? 16 : 22;
  const height = figure.categories.length * row + 46;
  const svg = drawing(box, figure, width, height);
  const x = d3.scaleLinear().domain([0, percent ? 100 : top]).range([left, width - right]);
  if (!percent) x.nice();
  const bottom = figure.categories.length * row + 4;
  verticalGrid(svg, x, 0, bottom, width - left - right);
  figure.categories.forEach((name, i) => bar(svg, figure, name, i, x, row, left, sums[i], percent));
  bottomAxis(svg, x, bottom, figure.unit, width - left - right);
};

function bar(svg, figure, name, i, x, row, left, sum, percent) {
  const y = i * row + 3;
  svg.append("text").attr("x", left - 6).attr("y", y + row / 2 + 1).attr("text-anchor", "end").text(clipped(name, left - 8))
    .append("title").text(name);
  let from = 0;
  for (const s of figure.series) {
    const value = s.values[i];
    if (!value) continue;
    svg.append("rect").attr("x", x(from)).attr("y", y).attr("height", row - 5).attr("width", Math.max(0.5, x(from + value) - x(from)))
      .style("fill", color(s.color)).append("title").text(`${name}, ${s.name}: ${number(value)} ${figure.unit}`);
    from += value;
  }
  if (!percent || figure.categories.length > 1) {
    svg.append("text").attr("x", x(sum) + 5).attr("y", y + row / 2 + 1).text(Math.abs(sum) >= 10000 ? d3.format(".3~s")(sum) : number(+sum.toPrecision(5)));
  }
}
