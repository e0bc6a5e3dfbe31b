#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Memory that tests/kernels/gds/meet.s leaves, from its description: no order of waves matters.
Usage: make_expected.py OUT.bin"""
import pathlib
import struct
import sys

ITEMS, GROUP = 2344, 128  # as in meet.yaml.in
active = [n for n in range(ITEMS) if (n * 0x9e3779b1 % 2**32) >> 28 < 10]
waves = sum((min(GROUP, ITEMS - first) + 63) // 64 for first in range(0, ITEMS, GROUP))
words = [0] * 5377
words[0:len(active)] = [0x11] * len(active)
words[2560:2560 + len(active)] = active
for wave in range(waves):
    words[5120 + 4 * wave:5123 + 4 * wave] = [len(active), sum(active) % 2**32, 0]
words[5376] = waves
pathlib.Path(sys.argv[1]).write_bytes(struct.pack(f'<{len(words)}I', *words))
print(f'{waves} waves, {len(active)} of {ITEMS} work-items')
