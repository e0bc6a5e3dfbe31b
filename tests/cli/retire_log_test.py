#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""run --log and replay: logs of golden and ca agree wave by wave; what is damaged is refused.

retire_log_test.py CUVETTE DISPATCHES SCRATCH
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, dispatches, scratch = sys.argv[1:4]
runs = Runs(cuvette, scratch)
expect, path_of, run, write = runs.expect, runs.path, runs.run, runs.write
KERNELS = ["histogram", "mfma_gemm", "mixed", "reduce", "saxpy", "stencil", "transpose", "vector_add"]


def expect_replay(status, path, text=""):
    got, out, err = run("replay", path)
    expect(got == status and text in out + err,
           f"replay {path}: exit {got}, expected {status} and '{text}': {out}{err}"[:600])


def by_wave(path):
    """Records per wave, without what belongs to a run: MODE, STATUS, TRAPSTS (sticky, and ca retires
    out of order) and serials."""
    waves = {}
    with open(path) as f:
        for line in f:
            if not line.startswith("R "):
                continue
            items = line.split("  ;")[0].split()[1:]
            words = int(items[4], 0)
            status = 5 + words
            del items[status:status + 3]
            at = status + 2  # behind flags and trap
            at += 1 + 2 * int(items[at], 0)
            vectors = int(items[at], 0)
            at += 1
            for _ in range(vectors):
                at += 3 + bin(int(items[at + 2], 0)).count("1")
            accesses = int(items[at], 0)
            at += 1
            for _ in range(accesses):
                items[at + 8] = "serial"
                at += 11
            assert at == len(items), line
            waves.setdefault(int(items[0], 0), []).append(items)
    return waves


for kernel in KERNELS:
    file = os.path.join(dispatches, kernel + ".yaml")
    logs = {}
    for engine in ["golden", "ca"]:
        config = ["--config", "small"] if engine == "ca" else []
        # Both forms of the two whose binary logs are looked at below and of one with LDS.
        forms = [".log", ".bin"] if kernel in ("saxpy", "vector_add", "reduce") else [".log"]
        for form in forms:
            log = path_of(f"{kernel}.{engine}{form}")
            status, out, err = run("run", file, "--engine", engine, *config, "--log", log)
            expect(status == 0, f"{kernel} on {engine}: {err}")
            expect_replay(0, log, "agrees with golden")
        logs[engine] = by_wave(path_of(f"{kernel}.{engine}.log"))
    golden, ca = logs["golden"], logs["ca"]
    expect(len(golden) > 1 and golden.keys() == ca.keys(), f"{kernel}: waves differ")
    for wave in golden:
        for n, (a, b) in enumerate(zip(golden[wave], ca.get(wave, []))):
            if a != b:
                expect(False, f"{kernel} wave {wave} record {n}:\n  golden {a}\n  ca     {b}"[:2000])
                break
        expect(len(golden[wave]) == len(ca.get(wave, [])), f"{kernel} wave {wave}: lengths differ")
        orders = [int(r[1], 0) for r in golden[wave]]
        expect(orders == list(range(len(orders))), f"{kernel} wave {wave}: order")

# Wrong values are found: any change of a record, with the checksum left out on purpose.
with open(path_of("vector_add.golden.log")) as f:
    lines = f.read().splitlines()
entries = re.match(r"E (\S+) ", lines[-1]).group(1)


def changed(name, index, edit):
    copy = list(lines)
    copy[index] = edit(copy[index])
    expect(copy[index] != lines[index], f"{name}: the edit does nothing")
    copy[-1] = f"E {entries} -"
    return write(name, ("\n".join(copy) + "\n").encode())


def set_item(number, value):
    def edit(line):
        items = line.split(" ")
        items[number] = value
        return " ".join(items)
    return edit


def record_with(text):
    return next(n for n, line in enumerate(lines) if line.startswith("R ") and text in line)


expect_replay(0, write("unchecked.log", ("\n".join(lines[:-1]) + f"\nE {entries} -\n").encode()))
add = record_with("v_add_f32") if any("v_add_f32" in line for line in lines) else record_with("v_")
expect_replay(1, changed("pc.log", add, set_item(3, "0x1234")), "pc: expected")
expect_replay(1, changed("exec.log", add, set_item(4, "0x7")), "exec: expected")
expect_replay(1, changed("order.log", add, set_item(2, "0x77")), "instruction 119 retires")
expect_replay(1, changed("word.log", add, set_item(6, "0x7e000000")), "word 0: expected")




def status_of(value):
    def edit(line):
        items = line.split(" ")
        items[7 + int(items[5])] = value  # behind the words and MODE
        return " ".join(items)
    return edit


# STATUS as S_GETREG gives it: VALID at least. Engine ca is not held to it.
log = changed("status.log", add, status_of("0xffffffff"))
expect_replay(1, log, "status: expected 0x1")
with open(path_of("vector_add.ca.log")) as f:
    of_ca = f.read().splitlines()
at = next(n for n, line in enumerate(of_ca) if line.startswith("R "))
of_ca[at] = status_of("0xffffffff")(of_ca[at])
of_ca[-1] = re.sub(r"\S+$", "-", of_ca[-1])
expect_replay(0, write("status.ca.log", ("\n".join(of_ca) + "\n").encode()), "agrees with golden")

# A change under a checksum is damage, wherever it is seen first.
with open(log) as f:
    damaged = f.read().splitlines()
damaged[-1] = lines[-1]
expect_replay(2, write("damaged.log", ("\n".join(damaged) + "\n").encode()), "damaged: checksum")

# Waves without records, of four work-groups of four waves: all, and those behind the first work-group.
no_waves = [line for line in lines if not line.startswith("R ")]
some_waves = [line for line in lines if not line.startswith("R ") or int(line.split(" ")[1], 0) < 16]
for name, kept, number in [("no_waves.log", no_waves, 16), ("some_waves.log", some_waves, 12)]:
    status = 0 if kept != no_waves else 1
    expect_replay(status, write(name, ("\n".join([*kept[:-1], f"E {len(kept) - 2} -"]) + "\n").encode()),
                  f"never started  {number} waves")
# A judge that compared nothing lets nothing pass: no record, no dispatch, no code.
empty = write("empty.log", b"cuvette-log 1 text\nE 0 -\n")
expect_replay(1, empty, "FAILED: nothing was compared")
MAGIC = b"CUVETTE-LOG-1\n"
checksum = 0xcbf29ce484222325
for byte in MAGIC:
    checksum = (checksum ^ byte) * 0x100000001b3 % 2**64


def leb128(value):
    low, rest = value & 0x7f, value >> 7
    return bytes([low | 0x80]) + leb128(rest) if rest else bytes([low])


items = leb128(0) + leb128(checksum)
expect_replay(1, write("empty.bin", MAGIC + b"E" + len(items).to_bytes(4, "little") + items),
              "FAILED: nothing was compared")
for length in range(1, 4):
    head = [line for line in lines if line[0] in "cMCD"][:1 + length]
    text = "\n".join([*head, f"E {length} -"]) + "\n"
    expect_replay(1, write(f"head{length}.log", text.encode()), "FAILED: nothing was compared")
    expect_replay(2, write(f"head{length}.cut.log", ("\n".join(head) + "\n").encode()))


def last_lane(line):
    head, comment = line.split("  ;")
    items = head.split(" ")
    items[-2] = "0xabcdef"  # the last lane; behind it the number of accesses
    return " ".join(items) + "  ;" + comment


expect_replay(1, changed("lane.log", add, last_lane), "found 0xabcdef")


def store_data(line):
    head, comment = line.split("  ;")
    items = head.split(" ")
    items[-2] = "00112233"  # the last access's data; behind it the old value
    return " ".join(items) + "  ;" + comment


store = record_with("store_dword")
expect_replay(1, changed("store.log", store, store_data), "found 00112233")


def access_item(from_the_end, value):
    """An item of the last access: operation -8, serial -3."""
    def edit(line):
        head, comment = line.split("  ;")
        items = head.split(" ")
        items[from_the_end] = value
        return " ".join(items) + "  ;" + comment
    return edit


load = record_with("global_load_dword")
expect_replay(1, changed("operation.log", load, access_item(-8, "1")), "atomic operation: expected 0, found 1")
expect_replay(1, changed("serial.log", load, access_item(-3, "1")), "serial: expected 0, found 0x1")
expect_replay(0, changed("serial_of_store.log", store, access_item(-3, "0x7777")), "agrees with golden")

# Damage is an error, not a difference.
text = open(path_of("saxpy.golden.log"), "rb").read()
binary = open(path_of("saxpy.golden.bin"), "rb").read()
for name, data in [("saxpy.golden.log", text), ("saxpy.golden.bin", binary)]:
    form = name[-4:]
    for part in [0, 3, 10, 20, 400, len(data) // 2, len(data) - 1]:
        expect_replay(2, write("short" + form, data[:part]))
    expect_replay(2, write("long" + form, data + b"x"), "follows the end")
    for at in range(30, len(data), len(data) // 40):
        damaged = bytearray(data)
        damaged[at] ^= 0x11
        status, out, err = run("replay", write("damaged" + form, bytes(damaged)))
        expect(status == 2 and err != "", f"damage at {at} of {name}: exit {status} {out}{err}")
expect_replay(2, write("junk.log", b"hello\n"), "not a retirement log")
expect_replay(2, path_of("no such file"), "cannot be opened")
expect_replay(2, write("wide.bin", b"CUVETTE-LOG-1\nR\xff\xff\xff\x3f"), "truncated")
expect(run("run", os.path.join(dispatches, "saxpy.yaml"), "--engine", "hsail", "--log",
           path_of("x.log"))[0] == 2, "--log with hsail")

runs.end()
