# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Sweeps (docs/reference/sweep.md): the plan, its points, their results, reports on them."""
