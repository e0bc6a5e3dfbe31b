#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A dispatch file on machine small_rtl, whose blocks are RTL in lockstep: no difference, every block that the kernel needs
was compared, the expectations of the file hold, and the buffers are those of engine golden, byte for byte.

usage: small_rtl_test.py CUVETTE DISPATCH_FILE SCRATCH [--scalar] [BLOCK...]

BLOCKs are needed beside those that every kernel needs; --scalar: a kernel without vector instructions."""
import json
import pathlib
import subprocess
import sys

import yaml

ALWAYS = ('crossbar', 'instruction_cache', 'l2', 'memory', 'scalar_cache', 'simd', 'spi', 'vector_l1')


def buffers_of(node):
    """Names of all buffers, wherever a dispatch file declares them."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == 'buffers':
                yield from value
            elif key == 'buffer' and isinstance(value, dict):
                yield value['name']
            yield from buffers_of(value)
    elif isinstance(node, list):
        for value in node:
            yield from buffers_of(value)


def main():
    cuvette, file, scratch = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    blocks = [b for b in sys.argv[4:] if not b.startswith('--')]
    scratch.mkdir(parents=True, exist_ok=True)
    names = sorted(set(buffers_of(yaml.safe_load(file.read_text(encoding='utf-8')))))
    assert names, 'no buffers'

    def run(engine, *options):
        dumps = {name: scratch / f'{file.stem}.{name}.{engine}' for name in names}
        for dump in dumps.values():
            dump.unlink(missing_ok=True)
        arguments = [f'--dump={name}={dump}' for name, dump in dumps.items()]
        done = subprocess.run([cuvette, 'run', file, '--engine', engine, *options, *arguments], capture_output=True,
                              text=True, check=False)
        print(done.stdout)
        assert done.returncode == 0, f'{engine}: status {done.returncode}\n{done.stderr}'
        return {name: dump.read_bytes() for name, dump in dumps.items()}

    statistics = scratch / f'{file.stem}.json'
    rtl = run('ca', '--config', 'small_rtl', '--stats', statistics)
    golden = run('golden', '--target', 'gfx908')
    for name in names:
        assert golden[name] == rtl[name], f'buffer {name} differs from golden'
    told = json.loads(statistics.read_text(encoding='utf-8'))['lockstep']
    assert told['mismatches'] == 0, told
    always = [b for b in ALWAYS if b != 'simd' or '--scalar' not in sys.argv]
    for block in (*always, *blocks):
        values = told['compared'].get(f'{block} values', 0)
        assert values > 0, f'block {block} was not compared: {told}'
    assert told['compared']['crossbar times'] > 0, told
    return 0


if __name__ == '__main__':
    sys.exit(main())
