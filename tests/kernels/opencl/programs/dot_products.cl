// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// An int8 convolution layer's inner loop by dot-product instructions where the target has them (V_DOT4, V_DOT8,
// V_DOT2), by byte arithmetic elsewhere, and the byte instructions that image code uses: v_perm, v_sad, v_msad,
// v_alignbit, v_bfe, v_bfi, v_lerp. The results are the same on every target.
static int dot4(uint a, uint b, int c) {
#if defined(__gfx900__)
  for (uint i = 0; i < 4; ++i) c += (int)(char)(a >> 8 * i) * (int)(char)(b >> 8 * i);
  return c;
#else
  return __builtin_amdgcn_sdot4((int)a, (int)b, c, false);
#endif
}

static uint udot4(uint a, uint b, uint c) {
#if defined(__gfx900__)
  for (uint i = 0; i < 4; ++i) c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
  return c;
#else
  return __builtin_amdgcn_udot4(a, b, c, false);
#endif
}

static int dot8(uint a, uint b, int c) {
#if defined(__gfx900__)
  for (uint i = 0; i < 8; ++i) c += ((int)(a << (28 - 4 * i)) >> 28) * ((int)(b << (28 - 4 * i)) >> 28);
  return c;
#else
  return __builtin_amdgcn_sdot8((int)a, (int)b, c, false);
#endif
}

static int dot2(uint a, uint b, int c) {
#if defined(__gfx900__)
  return c + (short)a * (short)b + ((int)a >> 16) * ((int)b >> 16);
#else
  return __builtin_amdgcn_sdot2(as_short2(a), as_short2(b), c, false);
#endif
}

// 3 x 3 x 16 channels to 8 channels over a width x width image, channels packed four to a word.
__kernel void convolve_int8(__global const uint* image, __constant uint* weights, __global int* out,
                            __global char* clipped, uint width) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= width) return;
  for (uint o = 0; o < 8; ++o) {
    int sum = (int)o * 100 - 300;
    for (uint dy = 0; dy < 3; ++dy) {
      for (uint dx = 0; dx < 3; ++dx) {
        const int ix = (int)(x + dx) - 1, iy = (int)(y + dy) - 1;
        if (ix < 0 || iy < 0 || ix >= (int)width || iy >= (int)width) continue;
        for (uint c = 0; c < 4; ++c) {
          sum = dot4(image[(iy * width + ix) * 4 + c], weights[((o * 3 + dy) * 3 + dx) * 4 + c], sum);
        }
      }
    }
    const uint at = (y * width + x) * 8 + o;
    out[at] = sum;
    clipped[at] = convert_char_sat(sum >> 7);
  }
}

__kernel void bytes(__global const uint* a, __global const uint* b, __global uint* out) {
  const uint id = get_global_id(0), n = get_global_size(0);
  const uint x = a[id], y = b[id];
  out[id] = udot4(x, y, id);
  out[n + id] = (uint)dot8(x, y, -(int)id);
  out[2 * n + id] = (uint)dot2(x, y, (int)id);
  out[3 * n + id] = __builtin_amdgcn_perm(x, y, 0x06010c03);
  out[4 * n + id] = __builtin_amdgcn_sad_u8(x, y, id);
  out[5 * n + id] = __builtin_amdgcn_sad_u16(x, y, id);
  out[6 * n + id] = __builtin_amdgcn_msad_u8(x, y, id);
  out[7 * n + id] = __builtin_amdgcn_alignbit(x, y, id);
  out[8 * n + id] = __builtin_amdgcn_alignbyte(x, y, id);
  out[9 * n + id] = __builtin_amdgcn_ubfe(x, id & 31, y & 31);
  out[10 * n + id] = (uint)__builtin_amdgcn_sbfe((int)x, id & 31, y & 31);
  out[11 * n + id] = __builtin_amdgcn_lerp(x, y, 0x01000101);
  out[12 * n + id] = (x & y) | (~x & id);
  out[13 * n + id] = __builtin_amdgcn_sad_hi_u8(x, y, id);
}
