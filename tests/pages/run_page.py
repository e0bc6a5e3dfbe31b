#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page exactly as printed and compares their output with what the page shows.

usage: run_page.py PAGE --source SOURCE --build BUILD --scratch SCRATCH [--home HOME] [--fresh] [--skip COMMAND ...]
                   [--launcher PROGRAM]

Fenced blocks `sh` run in order in one shell, which ends at the first command that fails; a fenced block `text` right
behind one is its output, stdout and stderr. In it, a line `...` stands for any lines and `...` within a line for any
text. A block `cpp` below a comment `from FILE` must stand in that file. The shell begins in a folder with the entries
of SOURCE, where build/release is BUILD. --skip names a block of one command that a build is not to run itself.
--launcher: compilers that CMake chooses run behind it, as behind ccache, with the caller's cache."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r'```(\w*)$')
ORIGIN = re.compile(r'<!-- from (\S+) -->$')
MARK = '--- end of block'


class Block:
    """A fenced block: its language, first line, lines and the file that it quotes."""

    def __init__(self, language, number, origin):
        self.language, self.number, self.origin, self.lines = language, number, origin, []

    @property
    def text(self):
        return '\n'.join(self.lines) + '\n'


def blocks_of(page):
    """The fenced blocks of a page in order."""
    blocks, block, origin = [], None, None
    for number, line in enumerate(page.read_text(encoding='utf-8').splitlines(), 1):
        fence = FENCE.match(line)
        if block is not None and line == '```':
            blocks.append(block)
            block = None
        elif block is not None:
            block.lines.append(line)
        elif fence:
            block = Block(fence[1], number, origin)
        if line.strip() and block is None:
            comment = ORIGIN.match(line)
            origin = comment[1] if comment else None
    if block is not None:
        raise ValueError(f'{page}:{block.number}: the block has no end')
    return blocks


def expected_outputs(blocks):
    """Per `sh` block the `text` block behind it, or None."""
    pairs = []
    for block, behind in zip(blocks, blocks[1:] + [None]):
        if block.language == 'sh':
            pairs.append((block, behind if behind is not None and behind.language == 'text' else None))
    return pairs


def pattern_of(block):
    """The regular expression of an output with its `...`."""
    parts = []
    for line in block.lines:
        if line == '...':
            parts.append(r'(?:.*\n)*?')
        else:
            parts.append('.*'.join(re.escape(piece.rstrip() if piece == line else piece)
                                   for piece in line.split('...')) + r' *\n')
    return re.compile(''.join(parts))


def lay_out(source, build, scratch):
    """The folder in which the shell begins."""
    top = scratch / 'cuvette'
    shutil.rmtree(scratch, ignore_errors=True)
    (top / 'build').mkdir(parents=True)
    for entry in source.iterdir():
        if entry.name not in ('build', '.git'):
            (top / entry.name).symlink_to(entry)
    (top / 'build' / 'release').symlink_to(build)
    return top


def outputs_of(pairs, top, home, launcher, timeout):
    """Runs the blocks in one shell. Per block that came to its end its output; last, what the one that failed said."""
    script = top.parent / 'script.sh'
    script.write_text('exec 2>&1\n' + ''.join(f"{block.text}printf '%s\\n' '{MARK}'\n" for block, _ in pairs),
                      encoding='utf-8')
    environment = {name: value for name, value in os.environ.items() if not name.startswith(('CUVETTE_', 'CMAKE_'))}
    environment |= {'HOME': str(home)}
    for name in ('CC', 'CXX', 'CFLAGS', 'CXXFLAGS', 'LD_LIBRARY_PATH'):
        environment.pop(name, None)
    if launcher:
        environment |= {f'CMAKE_{language}_COMPILER_LAUNCHER': launcher for language in ('C', 'CXX')}
        environment.setdefault('CCACHE_DIR', str(pathlib.Path.home() / '.cache' / 'ccache'))
    done = subprocess.run(['sh', '-e', script], cwd=top, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=timeout, check=False)
    return (done.stdout + done.stderr).split(MARK + '\n'), done.returncode


def quoted_wrongly(blocks, source):
    """Blocks of code that are not in the file they are said to be from."""
    for block in blocks:
        if block.language == 'cpp' and block.origin and block.text not in (source / block.origin).read_text('utf-8'):
            yield f'line {block.number}: not in {block.origin}'


def shortened(text, most=40):
    """First and last lines of a long output."""
    lines = text.splitlines(keepends=True)
    return text if len(lines) <= most else ''.join([*lines[:10], f'({len(lines) - most} lines)\n', *lines[10 - most:]])


def check(page, arguments):
    blocks = blocks_of(page)
    errors = list(quoted_wrongly(blocks, arguments.source))
    pairs = [(block, text) for block, text in expected_outputs(blocks) if block.text.strip() not in arguments.skip]
    if not pairs:
        errors.append('no commands')
    for command in arguments.skip:
        if not any(block.language == 'sh' and block.text.strip() == command for block in blocks):
            errors.append(f'no block "{command}" to leave out')
    top = lay_out(arguments.source, arguments.build, arguments.scratch)
    if arguments.fresh:
        shutil.rmtree(arguments.home, ignore_errors=True)
    arguments.home.mkdir(parents=True, exist_ok=True)
    outputs, status = outputs_of(pairs, top, arguments.home, arguments.launcher, arguments.timeout)
    for (block, text), output in zip(pairs, outputs):
        if text is not None and not pattern_of(text).fullmatch(output):
            errors.append(f'line {text.number}: shown is\n{text.text}but it was\n{shortened(output)}')
    if status != 0 or len(outputs) != len(pairs) + 1:
        failed = pairs[min(len(outputs), len(pairs)) - 1][0]
        errors.append(f'line {failed.number}: status {status} in\n{failed.text}which said\n{shortened(outputs[-1])}')
    print(f'{len(pairs)} blocks of commands, {sum(text is not None for _, text in pairs)} outputs compared')
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('page', type=pathlib.Path)
    for name in ('source', 'build', 'scratch', 'home'):
        parser.add_argument(f'--{name}', type=lambda text: pathlib.Path(text).resolve(), required=name != 'home')
    parser.add_argument('--fresh', action='store_true')
    parser.add_argument('--skip', action='append', default=[])
    parser.add_argument('--launcher', default='')
    parser.add_argument('--timeout', type=int, default=1100)
    arguments = parser.parse_args()
    arguments.home = arguments.home or arguments.scratch / 'home'
    errors = check(arguments.source / arguments.page, arguments)
    for error in errors:
        print(f'{arguments.page}: {error}')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
