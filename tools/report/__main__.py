#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Reports on runs: what `cuvette report` and `cuvette diff` start.

python3 report report RUN... -o PAGE --program CUVETTE | python3 report diff A B [-o PAGE]
"""
import sys

from cuvette_report.command import main

sys.exit(main(sys.argv[1:]))
