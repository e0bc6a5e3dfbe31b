# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""mypy finds the package's types complete and consistent, and what a user's script gets wrong.

usage: types_test.py MYPY SCRATCH"""
import os
import pathlib
import subprocess
import sys

import cuvette

MYPY, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2])
PACKAGE = pathlib.Path(cuvette.__file__).parent
USER = '''import numpy
import cuvette

with cuvette.Device('golden', 'small', set={'memory.bytes': 1 << 20}) as device:
    kernel = device.load('saxpy.hsail')['saxpy']
    x = device.array(numpy.arange(4.0), memory='uncached')
    launch = kernel.launch((64, 2), 64, 4, 2.0, x, cuvette.Local(64), group_bytes=16)
    cycles: int = launch.wait().cycles
    waves = [wave['pc'] for wave in device.waves()]
    device.on_retirement(lambda retirement: None)
'''
WRONG = {
    "cuvette.Device(engine=3)\n": 'arg-type',
    "cuvette.Device().lanuch()\n": 'attr-defined',
    "text: str = cuvette.Device().cycle\n": 'assignment',
    "cuvette.Device().load(3)\n": 'arg-type',
    "cuvette.run('a.yaml', engin='ca')\n": 'call-arg',
}


def mypy(*words):
    done = subprocess.run([MYPY, '--strict', '--show-error-codes', '--no-color-output', '--cache-dir', SCRATCH / 'cache',
                           *words], capture_output=True, text=True, check=False, cwd=SCRATCH,
                          env=os.environ | {'MYPYPATH': str(PACKAGE.parent)})
    return done.returncode, done.stdout + done.stderr


SCRATCH.mkdir(parents=True, exist_ok=True)
status, said = mypy('--python-executable', sys.executable, PACKAGE)
assert status == 0, said
script = SCRATCH / 'script.py'
script.write_text(USER, encoding='utf-8')
status, said = mypy(script)
assert status == 0, said
for text, code in WRONG.items():
    script.write_text('import cuvette\n' + text, encoding='utf-8')
    status, said = mypy(script)
    assert status == 1 and f'script.py:2: error: ' in said and f'[{code}]' in said, (text, said)
print(f'{len(WRONG)} mistakes found')
