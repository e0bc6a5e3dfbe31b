// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Waves by slot of one compute unit at a time, chosen by a list; buttons narrow and move the time that is shown.
drawers.timeline = function (box, figure, width) {
  const view = figure.view = figure.view || {unit: 0, from: figure.first, to: figure.last};
  const controls = element(box, "div", "controls");
  timelineUnits(controls, figure, view, () => timelineDraw(canvas, figure, width));
  const zoom = (name, change) => {
    const button = element(controls, "button", "", name);
    button.type = "button";
    button.onclick = () => { change(); timelineDraw(canvas, figure, width); };
  };
  zoom("Zoom in", () => timelineScale(figure, view, 0.5));
  zoom("Zoom out", () => timelineScale(figure, view, 2));
  zoom("Earlier", () => timelineMove(figure, view, -0.5));
  zoom("Later", () => timelineMove(figure, view, 0.5));
  legend(box, figure.phases);
  const canvas = element(box, "div");
  timelineDraw(canvas, figure, width);
};

function timelineUnits(controls, figure, view, changed) {
  const label = element(controls, "label", "", "Shown ");
  const select = element(label, "select");
  figure.units.forEach((unit, n) => { element(select, "option", "", `${unit.name}: ${unit.waves.length} waves`).value = n; });
  select.value = view.unit;
  select.onchange = () => { view.unit = +select.value; changed(); };
}

function timelineScale(figure, view, factor) {
  const middle = (view.from + view.to) / 2, half = Math.max(8, (view.to - view.from) * factor / 2);
  view.from = Math.max(figure.first, middle - half);
  view.to = Math.min(figure.last, middle + half);
}

function timelineMove(figure, view, share) {
  const span = view.to - view.from;
  const shift = Math.max(figure.first - view.from, Math.min(figure.last - view.to, span * share));
  view.from += shift;
  view.to += shift;
}

function timelineDraw(canvas, figure, width) {
  canvas.textContent = "";
  const view = figure.view, unit = figure.units[view.unit];
  const left = width < 500 ? 94 : 110, lane = unit.lanes.length > 24 ? 12 : 18;
  const bottom = unit.lanes.length * lane + 4;
  const svg = drawing(canvas, figure, width, bottom + 44);
  const x = d3.scaleLinear().domain([view.from, view.to]).range([left, width - 12]);
  verticalGrid(svg, x, 0, bottom, width - left);
  unit.lanes.forEach((name, n) => svg.append("text").attr("x", left - 6).attr("y", n * lane + lane / 2 + 5)
    .attr("text-anchor", "end").style("font-size", lane < 14 ? "10px" : "11.5px").text(name));
  for (const wave of unit.waves) timelineWave(svg, figure, wave, x, lane);
  if (unit.until !== null && unit.until >= view.from && unit.until <= view.to) {
    svg.append("line").attr("x1", x(unit.until)).attr("x2", x(unit.until)).attr("y1", 0).attr("y2", bottom)
      .style("stroke", "var(--bad)").style("stroke-dasharray", "4 3").append("title").text("The trace left issues out after this time");
  }
  bottomAxis(svg, x, bottom, figure.x, width - left);
}

function timelineWave(svg, figure, wave, x, lane) {
  const [from, to] = x.domain();
  if (wave.start > to || wave.start + wave.cycles < from) return;
  const group = svg.append("g").attr("shape-rendering", "crispEdges");
  const rect = (start, cycles, fill) => {
    const a = Math.max(start, from), b = Math.min(start + cycles, to);
    if (b < a) return null;
    return group.append("rect").attr("x", x(a)).attr("y", wave.lane * lane + 3).attr("height", lane - 4)
      .attr("width", Math.max(0.5, x(b) - x(a))).style("fill", fill);
  };
  rect(wave.start, wave.cycles, "var(--wait)").style("stroke", "var(--soft)").style("stroke-width", 0.6);
  for (const [start, cycles, phase] of wave.segments) {
    const entry = figure.phases.find(p => p.name === phase);
    if (entry.color >= 0) rect(start, cycles, color(entry.color));
  }
  group.append("title").text(`${wave.name}: ${number(wave.start)} to ${number(wave.start + wave.cycles)}, ${number(wave.cycles)} cycles`);
}
