#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of the program when input or output fails, their form, and that it does not destroy its inputs.

command_line_errors_test.py CUVETTE DISPATCHES SCRATCH
"""
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, dispatches, scratch = sys.argv[1:4]
shutil.rmtree(scratch, ignore_errors=True)
runs = Runs(cuvette, scratch)
HEAD = "module &abc:1:2:$full:$large:$default;\n"
KERNEL = HEAD + "prog kernel &k() { ret; };\n"
text = runs.write("a.hsail", KERNEL)
brig = runs.path("a.brig")
runs.check("asm", 0, "", "asm", text)
dispatch = os.path.join(dispatches, "saxpy.yaml")
log = runs.path("saxpy.log")
runs.check("run --log", 0, "passed", "run", dispatch, "--log", log)


def read(path):
    """None where there is no file."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as f:
        return f.read()


def said(what, message, *arguments, **options):
    """Status 2 and one line on standard error, which is `message`."""
    status, _, err = runs.run(*arguments, **{"timeout": 60, **options})
    runs.expect(status == 2 and err == message + "\n", f"{what}: exit {status}: {err!r}, expected {message!r}")


# A standard output that cannot be written, whatever its size.
FULL = "error: cannot write to standard output"
writers = [("disasm", brig, "-o", "-"), ("asm", text, "-o", "-"), ("finalize", text, "-o", "-"), ("isa", "list"),
           ("replay", log), ("run", dispatch), ("run", dispatch, dispatch, "--engine", "lt", "--config", "small"),
           ("bench", "golden-mixed"), ("--help",), ("--version",)]
with open("/dev/full", "w", encoding="ascii") as full:
    streams = {"capture_output": False, "stdout": full, "stderr": subprocess.PIPE}
    for arguments in writers:
        said(f"{arguments} to a full device", FULL, *arguments, **streams)
    said("isa decode to a full device", FULL, "isa", "decode", input="bf810000\n", **streams)
    said("probe to a full device", FULL, "probe", input='{"id":1,"target":"gfx908","code":"7e000280"}\n', **streams)
    said("disasm in JSON to a full device",
         '{"file":"","line":0,"column":0,"severity":"error","message":"cannot write to standard output"}',
         "disasm", brig, "-o", "-", "--diagnostics", "json", **streams)
    for arguments in [("validate", runs.path("missing")), ("replay", runs.path("missing"))]:
        status, _, _ = runs.run(*arguments, capture_output=False, stdout=subprocess.DEVNULL, stderr=full)
        runs.expect(status == 2, f"{arguments} with standard error on a full device: exit {status}")

# Every error is JSON when JSON is asked for.
for arguments in [("asm", text, "-o", runs.path("missing/q")), ("disasm", brig, "-o", "/dev/full"),
                  ("asm", text, text, "-o", runs.path("q")), ("asm", text, "-o", text),
                  ("asm", text, "-o", ""), ("asm", text, "--container", "tar"), ("disasm", brig, brig),
                  ("disasm", brig, brig, "-o", runs.path("q")), ("disasm", brig, "--floats", "octal"),
                  ("finalize", text, "--target", "gfx999", "-o", runs.path("q")), ("finalize", text)]:
    status, out, err = runs.run(*arguments, "--diagnostics", "json")
    try:
        lines = [json.loads(line) for line in err.splitlines()]
    except ValueError:
        lines = []
    good = len(lines) == 1 and set(lines[0]) >= {"file", "line", "column", "severity", "message"}
    runs.expect(status == 2 and good, f"{arguments} in JSON: exit {status}: {out + err}")

status, out, err = runs.run("asm", text, "--diagnostics", "json", "-o")
runs.expect(status == 2 and err.startswith('{"file"'), f"-o without a name in JSON: exit {status}: {out + err}")
status, out, err = runs.run("validate", text, "--\x1b[31mX")
runs.expect(status == 2 and "\x1b" not in out + err, f"an option with a control character: exit {status}: {out + err!r}")

# Warnings: beside the result, in both forms, and not when they are not wanted.
doubtful = runs.write("doubtful.hsail", HEAD + "prog kernel &k() { div_u32 $s0, 1, 0; ret; };\n")
WARNING = ":2:36: warning: the result of a division by 0 is undefined [division-by-zero]\n"
for verb in ["validate", "asm", "finalize"]:
    output = [] if verb == "validate" else ["-o", runs.path("doubtful.out")]
    status, out, err = runs.run(verb, doubtful, *output)
    runs.expect(status == 0 and err == doubtful + WARNING, f"{verb} with a warning: exit {status}: {err!r}")
    status, out, err = runs.run(verb, doubtful, *output, "-w")
    runs.expect(status == 0 and out + err == "", f"{verb} -w: exit {status}: {out + err!r}")
    status, out, err = runs.run(verb, doubtful, *output, "--diagnostics", "json")
    told = json.loads(err) if err.count("\n") == 1 else {}
    runs.expect(status == 0 and told == {"file": doubtful, "line": 2, "column": 36, "severity": "warning",
                                         "message": "the result of a division by 0 is undefined", "id": "division-by-zero"},
                f"{verb} with a warning in JSON: exit {status}: {err!r}")
runs.check("asm", 0, "", "asm", doubtful, "-w", "-o", runs.path("doubtful.brig"))
runs.check("disasm with a warning", 0, r"doubtful\.brig:\+0x[0-9a-f]+: warning: .* \(hsa_operand\+0x[0-9a-f]+\) \[division-by-zero\]", "disasm", runs.path("doubtful.brig"), "-o", runs.path("doubtful.text"))

# An output in place of an input: by its name, another spelling, a link; without -o; one of several.
before = read(text)
REPLACES = ": error: the output would replace an input: name another one"
symbolic, hard = runs.path("symbolic"), runs.path("hard")
os.symlink("a.hsail", symbolic)
os.link(text, hard)
spelled = os.path.join(scratch, ".", "..", os.path.basename(scratch.rstrip("/")), "a.hsail")
for output in [text, spelled, symbolic, hard]:
    for verb in ["asm", "finalize"]:
        said(f"{verb} -o {output}", output + REPLACES, verb, text, "-o", output)
other = runs.write("other.hsail", KERNEL.replace("&abc", "&def").replace("&k", "&l"))
said("finalize -o of the second input", other + REPLACES, "finalize", text, other, "-o", other)
misnamed = runs.write("misnamed.brig", KERNEL)
said("asm beside", misnamed + REPLACES, "asm", other, misnamed)
runs.expect(not os.path.exists(runs.path("other.brig")), "asm of two inputs wrote one of them")
shutil.copy(brig, runs.path("misnamed.hsail"))
said("disasm beside", runs.path("misnamed.hsail") + REPLACES, "disasm", runs.path("misnamed.hsail"))
said("disasm to one output", "error: -o names one output, several inputs need none", "disasm", brig, brig, "-o", runs.path("q"))
said("disasm over the second input", runs.path("misnamed.hsail") + REPLACES, "disasm", brig, runs.path("misnamed.hsail"))
runs.expect(read(text) == before and read(misnamed) == before and os.path.islink(symbolic), "an input was replaced")
runs.check("asm over an old output", 0, "", "asm", text, "-o", brig)
runs.check("asm to a device", 0, "", "asm", text, "-o", "/dev/null")

# Nor does `run` replace what it reads, or one output by another.
runs.write("run.bin", "abcd")
runs.write("run.yaml", """
code: run.hsail
kernel: "&k"
grid: [1]
workgroup: [1]
buffers:
  in: {type: u8, count: 4, init: {file: run.bin}}
  out: {type: u8, count: 4}
""")
runs.write("run.hsail", KERNEL)
dispatch, data, code = runs.path("run.yaml"), runs.path("run.bin"), runs.path("run.hsail")
before = [read(f) for f in (dispatch, data, code)]
for option, output in [("--log", dispatch), ("--log", code), ("--stats", data), ("--results", dispatch),
                       ("--results", os.path.join(scratch, ".", "run.bin"))]:
    said(f"run {option} {output}", output + REPLACES, "run", dispatch, option, output)
said("run --dump", data + REPLACES, "run", dispatch, "--dump", "out=" + data)
runs.expect([read(f) for f in (dispatch, data, code)] == before, "an input of run was replaced")
twice = runs.path("twice")
for first, second in [(["--stats", twice], ["--results", os.path.join(scratch, ".", "twice")]),
                      (["--dump", "in=" + twice], ["--dump", "out=" + twice])]:
    status, out, err = runs.run("run", dispatch, *first, *second)
    runs.expect(status == 2 and "twice: error: two outputs have this name" in err and "passed" not in out,
                f"{first} and {second}: exit {status}: {out + err}")
runs.check("run with outputs to a device", 0, "passed", "run", dispatch, "--engine", "hsail", "--stats", "/dev/null", "--results", "/dev/null")
runs.write("same.txt", KERNEL)
runs.write("same.hsail", KERNEL)
said("asm to one output", runs.path("same.brig") + ": error: two outputs have this name", "asm", runs.path("same.hsail"),
     runs.path("same.txt"))
folder = runs.path("folder")
os.mkdir(folder)
first, second = os.path.join(folder, "first.brig"), os.path.join(folder, "second.brig")
for copy in [first, second, os.path.join(folder, "first.elf")]:
    shutil.copy(brig, copy)
said("disasm to one name", first[:-5] + ".hsail: error: two outputs have this name", "disasm", first,
     os.path.join(folder, "first.elf"))
# One bad input of several: nothing is written, in one direction as in the other.
bad = runs.write("bad.brig", read(brig)[:-16])
status, out, err = runs.run("disasm", first, bad, second)
runs.expect(status == 2 and err.startswith(bad + ":+0x10: error: "), f"disasm with a bad input: exit {status}: {err!r}")
runs.expect(not [f for f in os.listdir(folder) if f.endswith(".hsail")], "disasm with a bad input wrote the others")
runs.check("disasm of two", 0, "^$", "disasm", first, second)
texts = [read(name[:-5] + ".hsail") for name in (first, second)]
runs.expect(texts[0] and texts[0] == texts[1], "disasm of two did not write both texts")

# No name is not no -o.
for verb, file in [("asm", text), ("disasm", brig), ("finalize", text)]:
    runs.check(f"{verb} -o ''", 2, "^error: .*output: expected a value, found ''", verb, file, "-o", "")

# Usage is one line, with the words that there are; no word is empty, and no folder of descriptions is taken for none.
said("a verb that there is not", "error: unknown verb 'nosuch', expected one of decode, list", "isa", "nosuch")
said("no verb", "error: no verb, expected one of decode, list", "isa")
said("an engine that there is not", "error: --engine: xx not in {hsail,golden,lt,ca}", "run", dispatch, "--engine", "xx")
for option in ("--stats", "--trace", "--log", "--results", "--wait-graph"):
    said(f"{option} ''", f"error: {option}: expected a value, found ''", "run", dispatch, option, "")
said("--dump without a file", "error: --dump expects NAME=FILE, found 'y='", "run", dispatch, "--dump", "y=")
said("--config-dir of no folder", runs.path("none") + ": error: no such folder, expected one of machine descriptions", "run",
     dispatch, "--config-dir", runs.path("none"))

# Standard input that cannot be read.
folder = os.open(scratch, os.O_RDONLY)
for arguments in [("isa", "decode"), ("probe",)]:
    said(f"{arguments} of a folder", "stdin: error: cannot read: Is a directory", *arguments, stdin=folder)
os.close(folder)

# Names from files: what a terminal would obey is printed escaped.
odd = os.path.join(scratch, "odd\n\x1b[31m\t\x7f\u0085.hsail")
with open(odd, "w", encoding="ascii") as f:
    f.write("nonsense\n")
said("a file name with control characters", os.path.join(scratch, r"odd\n\x1b[31m\t\x7f\x85.hsail") +
     ":1:1: error: not HSAIL text, expected 'module &name:major:minor:$profile:$model:$rounding;' [not-hsail]",
     "validate", odd)
for name, shown in [(b"&a\nc", r"&a\nc"), (b"&a\0c", r"&a\x00c"), (b"&\x1b[m", r"&\x1b[m"), (b"&\xc3\xa9c", "&\u00e9c")]:
    module = runs.write("named.brig", read(brig).replace(b"&abc", name))
    status, out, err = runs.run("validate", module)
    runs.expect(status == 2 and f"'{shown}' is not a name" in err and err.count("\n") == 1,
                f"a module named {name}: exit {status}: {err!r}")

# The files are named where no place in them is.
indirect = HEAD + "prog indirect function &f()() { ret; };\n"
first = runs.write("first.hsail", indirect)
second = runs.write("second.hsail", indirect.replace("&abc", "&def").replace("&f", "&g"))
said("a module without kernel", f"{first}: error: no kernel to finalize", "finalize", first, "-o", runs.path("q"))
said("modules without kernel", f"{first}: error: no kernel to finalize, nor in {second}",
     "finalize", first, second, "-o", runs.path("q"))

# An operand of a pragma has its own place.
said("a pragma", runs.path("pragma.hsail") + ":2:16: error: type 'sig32' does not belong to the machine model [machine-model]",
     "validate", runs.write("pragma.hsail", HEAD + 'pragma "x", 1, sig32(0);\n'))



def in_time(what, module, code, pattern):
    """Validation ends within 30 s, with a status, and a match in its one message."""
    try:
        status, _, err = runs.run("validate", module, timeout=30)
        runs.expect(status == code and re.search(pattern, err) and err.count("\n") <= 1, f"{what}: exit {status}: {err}")
    except subprocess.TimeoutExpired:
        runs.expect(False, f"{what}: more than 30 s")


# Large modules take a time in proportion.
COUNT = 40000
chain = "".join(f"function &f{i}()() {{ {{ call &f{i - 1}()(); }} ret; }};\n" for i in range(1, COUNT))
for control, code, pattern in [("", 0, "^$"), ("requireddim 1;", 0, "^$"),
                               ("requireddim 1; requireddim 2;", 0, ":2:.*warning: 'requireddim' has other values at line 2")]:
    in_time(f"{COUNT} calls to '{control}'",
            runs.write("chain.hsail", HEAD + f"function &f0()() {{ {control} ret; }};\n" + chain), code, pattern)
in_time("many extensions",
        runs.write("extensions.hsail", HEAD + 'extension "IMAGE";\n' * 100000 + 'extension "IMAGE":1:0;\n'),
        2, "\"IMAGE\" has another version at line 2")

chain = "".join(f"function &f{i}()() {{ requireddim 1; {{ call &f{i - 1}()(); }} ret; }};\n" for i in range(1, COUNT))
in_time("many functions with one mistake in common",
        runs.write("each.hsail", HEAD + "function &f0()() { requireddim 1; requireddim 2; ret; };\n" + chain),
        0, ":2:.*warning: 'requireddim' has other values at line 2")
runs.end(60)
