// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Lines over time, as steps: a point begins an interval. Stacked: areas on one another.
drawers.lines = function (box, figure, width) {
  if (figure.series.length > 1) legend(box, figure.series);
  const height = 230, left = 48, top = 24, bottom = height - 42;
  const svg = drawing(box, figure, width, height);
  figure = lastInterval(figure);
  const all = [].concat(...figure.series.map(s => s.points));
  const x = d3.scaleLinear().domain(d3.extent(all, p => p[0])).range([left, width - 12]);
  const tops = figure.stacked ? figure.series[0].points.map((_, i) => d3.sum(figure.series, s => s.points[i][1])) : all.map(p => p[1]);
  const y = d3.scaleLinear().domain([0, d3.max(tops) || 1]).nice().range([bottom, top]);
  horizontalGrid(svg, y, left, width - 12);
  const line = d3.line().x(p => x(p[0])).y(p => y(p[1])).curve(d3.curveStepAfter);
  if (figure.stacked) areas(svg, figure, x, y);
  for (const s of figure.stacked ? [] : figure.series) {
    svg.append("path").attr("d", line(s.points)).style("fill", "none").style("stroke", color(s.color)).style("stroke-width", 1.8)
      .append("title").text(s.name);
  }
  bottomAxis(svg, x, bottom, figure.x, width - left);
  leftAxis(svg, y, left, figure.y);
};

// The same figure with the end of the last interval as a point.
function lastInterval(figure) {
  const longer = points => {
    const n = points.length, step = n > 1 ? points[1][0] - points[0][0] : 1;
    return points.concat([[points[n - 1][0] + step, points[n - 1][1]]]);
  };
  return {...figure, series: figure.series.map(s => ({...s, points: longer(s.points)}))};
}

function areas(svg, figure, x, y) {
  const below = figure.series[0].points.map(() => 0);
  for (const s of figure.series) {
    const band = s.points.map((p, i) => [p[0], below[i], below[i] += p[1]]);
    const area = d3.area().x(p => x(p[0])).y0(p => y(p[1])).y1(p => y(p[2])).curve(d3.curveStepAfter);
    svg.append("path").attr("d", area(band)).style("fill", color(s.color)).append("title").text(s.name);
  }
}
