#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""tools/lint/pages: what it refuses, what it lets pass, and that --fix changes lines only.

Usage: lint_pages_test.py SOURCE"""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
LONG = ' '.join(['word'] * 30)  # 149 columns


def lint(text, *options):
    """Status, messages without their page, and the text afterwards."""
    with tempfile.TemporaryDirectory(dir=os.environ.get('TMPDIR')) as folder:
        page = pathlib.Path(folder) / 'page.md'
        page.write_text(text, encoding='utf-8')
        (pathlib.Path(folder) / 'other.md').write_text('# Some `code`: a (title)\n', encoding='utf-8')
        run = subprocess.run([SOURCE / 'tools/lint/pages', *options, page], capture_output=True, text=True, check=False)
        assert not run.stderr, run.stderr
        return run.returncode, [line.split('page.md:', 1)[1] for line in run.stdout.splitlines()], page.read_text()


for text, message in (
        (LONG, '1: 149 columns'),
        ('- item\n  ' + LONG, '2: 151 columns'),
        ('Measured on 2026-01-31.', '1: "2026-01-31"'),
        ('A stranger, the same day.', '1: "stranger"'),
        ('See /home/somebody/x.', '1: absolute path'),
        ('[a](missing.md)', '1: missing.md leads nowhere'),
        ('[a](other.md#no-such-title)', '1: other.md#no-such-title leads nowhere'),
        ('It works. What it does is new.', '1: a sentence starts with "What"'),
        ('- Those that work.', '1: a sentence starts with "Those"'),
        ('| a | Of them two |', '1: a sentence starts with "Of"'),
        ('[a](#nothing)', '1: #nothing leads nowhere')):
    status, messages, _ = lint(text + '\n')
    assert status == 1 and len(messages) == 1 and messages[0].startswith(message), (text, messages)

for text in (f'| {LONG} |', f'```\n{LONG}\n```', f'text\n\n    {LONG}', 'x' * 200, '## [1.0.0] - 2026-01-31',
             '[a](other.md#some-code-a-title) [b](https://example.org/x) [c](#d)\n\n# D', '`[a](missing.md)`',
             '# What works', 'It says what it is.', '```\nWhat\n```'):
    status, messages, _ = lint(text + '\n')
    assert (status, messages) == (0, []), (text, messages)

BEFORE = f"""# Title

{LONG} `code with
spaces` - end
| {LONG} |

1. {LONG}
   more
   - {LONG} 2. tail

Code:

    {LONG}
"""
status, messages, after = lint(BEFORE, '--fix')
assert (status, messages) == (0, []), messages
assert after.split() == BEFORE.split()
lines = after.splitlines()
assert '   - ' + ' '.join(['word'] * 23) in lines and '     ' + ' '.join(['word'] * 7) + ' 2. tail' in lines, after
assert f'    {LONG}' in lines and f'| {LONG} |' in lines, after
assert any('`code with spaces` - end' in line for line in lines), after
assert lint(after, '--fix')[2] == after
