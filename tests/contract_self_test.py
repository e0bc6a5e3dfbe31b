#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that contract_test.py can fail: each edit below, made alone in a copy, must be found.
Usage: contract_self_test.py SOURCE_DIR
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

# (file, text, replacement, words of the message that must name it)
EDITS = [
    ('rtl/lds/lds_pkg.sv', '    logic                 flush_in;\n', '', 'flush_in'),
    ('rtl/memory/memory_pkg.sv', "MemAtomic       = 3'd2", "MemAtomic       = 3'd6", 'mem_op_e differ'),
    ('rtl/spi/spi_pkg.sv', 'logic [15:0]                  vgpr_base', 'logic [14:0]                  vgpr_base',
     'vgpr_base has 16 bits in C++ and 15'),
    ('rtl/spi/spi_pkg.sv', 'LaunchSgprs = 48', 'LaunchSgprs = 40', 'sgpr has 1280 bits'),
    ('rtl/lds/lds_pkg.sv', 'LdsBanks = 32', 'LdsBanks = 16', 'LdsBanks'),
    ('rtl/simd/simd_if.sv', 'output issue_ready, retire_valid', 'output retire_valid', 'modport'),
    ('rtl/vrf/vrf_pkg.sv', '  typedef struct packed {\n    row_address_t address;',
     '  typedef struct packed {\n    logic strobe;\n    row_address_t address;', 'strobe'),
    ('docs/simd.md', '| `m0` | 32 | GPR indexing and lane selects | exact |\n', '', 'm0 is not in the table'),
    ('docs/lds.md', '| `bytes` | 5 |', '| `bytes` | 4 |', 'bytes has 5 bits'),
    ('docs/spi.md', '| `entry` | 64 | first instruction | exact |', '| `entry` | 64 | first instruction | |',
     'entry has no comparison class'),
    ('docs/spi.md', '| `entry` | 64 |', '| `entry`, `exit` | 64 |', 'exit is in no struct'),
    ('docs/contracts.md', '(vrf.md)', '(other.md)', 'no link to vrf.md'),
    ('model/simd/simd.h', '  uint32_t m0 = 0; ', '  uint32_t m0 = 0, extra = 0; ', 'extra'),
    ('model/base/atomic_op.h', '  Swap,\n', '  Swap,\n  Other,\n', 'atomic_op_e differ'),
    ('model/vrf/vrf.h', 'uint64_t lanes,', 'uint64_t lanes, bool strobe,', 'strobe'),
]


def run(root):
    check = pathlib.Path(__file__).with_name('contract_test.py')
    done = subprocess.run([sys.executable, str(check), str(root)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main():
    source = pathlib.Path(sys.argv[1])
    missed = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch)
        for part in ('rtl', 'docs', 'model'):
            shutil.copytree(source / part, copy / part)
        if run(copy)[0] != 0:
            missed.append('the copy without an edit fails')
        for name, text, replacement, words in EDITS:
            path = copy / name
            original = path.read_text()
            if text not in original:
                missed.append(f'{name}: {text!r} is not there')
                continue
            path.write_text(original.replace(text, replacement, 1))
            code, output = run(copy)
            if code != 1 or words not in output:
                missed.append(f'{name}: {text!r} to {replacement!r} not found, expected "{words}":\n{output}')
            path.write_text(original)
    print('\n'.join(missed + [f'{len(EDITS)} edits, {len(missed)} missed']))
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main())
