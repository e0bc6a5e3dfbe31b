#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""The checks of the site: tools/docs/links.py on small sites, tools/docs/diagrams --check on changed sources.

Usage: site_check_test.py SOURCE"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / 'tools/docs'))
import links  # noqa: E402


def found(body, name='index.html'):
    """Findings of a site with a page `name` of this body, and a page other.html with an anchor."""
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder)
        page = site / name
        page.parent.mkdir(exist_ok=True)
        page.write_text(f'<html><body>{body}</body></html>', encoding='utf-8')
        (site / 'other.html').write_text('<html><body><h1 id="there">x</h1></body></html>', encoding='utf-8')
        return list(links.findings(site))


for good in ('<a href="other.html#there">x</a>', '<a href="#here">x</a><p id="here">y</p>', '<img src="other.html">',
             '<a href="https://example.org/x">x</a>', '<a href=".">x</a>'):
    assert found(good) == [], (good, found(good))
for bad, words in (
        ('<a href="missing.html">x</a>', 'missing.html leads nowhere'),
        ('<img src="missing.svg">', 'missing.svg leads nowhere'),
        ('<a href="other.html#gone">x</a>', 'other.html#gone has no such anchor'),
        ('<a href="#gone">x</a>', '#gone has no such anchor'),
        ('<img src="https://example.org/x.png">', 'loads https://example.org/x.png from elsewhere'),
        ('<script src="//example.org/x.js"></script>', 'from elsewhere'),
        ('a file <block>.md', 'unknown element <block>')):
    assert len(found(bad)) == 1 and words in found(bad)[0], (bad, found(bad))
assert found('<a href="../other.html#gone">x</a>', 'api/x.html') == []  # Doxygen's anchors
assert len(found('<a href="../missing.html">x</a>', 'api/x.html')) == 1


def check(change):
    """Status and output of `diagrams --check` on a copy of tool and diagrams after `change`."""
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder)
        (top / 'tools/docs').mkdir(parents=True)
        shutil.copy(SOURCE / 'tools/docs/diagrams', top / 'tools/docs')
        shutil.copytree(SOURCE / 'docs/diagrams', top / 'docs/diagrams')
        change(top / 'docs/diagrams')
        done = subprocess.run([sys.executable, top / 'tools/docs/diagrams', '--check'], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout


def edit(name, old, new):
    """A change of text in a file of the diagrams."""
    def change(folder):
        text = (folder / name).read_text(encoding='utf-8')
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding='utf-8')
    return change


assert check(lambda folder: None) == (0, ''), check(lambda folder: None)
assert 'not drawn from dispatch.dot' in check(edit('dispatch.dot', 'doorbell', 'bell'))[1]
assert 'dispatch.svg: missing' in check(lambda folder: (folder / 'dispatch.svg').unlink())[1]
assert 'stray.svg: no stray.dot' in check(lambda folder: (folder / 'stray.svg').write_text('<svg/>'))[1]
if shutil.which('dot'):
    assert 'shows something else than dispatch.dot' in check(edit('dispatch.svg', 'doorbell', 'bell'))[1]
print('passed')
