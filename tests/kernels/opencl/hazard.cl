// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Breaks the rule "VALU writes an SGPR that V_READLANE takes as lane select: four wait states" on purpose;
// the compiler leaves inline assembly alone.
__kernel void hazard(__global uint* restrict y) {
  uint lane, value;
  const uint i = get_global_id(0);
  __asm volatile("v_readfirstlane_b32 %0, %2\n\tv_readlane_b32 %1, %2, %0\n\ts_nop 4"
                 : "=&s"(lane), "=s"(value)
                 : "v"(i));
  y[i] = value;
}
