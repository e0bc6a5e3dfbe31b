// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "wave/lanes/families.h"
#include "wave/lanes/integer_ops.h"

// Bytes: permutation, alignment, averages and sums of absolute differences (Vega ISA 12.9).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

constexpr uint32_t byte_of(uint64_t v, unsigned n) {
  return static_cast<uint32_t>(v >> (8 * n)) & 0xff;
}

uint32_t lerp_u8(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t d = 0;
  for (unsigned n = 0; n < 4; ++n) {
    d |= ((byte_of(a, n) + byte_of(b, n) + (byte_of(c, n) & 1)) >> 1) << (8 * n);
  }
  return d;
}

/// {S0, S1} >> S2[4:0], the low dword.
uint32_t align_bits(uint32_t a, uint32_t b, uint32_t c) {
  return b >> (c & 31) | a << 1 << (~c & 31);
}
/// {S0, S1} >> count, the low dword.
uint32_t align(uint32_t a, uint32_t b, unsigned count) {
  return count < 64 ? base::lo32(base::join32(b, a) >> count) : 0;
}

uint32_t permuted_byte(uint64_t in, uint32_t select) {
  if (select >= 13) return 0xff;
  if (select == 12) return 0;
  if (select >= 8) return base::bit(in, 8 * (2 * (select - 8) + 1) + 7) ? 0xff : 0;
  return byte_of(in, select);
}
uint32_t perm(uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t in = base::join32(b, a);
  uint32_t d = 0;
  for (unsigned n = 0; n < 4; ++n) d |= permuted_byte(in, byte_of(c, n)) << (8 * n);
  return d;
}

constexpr uint32_t distance(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

int64_t sad_bytes(uint32_t a, uint32_t b) {
  int64_t sum = 0;
  for (unsigned n = 0; n < 4; ++n) sum += distance(byte_of(a, n), byte_of(b, n));
  return sum;
}
/// Bytes of the reference S1 that are zero take no part.
int64_t sad_bytes_masked(uint32_t a, uint32_t b) {
  int64_t sum = 0;
  for (unsigned n = 0; n < 4; ++n) {
    if (byte_of(b, n) != 0) sum += distance(byte_of(a, n), byte_of(b, n));
  }
  return sum;
}
int64_t sad_words(uint32_t a, uint32_t b) {
  return int64_t{distance(a & 0xffff, b & 0xffff)} + distance(a >> 16, b >> 16);
}

using SadFn = int64_t (*)(uint32_t, uint32_t);

/// A sum of differences plus S2; CLAMP saturates to 2^32 - 1.
template <SadFn Fn, unsigned Shift = 0>
constexpr Row sad() {
  return row32_clamp<3,
                     [](uint32_t a, uint32_t b, uint32_t c) {
                       return as_u32((Fn(a, b) << Shift) + int64_t{c});
                     },
                     [](uint32_t a, uint32_t b, uint32_t c) {
                       return saturate<uint32_t>((Fn(a, b) << Shift) + int64_t{c});
                     }>;
}

/// Four sums over the windows of S0 that begin at bytes 0 to 3, accumulated into the 16-bit parts
/// of S2.
template <SadFn Fn>
CUVETTE_LEVEL void qsad16(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  const bool clamp = clamps(op);
  each64(op, result, [&](unsigned lane) {
    const uint64_t data = in.b64(0, lane);
    const uint64_t accumulator = in.b64(2, lane);
    const uint32_t reference = in.b32(1, lane);
    uint64_t d = 0;
    for (unsigned n = 0; n < 4; ++n) {
      const int64_t sum = Fn(base::lo32(data >> (8 * n)), reference) +
                          static_cast<int64_t>((accumulator >> (16 * n)) & 0xffff);
      d |= uint64_t{clamp ? saturate<uint16_t>(sum) : as_u16(sum)} << (16 * n);
    }
    return d;
  });
}

/// The same into the four dwords of S2.
void mqsad32(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  const bool clamp = clamps(op);
  for_active(op, [&](unsigned lane) {
    const uint64_t data = in.b64(0, lane);
    const uint32_t reference = in.b32(1, lane);
    uint32_t d[4];
    for (unsigned n = 0; n < 4; ++n) {
      const int64_t sum =
          sad_bytes_masked(base::lo32(data >> (8 * n)), reference) + int64_t{op.src[2][n][lane]};
      d[n] = clamp ? saturate<uint32_t>(sum) : as_u32(sum);
    }
    for (unsigned n = 0; n < 4; ++n) result.dst[n][lane] = d[n];
  });
}

constexpr Entry kEntries[] = {
    {S::v_lerp_u8, row32<3, lerp_u8>},
    {S::v_alignbit_b32, row32<3, align_bits>},
    {S::v_alignbyte_b32,
     row32<3, [](uint32_t a, uint32_t b, uint32_t c) { return align(a, b, 8 * (c & 31)); }>},
    {S::v_perm_b32, row32<3, perm>},
    {S::v_sad_u8, sad<sad_bytes>()},
    {S::v_sad_hi_u8, sad<sad_bytes, 16>()},
    {S::v_sad_u16, sad<sad_words>()},
    {S::v_sad_u32, sad<[](uint32_t a, uint32_t b) { return int64_t{distance(a, b)}; }>()},
    {S::v_msad_u8, sad<sad_bytes_masked>()},
    {S::v_qsad_pk_u16_u8, lane_row<qsad16<sad_bytes>>},
    {S::v_mqsad_pk_u16_u8, lane_row<qsad16<sad_bytes_masked>>},
    {S::v_mqsad_u32_u8, mqsad32},
};

}  // namespace

EntryList integer_bytes() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
