#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Dispatch files for matrix_formats.cl: make_matrix.py TARGET ORACLES FOLDER CODE...

Every instruction of ORACLES/instructions.csv runs on three kinds of data: "exact", two row tiles of three steps over
small integers, whose sums are exact in every order; "real", one tile of two steps over numbers of many magnitudes;
"tiny" (formats with the exponents for it), the same with results near the smallest normal number. The last two come out
by docs/reference/mfma_numerics.md. Where elements live comes from ORACLES/layout. FOLDER receives the data and one <code>.yaml
per code object."""
import csv
import os
import re
import struct
import sys

from common import Folder, Random
from matrix_numerics import FORMATS, element, truncated_xf32

WIDTH = {"B": 8, "H": 16, "I": 32, "Q": 64}


class Instruction:
    def __init__(self, row, oracles):
        self.mnemonic, self.target, self.oracles = row["mnemonic"], row["target"], oracles
        self.m, self.n, self.k, self.blocks = (int(row[key]) for key in ("m", "n", "k", "blocks"))
        self.sparse = row["sparse"] == "True"
        self.one_k = self.mnemonic.endswith("_1k")
        tail = re.sub(r"^v_s?mfma\w?c?_[fi]\d\d_\d+x\d+x\d+", "", self.mnemonic)
        kinds = re.findall("xf32|bf16|f16|f32|f64|i8|fp8|bf8", tail)
        self.a_kind, self.b_kind = kinds[0], kinds[-1]
        self.d_kind = {"i8": "i32", "f64": "f64"}.get(self.a_kind, "f32")

    def kernel(self):
        """The builtin's name: gfx942 renamed the instructions it shares with the older targets."""
        name = re.sub(r"_\d+b_", "_", self.mnemonic[2:])
        if self.target != "gfx942" or self.sparse or re.search("xf32|fp8|bf8", name):
            return name
        if name.endswith("i8"):
            return re.sub(r"x4_i8$", "x4i8", name)
        return re.sub(r"_(f32|f16|f64|bf16)$", r"\1", name) + ("_1k" if name.endswith("bf16") else "")

    def cells(self, matrix):
        """(block, row, column, place in the lane's operand, lane) of each element; the place counts elements."""
        path = os.path.join(self.oracles, "layout", self.target, "%s.%s.csv" % (self.mnemonic, matrix))
        kind = {"A": self.a_kind, "B": self.b_kind, "D": self.d_kind}.get(matrix)
        width = 4 if matrix == "k" else WIDTH["I" if kind == "i32" else FORMATS[kind].code]
        with open(path, newline="") as f:
            for row in csv.DictReader(f):
                block, i, j, vgpr, lane, low = (int(row[key]) for key in
                                                ("block", "row", "col", "vgpr", "lane", "bit_lo"))
                yield block, i, j, (vgpr * 32 + low) // width, lane

    def layout(self):
        words = []
        for matrix in "ABD":
            table = {}
            for block, i, j, place, lane in self.cells(matrix):
                if self.sparse and matrix == "A":
                    # The oracle names the register or half register that holds both elements of a group.
                    place, j = place // 2, j - j % 4
                table.setdefault((place, lane), block << 16 | i << 8 | j)
            places = 1 + max(place for place, _ in table)
            assert len(table) == places * 64, (self.mnemonic, matrix)
            words += [table[place, lane] for place in range(places) for lane in range(64)]
            if self.sparse and matrix == "A":
                # Index bits 4 p to 4 p + 3 of a lane belong to its pair p.
                for block, i, j, nibble, lane in self.cells("k"):
                    assert table[nibble, lane] == block << 16 | i << 8 | j - j % 4, self.mnemonic
        return words


def encode(kind, value):
    """The bits of a small integer."""
    if kind in ("f32", "xf32"):
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    if kind == "f16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    if kind == "bf16":
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    if kind == "i8":
        return value & 0xFF
    return next(u for u in range(256) if u != 0x80 and FORMATS[kind].decode(u) == value)


SMALL = {kind: {v: encode(kind, v) for v in range(-8, 9)} for kind in FORMATS}


def real_bits(kind, random):
    """Numbers of different magnitudes, one in 16 zero or subnormal; never a NaN, an infinity or minus zero."""
    form = FORMATS[kind]
    width = WIDTH[form.code]
    bits = random.u64() >> (64 - width)
    if kind == "i8":
        return bits or 1
    fraction, sign = bits & (1 << form.mantissa) - 1, bits >> (width - 1)
    if random.u32() % 16 == 0:
        field = 0
    elif kind in ("fp8", "bf8", "f16"):
        top = (1 << (width - 1 - form.mantissa)) - 1
        field = random.integer(1, top - (10 if kind == "f16" else 0))
    else:
        field = 1 - form.low + random.integer(-12, 12)
    value = field << form.mantissa | fraction
    return value | sign << (width - 1) if value else 0


def tiny_bits(kind, random, of_odd_k, is_a):
    """Products near the smallest normal number: of two small factors, or, at odd k, of a subnormal A."""
    form = FORMATS[kind]
    if of_odd_k and is_a:
        field = 0
    else:
        field = 1 - form.low + (0 if of_odd_k else form.low // 2) + random.integer(-6, 6)
    fraction = random.u64() >> (64 - form.mantissa)
    return field << form.mantissa | fraction | (random.u32() & 1) << (WIDTH[form.code] - 1) if field or fraction else 0


class Case:
    """One dispatch: A is tiles * M x depth, B depth x N, C and D tiles * M x N, for every block."""

    def __init__(self, instruction, name, tiles, steps, random, kind_of_data):
        real, tiny = kind_of_data == "real", kind_of_data == "tiny"
        self.instruction, self.name, self.tiles = instruction, name, tiles
        self.depth = steps * instruction.k
        self.rows = tiles * instruction.m
        ins = instruction

        def draw(kind, is_a, k):
            if tiny:
                return tiny_bits(kind, random, k % 2, is_a)
            return real_bits(kind, random) if real else SMALL[kind][random.integer(-8, 8)]

        self.a = [draw(ins.a_kind, True, i % self.depth) for i in range(ins.blocks * self.rows * self.depth)]
        if ins.sparse:
            for i in range(0, len(self.a), 4):
                keep = random.integer(0, 3), random.integer(1, 3)
                keep = {keep[0], (keep[0] + keep[1]) % 4}
                for j in range(4):
                    while j in keep and self.a[i + j] == 0:
                        self.a[i + j] = draw(ins.a_kind, True, j)
                    if j not in keep:
                        self.a[i + j] = 0
        self.b = [draw(ins.b_kind, False, i // ins.n % self.depth) for i in range(ins.blocks * self.depth * ins.n)]
        count = ins.blocks * self.rows * ins.n
        if ins.d_kind == "i32":
            self.c = [random.integer(-2**31, 2**31 - 1) if real else random.integer(-999, 999) for _ in range(count)]
        elif tiny:
            form, width = FORMATS[ins.d_kind], WIDTH[FORMATS[ins.d_kind].code]
            self.c = [form.decode(random.integer(0, 4) << form.mantissa | random.u64() >> (64 - form.mantissa)
                                  | (random.u32() & 1) << (width - 1)) for _ in range(count)]
        elif real:
            self.c = [FORMATS[ins.d_kind].decode(real_bits(ins.d_kind, random)) for _ in range(count)]
        else:
            self.c = [float(random.integer(-999, 999)) for _ in range(count)]
        self.d = self.numeric_result() if real or tiny else self.exact_result()

    def operands(self):
        ins = self.instruction
        a = [FORMATS[ins.a_kind].decode(u) for u in self.a]
        b = [FORMATS[ins.b_kind].decode(u) for u in self.b]
        for block in range(ins.blocks):
            for i in range(self.rows):
                row = a[(block * self.rows + i) * self.depth:][:self.depth]
                for j in range(ins.n):
                    first = block * self.depth * ins.n + j
                    column = b[first:first + self.depth * ins.n:ins.n]
                    yield row, column, self.c[(block * self.rows + i) * ins.n + j]

    def exact_result(self):
        return [c + sum(x * y for x, y in zip(row, column)) for row, column, c in self.operands()]

    def numeric_result(self):
        ins, result = self.instruction, []
        for row, column, d in self.operands():
            if ins.a_kind == "xf32":
                row, column = ([truncated_xf32(x) for x in line] for line in (row, column))
            for k in range(0, self.depth, ins.k):
                d = element(ins.target, ins.a_kind, ins.b_kind, ins.one_k, ins.k, row[k:k + ins.k],
                            column[k:k + ins.k], d)
            result.append(d)
        return result

    def write(self, folder):
        ins = self.instruction
        folder.write(self.name + ".a", FORMATS[ins.a_kind].code, self.a)
        folder.write(self.name + ".b", FORMATS[ins.b_kind].code, self.b)
        code = {"i32": "i", "f32": "f", "f64": "d"}[ins.d_kind]
        folder.write(self.name + ".c", code, self.c)
        folder.write(self.name + ".d", code, self.d)

    def describe(self):
        """Lines for buffers, dispatches and expect."""
        ins, types = self.instruction, {"B": "u8", "H": "u16", "I": "u32", "Q": "u64"}
        d_type = {"i32": "s32"}.get(ins.d_kind, ins.d_kind)
        buffers = "".join("  %s.%s: {type: %s, count: %d%s}\n" % (self.name, part, kind, len(values), init and
                          ", init: {file: %s.%s.bin}" % (self.name, part))
                          for part, kind, values, init in
                          (("a", types[FORMATS[ins.a_kind].code], self.a, True),
                           ("b", types[FORMATS[ins.b_kind].code], self.b, True),
                           ("c", d_type, self.c, True), ("d", d_type, self.d, "")))
        dispatch = ("  - {kernel: %s, grid: [%d], workgroup: [64],\n     args: [%s, ref: %s.layout, u32: %d]}\n" %
                    (ins.kernel(), 64 * self.tiles,
                     ", ".join("ref: %s.%s" % (self.name, part) for part in "abcd"), ins.mnemonic, self.depth))
        return buffers, dispatch, "  - {buffer: %s.d, file: %s.d.bin}\n" % (self.name, self.name)


def main():
    target, oracles, path = sys.argv[1:4]
    folder, random = Folder(path), Random(111)
    buffers = dispatches = expect = ""
    with open(os.path.join(oracles, "instructions.csv"), newline="") as f:
        rows = [row for row in csv.DictReader(f) if row["target"] == target]
    for row in rows:
        ins = Instruction(row, oracles)
        layout = ins.layout()
        folder.write(ins.mnemonic + ".layout", "I", layout)
        buffers += "  %s.layout: {type: u32, count: %d, init: {file: %s.layout.bin}}\n" % (
            ins.mnemonic, len(layout), ins.mnemonic)
        for data, tiles, steps in (("exact", 2, 3), ("real", 1, 2), ("tiny", 1, 2)):
            if data == "tiny" and ins.a_kind not in ("f32", "xf32", "bf16", "f64"):
                continue
            case = Case(ins, "%s.%s" % (ins.mnemonic, data), tiles, steps, random, data)
            case.write(folder)
            for part, text in zip("bde", case.describe()):
                buffers += text if part == "b" else ""
                dispatches += text if part == "d" else ""
                expect += text if part == "e" else ""
    for code in sys.argv[4:]:
        with open(os.path.join(path, os.path.basename(code) + ".yaml"), "w") as f:
            f.write("# Written by make_matrix.py.\ncode: %s\nbuffers:\n%sdispatches:\n%sexpect:\n%s" %
                    (code, buffers, dispatches, expect))


if __name__ == "__main__":
    main()
