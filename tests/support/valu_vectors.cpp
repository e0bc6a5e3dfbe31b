// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "valu_vectors.h"

#include <bit>
#include <iterator>
#include <string>
#include <string_view>

#include "valu_oracle.h"

namespace cuvette::valu_vectors {
namespace {

using isa::Type;

bool is_half(Type t) {
  return t == Type::F16 || t == Type::B16 || t == Type::I16 || t == Type::U16 || t == Type::PkF16 ||
         t == Type::PkI16 || t == Type::PkU16;
}

uint32_t corner_halves(std::mt19937_64& random) {
  return corner_half(random) | uint32_t{corner_half(random)} << 16;
}

/// A binary32 number whose exponent is moderate: the domain of the transcendental functions.
uint32_t moderate_word(std::mt19937_64& random) {
  const uint64_t r = random();
  const auto field = static_cast<uint32_t>(90 + r % 60) << 23;
  return (static_cast<uint32_t>(r >> 32) & ((r >> 16 & 3) == 0 ? 0x80f00000 : 0x807fffff)) | field;
}

uint64_t operand(const isa::Row& row, Type type, unsigned dwords, std::mt19937_64& random) {
  const uint64_t r = random();
  if (row.unit == isa::Unit::Trans && type == Type::F32 && (r & 1) != 0) {
    return moderate_word(random);
  }
  // V_FMA_MIX and V_MAD_MIX read F16 or F32 by op_sel_hi.
  const std::string_view family = row.mnemonic.substr(0, 9);
  const bool mixes = family == "v_fma_mix" || family == "v_mad_mix";
  if (is_half(type) && !(mixes && (r & 1) != 0)) return corner_halves(random);
  if (type == Type::F64) return corner_double(random);
  const uint64_t word = valu_oracle::corner_word(random);
  if (dwords < 2) return word;
  // 64-bit integers: also those that differ in one half only, or hold four corner halves.
  if ((r & 6) == 0) return uint64_t{corner_halves(random)} << 32 | corner_halves(random);
  return word | uint64_t{valu_oracle::corner_word(random)} << 32;
}

double as_double(uint64_t x) {
  return std::bit_cast<double>(x);
}

/// F64 operands of a division whose exponents are near the bounds of its branches.
void near_bounds(std::mt19937_64& random, uint64_t& den, uint64_t& num) {
  static constexpr uint64_t kApart[] = {768, 767, 769, 1022, 1021, 1023, 1074, 1075, 1076, 1};
  constexpr uint64_t kField = 0x7ff;
  const uint64_t r = random();
  den = (den & ~(kField << 52)) | (r >> 8 & kField) << 52;
  const uint64_t apart = kApart[(r >> 24) % std::size(kApart)];
  const uint64_t field = (den >> 52) + ((r & 1) != 0 ? apart : uint64_t{0} - apart);
  num = (num & ~(kField << 52)) | (field & kField) << 52;
  if ((r >> 40 & 3) != 0) return;
  // The quotient that rounds up to the smallest normal number.
  den &= ~uint64_t{0xfffffffffffff};
  num = (((den >> 52 & kField) - 1023) & kField) << 52 | 0xfffffffffffff;
}

/// A binary32 number around the range of 8-bit floats, often one of few bits or halfway between
/// two.
uint32_t near_byte_float(std::mt19937_64& random) {
  const uint64_t r = random();
  const uint32_t field = static_cast<uint32_t>(98 + r % 48) << 23;
  const uint32_t sign = static_cast<uint32_t>(r >> 8 & 1) << 31;
  const auto fraction = static_cast<uint32_t>(r >> 32) & 0x7fffff;
  const uint32_t kept = ~0u << (15 + (r >> 16 & 7));
  return sign | field | ((r >> 24 & 3) == 0 ? fraction : (fraction & kept) | (r >> 28 & 1));
}

/// Operands of instructions that gfx908 has nothing like.
void later_operands(const isa::Row& row, const std::string& name, std::mt19937_64& random,
                    uint64_t (&src)[3], uint64_t& old) {
  if (row.src[0].type == Type::PkF32 || row.src[0].type == Type::PkB32) {
    const valu_oracle::Sources low = valu_oracle::corner_sources(name, random);
    const valu_oracle::Sources high = valu_oracle::corner_sources(name, random);
    for (unsigned s = 0; s < 3; ++s) src[s] = low.src[s] | high.src[s] << 32;
  } else if (row.src[0].type == Type::F64 && row.dst[0].read) {
    // An accumulator close to minus the product, so that almost everything cancels.
    const uint64_t r = random();
    old = (r & 7) < 3
              ? std::bit_cast<uint64_t>(-(as_double(src[0]) * as_double(src[1]))) + (r >> 8 & 3)
              : corner_double(random);
  } else if (name.find("_fp8_f32") != std::string::npos ||
             name.find("_bf8_f32") != std::string::npos) {
    const uint64_t r = random();
    if ((r & 3) != 0) src[0] = near_byte_float(random);
    if (name.substr(0, 8) == "v_cvt_pk") {
      if ((r & 12) != 0) src[1] = near_byte_float(random);
    } else {
      src[1] = static_cast<uint32_t>(random());
    }
  }
}

}  // namespace

uint16_t corner_half(std::mt19937_64& random) {
  static constexpr uint16_t kCorners[] = {
      0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x07ff, 0x0800,
      0x3800, 0x3c00, 0xbc00, 0x3bff, 0x3c01, 0x4000, 0x7bff, 0xfbff, 0x7bfe, 0x7800, 0x7c00,
      0xfc00, 0x7e00, 0xfe00, 0x7e12, 0x7c01, 0xfd23, 0x7fff, 0xffff, 0x00ff, 0xff80, 0x5bff};
  const uint64_t r = random();
  const auto half = static_cast<uint16_t>(r >> 40);
  switch (r % 8) {
    case 0:
    case 1:
      return kCorners[(r >> 8) % std::size(kCorners)];
    case 2:
      return half & 0x83ff;  // subnormal
    case 3:
      return static_cast<uint16_t>((half & 0x8fff) | 0x3000);  // around one
    case 4:
      return static_cast<uint16_t>((half & 0x87ff) | 0x7800);  // large, infinite or NaN
    case 5:
      return static_cast<uint16_t>((half & 0x8fff));  // small
    default:
      return half;
  }
}

uint64_t corner_double(std::mt19937_64& random) {
  static constexpr uint64_t kCorners[] = {
      0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
      0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x0010000000000001,
      0x001fffffffffffff, 0x3fe0000000000000, 0x3ff0000000000000, 0xbff0000000000000,
      0x3fefffffffffffff, 0x3ff0000000000001, 0x4000000000000000, 0x7fefffffffffffff,
      0xffefffffffffffff, 0x7fe0000000000000, 0x7ff0000000000000, 0xfff0000000000000,
      0x7ff8000000000000, 0xfff8000000012345, 0x7ff0000000000001, 0xfff4000000000000,
      0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000,
      0x41efffffffe00000, 0x41f0000000000000, 0x47efffffe0000000, 0x47effffff0000000,
      0x3810000000000000, 0x380fffffffffffff, 0x36a0000000000000, 0x3690000000000000,
      0x4330000000000000, 0x4340000000000000, 0x432fffffffffffff, 0x7fffffffffffffff};
  constexpr uint64_t kFraction = 0xfffffffffffff;
  constexpr uint64_t kSign = uint64_t{1} << 63;
  const uint64_t r = random();
  const uint64_t bits = random();
  // A fraction with few bits, or one that ends beyond binary32 in a tie.
  const uint64_t fraction = (r >> 16 & 3) == 0   ? bits & kFraction & ~0ull << (r >> 20 & 63)
                            : (r >> 16 & 3) == 1 ? (bits & kFraction & ~0x1fffffffull) | 0x10000000
                                                 : bits & kFraction;
  switch (r % 16) {
    case 0:
    case 1:
    case 2:
      return kCorners[(r >> 8) % std::size(kCorners)];
    case 3:
      return (bits & kSign) | fraction;  // subnormal
    case 4:
      return (bits & kSign) | fraction | (r >> 32 & 1) << 52;
    case 5:
      return (bits & kSign) | fraction | (0x7fe + (r >> 32 & 1)) << 52;
    case 6:
    case 7:
    case 8:
      return (bits & kSign) | fraction | (1023 - 4 + (r >> 32 & 7)) << 52;  // around one
    case 9:
    case 10:
      return (bits & kSign) | fraction | (1023 + (r >> 32 & 63)) << 52;  // integers and halves
    case 11:
      return (bits & kSign) | fraction | (1023 - 155 + (r >> 32 & 31)) << 52;  // tiny in binary32
    case 12:
      return (bits & kSign) | fraction | (1023 + 120 + (r >> 32 & 15)) << 52;  // large in binary32
    default:
      return bits;
  }
}

void draw_lane(const isa::Row& row, unsigned lane, std::mt19937_64& random, valu::Request& out) {
  const std::string name(row.mnemonic);
  const valu_oracle::Sources words = valu_oracle::corner_sources(name, random);
  uint64_t src[3] = {words.src[0], words.src[1], words.src[2]};
  uint64_t old = words.old;
  for (unsigned s = 0; s < 3; ++s) {
    const isa::OperandSpec& spec = row.src[s];
    if (is_half(spec.type) || spec.dwords > 1 || row.unit == isa::Unit::Trans) {
      src[s] = operand(row, spec.type, spec.dwords, random);
    }
  }
  if (is_half(row.dst[0].type)) old = corner_halves(random);
  const uint64_t r = random();
  if (row.src[0].type == Type::F64 && row.src[1].type == Type::F64) {
    if ((r & 7) == 0) src[1] = src[0] ^ (r >> 8 & 1) << 63 ^ (r >> 9 & 3);
    // An addend close to minus the product, so that almost everything cancels.
    if ((r >> 16 & 7) < 2) {
      src[2] = std::bit_cast<uint64_t>(-(as_double(src[0]) * as_double(src[1]))) + (r >> 24 & 3);
    }
    if (name.substr(0, 6) == "v_div_") {
      if ((r >> 32 & 1) != 0) near_bounds(random, src[1], src[2]);
      if (name == "v_div_scale_f64" && (r >> 33 & 7) != 0) src[0] = src[1 + (r >> 36 & 1)];
    }
  }
  later_operands(row, name, random, src, old);
  // Exponents are mostly small numbers.
  const bool ldexp = name.find("ldexp") != std::string::npos;
  if (ldexp && (r >> 40 & 3) != 0) {
    const int by = (r >> 57 & 1) != 0 ? static_cast<int>(r >> 44 & 31) - 16
                                      : static_cast<int>(r >> 44 & 0xfff) - 2048;
    src[1] = static_cast<uint32_t>(by);
  }
  for (unsigned s = 0; s < 3; ++s) out.src[s][lane] = src[s];
  out.old[lane] = old;
  const unsigned bit = 1u << lane;
  out.mask_in = static_cast<uint16_t>(words.mask ? out.mask_in | bit : out.mask_in & ~bit);
}

void draw_modifiers(const isa::Row& row, std::mt19937_64& random, valu::Request& out) {
  const uint64_t r = random();
  isa::Modifiers m;
  auto encoding = isa::Encoding::Native;
  if (row.format == isa::Format::Vop3p) {
    m.op_sel_hi = 7;
    if ((r & 3) != 0) {
      m.op_sel = r >> 8 & 7;
      m.op_sel_hi = r >> 12 & 7;
      m.neg = r >> 16 & 7;
      m.neg_hi = r >> 20 & 7;
      m.clamp = (r >> 24 & 3) == 0;
    }
  } else if ((r & 3) == 1 && row.sdwa_targets != 0) {
    encoding = isa::Encoding::Sdwa;
    m.sdwa_src[0] = static_cast<isa::SdwaSelect>((r >> 8) % 7);
    m.sdwa_src[1] = static_cast<isa::SdwaSelect>((r >> 12) % 7);
    m.sdwa_dst = static_cast<isa::SdwaSelect>((r >> 16) % 7);
    m.sdwa_unused = static_cast<isa::SdwaUnused>((r >> 20) % 3);
    m.sext = r >> 24 & 3;
    m.abs = r >> 28 & 3;
    m.neg = r >> 32 & 3;
    if ((r >> 36 & 1) != 0) m.omod = r >> 37 & 3;
    m.clamp = (r >> 40 & 3) == 0;
  } else if ((r & 3) != 0) {
    encoding = isa::Encoding::Vop3;
    if ((r >> 4 & 1) != 0) {
      m.abs = r >> 8 & 7;
      m.neg = r >> 12 & 7;
    }
    if ((r >> 5 & 3) == 0) m.omod = r >> 16 & 3;
    m.clamp = (r >> 20 & 3) == 0;
    m.op_sel = r >> 24 & 15;
  }
  out.modifiers = valu::modifiers_of(row, encoding, m);
}

void draw(const isa::Row& row, std::mt19937_64& random, valu::Request& out) {
  out.row = static_cast<uint16_t>(isa::index_of(row));
  out.beat = static_cast<uint8_t>(random() & 3);
  out.pass = row.dst[0].dwords > 2 ? static_cast<uint8_t>(random() & 1) : uint8_t{0};
  draw_modifiers(row, random, out);
  const uint64_t r = random();
  const bool part = (r & 3) == 0, single = (r & 7) == 4;
  out.exec = single ? static_cast<uint16_t>(1u << (r >> 8 & 15))
             : part ? static_cast<uint16_t>((r >> 32 & 15) == 0 ? 0 : r >> 16)
                    : uint16_t{0xffff};
  for (unsigned l = 0; l < valu::kLanes; ++l) draw_lane(row, l, random, out);
}

bool writes_vector(const isa::Row& row) {
  return row.dst[0].role == isa::Role::Vdst || row.dst[1].role == isa::Role::Vdst;
}

bool writes_mask(const isa::Row& row) {
  for (const isa::OperandSpec& d : row.dst) {
    if (d.write && (d.role == isa::Role::SdstMask || d.role == isa::Role::Vcc)) {
      return true;
    }
  }
  return false;
}

size_t values_of(const std::vector<valu::Request>& program) {
  size_t values = 0;
  for (const valu::Request& q : program) {
    const isa::Row& row = *(isa::rows().begin() + q.row);
    values += 6 + (writes_mask(row) ? 1 : 0);
    if (writes_vector(row)) values += static_cast<unsigned>(std::popcount(q.exec));
  }
  return values;
}

}  // namespace cuvette::valu_vectors
