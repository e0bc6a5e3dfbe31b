#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""One dispatch on the simd of the model, with the times of its ports, and on the RTL: equal cycles, and not those
of the model without.

usage: simd_cycles_test.py CUVETTE DISPATCH.yaml DESCRIPTION.yaml
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def cycles(cuvette, dispatch, description, *options):
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / 'results.jsonl'
        run = subprocess.run([cuvette, 'run', dispatch, '--engine', 'ca', '--config', str(description),
                              '--results', str(results), *options], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f'exit status {run.returncode}\n{run.stdout}{run.stderr}')
        return json.loads(results.read_text())['cycles']


def main():
    if len(sys.argv) != 4:
        sys.exit('usage: simd_cycles_test.py CUVETTE DISPATCH.yaml DESCRIPTION.yaml')
    cuvette, dispatch, description = sys.argv[1:]
    text = pathlib.Path(description).read_text()
    with tempfile.TemporaryDirectory() as folder:
        ports = pathlib.Path(folder) / 'ports.yaml'
        ports.write_text(text.replace('compute_unit:\n', 'compute_unit:\n  simd_timing: ports\n', 1))
        model = cycles(cuvette, dispatch, ports)
    rtl = cycles(cuvette, dispatch, description, '--impl', 'simd=rtl')
    ideal = cycles(cuvette, dispatch, description)
    print(f'model of the ports {model}, rtl {rtl}, issue times alone {ideal}')
    if model != rtl:
        sys.exit(f'expected {model} cycles as the model of the ports, the RTL took {rtl}')
    if model == ideal:
        sys.exit('simd_timing: ports changed nothing')


if __name__ == '__main__':
    main()
