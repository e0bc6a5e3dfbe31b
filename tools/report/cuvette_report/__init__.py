# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Pages and comparisons made of the statistics and traces of runs."""
