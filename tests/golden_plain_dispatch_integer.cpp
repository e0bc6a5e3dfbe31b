// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_plain_dispatch_integer.h"

#include <algorithm>
#include <bit>

namespace cuvette::golden::plain {
namespace {

uint32_t sign_filled(uint32_t value, unsigned count) {
  return static_cast<uint32_t>(static_cast<int32_t>(value) >> count);
}

uint64_t sign_filled(uint64_t value, unsigned count) {
  return static_cast<uint64_t>(static_cast<int64_t>(value) >> count);
}

/// Bits of lanes before `lane`, of which the mask has 32 from `first` on.
uint32_t before(unsigned lane, unsigned first) {
  const uint64_t all = (uint64_t{1} << lane) - 1;
  return static_cast<uint32_t>(all >> first);
}

template <class T>
bool holds(Cond cond, T a, T b) {
  switch (cond) {
    case Cond::F:
      return false;
    case Cond::Lt:
      return a < b;
    case Cond::Eq:
      return a == b;
    case Cond::Le:
      return a <= b;
    case Cond::Gt:
      return a > b;
    case Cond::Ne:
      return a != b;
    case Cond::Ge:
      return a >= b;
    default:
      return true;
  }
}

uint32_t evaluate_three(What what, uint32_t a, uint32_t b, uint32_t c) {
  constexpr uint32_t k24 = 0xffffff;
  switch (what) {
    case What::LshlAdd:
      return (a << (b & 31)) + c;
    case What::LshlOr:
      return a << (b & 31) | c;
    case What::Add3:
      return a + b + c;
    case What::AddLshl:
      return (a + b) << (c & 31);
    case What::AndOr:
      return (a & b) | c;
    case What::MadU24:
      return (a & k24) * (b & k24) + c;
    default:  // Bfe
      return a >> (b & 31) & static_cast<uint32_t>((uint64_t{1} << (c & 31)) - 1);
  }
}

}  // namespace

uint32_t evaluate_integer(What what, uint32_t a, uint32_t b, uint32_t c, unsigned lane) {
  constexpr uint32_t k24 = 0xffffff;
  if (has_third_source(what)) return evaluate_three(what, a, b, c);
  switch (what) {
    case What::Add:
      return a + b;
    case What::Sub:
      return a - b;
    case What::Subrev:
      return b - a;
    case What::Shl:
      return b << (a & 31);
    case What::Ashr:
      return sign_filled(b, a & 31);
    case What::Lshr:
      return b >> (a & 31);
    case What::MulLo:
      return a * b;
    case What::MulHi:
      return static_cast<uint32_t>(uint64_t{a} * b >> 32);
    case What::MulU24:
      return (a & k24) * (b & k24);
    case What::And:
      return a & b;
    case What::Or:
      return a | b;
    case What::Xor:
      return a ^ b;
    case What::MinU:
      return std::min(a, b);
    case What::MbcntLo:
      return b + static_cast<uint32_t>(std::popcount(a & before(lane, 0)));
    case What::MbcntHi:
      return b + static_cast<uint32_t>(std::popcount(a & before(lane, 32)));
    default:  // Mov
      return a;
  }
}

uint64_t evaluate_wide(What what, uint64_t a, uint64_t b, uint64_t c) {
  if (what == What::Shl64) return b << (a & 63);
  if (what == What::Ashr64) return sign_filled(b, a & 63);
  return (a << (b & 7)) + c;
}

bool evaluate_compare(Cond cond, Type type, uint64_t a, uint64_t b) {
  switch (type) {
    case Type::I32:
      return holds(cond, static_cast<int32_t>(a), static_cast<int32_t>(b));
    case Type::U32:
      return holds(cond, static_cast<uint32_t>(a), static_cast<uint32_t>(b));
    case Type::I64:
      return holds(cond, static_cast<int64_t>(a), static_cast<int64_t>(b));
    default:
      return holds(cond, a, b);
  }
}

uint64_t evaluate_mask(What what, uint64_t a, uint64_t b) {
  switch (what) {
    case What::SNot64:
      return ~a;
    case What::SAnd64:
      return a & b;
    case What::SOr64:
      return a | b;
    case What::SXor64:
      return a ^ b;
    case What::SAndn264:
      return a & ~b;
    case What::SLshl64:
      return a << (b & 63);
    case What::SAshr64:
      return sign_filled(a, b & 63);
    default:  // SMov64
      return a;
  }
}

uint64_t evaluate_exec(What what, uint64_t a, uint64_t exec) {
  switch (what) {
    case What::SAndSave:
      return a & exec;
    case What::SOrSave:
      return a | exec;
    case What::SXorSave:
      return a ^ exec;
    case What::SAndn2Save:
      return a & ~exec;
    default:  // SAndn1Save
      return ~a & exec;
  }
}

}  // namespace cuvette::golden::plain
