# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The classes that every wave-cycle is in, units of instructions, and their colours."""

# Groups of classes: name, colour of the palette.
GROUPS = {"issue": ("issue", 2), "memory": ("memory", 0), "result": ("result of an instruction", 4),
          "unit": ("execution unit busy", 1), "arbitration": ("another wave's turn", 5),
          "synchronisation": ("synchronisation", 3), "other": ("other", 7)}

# Counter of the compute unit, its group, what it counts.
CLASSES = [
    ("issue_cycles", "issue", "an instruction is issued"),
    ("stalled_waitcnt", "memory", "S_WAITCNT waits for memory, LDS or export counters"),
    ("stalled_full_counter", "memory", "a counter of outstanding accesses is at its limit"),
    ("stalled_memory_pipeline", "memory", "the memory pipeline takes no instruction"),
    ("stalled_fetch", "memory", "the instruction is not fetched yet"),
    ("stalled_scalar_result", "result", "an operand is the result of a scalar instruction"),
    ("stalled_vector_result", "result", "an operand is the result of a vector instruction"),
    ("stalled_matrix_result", "result", "an operand is the result of a matrix instruction"),
    ("stalled_latency", "result", "the last instruction, the launch or the way into a trap handler takes so long"),
    ("stalled_simd", "unit", "the SIMD is busy"),
    ("stalled_matrix_core", "unit", "the matrix core is busy"),
    ("stalled_lds", "unit", "the LDS is busy"),
    ("stalled_arbitration", "arbitration", "another wave issues to this unit"),
    ("stalled_rotation", "arbitration", "ready, and the sequencer is at another SIMD"),
    ("stalled_barrier", "synchronisation", "S_BARRIER waits for the work-group"),
    ("stalled_sleep", "synchronisation", "S_SLEEP"),
    ("stalled_message", "other", "a message is not taken yet"),
    ("stalled_halt", "other", "halted by a debugger"),
    ("stalled_end", "other", "after the last instruction, until nothing is outstanding"),
]


def class_name(counter):
    return "issue" if counter == "issue_cycles" else counter.removeprefix("stalled_")


def class_counters(instance):
    """The classes' counters of a compute unit, in the table's order, then those the table does not know."""
    known = [c for c, _, _ in CLASSES]
    unknown = sorted(n for n in instance if n.startswith("stalled_") and n not in known)
    return {n: instance.get(n, 0) for n in known + unknown}


def group_of(counter):
    return next((g for c, g, _ in CLASSES if c == counter), "other")


def color_of(counter):
    return GROUPS[group_of(counter)][1]


# Units of instructions (statistics by_unit, categories of the trace): colour.
UNITS = {"salu": 5, "smem": 0, "valu": 2, "trans": 6, "matrix": 4, "vmem": 1, "flat": 8, "lds": 3, "gds": 9,
         "export": 7, "branch": 9, "message": 7, "wave": 7}


def unit_color(unit):
    return UNITS.get(unit, 7)
