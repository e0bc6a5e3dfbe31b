# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that do not end by S_ENDPGM: traps that nobody handles, and code that runs on behind its end. Each is a
failed run, by name, on every engine; none is a pass.

    abnormal_end_test.py CUVETTE SCRATCH KERNELS TARGET...

Traps: LLVM AMDGPUUsage, "Trap Handler ABI" (s_trap 2 llvm.trap, 3 llvm.debugtrap); kernels from clang. Ends of code:
symbol sizes of ELF; tests/kernels/past_end.s, gfx908.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from program_runs import Runs  # noqa: E402

DISPATCH = """code: {code}
kernel: {kernel}
grid: [{grid}]
workgroup: [{group}]
buffers:
  out: {{type: u32, count: 256}}
args: [{{ref: out}}]
expect: [{{buffer: out, index: {index}, values: [{value}]}}]
"""

TRAPS = [
    # Kernel, work-items, what is said.
    ("aborts", 1, r"s_trap 2: trap 2 \(abort: llvm\.trap\) without a trap handler, lane 0 in 'aborts'"),
    ("aborts_in_a_lane", 128, r"s_trap 2: trap 2 \(abort: llvm\.trap\) without a trap handler, lane 5 in 'aborts_in_a_lane'"),
    ("breaks", 1, r"s_trap 3: trap 3 \(llvm\.debugtrap\) without a trap handler, lane 0 in 'breaks'"),
]
ENDS = [
    ("into_padding", r"pc 0x[0-9a-f]+: runs past the end of the code of 'into_padding' at 0x[0-9a-f]+ into what is no function"),
    ("into_other", r"pc 0x[0-9a-f]+: runs past the end of the code of 'into_other' at 0x[0-9a-f]+ into 'other'"),
    ("no_size", r"pc 0x[0-9a-f]+: runs past the end of the code of 'no_size' at 0x[0-9a-f]+ into what is no function"),
]


def engines(target):
    config = "small" if target == "gfx908" else "small_" + target
    yield "golden", ["--engine", "golden", "--target", target]
    yield "golden in steps", ["--engine", "golden", "--target", target, "--hazards", "report"]
    for engine in ("lt", "ca"):
        yield engine, ["--engine", engine, "--config", config]


def main():
    runs = Runs(sys.argv[1], sys.argv[2])
    kernels, targets = sys.argv[3], sys.argv[4:]

    def check(what, code, pattern, path, kernel, grid, arguments, index=0, value=0):
        text = DISPATCH.format(code=path, kernel=kernel, grid=grid, group=min(grid, 64), index=index, value=value)
        file = runs.write(f"{kernel}.{os.path.basename(path)}.yaml", text)
        runs.check(what, code, pattern, "run", file, *arguments)

    for target in targets:
        code = os.path.join(kernels, f"abnormal_end.{target}.v5.co")
        for name, arguments in engines(target):
            for kernel, grid, said in TRAPS:
                check(f"{kernel} {target} {name}", 1, said, code, kernel, grid, arguments)
            check(f"behind {target} {name}", 0, "passed", code, "behind", 1, arguments, 2, 1)
    code = os.path.join(kernels, "past_end.gfx908.co")
    for name, arguments in engines("gfx908"):
        for kernel, said in ENDS:
            check(f"{kernel} {name}", 1, said, code, kernel, 64, arguments)
        check(f"calls {name}", 0, "passed", code, "calls", 64, arguments, 0, 10)
    runs.end(4 * (4 * len(targets) + 4))


main()
