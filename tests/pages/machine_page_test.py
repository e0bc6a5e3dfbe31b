#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/machine_description.md explains every key of the shipped machine descriptions.

Usage: machine_page_test.py SOURCE"""
import pathlib
import re
import sys

import yaml

SOURCE = pathlib.Path(sys.argv[1])
CACHES = {'scalar_cache': 'vector_l1', 'instruction_cache': 'vector_l1', 'l2.slice': 'vector_l1'}  # keys of the same meaning


def keys(node, path=''):
    """Paths of the leaves; a number with its source is a leaf."""
    for key, value in node.items():
        name = f'{path}{key}'
        if isinstance(value, dict) and 'source' not in value and name != 'implementations':
            yield from keys(value, f'{name}.')
        else:
            yield name


page = (SOURCE / 'docs/reference/machine_description.md').read_text(encoding='utf-8')
explained = {name for line in page.splitlines() if line.startswith('| `')
             for name in re.findall(r'`([a-z0-9_.]+)`', line.split('|')[1])}
count = 0
for file in sorted((SOURCE / 'config').glob('*.yaml')):
    if file.name == 'registers.yaml':
        continue
    for key in keys(yaml.safe_load(file.read_text(encoding='utf-8'))):
        parent, _, last = key.rpartition('.')
        assert key in explained or f'{CACHES.get(parent)}.{last}' in explained, f'{file.name}: {key} is not on the page'
        count += 1
assert count > 200, count
print(f'{count} keys')
