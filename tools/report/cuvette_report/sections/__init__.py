# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Sections of a report. Each module makes one section of a run and a scope."""
