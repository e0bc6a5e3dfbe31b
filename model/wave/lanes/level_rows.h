// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wave/lanes/level_matrix.h"
#include "wave/lanes/plain_double.h"
#include "wave/lanes/plain_float.h"
#include "wave/lanes/plain_integer.h"
#include "wave/lanes/plain_integer64.h"
#include "wave/lanes/plain_memory.h"
#include "wave/lanes/plain_order.h"
#include "wave/lanes/plain_sequence.h"
#include "wave/lanes/plain_stream.h"

// The table of one host level, for the file of that level.
namespace cuvette::wave::lanes {
namespace {

/// What `of` says of a sum, product or fused multiply-add, as a constant; of others nothing.
template <class Result, class Of>
Result of_arithmetic(HostOp op, Of of) {
  switch (op) {
    case HostOp::Add:
      return of(std::integral_constant<HostOp, HostOp::Add>());
    case HostOp::Sub:
      return of(std::integral_constant<HostOp, HostOp::Sub>());
    case HostOp::Subrev:
      return of(std::integral_constant<HostOp, HostOp::Subrev>());
    case HostOp::Mul:
      return of(std::integral_constant<HostOp, HostOp::Mul>());
    case HostOp::Fma:
      return of(std::integral_constant<HostOp, HostOp::Fma>());
    case HostOp::Mad:
      return of(std::integral_constant<HostOp, HostOp::Mad>());
    default:
      return {};
  }
}

Prepared::Run level_floats(HostOp op, SourceShape shape) {
  if (op == HostOp::Min) return extreme_row_of<HostOp::Min>(shape);
  if (op == HostOp::Max) return extreme_row_of<HostOp::Max>(shape);
#if defined(__x86_64__)
  return of_arithmetic<Prepared::Run>(
      op, [shape](auto constant) { return float_row_of<constant.value>(shape); });
#else
  return nullptr;
#endif
}
Prepared::Run level_doubles(HostOp op) {
#if defined(__x86_64__)
  if (op == HostOp::Add) return double_row<HostOp::Add>;
  if (op == HostOp::Mul) return double_row<HostOp::Mul>;
#if CUVETTE_VECTOR_BYTES > 16
  if (op == HostOp::Fma) return double_row<HostOp::Fma>;
#endif
#endif
  if (op == HostOp::Min) return extreme64_row<HostOp::Min>;
  if (op == HostOp::Max) return extreme64_row<HostOp::Max>;
  return nullptr;
}
Prepared::Run level_double_orders(unsigned accepted) {
  static constexpr auto kRows = order64_table(std::make_index_sequence<8>());
  return kRows[accepted];
}
Prepared::Run level_orders(unsigned accepted, SourceShape shape) {
  static constexpr auto kRows = order_table(std::make_index_sequence<8>());
  return kRows[accepted][shape == SourceShape::Registers ? 1 : 0];
}
/// Compilers shift SSE lanes left by different counts with conversions of floats, which touches the
/// host's flags. The general handlers do it then; operands are found as for other rows.
constexpr bool kShiftsLeft = CUVETTE_VECTOR_BYTES > 16;
constexpr bool shifts_left(IntegerOp op) {
  return op == IntegerOp::Lshlrev || op == IntegerOp::LshlAdd || op == IntegerOp::AddLshl ||
         op == IntegerOp::LshlOr || op == IntegerOp::BfeU;
}

Prepared::Run level_integers(IntegerOp op, SourceShape shape) {
  if (!kShiftsLeft && shifts_left(op)) return run_lanes;
  static constexpr auto kRows = integer_table(std::make_index_sequence<kIntegerOps>());
  return kRows[static_cast<size_t>(op)][static_cast<size_t>(shape)];
}
Prepared::Run level_carries(CarryOp op, SourceShape shape) {
  static constexpr auto kRows = carry_table(std::make_index_sequence<6>());
  return kRows[static_cast<size_t>(op)][static_cast<size_t>(shape)];
}
Prepared::Run level_compares(CompareOp op, bool is_signed, bool wide) {
  static constexpr auto kRows = compare_table(std::make_index_sequence<6>());
  static constexpr auto kWideRows = compare64_table(std::make_index_sequence<6>());
  return (wide ? kWideRows : kRows)[static_cast<size_t>(op)][is_signed ? 1 : 0];
}
Prepared::Run level_shifts(ShiftOp op) {
  if (!kShiftsLeft) return run_lanes;
  static constexpr auto kRows = shift_table(std::make_index_sequence<3>());
  return kRows[static_cast<size_t>(op)];
}
Prepared::Run level_shift_add() {
  return kShiftsLeft ? shift_add_row : run_lanes;
}

Prepared::Run level_memory(unsigned dwords, bool store, bool lds) {
  static constexpr auto kGlobal = memory_table<MemoryWay::Global>(std::make_index_sequence<4>());
  static constexpr auto kLds = memory_table<MemoryWay::Lds>(std::make_index_sequence<4>());
  return (lds ? kLds : kGlobal)[dwords - 1][store ? 1 : 0];
}
Prepared::Run level_steady_memory(unsigned dwords, bool store, bool lds) {
  static constexpr auto kGlobal =
      memory_table<MemoryWay::SteadyGlobal>(std::make_index_sequence<4>());
  static constexpr auto kLds = memory_table<MemoryWay::SteadyLds>(std::make_index_sequence<4>());
  return (lds ? kLds : kGlobal)[dwords - 1][store ? 1 : 0];
}

StreamRows level_streams([[maybe_unused]] HostOp op, [[maybe_unused]] SourceShape shape) {
#if defined(__x86_64__)
  if (op == HostOp::Mad) return {};  // MODE may not be for it
  return of_arithmetic<StreamRows>(
      op, [shape](auto constant) { return stream_rows_of<constant.value>(shape); });
#else
  return {};
#endif
}

Prepared::Run level_sequences([[maybe_unused]] HostOp op, [[maybe_unused]] SourceShape shape) {
#if CUVETTE_VECTOR_BYTES > 16
  return of_arithmetic<Prepared::Run>(
      op, [shape](auto constant) { return float_sequence_of<constant.value>(shape); });
#else
  return nullptr;
#endif
}

constexpr HostRows kLevelRows{level_floats,    level_doubles, level_double_orders, level_orders,
                              level_integers,  level_carries, level_compares,      level_shifts,
                              level_shift_add, level_memory,  level_steady_memory, level_streams,
                              level_sequences, select_row,    level_matrix,        level_widen,
                              walks_row,       walk_row};

}  // namespace
}  // namespace cuvette::wave::lanes
