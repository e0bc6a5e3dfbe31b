# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""usage: check_device_test.py CUVETTE NAME=MODULE...

`cuvette check-device`: our RTL and our models as users' modules pass under random requests of several seeds and reach
every coverage point; a device of another size is found; bad usage is told.
"""
import re
import subprocess
import sys

cuvette, modules = sys.argv[1], dict(argument.split("=", 1) for argument in sys.argv[2:])
ROLES = ["instruction_cache", "l2", "scalar_cache", "vector_l1"]
BLOCKS = ["crossbar", "gds", "lds", "memory", "spi"] + ROLES


def run(*arguments):
    done = subprocess.run([cuvette, "check-device", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def block_arguments(block):
    return ["cache", "--role", block] if block in ROLES else [block]


def expect(condition, what, *output):
    if not condition:
        sys.exit("FAILED: " + what + "\n" + "\n".join(output))


for block in BLOCKS:
    requests = "300" if block == "spi" else "3000"
    seeds = ["3", "4"] if block == "spi" else ["1", "2"]  # with few requests not every seed reaches all
    # Our models answer without looking whether what they told before has moved.
    for seed, device, stalls in [(seeds[0], [], []), (seeds[1], [], ["--stalls"]), (seeds[1], ["--library", modules[block]], [])]:
        arguments = [*block_arguments(block), "--seed", seed, "--requests", requests, *stalls, *device]
        status, out, err = run(*arguments)
        expect(status == 0, f"{' '.join(arguments)} ended with {status}", out, err)
        heading = re.match(rf"{block} \((.+)\), seed {seed}: (\d+) answers in \d+ cycles: passed\n", out)
        expect(heading and int(heading[2]) >= int(requests), "heading", out)
        expect(heading[1] == (device[1] if device else "our RTL"), "name of the device", out)
        covered = re.search(r"covered +(\d+) of (\d+) points", out)
        expect(covered and covered[1] == covered[2], f"{' '.join(arguments)}: coverage", out)

# Two runs are alike, and the build for speed answers alike.
for block in BLOCKS:
    arguments = [*block_arguments(block), "--seed", "2", "--requests", "100"]
    outputs = [run(*arguments, *more) for more in (["--stalls"], ["--stalls"], ["--stalls", "--fast"])]
    expect(outputs.count(outputs[0]) == 3 and outputs[0][0] == 0, f"{block}, again and --fast", *(out for _, out, _ in outputs))

# A global data share of 4 KiB in a machine of 64 KiB.
status, out, err = run("gds", "--library", modules["gds"], "--config", "small_gfx900")
expect(status == 1 and "FAILED\n" in out and "\nblock gds, cycle " in out and "last transactions:" in out, "4 KiB", out, err)

# A crossbar that gives a slice two requests of a source in the wrong order.
status, out, err = run("crossbar", "--library", modules["crossbar_swapping"])
expect(status == 1 and "rule order: " in out and "which was asked for before" in out, "swapped requests", out, err)

for arguments, message in [
        (["cache"], "--role of block cache: expected one of instruction_cache, l2, scalar_cache, vector_l1, found ''"),
        (["cache", "--role", "l3"], "found 'l3'"),
        (["gds", "--role", "l2"], "--role is for block cache, found block gds"),
        (["valu"], "no requester for block 'valu', expected one of cache, crossbar, gds, lds, memory, spi"),
        (["gds", "--library", "/nowhere.so"], "no such file"),
        (["gds", "--library", modules["lds"]], "gds"),
        (["cache", "--role", "l2", "--library", modules["vector_l1"]], "l2"),
        (["memory", "--config", "mi100"], "our RTL is built"),
        (["memory", "--config", "nowhere"], "unknown machine description 'nowhere'"),
        (["lds", "--requests", "0"], "--requests"),
        (["lds", "--fast", "--library", modules["lds"]], "--fast is a build of our RTL"),
        (["lds", "--fast", "--wave", "x.fst"], "this build of the RTL has no waveforms"),
        (["lds", "--wave", "/nowhere/x.fst", "--requests", "10"], "/nowhere/x.fst")]:
    status, out, err = run(*arguments)
    expect(status == 2 and message in err, f"{' '.join(arguments)} ended with {status}", out, err)
print("passed")
