// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The page: run and scope are chosen above, sections are drawn below, again when width or theme change.
const model = JSON.parse(document.getElementById("data").textContent);
const choice = {run: document.getElementById("run"), scope: document.getElementById("scope"), theme: document.getElementById("theme")};
const wide = new Set(["timeline", "heat", "table"]);

function fill(select, names) {
  select.textContent = "";
  names.forEach((name, n) => { element(select, "option", "", name).value = n; });
  select.parentElement.style.display = names.length > 1 ? "" : "none";
}

function isWide(part) {
  if (part.kind === "table") return part.columns.length > 5;
  if (part.kind === "bars") return part.categories.length > 24;
  return wide.has(part.kind) && !(part.kind === "heat" && part.columns.length < 12);
}

function drawFigure(parent, part) {
  const figure = element(parent, "figure", isWide(part) ? "wide" : "");
  const caption = element(figure, "figcaption", "", part.title);
  if (part.unit) element(caption, "span", "unit", ` (${part.unit})`);
  const box = element(figure, "div");
  drawers[part.kind](box, part, Math.max(240, Math.floor(box.getBoundingClientRect().width)));
  if (part.note) element(figure, "p", "note", part.note);
  drawNumbers(figure, part);
}

function drawSection(main, sec) {
  const node = element(main, "section");
  node.id = sec.id;
  node.setAttribute("aria-labelledby", sec.id + "-title");
  element(node, "h2", "", sec.title).id = sec.id + "-title";
  element(node, "p", "purpose", sec.purpose);
  const parts = element(node, "div", "parts");
  sec.parts.forEach(part => drawFigure(parts, part));
  if (!sec.missing.length) return;
  const list = element(node, "ul", "missing");
  for (const what of sec.missing) element(list, "li", "", `${model.missing || "Not in this run"}: ${what}.`);
}

function draw() {
  const run = model.runs[+choice.run.value], scope = run.scopes[+choice.scope.value];
  const sections = (model.overview ? [model.overview] : []).concat(scope.sections);
  document.getElementById("note").textContent = run.note;
  const contents = document.getElementById("contents"), main = document.getElementById("main");
  contents.textContent = "";
  for (const sec of sections) element(contents, "a", "", sec.title).href = "#" + sec.id;
  main.textContent = "";
  sections.forEach(sec => drawSection(main, sec));
}

function drawRun() {
  fill(choice.scope, model.runs[+choice.run.value].scopes.map(s => s.name));
  draw();
}

if (model.choices) ["run", "scope"].forEach((name, n) => { choice[name].parentElement.firstChild.textContent = model.choices[n] + " "; });
fill(choice.run, model.runs.map(r => r.label));
choice.run.onchange = drawRun;
choice.scope.onchange = draw;
choice.theme.onchange = () => { document.documentElement.dataset.theme = choice.theme.value; draw(); };
window.matchMedia("(prefers-color-scheme: dark)").addListener(draw);
let drawnWidth = document.body.clientWidth, later = 0;
window.addEventListener("resize", () => {
  if (document.body.clientWidth === drawnWidth) return;
  drawnWidth = document.body.clientWidth;
  clearTimeout(later);
  later = setTimeout(draw, 150);
});
drawRun();
if (location.hash.length > 1) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
