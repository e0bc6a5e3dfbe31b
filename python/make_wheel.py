#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A wheel of the built package with libcuvette and the machine descriptions inside.

It is one for the Debian release that it is built on (linux_x86_64, no manylinux): SystemC, fmt and yaml-cpp are those of
the system. The program `cuvette`, which compiles HSAIL and OpenCL C, is found along CUVETTE_PROGRAM or PATH."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

SETUP = '''import setuptools


class Distribution(setuptools.Distribution):
    """With a library for one kind of machine, although setuptools compiles nothing."""

    def has_ext_modules(self):
        return True


setuptools.setup(
    name='cuvette', version={version!r}, license='Apache-2.0', description={description!r}, packages=['cuvette'],
    package_data={{'cuvette': ['*.pyi', 'py.typed', '*.so*', 'share/cuvette/config/*']}}, zip_safe=False,
    python_requires='=={python}.*', install_requires=['numpy'], license_files=['LICENSE'], distclass=Distribution)
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('package', 'library', 'config', 'licence', 'output'):
        parser.add_argument(f'--{name}', type=pathlib.Path, required=True)
    parser.add_argument('--version', required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='cuvette-wheel-') as scratch:
        top = pathlib.Path(scratch)
        inside = top / 'cuvette'
        shutil.copytree(arguments.package, inside, ignore=shutil.ignore_patterns('__pycache__'))
        shutil.copy(arguments.library, inside / arguments.library.name)
        (inside / 'share/cuvette/config').mkdir(parents=True)
        for description in arguments.config.glob('*.yaml'):
            if description.name == 'registers.yaml':
                continue
            shutil.copy(description, inside / 'share/cuvette/config')
        shutil.copy(arguments.licence, top / 'LICENSE')
        (top / 'setup.py').write_text(SETUP.format(
            version=arguments.version, description='A model of AMD GCN and CDNA GPUs',
            python=f'{sys.version_info.major}.{sys.version_info.minor}'), encoding='utf-8')
        arguments.output.mkdir(parents=True, exist_ok=True)
        for old in arguments.output.glob('cuvette-*.whl'):
            old.unlink()
        done = subprocess.run([sys.executable, 'setup.py', '-q', 'bdist_wheel', '-d', arguments.output.resolve()],
                              cwd=top, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
    for wheel in arguments.output.glob('cuvette-*.whl'):
        print(wheel)


if __name__ == '__main__':
    main()
