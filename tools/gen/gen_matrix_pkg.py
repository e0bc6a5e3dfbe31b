#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Turns the matrix rows of model/isa/tables into the decoder of the matrix core.

usage: gen_matrix_pkg.py TABLES_DIR OUTPUT_DIR

Writes OUTPUT_DIR/ip/matrix_row_pkg.sv: from the number of a row (isa::index_of) to what the unit has to do, a function
per target. A row with a shape the unit is not built for is an error. A file whose content does not change is not touched.
"""

import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

import gen_isa  # noqa: E402
from output import write  # noqa: E402

# Element type of A: name in matrix_op_pkg, bits of an element.
GFX908 = {"F32": ("FormatF32", 32), "F16": ("FormatF16", 16), "Bf16": ("FormatBf16", 16), "I8": ("FormatI8", 8)}
TARGETS = {
    "gfx908": GFX908,
    "gfx90a": {**GFX908, "Bf16_1k": ("FormatBf16K1", 16), "F64": ("FormatF64", 64)},
    "gfx942": {**GFX908, "F64": ("FormatF64", 64), "Xf32": ("FormatXf32", 32), "Fp8": ("FormatF8", 8),
               "Bf8": ("FormatF8", 8)},
}
# Bits of A a step takes from one lane, where the unit is not built for all of two registers.
NARROW = {("gfx908", "F32"): 32, ("gfx908", "Bf16"): 32, ("gfx908", "I8"): 32,
          ("gfx90a", "F32"): 32, ("gfx90a", "Bf16"): 32, ("gfx90a", "I8"): 32, ("gfx942", "F32"): 32}
PAIRS = {"gfx908": (), "gfx90a": ("F64",), "gfx942": ("F64", "F16", "Bf16", "I8", "Xf32", "Fp8", "Bf8")}
SIDES = {4: "Side4", 16: "Side16", 32: "Side32"}
RESULTS_PER_SLOT = 32  # registers of a lane
SEMANTICS = {"gfx908": ("v_mfma",), "gfx90a": ("v_mfma",), "gfx942": ("v_mfma", "v_smfmac")}


def fail(message):
    sys.exit(f"gen_matrix_pkg.py: error: {message}")


def operation(row, target):
    """The fields of op_t, after a check that the unit can do it."""
    place = f"{row['place']}: {row['mnemonic']}"
    m, n, k, blocks, passes = (int(row[c]) for c in ("m", "n", "k", "blocks", "passes"))
    if target == "gfx942" and row["passes_gfx942"]:
        passes = int(row["passes_gfx942"])
    sparse = row["semantic"] == "v_smfmac"
    kind = row["a"] + ("_1k" if row["mnemonic"].endswith("_1k") else "")
    eights = ("Fp8", "Bf8")
    if (kind not in TARGETS[target] or m != n or m not in SIDES or
            (row["b"] != row["a"] and not (row["a"] in eights and row["b"] in eights))):
        fail(f"{place}: no such format or shape in the matrix core of {target}")
    name, bits = TARGETS[target][kind]
    double = row["a"] == "F64"
    a_words, b_words = (int(row["src"][s]["dwords"]) for s in (0, 1))
    depth = m * k * blocks // 64  # k of one lane
    if b_words * 32 != depth * bits or a_words != (b_words // 2 if sparse else b_words):
        fail(f"{place}: registers do not hold {depth} k of a lane")
    if b_words not in ((4,) if sparse else (1, 2)) or a_words * 32 > NARROW.get((target, kind), 64):
        fail(f"{place}: {a_words} and {b_words} registers of A and B")
    slots = m * n * blocks * (2 if double else 1) * (k // depth) // RESULTS_PER_SLOT
    if slots not in (4 * passes, 8 * passes):
        fail(f"{place}: {passes} passes, the steps need another number")
    paired = slots == 8 * passes
    several = blocks > 1 and not double
    if not sparse and several != (row["cbsz_abid"] == "1"):
        fail(f"{place}: cbsz and abid go with several blocks")
    if double and (m not in (4, 16) or paired != (m == 16)):
        fail(f"{place}: no such shape of F64")
    if (paired and (kind not in PAIRS[target] or blocks > 1)) or (sparse and not paired):
        fail(f"{place}: two lanes in a step")
    # gfx942 has blgp where there are several blocks, and of F32 (isa_notes 4).
    permutes = row["blgp"] == "1" and (target != "gfx942" or blocks > 1 or row["a"] == "F32")
    flags = {"several": several, "permutes": permutes, "paired": paired, "sparse": sparse,
             "a_bf8": row["a"] == "Bf8", "b_bf8": row["b"] == "Bf8"}
    return (f"format: {name}, side: {SIDES[m]}, last_register: 2'd{b_words - 1},\n        " +
            ", ".join(f"{f}: 1'b{int(v)}" for f, v in flags.items()))


def function(rows, target):
    lines = [f"  // The operation of an instruction table row; known is 0 for what {target} does not have.",
             f"  function automatic op_t op_of_row_{target}(input logic [15:0] row);", "    unique case (row)"]
    count = 0
    for index, row in enumerate(rows):
        if row["semantic"] not in SEMANTICS[target] or target not in row["targets"]:
            continue
        lines += [f"      // {row['mnemonic']}",
                  f"      16'd{index}: return '{{known: 1'b1, {operation(row, target)}}};"]
        count += 1
    if count == 0:
        fail(f"no matrix rows of {target}")
    return lines + ["      default: return '{known: 1'b0, format: FormatF32, side: Side4, last_register: 2'd0,",
                    "        several: 1'b0, permutes: 1'b0, paired: 1'b0, sparse: 1'b0, a_bf8: 1'b0, b_bf8: 1'b0};",
                    "    endcase", "  endfunction", ""]


def package(rows):
    lines = ["// SPDX-FileCopyrightText: The Cuvette authors", "// SPDX-License-Identifier: Apache-2.0", "",
             "// Generated by tools/gen/gen_matrix_pkg.py from model/isa/tables.", "package matrix_row_pkg;", "",
             "  import matrix_op_pkg::*;", ""]
    for target in TARGETS:
        lines += function(rows, target)
    return "\n".join(lines + ["endpackage", ""])


def main():
    if len(sys.argv) != 3:
        fail("usage: gen_matrix_pkg.py TABLES_DIR OUTPUT_DIR")
    write(sys.argv[2], "ip/matrix_row_pkg.sv", package(gen_isa.read_rows(sys.argv[1])))


if __name__ == "__main__":
    main()
