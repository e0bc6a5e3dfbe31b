// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Shared by all figures: colours, numbers, elements, axes, legends. Text from the data is set as text, never as HTML.
const drawers = {};  // kind of a figure to function(box, figure, width)

const color = n => n < 0 ? "var(--wait)" : `var(--c${n % 10})`;

function number(value) {
  if (value === null || value === undefined) return "";
  if (Number.isInteger(value)) return d3.format(",")(value).replace(/,/g, "\u202f");
  return Math.abs(value) >= 1000 ? d3.format(",.1f")(value).replace(/,/g, "\u202f") : String(value);
}

// Short numbers for axes: 1.2k, 30M; fractions as they are.
function short(value) {
  return Math.abs(value) >= 1000 ? d3.format("~s")(value) : d3.format("~r")(value);
}

function element(parent, name, className, text) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}

// A drawing of a size in pixels, named for screen readers.
function drawing(box, figure, width, height) {
  return d3.select(box).append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("height", height)
    .attr("role", "img").attr("aria-label", `${figure.title}, in ${figure.unit}. The numbers are in the table below.`);
}

function legend(box, entries) {
  const list = element(box, "ul", "legend");
  for (const entry of entries) {
    const item = element(list, "li");
    element(item, "span", "swatch").style.background = color(entry.color);
    item.appendChild(document.createTextNode(entry.name));
  }
}

// Width of the longest of some labels, at most a share of the figure.
function labelWidth(labels, width) {
  const longest = d3.max(labels, text => text.length) || 0;
  return Math.min(longest * 6.6 + 10, width * 0.42);
}

// A label that fits into a width.
function clipped(text, room) {
  const most = Math.max(4, Math.floor(room / 6.6));
  return text.length <= most ? text : text.slice(0, Math.ceil(most / 2) - 1) + "\u2026" + text.slice(text.length - Math.floor(most / 2));
}

function bottomAxis(svg, scale, y, title, width, ticks) {
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${y})`)
    .call(d3.axisBottom(scale).ticks(ticks || Math.max(3, width / 90)).tickFormat(short).tickSizeOuter(0));
  axisTitle(svg, title, (scale.range()[0] + scale.range()[1]) / 2, y + 34, width);
}

function axisTitle(svg, title, x, y, width) {
  svg.append("text").attr("class", "title").attr("x", x).attr("y", y).attr("text-anchor", "middle")
    .text(clipped(title, width));
}

function verticalGrid(svg, scale, top, bottom, width) {
  svg.append("g").attr("class", "grid").attr("transform", `translate(0,${bottom})`)
    .call(d3.axisBottom(scale).ticks(Math.max(3, width / 90)).tickSize(top - bottom).tickFormat(""));
}

function leftAxis(svg, scale, x, title, ticks) {
  svg.append("g").attr("class", "axis").attr("transform", `translate(${x},0)`)
    .call(d3.axisLeft(scale).ticks(ticks || 5).tickFormat(short).tickSizeOuter(0));
  svg.append("text").attr("class", "title").attr("x", 0).attr("y", 12).text(title);
}

function horizontalGrid(svg, scale, left, right) {
  svg.append("g").attr("class", "grid").attr("transform", `translate(${left},0)`)
    .call(d3.axisLeft(scale).ticks(5).tickSize(left - right).tickFormat(""));
}
