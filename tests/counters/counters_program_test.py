#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""run --counters and --stats-every: numbers of a kernel that follow from its text (tests/kernels/counters.s) on every
target, derived counters against the public expressions by another evaluator, sums against each other, intervals against
the whole, and bad input.

counters_program_test.py CUVETTE SOURCE_DIR SCRATCH CODE_OBJECT... CODE_OBJECT_OF_SKIPPED
"""
import ast
import csv
import json
import os
import re
import sys

import yaml
from jsonschema import Draft202012Validator

sys.dont_write_bytecode = True  # the source tree stays as it is

cuvette, source, scratch = sys.argv[1:4]
skipped = os.path.abspath(sys.argv.pop())
codes = {os.path.basename(path).split(".")[1]: os.path.abspath(path) for path in sys.argv[4:]}
sys.path.insert(0, os.path.join(source, "tests/cli"))

from program_runs import Runs  # noqa: E402

runs = Runs(cuvette, scratch)
expect, path_of = runs.expect, runs.path
equal = runs.equal
MACHINES = {"gfx900": "small_gfx900", "gfx906": "small_gfx906", "gfx908": "small", "gfx90a": "small_gfx90a",
            "gfx942": "small_gfx942"}
DISPATCHES = os.path.join(source, "tests/dispatches")

with open(os.path.join(source, "docs/reference/counters.schema.json"), encoding="ascii") as f:
    SCHEMA = json.load(f)


def rows_of(name):
    with open(os.path.join(source, "tests/oracles/counters", name), encoding="ascii", newline="") as f:
        return list(csv.DictReader(f))


HARDWARE, DERIVED = rows_of("hardware.csv"), rows_of("derived.csv")


def run(name, dispatch, config, counters, *args):
    """The file of counters of a run."""
    out = path_of(name + ".json")
    status, text, err = runs.run("run", dispatch, "--engine", "ca", "--config", config, "--counters", counters,
                                 "--counters-out", out, *args)
    if not expect(status == 0, f"{name}: exit {status}: {text}{err}"):
        runs.end()
    with open(out, encoding="ascii") as f:
        found = json.load(f)
    errors = [error.message for error in Draft202012Validator(SCHEMA).iter_errors(found)]
    equal(errors, [], f"schema, {name}")
    return found


def listed(target):
    """Names of the hardware counters of a target, one column for each instance of some blocks, and derived ones."""
    blocks = {row["name"]: row["block"] for row in HARDWARE if row["target"] == target}
    return blocks, {row["name"]: row["expression"] for row in DERIVED if row["target"] == target}


# ---- a kernel whose instructions are known ----

WAVES, ITEMS = 5, 300
BY_WAVE = {
    "SQ_INSTS": 40, "SQ_INSTS_VALU": 19, "SQ_INSTS_SALU": 6, "SQ_INSTS_SMEM": 2, "SQ_INSTS_FLAT": 5,
    "SQ_INSTS_FLAT_FLATSEG": 2, "SQ_INSTS_FLAT_LDS_ONLY": 1, "SQ_INSTS_FLAT_NO_LDS": 1, "SQ_INSTS_LDS": 3,
    "SQ_INSTS_GDS": 0, "SQ_INSTS_EXP_GDS": 0, "SQ_INSTS_VMEM_RD": 4, "SQ_INSTS_VMEM_WR": 1, "SQ_INSTS_VMEM": 6,
    "SQ_INSTS_BRANCH": 1, "SQ_INSTS_SENDMSG": 0, "SQ_INSTS_VSKIPPED": 0, "SQ_INSTS_VALU_ADD_F32": 1,
    "SQ_INSTS_VALU_MUL_F32": 2, "SQ_INSTS_VALU_FMA_F32": 1, "SQ_INSTS_VALU_TRANS_F32": 1, "SQ_INSTS_VALU_CVT": 1,
    "SQ_INSTS_VALU_INT32": 5, "SQ_INSTS_VALU_INT64": 0, "SQ_INSTS_VALU_ADD_F64": 0, "SQ_INSTS_MFMA": 0,
    "SQ_INST_CYCLES_SALU": 6, "SQ_WAVES": 1, "SQC_DCACHE_REQ": 2, "SQC_DCACHE_REQ_READ_4": 1,
    "SQC_DCACHE_REQ_READ_2": 1, "SQC_DCACHE_REQ_READ_1": 0, "TA_TOTAL_WAVEFRONTS": 6, "TA_BUFFER_WAVEFRONTS": 1,
    "TA_BUFFER_READ_WAVEFRONTS": 1, "TA_BUFFER_WRITE_WAVEFRONTS": 0, "TA_FLAT_WAVEFRONTS": 5,
    "TA_FLAT_READ_WAVEFRONTS": 3, "TA_FLAT_WRITE_WAVEFRONTS": 1, "TA_FLAT_ATOMIC_WAVEFRONTS": 1,
    "TD_LOAD_WAVEFRONT": 4, "TD_STORE_WAVEFRONT": 1, "TD_ATOMIC_WAVEFRONT": 1,
    # 18 instructions of one quarter-rate cycle, and one transcendental of four.
    "SQ_ACTIVE_INST_VALU": 22, "SPI_CSN_WAVE": 1, "SPI_CSN_NUM_THREADGROUPS": 1,
}
# Four waves of 64 work-items, one of 44. A wave of 64 has 4 blocks of 64 bytes in a load of dwords, one of 44 has 3. A
# group of 32 lanes on one bank costs 31 cycles, one of 12 lanes 11.
BLOCKS, CONFLICTS = 4 * 4 + 3, 4 * 62 + 31 + 11
IN_ALL = {
    "SQ_ITEMS": ITEMS, "SQ_WAVES_EQ_64": 4, "SQ_WAVES_LT_64": 1, "SQ_WAVES_LT_48": 1, "SQ_WAVES_LT_32": 0,
    "SQ_WAVES_LT_16": 0, "SQ_THREAD_CYCLES_VALU": 22 * ITEMS, "SQ_LDS_BANK_CONFLICT": CONFLICTS,
    "SQ_LDS_ADDR_CONFLICT": CONFLICTS, "SQ_LDS_MEM_VIOLATIONS": 0, "TCP_TOTAL_READ": 3 * BLOCKS,
    "TCP_TOTAL_WRITE": BLOCKS, "TCP_TOTAL_ATOMIC_WITHOUT_RET": ITEMS, "TCP_TOTAL_ATOMIC_WITH_RET": 0,
    "TCP_TOTAL_ACCESSES": 4 * BLOCKS + ITEMS, "TCP_TCC_WRITE_REQ": BLOCKS, "TCP_TCC_ATOMIC_WITHOUT_RET_REQ": ITEMS,
    "TCP_TCC_ATOMIC_WITH_RET_REQ": 0, "SQ_WAVES_SAVED": 0, "SQ_WAVES_RESTORED": 0, "SQ_LEVEL_WAVES": 0,
    "SQ_INST_LEVEL_VMEM": 0, "SQ_INST_LEVEL_SMEM": 0, "SQ_INST_LEVEL_LDS": 0, "TD_COALESCABLE_WAVEFRONT": 4 * WAVES,
}
METRICS = {"Wavefronts": 5, "VALUInsts": 19, "SALUInsts": 6, "SFetchInsts": 2, "GDSInsts": 0, "VFetchInsts": 1,
           "VWriteInsts": 0, "FlatVMemInsts": 4, "LDSInsts": 2, "FlatLDSInsts": 1,
           "VALUUtilization": 100 * ITEMS / (64 * WAVES)}


def check_kernel(target):
    buffers = "\n".join(f"  - buffer: {{name: {name}, type: u32, count: {count}, init: {init}}}" for name, count, init in
                        (("in", ITEMS, "{iota: {start: 5, step: 7}}"), ("out", ITEMS, "{fill: 1}"), ("sum", 1, "zero")))
    buffers = buffers.replace("init: zero", "init: {fill: 0}")
    dispatch = runs.write(target + ".yaml", f"""code: {codes[target]}
kernel: counters
grid: [{ITEMS}]
workgroup: [64]
args:
{buffers}
expect:
  - {{buffer: out, index: 0, values: [{", ".join(str(3 * (5 + 7 * i)) for i in range(ITEMS))}]}}
  - {{buffer: sum, index: 0, values: [{ITEMS}]}}
""")
    found = run(target, dispatch, MACHINES[target], "all")
    equal(found["target"].split(":")[0], target, "target")
    columns = found["dispatches"]
    equal(columns["kernel"], ["counters"], f"{target}: kernels")
    blocks, metrics = listed(target)
    known = 0
    for name, value in [(n, v * WAVES) for n, v in BY_WAVE.items()] + list(IN_ALL.items()):
        if name not in blocks:
            continue
        known += 1
        equal(columns.get(name), [value], f"{target}: {name}")
    for name, value in METRICS.items():
        if name not in metrics:
            continue
        known += 1
        equal(columns.get(name), [value], f"{target}: {name}")
    expect(known >= (16 if target < "gfx90a" else 70), f"{target}: only {known} counters known beforehand")
    check_sums(target, {name: values[0] for name, values in columns.items() if name in blocks})
    return dispatch


def check_sums(label, value):
    """Sums that have to agree, as far as their counters exist."""
    def both(left, right, relation=lambda a, b: a == b):
        names = [n for n in left + right if n.lstrip("-") not in value]
        if names:
            return 0
        total = [sum(-value[n[1:]] if n[0] == "-" else value[n] for n in side) for side in (left, right)]
        expect(relation(*total), f"{label}: {' + '.join(left)} is {total[0]}, {' + '.join(right)} {total[1]}")
        return 1

    done = 0
    for left, right in ((["TCC_HIT", "TCC_MISS"], ["TCC_REQ"]), (["TCC_READ", "TCC_WRITE", "TCC_ATOMIC"], ["TCC_REQ"]),
                        (["TCC_NC_REQ", "TCC_UC_REQ", "TCC_CC_REQ", "TCC_RW_REQ"], ["TCC_REQ"]),
                        (["TCC_NORMAL_WRITEBACK", "TCC_ALL_TC_OP_WB_WRITEBACK"], ["TCC_WRITEBACK"]),
                        (["TCC_EA_RDREQ_DRAM"], ["TCC_EA_RDREQ"]), (["TCC_EA0_RDREQ_DRAM"], ["TCC_EA0_RDREQ"]),
                        (["TCP_TOTAL_READ", "TCP_TOTAL_WRITE", "TCP_TOTAL_ATOMIC_WITH_RET",
                          "TCP_TOTAL_ATOMIC_WITHOUT_RET"], ["TCP_TOTAL_ACCESSES"]),
                        (["TCP_TCC_NC_READ_REQ", "TCP_TCC_UC_READ_REQ", "TCP_TCC_CC_READ_REQ", "TCP_TCC_RW_READ_REQ"],
                         ["TCP_TCC_READ_REQ"]),
                        (["TCP_TCC_NC_WRITE_REQ", "TCP_TCC_UC_WRITE_REQ", "TCP_TCC_CC_WRITE_REQ",
                          "TCP_TCC_RW_WRITE_REQ"], ["TCP_TCC_WRITE_REQ"]),
                        (["SQC_ICACHE_HITS", "SQC_ICACHE_MISSES", "SQC_ICACHE_MISSES_DUPLICATE"], ["SQC_ICACHE_REQ"]),
                        (["SQC_DCACHE_HITS", "SQC_DCACHE_MISSES", "SQC_DCACHE_MISSES_DUPLICATE"], ["SQC_DCACHE_REQ"]),
                        (["SQC_TC_INST_REQ", "SQC_TC_DATA_READ_REQ", "SQC_TC_DATA_WRITE_REQ", "SQC_TC_DATA_ATOMIC_REQ"],
                         ["SQC_TC_REQ"]), (["SQ_IFETCH"], ["SQC_ICACHE_REQ"]),
                        (["SQ_WAVES_EQ_64", "SQ_WAVES_LT_64"], ["SQ_WAVES"]), (["SPI_CSN_WAVE"], ["SQ_WAVES"]),
                        (["TA_BUFFER_WAVEFRONTS", "TA_FLAT_WAVEFRONTS"], ["TA_TOTAL_WAVEFRONTS"]),
                        (["TD_LOAD_WAVEFRONT", "TD_STORE_WAVEFRONT", "TD_ATOMIC_WAVEFRONT"], ["TA_TOTAL_WAVEFRONTS"]),
                        (["CPC_CPC_STAT_BUSY", "CPC_CPC_STAT_IDLE"], ["GRBM_COUNT"]),
                        (["TCP_TCC_READ_REQ"], ["TCC_READ"])):
        relation = (lambda a, b: a <= b) if left == ["TCP_TCC_READ_REQ"] else (lambda a, b: a == b)
        done += both(left, right, relation)
    # Each of the three is rounded down.
    done += both(["SQ_WAIT_ANY", "SQ_WAIT_INST_ANY", "SQ_ACTIVE_INST_ANY"], ["SQ_WAVE_CYCLES"],
                 lambda a, b: b - 3 * value["SQ_WAVES"] <= a <= b)
    for part, whole in (("GRBM_GUI_ACTIVE", "GRBM_COUNT"), ("GRBM_SPI_BUSY", "GRBM_GUI_ACTIVE"),
                        ("GRBM_TC_BUSY", "GRBM_COUNT"), ("GRBM_EA_BUSY", "GRBM_COUNT"), ("SQ_BUSY_CYCLES", "SQ_CYCLES"),
                        ("TCC_BUSY", "TCC_CYCLE"), ("TCC_EA_RDREQ_32B", "TCC_EA_RDREQ"),
                        ("TCC_EA_WRREQ_64B", "TCC_EA_WRREQ")):
        done += both([part], [whole], lambda a, b: a <= b)
    expect(done >= (3 if label < "gfx90a" else 20), f"{label}: only {done} sums compared")
    expect(value["GRBM_GUI_ACTIVE"] > 0, f"{label}: never active")


def check_skipped():
    """Instructions that VSKIP skips (tests/kernels/skipped.s) are not issued: two vector ones, one of LDS, a store."""
    dispatch = runs.write("skipped.yaml", f"""code: {skipped}
kernel: skipped
grid: [64]
workgroup: [64]
args:
  - buffer: {{name: out, type: u32, count: 64, init: {{fill: 0}}}}
expect:
  - {{buffer: out, index: 0, values: [7]}}
""")
    wanted = {"SQ_INSTS_VALU": 2, "SQ_ACTIVE_INST_VALU": 2, "SQ_INSTS_LDS": 1, "SQ_INSTS_VMEM_WR": 1, "SQ_INSTS_SMEM": 3,
              "TA_FLAT_WRITE_WAVEFRONTS": 1, "SQ_INSTS_FLAT": 1, "SQ_INSTS_SALU": 4}
    found = run("skipped", dispatch, "small", ",".join(wanted))["dispatches"]
    for name, value in wanted.items():
        equal(found[name], [value], f"skipped: {name}")


# Each level of a list has its accumulation: together as asked for alone.
def check_accumulators(label, dispatch, config):
    levels = ["SQ_LEVEL_WAVES", "SQ_INST_LEVEL_VMEM"]
    together = run(label, dispatch, config, ",".join(f"{level},SQ_ACCUM_PREV_HIRES" for level in levels))["dispatches"]
    names = ["SQ_ACCUM_PREV_HIRES", "SQ_ACCUM_PREV_HIRES(SQ_INST_LEVEL_VMEM)"]
    for level, name in zip(levels, names):
        alone = run(label, dispatch, config, f"{level},SQ_ACCUM_PREV_HIRES")["dispatches"]
        equal(together.get(name), alone["SQ_ACCUM_PREV_HIRES"], f"{label}: {name}")
    equal(together[names[0]] != together.get(names[1]), True, f"{label}: two levels")


# ---- derived counters by another evaluator ----

class DivisionByZero(Exception):
    pass


def evaluate(name, expressions, instances, constants, level=None):
    """A derived counter from the public expressions, by Python's own parser."""
    state = {"level": level}

    def total(counter):
        if counter in constants:
            return constants[counter]
        if counter in expressions:
            return evaluate(counter, expressions, instances, constants)
        if counter.startswith("SQ_ACCUM_PREV"):
            return constants[state["level"] + "/accumulated"]
        if counter == "SQ_LEVEL_WAVES":
            state["level"] = counter
        if counter not in instances and counter.endswith("_sum"):
            counter = counter[:-4]
        return sum(instances[counter])

    def value(node):
        if isinstance(node, ast.Expression):
            return value(node.body)
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return total(node.id)
        if isinstance(node, ast.Call):
            chosen = instances[node.args[0].id][:node.args[1].value]
            return {"sum": sum, "max": max, "min": min, "avr": lambda v: sum(v) / len(v)}[node.func.id](chosen)
        left, right = value(node.left), value(node.right)
        if isinstance(node.op, ast.Div):
            if right == 0:
                raise DivisionByZero
            return left / right
        return {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right}[type(node.op)]

    return value(ast.parse(expressions[name], mode="eval"))


def check_derived(label, dispatch, config, target, *args):
    blocks, expressions = listed(target)
    words = set(re.findall(r"[A-Za-z]\w*", " ".join(expressions.values())))
    columns = {re.sub("_sum$", "", w) if w not in blocks else w for w in words if w not in expressions}
    columns = sorted(c for c in columns if c in blocks and not c.startswith("SQ_ACCUM"))
    asked = [f"{c}[*]" for c in columns] + ["SQ_LEVEL_WAVES", "SQ_ACCUM_PREV_HIRES"][:0 if target < "gfx90a" else 2]
    found = run(label, dispatch, config, ",".join(asked + sorted(expressions)), *args)
    values = {name: column[0] for name, column in found["dispatches"].items()}
    instances = {}
    for c in columns:
        own = [(int(n[len(c) + 1:-1]), v) for n, v in values.items() if n.startswith(c + "[")]
        if None not in [v for _, v in own]:
            instances[c] = [v for _, v in sorted(own)]
    with open(os.path.join(source, "config", config + ".yaml"), encoding="ascii") as f:
        machine = yaml.safe_load(f)
    units, simds = (machine["compute_units"]["value"],
                    machine["compute_unit"]["simds"]["value"])
    constants = {"CU_NUM": units, "SIMD_NUM": units * simds, "SE_NUM": -(-units // 16), "XCC_NUM": 1,
                 "MAX_WAVE_SIZE": 64, "SQ_LEVEL_WAVES/accumulated": values.get("SQ_ACCUM_PREV_HIRES")}
    compared, absent = 0, []
    for name in expressions:
        try:
            wanted = evaluate(name, expressions, instances, constants)
        except (KeyError, DivisionByZero):
            absent.append(name)
            expect(values[name] is None and name in found["missing"], f"{label}: {name} is {values[name]}")
            continue
        compared += 1
        good = values[name] is not None and abs(values[name] - wanted) <= 1e-12 * max(1, abs(wanted))
        expect(good, f"{label}: {name} is {values[name]}, expected {wanted}")
    expect(compared >= 0.8 * len(expressions), f"{label}: {compared} compared, not there: {absent}")
    return found, instances


check_skipped()
dispatches = {target: check_kernel(target) for target in MACHINES}
for target in MACHINES:
    if any(row["target"] == target for row in DERIVED):
        check_derived(f"derived.{target}", dispatches[target], MACHINES[target], target)
# 120 compute units in 8 shader engines, 32 slices.
check_accumulators("levels", os.path.join(DISPATCHES, "transpose.yaml"), "small_gfx942")
found, instances = check_derived("derived.mi100", os.path.join(DISPATCHES, "transpose.yaml"), "mi100", "gfx908")
for name, count in (("SQ_WAVES", 8), ("TA_TA_BUSY", 15), ("TCC_HIT", 32), ("GRBM_COUNT", 1)):
    equal(len(instances[name]), count, f"instances of {name}")
expect(len(set(instances["TCC_HIT"])) > 1 and sum(1 for n in instances["SQ_WAVES"] if n) > 1,
       f"one instance only: {instances['TCC_HIT']}, {instances['SQ_WAVES']}")

# The same for any number of host threads, and with intervals or without.
transpose = os.path.join(DISPATCHES, "transpose.yaml")
one, two = (run(f"threads.{n}", transpose, "mi100", "all", "--threads", str(n), *more)
            for n, more in ((1, []), (2, ["--stats-every", "500"])))
equal(two["dispatches"], one["dispatches"], "counters with two host threads")
expect(len(two["intervals"]["end"]) > 3, f"intervals of transpose: {two['intervals']['end']}")

# ---- intervals ----
saxpy = os.path.join(DISPATCHES, "saxpy.yaml")
stats = path_of("every.stats.json")
cycles = []
for every in (None, 37, 1000, 10 ** 12):
    args = ["--stats", stats] + (["--stats-every", str(every)] if every else [])
    found = run(f"every.{every}", saxpy, "small", "all", *args)
    with open(stats, encoding="ascii") as f:
        dispatch = json.load(f)["dispatches"][0]
    whole = found["dispatches"]
    cycles.append((dispatch["cycles"], whole["SQ_WAVES"], whole["TCC_REQ_sum" if "TCC_REQ_sum" in whole else "TCC_HIT"]))
    equal(whole["end"][0] - whole["begin"][0], dispatch["cycles"], f"every {every}: time")
    equal(whole["GRBM_COUNT"][0], dispatch["cycles"], f"every {every}: GRBM_COUNT")
    if not every:
        expect("intervals" not in found and "intervals" not in dispatch, "intervals that nobody asked for")
        continue
    parts = found["intervals"]
    count = -(-dispatch["cycles"] // every)
    equal(parts["interval"], list(range(count)), f"every {every}: intervals")
    equal(parts["begin"], whole["begin"] + parts["end"][:-1], f"every {every}: begins")
    equal(parts["end"][-1], whole["end"][0], f"every {every}: last end")
    equal({b - a for a, b in zip(parts["begin"][:-1], parts["end"][:-1])} - {every}, set(), f"every {every}: lengths")
    for column in found["counters"]:
        name = column["name"]
        if column["kind"] == "hardware" and None not in whole[name] and not name.startswith("SQ_LEVEL"):
            # Counters that are divided are rounded down in each interval.
            total, sum_of = whole[name][0], sum(parts[name])
            expect(total - count <= sum_of <= total, f"every {every}: {name} {sum_of} of {total}")
    own = dispatch["intervals"]
    equal((own["every"], own["end"]), (every, parts["end"]), f"every {every}: ends in statistics")
    for block, columns in own["blocks"].items():
        equal({n: sum(v) for n, v in columns.items()}, dispatch["blocks"][block]["total"], f"every {every}: {block}")
equal(len(set(map(str, cycles))), 1, f"intervals change the run: {cycles}")

# ---- the same in other forms ----
out = path_of("table.csv")
for more, count in (([], 1), (["--stats-every", "500"], None)):
    status, text, err = runs.run("run", saxpy, "--engine", "ca", "--config", "small", "--counters",
                                 "SQ_WAVES,VALUInsts,TCC_HIT[*],SQ_WAVES", "--counters-out", out, *more)
    equal(status, 0, f"CSV: {text}{err}")
    with open(out, encoding="ascii", newline="") as f:
        table = list(csv.DictReader(f))
    equal(list(table[0]), ["dispatch", "kernel", "interval", "begin", "end", "SQ_WAVES", "VALUInsts", "TCC_HIT[0]"],
          "columns of CSV")
    equal(sum(int(row["SQ_WAVES"]) for row in table), 64, "waves in CSV")
    expect(len(table) == count if count else len(table) > 2, f"rows of CSV: {len(table)}")
status, text, err = runs.run("run", saxpy, "--engine", "ca", "--config", "small", "--counters", "SQ_WAVES,L2CacheHit")
equal(status, 0, f"summary: {text}{err}")
expect(re.search(r"counters +dispatch 0, saxpy\n +SQ_WAVES 64\n +L2CacheHit [\d.]+\n", text), f"summary: {text}")
# lt has no caches, and says so.
status, text, err = runs.run("run", saxpy, "--engine", "lt", "--config", "small", "--counters",
                             "SQ_WAVES,SQ_INSTS_VMEM_RD,TCC_HIT,SQ_THREAD_CYCLES_VALU")
equal(status, 0, f"lt: {text}{err}")
expect(re.search(r"SQ_WAVES 64\n +SQ_INSTS_VMEM_RD 128 .*\n +TCC_HIT none: .*does not count it\n +SQ_THREAD_CYCLES_VALU none",
                 text), f"lt: {text}")

# ---- what cannot be had ----
two = [saxpy, saxpy]
for arguments, words in (
        ([saxpy, "--engine", "ca", "--counters", "SQ_WAVE"], "'SQ_WAVE' is no counter of gfx908, .* such as SQ_WAVES"),
        ([saxpy, "--engine", "ca", "--counters", "SQ_CYCLES"], "'SQ_CYCLES' is no counter of gfx908"),
        ([saxpy, "--engine", "ca", "--counters", ""], "counter"),
        ([saxpy, "--engine", "ca", "--counters", "VALUInsts[*]"], "derived counter has no instances"),
        ([saxpy, "--counters", "SQ_WAVES"], "lt and ca"),
        ([saxpy, "--engine", "hsail", "--stats-every", "5"], "lt and ca"),
        ([saxpy, "--engine", "ca", "--counters-out", "x.json"], "goes with --counters"),
        ([saxpy, "--engine", "ca", "--counters", "SQ_WAVES", "--counters-out", "x.txt"], r"ends in \.json or \.csv"),
        ([saxpy, "--engine", "ca", "--counters", "SQ_WAVES", "--stats-every", "5"], "goes with --stats or"),
        ([saxpy, "--engine", "ca", "--counters", "SQ_WAVES", "--stats-every", "0", "--counters-out", "x.json"],
         "--stats-every"),
        ([*two, "--engine", "ca", "--counters", "SQ_WAVES", "--counters-out", path_of("x.json")], "one dispatch file"),
        ([saxpy, "--engine", "ca", "--counters", "SQ_WAVES", "--counters-out", path_of("no/such/x.json")], "x.json")):
    runs.check(f"{arguments}", 2, words, "run", *arguments)
runs.end(least=600)
