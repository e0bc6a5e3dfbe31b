# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The program `cuvette`, which compiles and runs dispatch files: where it is, and what it says."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Union

from .errors import CompileError, RunError

Path = Union[str, 'os.PathLike[str]']


def program_path() -> str:
    """The program: CUVETTE_PROGRAM, that of the tree this package is in, or that of PATH. Throws RunError."""
    own = os.environ.get('CUVETTE_PROGRAM')
    if own:
        return own
    for folder in pathlib.Path(__file__).resolve().parents:
        candidate = folder / 'bin' / 'cuvette'
        if (folder / 'share' / 'cuvette').is_dir() and os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which('cuvette')
    if found is None:
        raise RunError("the program 'cuvette', which compiles and runs dispatch files, is not there: set "
                       'CUVETTE_PROGRAM to its path')
    return found


def _call(words: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        raise RunError(f'{words[0]}: {error.strerror}') from None


def compile_code(paths: Iterable[Path], target: str) -> bytes:
    """A code object of HSAIL (text or BRIG, several modules are linked) or one file of OpenCL C, for a target such as
    'gfx908'. Throws CompileError with the place of the first error; RunError without the program."""
    with tempfile.TemporaryDirectory(prefix='cuvette-') as scratch:
        out = pathlib.Path(scratch) / 'kernel.co'
        done = _call([program_path(), 'finalize', *(os.fspath(path) for path in paths), '--target', target, '--no-warnings',
                      '--diagnostics', 'json', '-o', str(out)])
        if done.returncode == 0:
            return out.read_bytes()
        raise _compile_error(done.stderr)


def _compile_error(text: str) -> CompileError:
    for line in text.splitlines():
        try:
            first = json.loads(line)
        except ValueError:
            continue
        if first.get('severity') == 'error':
            place = ':'.join(str(part) for part in (first['file'], first['line'], first['column']) if part)
            return CompileError((place + ': ' if place else '') + first['message'], first['file'], first['line'],
                                first['column'])
    return CompileError(text.strip() or 'the compiler has no words for it')


class RunResult(NamedTuple):
    """A run of a dispatch file."""

    passed: bool  #: all checks
    statistics: dict[str, Any]  #: docs/reference/statistics.md; empty when the run wrote none
    output: str  #: the summary that the program prints


def setting_words(settings: Optional[Mapping[str, Any]]) -> list[str]:
    """PATH=VALUE for each setting of a machine description."""
    return [f'{path}={str(value).lower() if isinstance(value, bool) else value}'
            for path, value in (settings or {}).items()]


def run(dispatch_file: Path, *, engine: str = 'golden', machine: str = 'mi100',
        set: Optional[Mapping[str, Any]] = None,  # noqa: A002 - the name of the option
        options: Iterable[str] = ()) -> RunResult:
    """Runs a dispatch file (docs/reference/dispatch.md) in a process of its own, so that any number of machines of
    engines lt and ca come after each other. `set` changes fields of the machine description; `options` are further
    words of `cuvette run`, such as '--lockstep' and 'valu'. A check that fails is no exception: see `passed`.

    Throws RunError: input that the program refuses, with what it says; no program."""
    with tempfile.TemporaryDirectory(prefix='cuvette-') as scratch:
        statistics = pathlib.Path(scratch) / 'statistics.json'
        words = [program_path(), 'run', os.fspath(dispatch_file), '--engine', engine, '--stats', str(statistics)]
        if engine != 'hsail':
            words += ['--config', machine]
        for setting in setting_words(set):
            words += ['--set', setting]
        done = _call([*words, *options])
        if done.returncode not in (0, 1):
            raise RunError(done.stderr.strip() or f'cuvette ended with status {done.returncode}')
        found = json.loads(statistics.read_text(encoding='utf-8')) if statistics.exists() else {}
        return RunResult(done.returncode == 0, found, done.stdout + done.stderr)
