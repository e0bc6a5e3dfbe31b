#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""One dispatch on the simd of the model, with the times of its ports, and on the RTL: equal cycles, and not those
of the model without. The latency of the vector ALU counts in the model without, and not in the ports. (Usually it
costs cycles, but accesses of waves also meet in another order: sgemm and transpose end up to half a percent sooner.
simd_test has the latency cycle by cycle.)

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
        latency = 'valu_latency_cycles: {value: 4,'
        if latency not in text:
            sys.exit(f'the description has no "{latency}"')
        longer = []
        for file in (ports, pathlib.Path(description)):
            slow = pathlib.Path(folder) / 'slow.yaml'
            slow.write_text(file.read_text().replace(latency, latency.replace('4', '16')))
            longer.append(cycles(cuvette, dispatch, slow))
    rtl = cycles(cuvette, dispatch, description, '--impl', 'simd=rtl')
    ideal = cycles(cuvette, dispatch, description)
    print(f'model of the ports {model}, rtl {rtl}, issue times alone {ideal}')
    if model != rtl:
        sys.exit(f'expected {model} cycles as the model of the ports, the RTL took {rtl}')
    if model == ideal:
        sys.exit('simd_timing: ports changed nothing')
    if longer[0] != model or longer[1] == ideal:
        sys.exit(f'with valu_latency_cycles 16: {longer[0]} by the ports, {longer[1]} without; expected {model} and not '
                 f'{ideal}')


if __name__ == '__main__':
    main()
