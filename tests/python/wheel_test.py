#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A wheel of the Python package, unpacked as pip does it, works away from the trees it was made of.

usage: wheel_test.py SOURCE PACKAGE LIBRARY VERSION CUVETTE SCRATCH"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from device_kernels import SAXPY

SOURCE, PACKAGE, LIBRARY = map(pathlib.Path, sys.argv[1:4])
VERSION, CUVETTE, SCRATCH = sys.argv[4], sys.argv[5], pathlib.Path(sys.argv[6])
SCRIPT = '''
import sys
import numpy
import cuvette
assert cuvette.__file__.startswith(sys.argv[1]), cuvette.__file__
maps = open('/proc/self/maps', encoding='utf-8').read()
libraries = {line.split()[-1] for line in maps.splitlines() if 'libcuvette' in line}
assert libraries and all(name.startswith(sys.argv[1]) for name in libraries), libraries
with cuvette.Device('ca', 'small') as device:
    x = device.array(numpy.arange(64, dtype=numpy.float32))
    y = device.zeros(64)
    device.load(sys.argv[2])['saxpy'](64, 64, 64, 2.0, x, y)
    assert (y == 2 * numpy.arange(64)).all(), y
'''

try:
    import setuptools  # noqa: F401
    import wheel  # noqa: F401
except ImportError:
    print('skipped: no python3-setuptools and python3-wheel')
    sys.exit(0)
shutil.rmtree(SCRATCH, ignore_errors=True)
SCRATCH.mkdir(parents=True)
AWAY = tempfile.TemporaryDirectory(prefix='cuvette-wheel-test-')  # a build tree has a program above it
SITE = pathlib.Path(AWAY.name) / 'site'
made = subprocess.run(
    [sys.executable, SOURCE / 'python/make_wheel.py', '--package', PACKAGE, '--library', LIBRARY, '--config',
     SOURCE / 'config', '--version', VERSION, '--licence', SOURCE / 'LICENSE', '--output', SCRATCH],
    capture_output=True, text=True, check=False)
assert made.returncode == 0, made.stdout + made.stderr
file = pathlib.Path(made.stdout.strip())
python = f'cp{sys.version_info.major}{sys.version_info.minor}'
assert file.name.startswith(f'cuvette-{VERSION}-{python}-{python}-linux_'), file
with zipfile.ZipFile(file) as archive:
    names = archive.namelist()
    metadata = archive.read(f'cuvette-{VERSION}.dist-info/METADATA').decode()
    archive.extractall(SITE)
for name in ('cuvette/py.typed', 'cuvette/_native.pyi', 'cuvette/share/cuvette/config/mi100.yaml', 'cuvette/device.py'):
    assert name in names, (name, names)
assert 'Requires-Dist: numpy' in metadata and 'License: Apache-2.0' in metadata, metadata
source = SCRATCH / 'saxpy.hsail'
source.write_text(SAXPY, encoding='utf-8')
environment = {name: value for name, value in os.environ.items() if name not in ('PYTHONPATH', 'CUVETTE_CONFIG_DIR')}
environment |= {'PYTHONPATH': str(SITE), 'CUVETTE_PROGRAM': CUVETTE}
subprocess.run([sys.executable, '-c', SCRIPT, str(SITE), str(source)], env=environment, cwd=SCRATCH, check=True)
# Without the program, compiling says what is missing.
environment |= {'CUVETTE_PROGRAM': '', 'PATH': '/nowhere'}
failed = subprocess.run([sys.executable, '-c', SCRIPT, str(SITE), str(source)], env=environment, cwd=SCRATCH,
                        capture_output=True, text=True, check=False)
assert 'RunError' in failed.stderr and 'CUVETTE_PROGRAM' in failed.stderr, failed.stderr
print(f'{file.name}: {file.stat().st_size} bytes, {len(names)} files')
