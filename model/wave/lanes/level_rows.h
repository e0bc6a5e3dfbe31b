// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/level_matrix.h"
#include "wave/lanes/plain_float.h"
#include "wave/lanes/plain_integer.h"
#include "wave/lanes/plain_memory.h"

// The table of one host level, for the file of that level.
namespace cuvette::wave::lanes {
namespace {

Prepared::Run level_floats(HostOp op, bool registers) {
#if defined(__x86_64__)
  switch (op) {
    case HostOp::Add:
      return float_row_of<HostOp::Add>(registers);
    case HostOp::Sub:
      return float_row_of<HostOp::Sub>(registers);
    case HostOp::Subrev:
      return float_row_of<HostOp::Subrev>(registers);
    case HostOp::Mul:
      return float_row_of<HostOp::Mul>(registers);
#if CUVETTE_VECTOR_BYTES > 16
    case HostOp::Fma:
      return float_row_of<HostOp::Fma>(registers);
#endif
    default:
      break;
  }
#endif
  return nullptr;
}
/// Compilers shift SSE lanes left by different counts with conversions of floats, which touches the
/// host's flags.
constexpr bool kShiftsLeft = CUVETTE_VECTOR_BYTES > 16;
constexpr bool shifts_left(IntegerOp op) {
  return op == IntegerOp::Lshlrev || op == IntegerOp::LshlAdd || op == IntegerOp::AddLshl ||
         op == IntegerOp::LshlOr || op == IntegerOp::BfeU;
}

Prepared::Run level_integers(IntegerOp op, bool registers) {
  if (!kShiftsLeft && shifts_left(op)) return nullptr;
  static constexpr auto kRows = integer_table(std::make_index_sequence<kIntegerOps>());
  return kRows[static_cast<size_t>(op)][registers ? 1 : 0];
}
Prepared::Run level_carries(CarryOp op) {
  static constexpr auto kRows = carry_table(std::make_index_sequence<6>());
  return kRows[static_cast<size_t>(op)];
}
Prepared::Run level_compares(CompareOp op, bool is_signed) {
  static constexpr auto kRows = compare_table(std::make_index_sequence<6>());
  return kRows[static_cast<size_t>(op)][is_signed ? 1 : 0];
}
Prepared::Run level_shifts(ShiftOp op) {
  if (!kShiftsLeft) return nullptr;
  static constexpr auto kRows = shift_table(std::make_index_sequence<3>());
  return kRows[static_cast<size_t>(op)];
}

Prepared::Run level_memory(unsigned dwords, bool store, bool lds) {
  static constexpr auto kGlobal = memory_table<false>(std::make_index_sequence<4>());
  static constexpr auto kLds = memory_table<true>(std::make_index_sequence<4>());
  return (lds ? kLds : kGlobal)[dwords - 1][store ? 1 : 0];
}

constexpr HostRows kLevelRows{level_floats,   level_integers, level_carries,
                              level_compares, level_shifts,   level_memory,
                              select_row,     level_matrix,   level_widen};

}  // namespace
}  // namespace cuvette::wave::lanes
