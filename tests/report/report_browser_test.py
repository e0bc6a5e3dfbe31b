#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Pages in a headless Chromium: no complaint in the console, nothing loaded, no overflow, figures drawn, keys
reach all.

report_browser_test.py REPORT_DIR CHROMIUM SCRATCH [AXE_JS]
"""
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
REPORT, CHROMIUM, SCRATCH = sys.argv[1:4]
sys.path.insert(0, REPORT)

from browser import BARE_FIGURES, Browser  # noqa: E402
from cuvette_report import diff, page, report  # noqa: E402
from cuvette_report.run import Run  # noqa: E402
from cuvette_report.trace import Trace  # noqa: E402
from made import Maker, miss, trace_text, wave  # noqa: E402

shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
with open(os.path.join(REPORT, "statistics.schema.json"), encoding="utf-8") as f:
    make = Maker(json.load(f))
failures = []
checks = 0


def expect(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)


def run_of(units, cycles, **given):
    unit = {"waves": 4, "instructions": 90, "valu": 60, "busy_cycles": 900, "wave_cycles": 3000, "issue_cycles": 90,
            "stalled_waitcnt": 2000, "stalled_barrier": 910, "lane_operations": 3000}
    cache = {"accesses": 10, "hits": 4, "misses": 6, "reads": 10, "read_hits": 4, "read_misses": 6, "stall_cycles": 3}
    blocks = {"vector_l1": [cache] * units, "l2": [cache] * 32, "memory": [{"read_bytes": 640, "written_bytes": 64}],
              "spi": [{"stall_cycles_vgprs": 7}], "lds": [{"requests": 3, "conflict_cycles": 2}] * units}
    tables = {"by_unit": {"valu": 60, "matrix": 5, "salu": 25}, "by_format": {"VOP2": 90}}
    name = "kernel_with_a_name_that_is_much_longer_than_any_label_in_a_figure_can_be"
    dispatches = [make.dispatch(name, cycles, [unit] * units, 90, blocks, 4, tables) for _ in range(2)]
    machine = {"name": "m", "parameters": {"compute_units": units, "compute_unit.simds": 4, "clock_mhz": 1500.5,
                                           "compute_unit.waves_per_simd": 10, "compute_unit.valu_cycles": 4,
                                           "l2.slices": 32,
                                           "memory.cycles_per_block": 3}}
    events = [e for u in range(units) for n in range(8)
              for e in wave(u, (n % 4, n // 4), 100 + 10 * n, 800,
                            [(120 + 50 * i, 0x40 + 4 * i, f"v_{i}", "valu") for i in range(2, 12)], 8 * u + n)]
    path = os.path.join(SCRATCH, f"{units}.trace.json")
    with open(path, "w", encoding="utf-8") as out:
        out.write(trace_text([*events, *miss(5, "l2", 1, 300), *miss(5, "l2", 7, 500)]))
    statistics = make.statistics(dispatches, machine=machine, lockstep={"scope": "valu", "compared": {"lanes": 5},
                                                                        "mismatches": 0}, **given)
    return Run(f"{units}.stats.json", statistics, Trace.load(path))


def written(name, model):
    path = os.path.join(SCRATCH, name)
    page.write(model, path)
    return path


one, many = run_of(1, 1000), run_of(120, 700, passed=False)
bare = Run("golden.stats.json", make.statistics([], engine="golden"), no_trace="engine golden has no trace")
pages = {"report": written("report.html", report.make([many])),
         "several": written("several.html", report.make([one, bare, many])),
         "diff": written("diff.html", diff.make(diff.Comparison(one, many)))}
browser = Browser(CHROMIUM, os.path.join(SCRATCH, "profile"))
try:
    for name, path in pages.items():
        for width in (390, 1440):
            for theme in ("light", "dark"):
                where = f"{name} at {width} px, {theme}"
                browser.open(path, width, 900, theme)
                expect(not browser.errors, f"{where}: {browser.errors[:3]}")
                expect(browser.evaluate("document.querySelectorAll('figure').length") >= 3, f"{where}: no figures")
                root = "document.documentElement"
                expect(browser.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0,
                       f"{where}: wider than the window")
                expect(browser.evaluate(BARE_FIGURES) == [], f"{where}: figures without title, unit or axis")
                background = browser.evaluate("getComputedStyle(document.body).backgroundColor")
                expect((background == "rgb(255, 255, 255)") == (theme == "light"), f"{where}: background {background}")
    expect(all(url.startswith(("file:", "data:")) for url in browser.requests), f"loaded: {browser.requests}")
    expect(len(browser.requests) >= 12, "no requests seen")

    # A complaint is seen at all.
    browser.evaluate("setTimeout(() => { throw new Error('on purpose'); }, 0), 0")
    browser.evaluate("new Promise(done => setTimeout(done, 100))")
    expect(any("on purpose" in e for e in browser.errors), "an exception is not noticed")
    browser.errors.clear()

    # Choices redraw the page.
    browser.open(pages["several"])
    first = browser.evaluate("document.querySelector('#summary').textContent")
    browser.evaluate("(e => { e.value = 2; e.onchange(); })(document.getElementById('run'))")
    expect("FAILED" in browser.evaluate("document.querySelector('#summary').textContent") and "FAILED" not in first,
           "another run is not shown")
    expect(browser.evaluate("document.querySelectorAll('#scope option').length") == 3, "scopes of the run")
    browser.evaluate("(e => { e.value = 'dark'; e.onchange(); })(document.getElementById('theme'))")
    expect(browser.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)", "the theme")
    browser.evaluate("document.querySelector('#stalls details').open = true, 0")
    browser.evaluate("new Promise(done => setTimeout(done, 100))")
    expect(browser.evaluate("document.querySelectorAll('#stalls details td').length") > 2, "the numbers of a figure")

    # Keys reach every choice, button, list, table and summary.
    browser.open(pages["several"])
    wanted = browser.evaluate("document.querySelectorAll('select, button, summary, a[href], [tabindex=\"0\"]').length")
    browser.evaluate("window.reached = new Set(), 0")
    for _ in range(wanted + 5):
        browser.press("Tab")
        browser.evaluate("window.reached.add(document.activeElement), 0")
    unreached = browser.evaluate("""[...document.querySelectorAll('select, button, summary, a[href], [tabindex="0"]')]
        .filter(e => !window.reached.has(e) && e.checkVisibility()).map(e => e.outerHTML.slice(0, 80))""")
    expect(wanted > 40 and unreached == [], f"of {wanted}, keys do not reach {unreached[:5]}")
    before = browser.evaluate("document.querySelector('#timeline svg').outerHTML.length")
    browser.evaluate("""[...document.querySelectorAll('#timeline button')]
        .find(b => b.textContent === 'Zoom in').click(), 0""")
    expect(browser.evaluate("document.querySelector('#timeline svg').outerHTML.length") != before,
           "Zoom in changes nothing")
    browser.open(pages["report"])
    titles = browser.evaluate("""[...document.querySelectorAll('#stalls svg[aria-label^="Classes by"] g rect')].slice(0, 2)
        .map(r => { for (let n = 0; n < 2; ++n) r.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
                    return r.textContent; })""")
    expect(len(titles) == 2 and titles[0] != titles[1] and all(t.count("compute unit") == 1 for t in titles),
           f"titles of cells: {titles}")
    expect(not browser.errors, f"after choices: {browser.errors[:3]}")

    if len(sys.argv) > 4:
        with open(sys.argv[4], encoding="utf-8") as f:
            axe = f.read()
        for name, path in pages.items():
            for theme in ("light", "dark"):
                browser.open(path, theme=theme)
                browser.evaluate(axe + ";0")
                found = json.loads(browser.evaluate("""axe.run({exclude: [['svg > *']]})
                    .then(r => JSON.stringify(r.violations.map(v => [v.impact, v.id])))"""))
                expect(not found, f"axe, {name}, {theme}: {found}")
finally:
    browser.close()
print(f"{checks} checks, {len(failures)} failed")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures or checks < 60 else 0)
