// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// printf needs a buffer that a runtime on the host provides.
kernel void prints(global int* out) {
  out[get_global_id(0)] = 1;
  printf("work-item %d\n", (int)get_global_id(0));
}
