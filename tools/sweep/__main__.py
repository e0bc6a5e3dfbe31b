#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Sweeps over kernels, machines and their parameters: what `cuvette sweep` and `cuvette report DIR` start.

python3 sweep --program CUVETTE --report-maker DIR sweep PLAN [-o DIR] [--workers W] [--retry-failed]
python3 sweep --program CUVETTE --report-maker DIR report DIR -o PAGE
"""
import sys

from cuvette_sweep.command import main

sys.exit(main(sys.argv[1:]))
