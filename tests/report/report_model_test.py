#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The model of a report and of a comparison against statistics and traces made by hand, without a page.

report_model_test.py REPORT_DIR SCRATCH
"""
import copy
import json
import os
import random
import sys
import unittest
from array import array

from jsonschema import Draft202012Validator

sys.dont_write_bytecode = True  # the source tree stays as it is
REPORT, SCRATCH = sys.argv[1:3]
sys.path.insert(0, REPORT)

from cuvette_report import accounting, diff, page, perfetto, report  # noqa: E402
from cuvette_report.classes import CLASSES  # noqa: E402
from cuvette_report.errors import InputError, printable  # noqa: E402
from cuvette_report.run import Run, load_run, load_schema  # noqa: E402
from cuvette_report.schema import Schema  # noqa: E402
from cuvette_report.trace import Bins, Trace  # noqa: E402

from made import Maker, miss, trace_text, wave  # noqa: E402

with open(os.path.join(REPORT, "statistics.schema.json"), encoding="utf-8") as f:
    SCHEMA = json.load(f)
make = Maker(SCHEMA)
# 100 cycles, of which 80 with waves; two waves all the time: 160 wave-cycles.
UNIT_A = {"waves": 2, "instructions": 40, "valu": 30, "salu": 10, "busy_cycles": 80, "wave_cycles": 160,
          "issue_cycles": 40, "stalled_waitcnt": 120, "lane_operations": 1280}
# 70 cycles, of which 60 with one wave.
UNIT_B = {"waves": 1, "instructions": 30, "valu": 30, "busy_cycles": 60, "wave_cycles": 60, "issue_cycles": 30,
          "stalled_waitcnt": 10, "stalled_barrier": 20}


def run_of(dispatches, **given):
    statistics = make.statistics(dispatches, **given)
    found = load_schema().violation(statistics)
    assert found is None, found
    return Run("made.stats.json", statistics)


def section(model, name, scope=0):
    return next(s for s in model["runs"][0]["scopes"][scope]["sections"] if s["id"] == name)


def part(sec, title):
    return next(p for p in sec["parts"] if p["title"] == title)


def rows(table):
    return {r[0]: r[1:] for r in table["rows"]}


def write(name, text):
    path = os.path.join(SCRATCH, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


class Classes(unittest.TestCase):
    def test_every_class_of_the_schema_is_known(self):
        counters = {n for n in SCHEMA["$defs"]["compute_unit"]["required"] if n.startswith("stalled_")}
        self.assertEqual({c for c, _, _ in CLASSES}, counters | {"issue_cycles"})

    def test_classes_add_up_to_the_residency(self):
        model = report.make([run_of([make.dispatch("k", 100, [UNIT_A, UNIT_B])])])
        stalls = section(model, "stalls")
        found = rows(part(stalls, "Classes and their sum"))
        self.assertEqual(found["waitcnt"][1:3], [130, 59.09])
        self.assertEqual(found["issue"][1], 70)
        self.assertEqual((found["in a class"][1], found["resident"][1]), (220, 220))
        bars = part(stalls, "Wave-cycles by class")
        self.assertEqual(bars["categories"], ["waitcnt", "issue", "barrier"])
        self.assertEqual([sum(s["values"][i] for s in bars["series"]) for i in range(3)], [130, 70, 20])
        heat = part(stalls, "Classes by compute unit")
        self.assertEqual(sorted(heat["cells"]), [[0, 0, 75], [0, 1, 25], [1, 0, 16.67], [1, 1, 50], [1, 2, 33.33]])


    def test_groups_have_all_of_their_classes(self):
        unit = {"wave_cycles": 200, "issue_cycles": 40, "stalled_waitcnt": 100, "stalled_fetch": 60, "busy_cycles": 100}
        bars = part(section(report.make([run_of([make.dispatch("k", 100, [unit])])]), "stalls"),
                    "Wave-cycles by group of classes")
        self.assertEqual([(s["name"], s["values"]) for s in bars["series"]], [("issue", [20]), ("memory", [80])])


class Differences(unittest.TestCase):
    def account(self, a, b):
        return accounting.Account.of(run_of([a]).whole, run_of([b]).whole)

    def test_by_hand(self):
        account = self.account(make.dispatch("k", 100, [UNIT_A]), make.dispatch("k", 70, [UNIT_B]))
        self.assertEqual(account.difference, -30)
        self.assertEqual(account.rows, [("waitcnt", 60, 10, -50), ("barrier", 0, 20, 20), ("issue", 20, 30, 10),
                                        ("no wave", 20, 10, -10), ("in no class", 0, 0, 0)])

    def test_mean_over_units_that_had_waves(self):
        idle = {}
        account = self.account(make.dispatch("k", 100, [UNIT_A, idle, UNIT_B]), make.dispatch("k", 100, [idle]))
        # Units: 20 and 40 cycles without a wave, 20 and 30 of issue, 60 and 10 of waitcnt, 0 and 20 at a barrier.
        self.assertEqual({n: a for n, a, _, _ in account.rows},
                         {"no wave": 30, "issue": 25, "waitcnt": 35, "barrier": 10, "in no class": 0})
        self.assertEqual({n: b for n, _, b, _ in account.rows if b}, {"no wave": 100})

    def test_what_the_counters_leave_open_is_named(self):
        # 60 of 160 wave-cycles are in no class: of 80 busy cycles, 30.
        broken = {**UNIT_A, "stalled_waitcnt": 60}
        account = self.account(make.dispatch("k", 100, [broken]), make.dispatch("k", 100, [UNIT_A]))
        self.assertEqual(account.rows[-1], ("in no class", 30, 0, -30))

    def test_sums_hold_for_any_counters(self):
        dice = random.Random(7)
        classes = [c for c, _, _ in CLASSES]

        def unit(cycles):
            counts = {c: dice.randrange(1000) for c in dice.sample(classes, dice.randrange(1, 8))}
            return {**counts, "wave_cycles": sum(counts.values()), "busy_cycles": dice.randrange(cycles + 1)}

        for _ in range(200):
            dispatches = []
            for _ in range(2):
                cycles = dice.randrange(1, 5000)
                dispatches.append(make.dispatch("k", cycles, [unit(cycles) for _ in range(dice.randrange(1, 9))]))
            account = self.account(*dispatches)
            for column, total in ((1, account.a), (2, account.b), (3, account.difference)):
                self.assertEqual(sum(r[column] for r in account.rows), total)
            self.assertLessEqual(abs(account.rows[-1][3]), len(account.rows))

    def test_dispatches_are_added(self):
        both = [make.dispatch("k", 100, [UNIT_A]), make.dispatch("l", 70, [UNIT_B])]
        comparison = diff.Comparison(run_of(both), run_of(both[::-1]))
        self.assertEqual((comparison.whole.account.a, comparison.whole.account.difference), (170, 0))
        self.assertEqual([p.account.difference for p in comparison.pairs], [-30, 30])
        self.assertEqual(comparison.pairs[0].name, "dispatch 0: k and l")
        self.assertIn("like with like in dispatch 0: k and l: the kernels differ", comparison.not_compared())
        text = diff.text(comparison)
        self.assertRegex(text, r"(?m)^dispatch 0: k and l: 100 -> 70 cycles \(-30, -30 %\)$")
        self.assertRegex(text, r"(?m)^  waitcnt +60 +10 +-50$")

    def test_machines_side_by_side(self):
        machines = [{"name": n, "parameters": {"compute_units": c, "clock_mhz": 1500.5}}
                    for n, c in (("x", 1), ("y", 2))]
        a, b = (run_of([make.dispatch("k", 100, [UNIT_A])], machine=m, config=m["name"]) for m in machines)
        self.assertEqual(diff.Comparison(a, b).identity(), [["config", "x", "y"], ["machine: compute_units", "1", "2"]])
        self.assertIn("no class differs", diff.text(diff.Comparison(a, b)))

    def test_without_time(self):
        plain = make.dispatch("k", 100, [UNIT_A], instructions=7)
        for name in ("cycles", "blocks"):
            del plain[name]
        more = copy.deepcopy(plain)
        more["instructions"]["total"] = more["instructions"]["by_status"]["exact"] = 9
        comparison = diff.Comparison(run_of([plain], engine="golden"), run_of([more], engine="golden"))
        self.assertIsNone(comparison.whole.account)
        self.assertIn("cycles: engine golden has no time, engines lt and ca have", comparison.not_compared())
        self.assertRegex(diff.text(comparison), r"instructions\.total +7 +9 +\+2")
        diff.make(comparison)

    def test_dispatches_without_a_partner(self):
        one = make.dispatch("k", 100, [UNIT_A])
        comparison = diff.Comparison(run_of([one]), run_of([one, one]))
        self.assertIn("dispatches without a partner: A has 1, B 2", comparison.not_compared())
        self.assertIsNone(comparison.whole.account)
        diff.make(comparison)
        diff.text(comparison)


class Sections(unittest.TestCase):
    CACHE = {"accesses": 10, "hits": 4, "misses": 6, "reads": 8, "read_hits": 4, "read_misses": 4, "writes": 2,
             "write_misses": 2, "fills": 4, "forwards": 2}
    MACHINE = {"name": "small", "parameters": {"compute_units": 1, "compute_unit.simds": 4,
                                               "compute_unit.waves_per_simd": 10, "compute_unit.valu_cycles": 4,
                                               "l2.slices": 1, "memory.cycles_per_block": 4, "clock_mhz": 1000}}

    def setUp(self):
        blocks = {"vector_l1": [self.CACHE], "l2": [{"accesses": 6, "misses": 6, "fills": 3, "writebacks": 1}],
                  "memory": [{"reads": 3, "writes": 1, "read_bytes": 192, "written_bytes": 64}]}
        tables = {"by_unit": {"valu": 30, "salu": 10}, "by_format": {"VOP2": 30, "SOP2": 10}}
        dispatch = make.dispatch("k", 100, [UNIT_A], 40, blocks, 2, tables)
        self.model = report.make([run_of([dispatch], machine=self.MACHINE)])
        self.bare = report.make([run_of([dispatch])])

    def test_caches(self):
        found = rows(part(section(self.model, "caches"), "Hit rates and traffic"))
        self.assertEqual(found["vector L1"], [10, 40, 50, 0, None, 4, 2, 0, 0, 0])
        levels = part(section(self.model, "memory"), "Requests between levels")
        self.assertEqual(dict(zip(levels["categories"], levels["series"][0]["values"]))["vector L1 to L2"], 6)

    def test_bandwidth(self):
        found = rows(part(section(self.model, "memory"), "Bandwidth of memory"))
        self.assertEqual(found["bytes per cycle"][0], 2.56)
        self.assertEqual(found["GB/s"][0], 2.56)
        self.assertEqual(found["% of the peak"][0], 16)  # of 64 bytes in 4 cycles
        self.assertNotIn("% of the peak", rows(part(section(self.bare, "memory"), "Bandwidth of memory")))

    def test_roofline(self):
        figure = part(section(self.model, "roofline"), "Roofline")
        self.assertEqual(figure["points"], [{"name": "dispatch 0: k", "x": 5, "y": 12.8}])
        self.assertEqual([r.get("level", r.get("slope")) for r in figure["roofs"]], [64, 16])
        words = {"name": "small", "parameters": {n: "many" for n in self.MACHINE["parameters"]}}
        self.assertEqual(run_of([], machine=words).sizes, {})
        bare = section(self.bare, "roofline")
        self.assertEqual(part(bare, "Roofline")["roofs"], [])
        self.assertIn("ceilings of the machine: the statistics have no machine parameters", bare["missing"])

    def test_occupancy(self):
        found = rows(part(section(self.model, "occupancy"), "Occupancy"))
        self.assertEqual(found["waves on a busy compute unit, mean"][0], 2)
        self.assertEqual(found["wave slots used"][0], 5)  # 2 of 40
        self.assertEqual(found["compute units busy"][0], 80)
        limits = part(section(self.model, "occupancy"), "What the next work-group waited for")
        self.assertEqual(limits["text"], "nothing")

    def test_lanes(self):
        fact = part(section(self.model, "mix"), "Active lanes of vector instructions")
        self.assertEqual(fact["text"], "66.67 %")  # 1280 of 30 * 64

    def test_every_figure_is_titled(self):
        for run in (self.model, self.bare):
            for sec in run["runs"][0]["scopes"][0]["sections"]:
                self.assertTrue(sec["title"] and sec["purpose"] and (sec["parts"] or sec["missing"]), sec["id"])
                for p in sec["parts"]:
                    self.assertTrue(p["title"])
                    if p["kind"] not in ("table", "fact"):
                        self.assertTrue(p["unit"], p["title"])

    def test_engine_without_time_says_what_is_missing(self):
        plain = make.dispatch("k", 100, [UNIT_A], 40)
        for name in ("cycles", "blocks"):
            del plain[name]
        model = report.make([run_of([plain], engine="hsail")])
        for name in ("stalls", "occupancy", "caches", "memory", "roofline", "timeline", "mix"):
            self.assertTrue(section(model, name)["missing"], name)
            self.assertFalse(section(model, name)["parts"], name)

    def test_nothing_ran(self):
        report.make([run_of([])])
        diff.make(diff.Comparison(run_of([]), run_of([])))

    def test_lockstep_and_hazards(self):
        lockstep = {"scope": "valu", "compared": {"lanes": 5}, "mismatches": 0}
        run = run_of([make.dispatch("k", 1, [{}])], lockstep=lockstep, hazards={"required": 2})
        exactness = section(report.make([run]), "exactness")
        self.assertEqual(part(exactness, "Lockstep: valu: 0 mismatches")["rows"], [["lanes", 5]])
        self.assertEqual(part(exactness, "Hazards by class of rule")["rows"], [["required", 2]])

    def test_several_runs_and_dispatches(self):
        one = make.dispatch("k", 100, [UNIT_A])
        model = report.make([run_of([one, one]), run_of([one])])
        self.assertEqual([len(r["scopes"]) for r in model["runs"]], [3, 1])
        self.assertEqual(part(model["overview"], "Time by run")["series"][0]["values"], [200, 100])
        self.assertEqual(rows(part(section(model, "stalls"), "Classes and their sum"))["resident"][1], 320)
        self.assertEqual(rows(part(section(model, "stalls", 1), "Classes and their sum"))["resident"][1], 160)


class Traces(unittest.TestCase):
    EVENTS = [*wave(0, (0, 0), 10, 100, [(20, 0x40, "s_load", "smem"), (60, 0x48, "s_waitcnt", "wave"),
                                         (61, 0x4c, "v_add", "valu")]),
              *wave(1, (1, 3), 10, 40, [(30, 0x40, "s_load", "smem")], 1),
              *miss(5, "l2", 2, 15), *miss(5, "l2", 3, 109)]

    def load(self, name="t.json", **options):
        return Trace.load(write(name, trace_text(self.EVENTS, **options)))

    def test_waits_before_instructions(self):
        found = {i.mnemonic: (i.issues, i.waited) for i in self.load().instructions}
        # From the launch at 10: to 20 and to 30. From the cycle after an issue to the next one.
        self.assertEqual(found, {"s_load": (2, 30), "s_waitcnt": (1, 39), "v_add": (1, 0)})

    def test_any_layout_of_the_json(self):
        a, b = self.load(), self.load(lines=False)
        for name in ("misses", "dropped", "kept", "clock_mhz"):
            self.assertEqual(getattr(a, name), getattr(b, name), name)
        self.assertEqual((a.issues.times, a.issues.codes), (b.issues.times, b.issues.codes))
        self.assertEqual(list(a.waves), list(b.waves))

    def run_with(self, trace):
        statistics = make.statistics([make.dispatch("k", 100, [UNIT_A, UNIT_B], 4, waves=2)])
        return Run("x", statistics, trace)

    def test_figures(self):
        model = report.make([self.run_with(self.load())])
        figure = part(section(model, "timeline"), "Waves by slot")
        self.assertEqual([(u["name"], u["lanes"]) for u in figure["units"]],
                         [("compute unit 0", ["SIMD 0 slot 0"]), ("compute unit 1", ["SIMD 1 slot 3"])])
        first = figure["units"][0]["waves"][0]
        self.assertEqual(sum(s[1] for s in first["segments"]), first["cycles"])
        # A span of 100 cycles has intervals of one cycle.
        self.assertEqual(first["segments"], [[10, 10, "no issue"], [20, 1, "smem"], [21, 39, "no issue"],
                                             [60, 1, "wave"], [61, 1, "valu"], [62, 48, "no issue"]])
        resident = part(section(model, "timeline"), "Resident waves")["series"][0]["points"]
        self.assertEqual((resident[0], resident[39], resident[40], resident[-1]), ([10, 2], [49, 2], [50, 1], [109, 1]))

    def test_misses(self):
        statistics = make.statistics([make.dispatch("k", 100, [UNIT_A], 4, {"l2": [{}] * 4}, waves=2)])
        misses = part(section(report.make([Run("x", statistics, self.load())]), "caches"), "Misses over time")
        self.assertEqual([p for p in misses["series"][0]["points"] if p[1]], [[15, 1], [109, 1]])

    def test_hit_rates_and_memory(self):
        trace = self.load()  # from 10 to 110, intervals of a cycle
        trace.hits = {"l2": {2: array("Q", [15, 15, 15]), 3: array("Q", [50])}}
        trace.accesses = {0: array("Q", [20, 20]), 1: array("Q", [20, 30])}
        trace.requests = {0: (array("Q", [20, 22]), array("Q", [23, 24])), 1: (array("Q", [22]), array("Q", [23]))}
        trace.dropped["hits"] = 7
        statistics = make.statistics([make.dispatch("k", 100, [UNIT_A, UNIT_B], 4, {"l2": [{}] * 4, "memory": [{"reads": 4}]},
                                                    waves=2)])
        model = report.make([Run("x", statistics, trace)])
        rate = part(section(model, "caches"), "Hit rate over time")
        self.assertEqual([(s["name"], s["points"]) for s in rate["series"]], [("L2", [[15, 75], [50, 100], [109, 0]])])
        self.assertIn("7 hits and misses are left out", rate["note"])
        by_slice = part(section(model, "caches"), "L2: hit rate over time by slice")
        self.assertEqual((by_slice["rows"], by_slice["cells"]), (["2", "3"], [[0, 5, 75], [1, 40, 100], [1, 99, 0]]))
        memory = section(model, "memory")
        self.assertEqual([p for p in part(memory, "Accesses of memory over time")["series"][0]["points"] if p[1]],
                         [[20, 3], [30, 1]])
        self.assertEqual(part(memory, "Accesses of memory over time by channel")["cells"],
                         [[0, 10, 2], [1, 10, 1], [1, 20, 1]])
        self.assertEqual([p for p in part(memory, "Outstanding requests over time")["series"][0]["points"] if p[1]],
                         [[20, 1], [21, 1], [22, 3], [23, 1]])
        self.assertTrue(any("bandwidth over time" in m for m in memory["missing"]))

    def test_bandwidth_over_time(self):
        dispatch = make.dispatch("k", 25, [UNIT_A], 4, {"memory": [{"read_bytes": 640}]}, waves=2)
        dispatch["intervals"] = {"every": 10, "end": [110, 120, 125],
                                 "blocks": {"memory": {"read_bytes": [320, 0, 320], "written_bytes": [0, 64, 0]}}}
        memory = section(report.make([Run("x", make.statistics([dispatch]))]), "memory")
        drawn = {s["name"]: s["points"] for s in part(memory, "Bandwidth of memory over time")["series"]}
        self.assertEqual(drawn, {"read": [[100, 32], [110, 0], [120, 64]], "written": [[100, 0], [110, 6.4], [120, 0]]})

    def test_left_out(self):
        # Two issues of unit 0 are all that is kept: nothing is known behind the last one.
        events = [e for e in self.EVENTS if e.get("name") != "v_add"]
        trace = Trace.load(write("left.json", trace_text(events, (0, 5, 0), kept=2)))
        self.assertEqual(trace.recorded_until(), {0: 60})
        model = report.make([self.run_with(trace)])
        figure = part(section(model, "timeline"), "Waves by slot")
        self.assertEqual([u["until"] for u in figure["units"]], [60, None])
        self.assertEqual(sum(s[1] for s in figure["units"][0]["waves"][0]["segments"]), 50)
        self.assertTrue(any("5 issued instructions" in m for m in section(model, "timeline")["missing"]))

    def test_of_another_run(self):
        statistics = make.statistics([make.dispatch("k", 100, [UNIT_A], 40, waves=2)])
        path = write("other.stats.json", json.dumps(statistics))
        write("other.trace.json", trace_text(self.EVENTS))
        run = load_run(path, load_schema())
        self.assertIsNone(run.trace)
        self.assertIn("of another run (4 instructions, the statistics have 40)", run.no_trace)
        with self.assertRaisesRegex(InputError, "not the trace of the run"):
            load_run(path, load_schema(), os.path.join(SCRATCH, "other.trace.json"))

    def test_intervals(self):
        bins = Bins(0, 1000, 120)
        self.assertEqual((bins.width, bins.count), (9, 112))
        self.assertEqual(list(bins.overlaps(8, 19)), [(0, 1), (1, 9), (2, 1)])
        self.assertEqual((bins.length(110), bins.length(111)), (9, 1))
        self.assertEqual((bins.of(0), bins.of(999), bins.of(5000)), (0, 111, 111))

    def test_sums_over_intervals_are_those_of_single_events(self):
        dice = random.Random(3)
        for _ in range(300):
            first = dice.randrange(50)
            bins = Bins(first, first + dice.randrange(1, 400), dice.choice([1, 7, 120]))
            spans = [(a, a + dice.randrange(60)) for a in (dice.randrange(500) for _ in range(dice.randrange(30)))]
            begins, ends = (array("Q", sorted(column)) for column in (zip(*spans) if spans else ((), ())))
            shared, begun = [0] * bins.count, [0] * bins.count
            for begin, end in spans:
                begun[bins.of(begin)] += 1
                for n, cycles in bins.overlaps(begin, end):
                    shared[n] += cycles
            self.assertEqual(bins.cycles(begins, ends), shared)
            self.assertEqual(bins.counts(begins), begun)

    def test_issues_of_slots_are_counted_each_in_order(self):
        trace = self.load()
        self.assertEqual((list(trace.issues.times), list(trace.issues.rising)), ([20, 60, 61, 30], [0, 3]))
        issued = trace.issued(Bins(10, 110, 2))
        self.assertEqual([dict(counts) for counts in issued], [{0: 2}, {1: 1, 2: 1}])
        self.assertEqual(trace.issued_by_unit(trace.waves[0], 20, 61), {"smem": 1, "wave": 1})

    def test_bad(self):
        good = trace_text(self.EVENTS)
        for what, text in {"cut": good[:len(good) // 2], "not JSON": good.replace('"ph"', '"ph', 1), "empty": "",
                           "another form": good.replace('"ts":20', '"ts":-20'),
                           "text": good.replace('"ts":20', '"ts":"20"'),
                           "float": good.replace('"ts":20', '"ts":2e300'), "no tail": good.replace("dropped", "dropt"),
                           "unnamed track": good.replace("thread_name", "x", 1), "list": "[]", "number": "1",
                           "a pc": good.replace('"0x40"', '"40 0"'), "a wave": good.replace("wave 0x1", "wave one"), "deep": "[" * 100000}.items():
            with self.assertRaises(InputError, msg=what):
                Trace.load(write("bad.json", text))


class Inputs(unittest.TestCase):
    def test_schema_agrees_with_jsonschema(self):
        good = make.statistics([make.dispatch("k", 100, [UNIT_A], 40)])
        judge, ours = Draft202012Validator(SCHEMA), Schema(SCHEMA)
        dice = random.Random(3)
        verdicts = [0, 0]
        for _ in range(300):
            value = copy.deepcopy(good)
            where, key = dice.choice(list(places(value)))
            change = dice.choice(["drop", "wrong", "extra", "same"])
            if change == "drop" and isinstance(where, dict):
                del where[key]
            elif change == "wrong":
                where[key] = dice.choice([None, -1, "x", [], {}, 3, True, 2.5])
            elif change == "extra" and isinstance(where, dict):
                where["unheard_of"] = 1
            fits = judge.is_valid(value)
            verdicts[fits] += 1
            self.assertEqual(ours.violation(value) is None, fits, f"{change} {key}")
        self.assertGreater(min(verdicts), 40)

    def test_unknown_keywords_are_refused(self):
        with self.assertRaises(ValueError):
            Schema({"type": "object", "properties": {"a": {"pattern": "x"}}})

    def test_terminal(self):
        self.assertEqual(printable("a\n\x1b[31m\u0085\udcff"), r"a\n\x1b[31m\x85\xff")


def places(value):
    """Every (container, key) of a JSON value."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


class Pages(unittest.TestCase):
    def test_names_cannot_leave_the_data(self):
        evil = "</script><script>alert(1)</script>&<!--\u2028"
        run = run_of([make.dispatch(evil, 100, [UNIT_A])], dispatch_file=evil)
        text = page.html(report.make([run]))
        self.assertNotIn("alert(1)</script>", text.replace("&lt;", ""))
        data = text.split('id="data">')[1].split("</script>")[0]
        self.assertEqual(json.loads(data)["runs"][0]["scopes"][0]["sections"][0]["parts"][1]["rows"][0][0],
                         "dispatch 0: " + evil)
        self.assertEqual(text.count("</script>"), 3)

    def test_nothing_is_loaded(self):
        text = page.html(report.make([run_of([])]))
        for word in ('src="', "@import", "url(", '<link rel="stylesheet', 'href="http'):
            self.assertNotIn(word, text.split("<script>")[0] + text.rsplit("<script>", 1)[1], word)
        self.assertIn("Redistribution and use in source and binary forms", text)

    def test_a_page_of_a_large_run_has_room(self):
        dice = random.Random(5)
        counters = [c for c, _, _ in CLASSES]

        def unit():
            counts = {c: dice.randrange(10**6) for c in counters}
            return {**counts, "waves": 9, "wave_cycles": sum(counts.values()), "busy_cycles": 10**6}

        cache = {n: dice.randrange(1, 10**6) for n in SCHEMA["$defs"]["cache"]["required"]}
        blocks = {n: [cache] * 256 for n in ("vector_l1", "l2")}
        dispatch = make.dispatch("k", 10**7, [unit() for _ in range(256)], blocks=blocks)
        run = run_of([dispatch] * 64)
        run.trace = self.large_trace(dice)
        text = page.html(report.make([run]))
        self.assertLessEqual(len(text.encode()), 15_000_000)
        self.assertGreater(len(text), 2_000_000)

    @staticmethod
    def large_trace(dice):
        events = []
        for u in range(256):
            for n in range(40):
                start = 1000 * n + dice.randrange(100)
                events += wave(u, (n % 4, n // 4), start, 900,
                               [(start + 9 * i, 0x40 + 4 * i, "v", dice.choice(["valu", "salu", "lds"]))
                                for i in range(12)], 40 * u + n)
        return Trace.load(write("large.json", trace_text(events)))

    def test_a_program_that_ends_early_is_told(self):
        head = json.dumps({"columns": [[["accesses", 0], "Q", 2]]})
        for name, lines, told in (("killed", f"echo '{head}'; printf 1234567812; kill -9 $$", "status -9: its output ends"),
                                  ("silent", "exit 0", "status 0: its output ends"),
                                  ("wrong", "echo cannot >&2; exit 3", "status 3: cannot"),
                                  ("short", f"echo '{head}'; printf 1", "status 0: its output ends")):
            program = write(name, "#!/bin/sh\n" + lines + "\n")
            os.chmod(program, 0o755)
            with self.subTest(name), self.assertRaisesRegex(RuntimeError, told):
                perfetto.printed("x.pftrace", program)
        program = write("refuses", "#!/bin/sh\necho no trace >&2; exit 2\n")
        os.chmod(program, 0o755)
        with self.assertRaisesRegex(InputError, "^no trace$"):
            perfetto.printed("x.pftrace", program)

    def test_too_much_is_told(self):
        model = {"title": "x", "overview": None, "runs": [{"label": "x", "note": "", "scopes": [{"name": "x" * 100,
                                                                                             "sections": []}] * 9}]}
        text = json.loads(page.fit(copy.deepcopy(model), 400))
        self.assertLess(len(text["runs"][0]["scopes"]), 9)
        self.assertIn("more would not fit", text["runs"][0]["note"])
        with self.assertRaisesRegex(InputError, "name fewer runs"):
            page.fit(model, 50)


os.makedirs(SCRATCH, exist_ok=True)
unittest.main(argv=sys.argv[:1])
