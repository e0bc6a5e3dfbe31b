// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A kernel that prints, which needs a runtime, and one that does not.
kernel void prints(global int* out) {
  out[get_global_id(0)] = 1;
  printf("%d\n", out[0]);
}
kernel void quiet(global int* out) { out[get_global_id(0)] = 2; }
