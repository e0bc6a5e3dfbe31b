// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "isa/sources.h"

#include <array>

#include "base/bits.h"
#include "isa/registers.h"

namespace cuvette::isa {
namespace {

/// 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi) (MI100 ISA table 23).
constexpr std::array<uint16_t, 9> kHalf{0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                        0xc000, 0x4400, 0xc400, 0x3118};
constexpr std::array<uint32_t, 9> kSingle{0x3f000000, 0xbf000000, 0x3f800000,
                                          0xbf800000, 0x40000000, 0xc0000000,
                                          0x40800000, 0xc0800000, 0x3e22f983};
constexpr std::array<uint64_t, 9> kDouble{
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
    0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

constexpr bool is_wide(Type type) {
  return type == Type::B64 || type == Type::I64 || type == Type::U64 || type == Type::F64 ||
         type == Type::Mask;
}

constexpr const char* kAlignment = "scalar register alignment";
constexpr const char* kLowBits = "low bits ignored";

}  // namespace

uint64_t inline_value(unsigned code, Type type) {
  if (is_inline_integer(code)) {
    const int64_t value = code <= kInline64 ? static_cast<int64_t>(code) - kInlineZero
                                            : static_cast<int64_t>(kInline64) - code;
    const auto bits = static_cast<uint64_t>(value);
    return is_wide(type) ? bits : base::lo32(bits);
  }
  const unsigned i = code - kInlineHalf;
  if (i >= kSingle.size()) return 0;
  if (is_wide(type)) return kDouble[i];
  const bool half = type == Type::F16 || type == Type::I16 || type == Type::U16 ||
                    type == Type::B16 || type == Type::PkF16;
  return half ? kHalf[i] : kSingle[i];
}

uint64_t literal_value(uint32_t literal, Type type) {
  if (type == Type::F64) return base::join32(0, literal);
  if (type == Type::I64) return static_cast<uint64_t>(base::sign_extend(literal, 32));
  return literal;
}

void set_scalar_register(unsigned code, Operand& operand, Findings& findings) {
  const unsigned dwords = operand.dwords;
  operand.kind = OperandKind::Sgpr;
  operand.index = static_cast<uint16_t>(code);
  const bool ttmp = code >= kTtmp0 && code <= kTtmp15;
  if (code <= kLastSgpr || ttmp) {
    const unsigned align = dwords >= 3 ? 4 : dwords == 2 ? 2 : 1;
    const unsigned first = code & ~(align - 1);
    if (first != code) findings.reserve(kAlignment, kLowBits);
    operand.index = static_cast<uint16_t>(first);
    const unsigned last = first + dwords - 1;
    if (ttmp ? last > kTtmp15 : last > kXnackMaskLo + 1) {
      findings.refuse("scalar registers beyond the last one");
    } else if (!ttmp && last > kLastSgpr) {
      findings.reserve("scalar registers beyond the last one", "out of range");
    }
    return;
  }
  if (code == kM0) {
    if (dwords != 1) findings.refuse("M0 is one register");
    return;
  }
  if (code == kM0 + 1) {
    findings.reserve("scalar register 125", "reads as zero, is not written");
    return;
  }
  // FLAT_SCRATCH, XNACK_MASK, VCC, EXEC: single registers and aligned pairs.
  if (dwords > 2) findings.refuse("special registers come alone or in pairs");
  if (dwords == 2 && code % 2 != 0) findings.refuse("odd half of a special register pair");
}

void set_scalar_source(unsigned code, const uint32_t* literal, bool lds_direct, Operand& operand,
                       Findings& findings) {
  operand.index = static_cast<uint16_t>(code);
  if (code < kInlineZero) {
    set_scalar_register(code, operand, findings);
  } else if (is_inline_integer(code) || is_inline_float(code)) {
    operand.kind = OperandKind::Inline;
    operand.value = inline_value(code, operand.type);
  } else if (code == kLiteral) {
    operand.kind = OperandKind::Literal;
    if (literal != nullptr) {
      operand.value = literal_value(*literal, operand.type);
    } else {
      findings.refuse("no literal in this encoding");
    }
  } else if ((code >= kSharedBase && code <= kPopsExitingWaveId) || code == kVccz ||
             code == kExecz || code == kScc ||
             (code == kLdsDirect && lds_direct && operand.dwords == 1)) {
    operand.kind = OperandKind::Special;
  } else {
    findings.refuse("reserved source code");
  }
}

void set_vector_register(unsigned index, bool acc, Target target, Operand& operand,
                         Findings& findings) {
  operand.kind = acc ? OperandKind::Agpr : OperandKind::Vgpr;
  operand.index = static_cast<uint16_t>(index);
  if (index + operand.dwords > 256) findings.refuse("vector registers beyond the last one");
  if (unified_vgprs(target) && operand.dwords > 1 && index % 2 != 0) {
    findings.reserve("vector register alignment", "used as encoded");
  }
}

}  // namespace cuvette::isa
