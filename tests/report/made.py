# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics and traces made by hand, for tests of reports."""
import json


class Maker:
    """Makes statistics that fit a schema: counters that are not named are 0."""

    def __init__(self, schema):
        self.schema = schema

    def counters(self, block, **given):
        names = self.schema["$defs"][block]["required"]
        assert set(given) <= set(names), (block, given)
        return {**dict.fromkeys(names, 0), **given}

    def dispatch(self, kernel, cycles, units, instructions=0, blocks=None, waves=0, tables=None):
        """`units`: counters of each compute unit; `blocks`: counters of instances of other blocks."""
        kinds = {"vector_l1": "cache", "scalar_cache": "cache", "instruction_cache": "cache", "l2": "cache"}
        instances = {"command_processor": [{}], "spi": [{}], "lds": [{}] * len(units), "gds": [{}], **(blocks or {}),
                     "compute_unit": units}
        made = {}
        for name, given in instances.items():
            each = [self.counters(kinds.get(name, name), **g) for g in given]
            made[name] = {"total": {n: sum(e[n] for e in each) for n in each[0]}, "instances": each}
        return {"kernel": kernel, "grid": [64, 1, 1], "workgroup": [64, 1, 1], "workgroups": 1, "waves": waves,
                "fallbacks": 0, "cycles": cycles, "blocks": made,
                "instructions": {"total": instructions, "by_status": {"exact": instructions}, **(tables or {})}}

    def statistics(self, dispatches, **given):
        totals = {n: sum(d.get(n, 0) for d in dispatches) for n in ("waves", "cycles", "fallbacks")}
        totals["instructions"] = sum(d["instructions"]["total"] for d in dispatches)
        return {"schema": 1, "program": {"name": "cuvette", "version": "0"}, "engine": "ca", "config": "small",
                "target": "gfx908", "dispatch_file": "made.yaml", "passed": True, "totals": totals,
                "dispatches": dispatches, **given}


def wave(unit, lane, start, cycles, issues, number=0):
    """Events of a wave; `issues`: (time, pc, mnemonic, unit)."""
    simd, slot = lane
    tid = unit * 40 + simd * 10 + slot
    yield {"ph": "M", "pid": 1, "tid": tid, "name": "thread_name",
           "args": {"name": f"cu {unit} simd {simd} slot {slot}"}}
    yield {"ph": "X", "pid": 1, "tid": tid, "ts": start, "dur": cycles, "name": f"wave {number:#x}", "cat": "residency",
           "args": {"dispatch": 1, "workgroup": 0, "ended": True}}
    for time, pc, name, kind in issues:
        yield {"ph": "X", "pid": 1, "tid": tid, "ts": time, "dur": 1, "name": name, "cat": kind,
               "args": {"pc": hex(pc)}}


def miss(pid, block, instance, time):
    yield {"ph": "M", "pid": pid, "tid": instance, "name": "process_name", "args": {"name": block}}
    yield {"ph": "i", "pid": pid, "tid": instance, "ts": time, "name": "read miss", "cat": "miss", "s": "t",
           "args": {"address": "0x40"}}


def trace_text(events, dropped=(0, 0, 0), kept=20000, lines=True):
    """A trace with one event in each line, as the program writes it, or in one line."""
    other = {"schema": 1, "clock_mhz": 1000,
             "kept": {"waves_per_compute_unit": 10000, "issues_per_compute_unit": kept, "misses_per_cache": 2000},
             "dropped": dict(zip(("waves", "issues", "misses"), dropped))}
    if not lines:
        return json.dumps({"displayTimeUnit": "ns", "traceEvents": list(events), "otherData": other})
    body = ",\n".join(json.dumps(e, separators=(",", ":")) for e in events)
    return '{"displayTimeUnit":"ns",\n"traceEvents":[\n' + body + '\n],\n"otherData":' + json.dumps(other) + "}\n"
