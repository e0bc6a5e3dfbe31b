// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdio.h>

static int compared, differ;

/// Counts a value that differs from what the host has computed, and shows the first five.
static inline void equal(const char* what, long index, double found, double expected) {
  ++compared;
  if (found == expected) return;
  if (++differ <= 5) printf("%s[%ld]: expected %.17g, got %.17g\n", what, index, expected, found);
}

/// The status of the program.
static inline int conclude(void) {
  printf("%d compared, %d differ\n", compared, differ);
  return differ != 0 || compared == 0;
}
