// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// D = A * B + C through every MFMA and SMFMAC builtin of the target, one kernel per instruction. The matrices are
// row-major, one after the other for instructions with several blocks. One work-group of one wavefront makes one
// tile of M rows; k advances by the instruction's K. Which element a lane holds in which place is data:
// `layout` has one word per operand place and lane, block << 16 | row << 8 | column, A first, then B, then D.
// Sparse kernels take a dense A with two elements other than zero in every four, and compress it themselves.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef float float32 __attribute__((ext_vector_type(32)));
typedef int int32 __attribute__((ext_vector_type(32)));

#define BLOCK(word) ((word) >> 16)
#define ROW(word) ((word) >> 8 & 0xff)
#define COLUMN(word) ((word) & 0xff)

// Instruction suffix; M, N, K; operand A: element, vector, elements; B likewise; D likewise.
#define GEMM(name, M, N, K, TA, VA, NA, TB, VB, NB, TD, VD, ND)                                              \
  __attribute__((reqd_work_group_size(64, 1, 1))) __kernel void mfma_##name(                                 \
      __global const TA* a, __global const TB* b, __global const TD* c, __global TD* d,                      \
      __global const uint* layout, uint depth) {                                                             \
    const uint lane = get_local_id(0);                                                                       \
    const uint rows = get_num_groups(0) * M, first = get_group_id(0) * M;                                    \
    union { TA e[NA]; VA v; } x;                                                                             \
    union { TB e[NB]; VB v; } y;                                                                             \
    union { TD e[ND]; VD v; } sum;                                                                           \
    __global const uint* where = layout + (NA + NB) * 64 + lane;                                             \
    _Pragma("unroll") for (uint i = 0; i < ND; ++i) {                                                        \
      const uint w = where[i * 64];                                                                          \
      sum.e[i] = c[(BLOCK(w) * rows + first + ROW(w)) * N + COLUMN(w)];                                      \
    }                                                                                                        \
    for (uint k = 0; k < depth; k += K) {                                                                    \
      _Pragma("unroll") for (uint i = 0; i < NA; ++i) {                                                      \
        const uint w = layout[i * 64 + lane];                                                                \
        x.e[i] = a[(BLOCK(w) * rows + first + ROW(w)) * depth + k + COLUMN(w)];                              \
      }                                                                                                      \
      _Pragma("unroll") for (uint i = 0; i < NB; ++i) {                                                      \
        const uint w = layout[(NA + i) * 64 + lane];                                                         \
        y.e[i] = b[(BLOCK(w) * depth + k + ROW(w)) * N + COLUMN(w)];                                         \
      }                                                                                                      \
      sum.v = __builtin_amdgcn_mfma_##name(x.v, y.v, sum.v, 0, 0, 0);                                        \
    }                                                                                                        \
    _Pragma("unroll") for (uint i = 0; i < ND; ++i) {                                                        \
      const uint w = where[i * 64];                                                                          \
      d[(BLOCK(w) * rows + first + ROW(w)) * N + COLUMN(w)] = sum.e[i];                                      \
    }                                                                                                        \
  }

// NA elements after compression; the layout of A has one word per pair, the first column of its group of four.
#define SPARSE(name, M, N, K, TA, VA, NA, TB, VB, NB, TD, VD, ND)                                            \
  __attribute__((reqd_work_group_size(64, 1, 1))) __kernel void smfmac_##name(                               \
      __global const TA* a, __global const TB* b, __global const TD* c, __global TD* d,                      \
      __global const uint* layout, uint depth) {                                                             \
    const uint lane = get_local_id(0);                                                                       \
    const uint first = get_group_id(0) * M;                                                                  \
    union { TA e[NA]; VA v; } x;                                                                             \
    union { TB e[NB]; VB v; } y;                                                                             \
    union { TD e[ND]; VD v; } sum;                                                                           \
    __global const uint* where = layout + (NA / 2 + NB) * 64 + lane;                                         \
    _Pragma("unroll") for (uint i = 0; i < ND; ++i) {                                                        \
      const uint w = where[i * 64];                                                                          \
      sum.e[i] = c[(first + ROW(w)) * N + COLUMN(w)];                                                        \
    }                                                                                                        \
    for (uint k = 0; k < depth; k += K) {                                                                    \
      int index = 0;                                                                                         \
      _Pragma("unroll") for (uint i = 0; i < NA / 2; ++i) {                                                  \
        const uint w = layout[i * 64 + lane];                                                                \
        __global const TA* four = a + (first + ROW(w)) * depth + k + COLUMN(w);                              \
        const uint low = four[0] != 0 ? 0 : four[1] != 0 ? 1 : 2;                                            \
        const uint high = four[3] != 0 ? 3 : four[2] != 0 ? 2 : 1;                                           \
        x.e[2 * i] = four[low];                                                                              \
        x.e[2 * i + 1] = four[high];                                                                         \
        index |= (low | high << 2) << (4 * i);                                                               \
      }                                                                                                      \
      _Pragma("unroll") for (uint i = 0; i < NB; ++i) {                                                      \
        const uint w = layout[(NA / 2 + i) * 64 + lane];                                                     \
        y.e[i] = b[(k + ROW(w)) * N + COLUMN(w)];                                                            \
      }                                                                                                      \
      sum.v = __builtin_amdgcn_smfmac_##name(x.v, y.v, sum.v, index, 0, 0);                                  \
    }                                                                                                        \
    _Pragma("unroll") for (uint i = 0; i < ND; ++i) {                                                        \
      const uint w = where[i * 64];                                                                          \
      d[(first + ROW(w)) * N + COLUMN(w)] = sum.e[i];                                                        \
    }                                                                                                        \
  }

#define F32(name, M, N, K, ND, VD) GEMM(name, M, N, K, float, float, 1, float, float, 1, float, VD, ND)
F32(f32_32x32x1f32, 32, 32, 1, 32, float32)
F32(f32_16x16x1f32, 16, 16, 1, 16, float16)
F32(f32_4x4x1f32, 4, 4, 1, 4, float4)
F32(f32_32x32x2f32, 32, 32, 2, 16, float16)
F32(f32_16x16x4f32, 16, 16, 4, 4, float4)

#define F16(name, M, N, K, ND, VD) GEMM(name, M, N, K, half, half4, 4, half, half4, 4, float, VD, ND)
F16(f32_32x32x4f16, 32, 32, 4, 32, float32)
F16(f32_16x16x4f16, 16, 16, 4, 16, float16)
F16(f32_4x4x4f16, 4, 4, 4, 4, float4)
F16(f32_32x32x8f16, 32, 32, 8, 16, float16)
F16(f32_16x16x16f16, 16, 16, 16, 4, float4)

#define I8(name, M, N, K, ND, VD) GEMM(name, M, N, K, char, int, 4, char, int, 4, int, VD, ND)
I8(i32_32x32x4i8, 32, 32, 4, 32, int32)
I8(i32_16x16x4i8, 16, 16, 4, 16, int16)
I8(i32_4x4x4i8, 4, 4, 4, 4, int4)
#if !defined(__gfx942__)
I8(i32_32x32x8i8, 32, 32, 8, 16, int16)
I8(i32_16x16x16i8, 16, 16, 16, 4, int4)

#define BF16(name, M, N, K, ND, VD) GEMM(name, M, N, K, short, short2, 2, short, short2, 2, float, VD, ND)
BF16(f32_32x32x2bf16, 32, 32, 2, 32, float32)
BF16(f32_16x16x2bf16, 16, 16, 2, 16, float16)
BF16(f32_4x4x2bf16, 4, 4, 2, 4, float4)
BF16(f32_32x32x4bf16, 32, 32, 4, 16, float16)
BF16(f32_16x16x8bf16, 16, 16, 8, 4, float4)
#endif

#if !defined(__gfx908__)
#define BF16_1K(name, M, N, K, ND, VD) GEMM(name, M, N, K, short, short4, 4, short, short4, 4, float, VD, ND)
BF16_1K(f32_32x32x4bf16_1k, 32, 32, 4, 32, float32)
BF16_1K(f32_16x16x4bf16_1k, 16, 16, 4, 16, float16)
BF16_1K(f32_4x4x4bf16_1k, 4, 4, 4, 4, float4)
BF16_1K(f32_32x32x8bf16_1k, 32, 32, 8, 16, float16)
BF16_1K(f32_16x16x16bf16_1k, 16, 16, 16, 4, float4)

GEMM(f64_16x16x4f64, 16, 16, 4, double, double, 1, double, double, 1, double, double4, 4)
GEMM(f64_4x4x4f64, 4, 4, 4, double, double, 1, double, double, 1, double, double, 1)
#endif

#if defined(__gfx942__)
GEMM(i32_32x32x16_i8, 32, 32, 16, char, long, 8, char, long, 8, int, int16, 16)
GEMM(i32_16x16x32_i8, 16, 16, 32, char, long, 8, char, long, 8, int, int4, 4)
GEMM(f32_32x32x4_xf32, 32, 32, 4, float, float2, 2, float, float2, 2, float, float16, 16)
GEMM(f32_16x16x8_xf32, 16, 16, 8, float, float2, 2, float, float2, 2, float, float4, 4)

#define FP8(a_b)                                                                                         \
  GEMM(f32_32x32x16_##a_b, 32, 32, 16, uchar, long, 8, uchar, long, 8, float, float16, 16)               \
  GEMM(f32_16x16x32_##a_b, 16, 16, 32, uchar, long, 8, uchar, long, 8, float, float4, 4)                 \
  SPARSE(f32_32x32x32_##a_b, 32, 32, 32, uchar, int2, 8, uchar, int4, 16, float, float16, 16)            \
  SPARSE(f32_16x16x64_##a_b, 16, 16, 64, uchar, int2, 8, uchar, int4, 16, float, float4, 4)
FP8(fp8_fp8)
FP8(fp8_bf8)
FP8(bf8_fp8)
FP8(bf8_bf8)

SPARSE(f32_32x32x16_f16, 32, 32, 16, half, half4, 4, half, half8, 8, float, float16, 16)
SPARSE(f32_16x16x32_f16, 16, 16, 32, half, half4, 4, half, half8, 8, float, float4, 4)
SPARSE(f32_32x32x16_bf16, 32, 32, 16, short, short4, 4, short, short8, 8, float, float16, 16)
SPARSE(f32_16x16x32_bf16, 16, 16, 32, short, short4, 4, short, short8, 8, float, float4, 4)
SPARSE(i32_32x32x32_i8, 32, 32, 32, char, int2, 8, char, int4, 16, int, int16, 16)
SPARSE(i32_16x16x64_i8, 16, 16, 64, char, int2, 8, char, int4, 16, int, int4, 4)
#endif
