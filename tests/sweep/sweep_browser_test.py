#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Pages of sweeps in a headless Chromium: no complaint in the console, nothing loaded, no overflow, figures drawn; a
page of many points in its limits.

sweep_browser_test.py SWEEP_DIR REPORT_DIR CHROMIUM SCRATCH [AXE_JS]
"""
import json
import os
import random
import shutil
import sys
import time

sys.dont_write_bytecode = True  # the source tree stays as it is
SWEEP, REPORT, CHROMIUM, SCRATCH = sys.argv[1:5]
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, "..", "report"), SWEEP, REPORT]

from browser import BARE_FIGURES, Browser  # noqa: E402
from cuvette_sweep import sweep_report  # noqa: E402
from cuvette_sweep.store import Store  # noqa: E402

shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
failures, checks = [], 0
PATHS = ["l2.slice.ways", "vector_l1.misses", "compute_unit.a_field_with_a_name_of_some_length_cycles", "clock_mhz",
         "front_end.placement"]


def expect(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)


def made(name, kernels, machines, each):
    """A sweep's folder with results made by hand, and its page."""
    source = random.Random(1)
    folder = os.path.join(SCRATCH, name)
    store = Store(folder, write=True)
    objectives = [{"name": n, "goal": g, "statistic": s} for n, g, s in (
        ("cycles", "minimize", "totals.cycles"), ("L2 bytes", "minimize", "machine.parameters.l2.slice.bytes"),
        ("instructions per cycle", "maximize", "totals.instructions"), ("waited", None, "totals.waves"))]
    store.begin_plan("p", name + ".yaml", {"kernels": kernels, "machines": machines, "engine": "ca", "program": "0",
                                           "options": ["--engine", "ca"], "parameters": PATHS, "objectives": objectives},
                     len(kernels) * len(machines) * each + 7)
    number, rows = 0, []
    for k in range(len(kernels)):
        for m in range(len(machines)):
            for _ in range(each):
                a, b, c = source.choice((4, 8, 16)), source.randint(4, 64), source.random()
                settings = dict(zip(PATHS, map(str, (a, b, source.randint(1, 9), 1000 + 500 * c,
                                                     source.choice(("round_robin", "first_fit"))))))
                values = [10000 + 90000 / b + 300 * c, a * 65536, c / a, 12345]
                failed = number % 97 == 5
                store.add(f"k{number}", {"exit": 1 if failed else 0, "seconds": 1.0, "statistics": None,
                                         "message": "difference: y[3]: expected 8" if failed else ""}, 2 if failed else 1,
                          []) if failed or number < 200 else None
                key = f"k{number}" if failed or number < 200 else "k0"
                rows.append(("p", number, key, k, m, json.dumps(settings), json.dumps([None] * 4 if failed else values)))
                number += 1
    store.add_points(rows)
    store.close()
    page = os.path.join(SCRATCH, name + ".html")
    start = time.monotonic()
    sweep_report.write(folder, page)
    return page, time.monotonic() - start


page, _ = made("several", ["first.yaml", "a/kernel/in/a/folder/second.yaml"], ["small", "mi100"], 150)
one, _ = made("one", ["first.yaml"], ["small"], 3)
many, seconds = made("many", ["first.yaml"], ["small"], 100000)
size = os.path.getsize(many)
print(f"100,000 points: {seconds:.1f} s, {size} bytes")
expect(size < 15_000_000, f"{size} bytes of a page")
pages = {"several": page, "one": one, "many": many}
browser = Browser(CHROMIUM, os.path.join(SCRATCH, "profile"))
try:
    for name, path in pages.items():
        for width in (390, 1440):
            for theme in ("light", "dark"):
                where = f"{name} at {width} px, {theme}"
                took = browser.open(path, width, 900, theme)
                expect(took < 10, f"{where}: {took} s")
                expect(not browser.errors, f"{where}: {browser.errors[:3]}")
                root = "document.documentElement"
                expect(browser.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0, f"{where}: wider than the window")
                expect(browser.evaluate(BARE_FIGURES) == [], f"{where}: figures without title, unit or axis")
                for section, least in (("pareto", 4), ("sensitivity", 6)):
                    drawn = browser.evaluate(f"document.querySelectorAll('#{section} figure').length")
                    expect(drawn >= least, f"{where}: {drawn} figures in {section}")
                expect(browser.evaluate("[...document.querySelectorAll('svg *')].every(e => [...e.attributes].every("
                                        "a => !/NaN|undefined/.test(a.value)))"), f"{where}: numbers that are none")
                background = browser.evaluate("getComputedStyle(document.body).backgroundColor")
                expect((background == "rgb(255, 255, 255)") == (theme == "light"), f"{where}: background {background}")
    expect(all(url.startswith(("file:", "data:")) for url in browser.requests), f"loaded: {browser.requests}")
    # Choices have their names, and redraw the page.
    browser.open(page)
    expect(browser.evaluate("document.getElementById('run').parentElement.textContent").startswith("Kernel "), "the choice")
    first = browser.evaluate("document.querySelector('#points').textContent")
    browser.evaluate("(e => { e.value = 1; e.onchange(); })(document.getElementById('scope'))")
    expect(browser.evaluate("document.querySelector('#points').textContent") != first, "another machine is not shown")
    expect("y[3]: expected 8" in browser.evaluate("document.querySelector('#overview').textContent"), "failed points")
    browser.evaluate("document.querySelector('#pareto details').open = true, 0")
    browser.evaluate("new Promise(done => setTimeout(done, 100))")
    expect(browser.evaluate("document.querySelectorAll('#pareto details td').length") > 100, "the numbers of a figure")
    if len(sys.argv) > 5:
        with open(sys.argv[5], encoding="utf-8") as f:
            axe = f.read()
        for theme in ("light", "dark"):
            browser.open(page, theme=theme)
            browser.evaluate(axe + ";0")
            found = json.loads(browser.evaluate("""axe.run({exclude: [['svg > *']]})
                .then(r => JSON.stringify(r.violations.map(v => [v.impact, v.id])))"""))
            expect(not found, f"axe, {theme}: {found}")
    for name, width in (("several", 1440), ("several", 390)):
        browser.open(pages[name], width)
        browser.screenshot(os.path.join(SCRATCH, f"{name}.{width}.png"), whole=True)
finally:
    browser.close()
print(f"{checks} checks, {len(failures)} failed")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures or checks < 100 else 0)
