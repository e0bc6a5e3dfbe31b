#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""run_page.py on small pages: what passes and what is a finding.

Usage: run_page_test.py SOURCE"""
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()


def run(page, *options):
    """Status and output for a page whose source tree is a folder with the page and a file quoted.cpp."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / 'source'
        source.mkdir()
        (source / 'page.md').write_text(page, encoding='utf-8')
        (source / 'quoted.cpp').write_text('int a;\nint b;\n', encoding='utf-8')
        done = subprocess.run(
            [sys.executable, SOURCE / 'tests/pages/run_page.py', 'page.md', '--source', source, '--build', source,
             '--scratch', pathlib.Path(folder) / 'scratch', *options], capture_output=True, text=True, check=False)
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout


def block(language, text):
    return f'\n```{language}\n{text}\n```\n'


GOOD = (
    block('sh', 'echo one') + block('text', 'one'),
    block('sh', 'a=1; cd /') + block('sh', 'echo $a $(pwd)') + block('text', '1 /'),  # one shell
    block('sh', 'printf "a\\nb\\nc 7 d\\n"') + block('text', '...\nc ... d'),
    block('sh', 'false || echo "status $?"') + block('text', 'status 1'),
    block('sh', "cat > f <<'END'\nx $y\nEND\ncat f") + block('text', 'x $y'),
    block('sh', 'echo to stderr >&2') + block('text', 'to stderr'),
    block('sh', 'ls build/release/page.md') + '<!-- from quoted.cpp -->' + block('cpp', 'int b;'),
)
for text in GOOD:
    status, said = run('# Page\n' + text)
    assert status == 0, (text, said)

for text, finding in (
        (block('sh', 'echo one') + block('text', 'two'), 'but it was'),
        (block('sh', 'echo one; echo two') + block('text', 'one'), 'but it was'),
        (block('sh', 'echo one') + block('text', 'one\ntwo'), 'but it was'),
        (block('sh', 'echo before; false; echo behind'), 'status 1'),
        (block('sh', 'true') + block('sh', 'false'), 'line 7: status 1'),
        (block('sh', 'true') + '<!-- from quoted.cpp -->' + block('cpp', 'int c;'), 'not in quoted.cpp'),
        (block('text', 'nothing'), 'no commands')):
    status, said = run('# Page\n' + text)
    assert status == 1 and finding in said, (text, said)

PAGE = block('sh', 'false') + block('sh', 'echo one') + block('text', 'one')
assert run(PAGE)[0] == 1
assert run(PAGE, '--skip', 'false')[0] == 0
assert run(PAGE, '--skip', 'true', '--skip', 'false')[0] == 1, 'a command that is not there cannot be left out'
print('passed')
