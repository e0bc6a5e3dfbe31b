// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Compiled with -amdgpu-kernarg-preload-count, the first arguments are in user SGPRs when the kernel is entered 256 bytes
// behind its beginning, where code for a packet processor that does not preload would load them (docs/reference/decisions.md, D50).
kernel void scale(uint factor, global const uint* in, global uint* out, uint bias) {
  size_t n = get_global_id(0);
  out[n] = factor * in[n] - bias;
}
