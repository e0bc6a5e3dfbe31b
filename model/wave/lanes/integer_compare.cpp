// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/families.h"
#include "wave/lanes/integer_ops.h"

// V_CMP and V_CMPX on integers (Vega ISA 12.8). The caller of the lanes writes EXEC.
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

enum class Test : uint8_t { F, Lt, Eq, Le, Gt, Ne, Ge, T };

template <Test Op, class T>
constexpr bool holds(T a, T b) {
  switch (Op) {
    case Test::F:
      return false;
    case Test::Lt:
      return a < b;
    case Test::Eq:
      return a == b;
    case Test::Le:
      return a <= b;
    case Test::Gt:
      return a > b;
    case Test::Ne:
      return a != b;
    case Test::Ge:
      return a >= b;
    case Test::T:
      break;
  }
  return true;
}

template <class T, Test Op>
CUVETTE_LEVEL void compare_of(const LaneOp& op, LaneResult& result) {
  const Sources in(op);
  const auto operand = [&](unsigned s, unsigned lane) -> T {
    if constexpr (sizeof(T) == 2) return static_cast<T>(in.b16(s, lane));
    if constexpr (sizeof(T) == 4) return static_cast<T>(in.b32(s, lane));
    return static_cast<T>(in.b64(s, lane));
  };
  each_mark(op, result,
            [&](unsigned lane) { return holds<Op>(operand(0, lane), operand(1, lane)); });
}
template <class T, Test Op>
constexpr Row compare = lane_row<compare_of<T, Op>>;

constexpr Entry kEntries[] = {
    {S::v_cmp_f_i16, compare<int16_t, Test::F>},
    {S::v_cmp_lt_i16, compare<int16_t, Test::Lt>},
    {S::v_cmp_eq_i16, compare<int16_t, Test::Eq>},
    {S::v_cmp_le_i16, compare<int16_t, Test::Le>},
    {S::v_cmp_gt_i16, compare<int16_t, Test::Gt>},
    {S::v_cmp_ne_i16, compare<int16_t, Test::Ne>},
    {S::v_cmp_ge_i16, compare<int16_t, Test::Ge>},
    {S::v_cmp_t_i16, compare<int16_t, Test::T>},
    {S::v_cmpx_f_i16, compare<int16_t, Test::F>},
    {S::v_cmpx_lt_i16, compare<int16_t, Test::Lt>},
    {S::v_cmpx_eq_i16, compare<int16_t, Test::Eq>},
    {S::v_cmpx_le_i16, compare<int16_t, Test::Le>},
    {S::v_cmpx_gt_i16, compare<int16_t, Test::Gt>},
    {S::v_cmpx_ne_i16, compare<int16_t, Test::Ne>},
    {S::v_cmpx_ge_i16, compare<int16_t, Test::Ge>},
    {S::v_cmpx_t_i16, compare<int16_t, Test::T>},
    {S::v_cmp_f_u16, compare<uint16_t, Test::F>},
    {S::v_cmp_lt_u16, compare<uint16_t, Test::Lt>},
    {S::v_cmp_eq_u16, compare<uint16_t, Test::Eq>},
    {S::v_cmp_le_u16, compare<uint16_t, Test::Le>},
    {S::v_cmp_gt_u16, compare<uint16_t, Test::Gt>},
    {S::v_cmp_ne_u16, compare<uint16_t, Test::Ne>},
    {S::v_cmp_ge_u16, compare<uint16_t, Test::Ge>},
    {S::v_cmp_t_u16, compare<uint16_t, Test::T>},
    {S::v_cmpx_f_u16, compare<uint16_t, Test::F>},
    {S::v_cmpx_lt_u16, compare<uint16_t, Test::Lt>},
    {S::v_cmpx_eq_u16, compare<uint16_t, Test::Eq>},
    {S::v_cmpx_le_u16, compare<uint16_t, Test::Le>},
    {S::v_cmpx_gt_u16, compare<uint16_t, Test::Gt>},
    {S::v_cmpx_ne_u16, compare<uint16_t, Test::Ne>},
    {S::v_cmpx_ge_u16, compare<uint16_t, Test::Ge>},
    {S::v_cmpx_t_u16, compare<uint16_t, Test::T>},
    {S::v_cmp_f_i32, compare<int32_t, Test::F>},
    {S::v_cmp_lt_i32, compare<int32_t, Test::Lt>},
    {S::v_cmp_eq_i32, compare<int32_t, Test::Eq>},
    {S::v_cmp_le_i32, compare<int32_t, Test::Le>},
    {S::v_cmp_gt_i32, compare<int32_t, Test::Gt>},
    {S::v_cmp_ne_i32, compare<int32_t, Test::Ne>},
    {S::v_cmp_ge_i32, compare<int32_t, Test::Ge>},
    {S::v_cmp_t_i32, compare<int32_t, Test::T>},
    {S::v_cmpx_f_i32, compare<int32_t, Test::F>},
    {S::v_cmpx_lt_i32, compare<int32_t, Test::Lt>},
    {S::v_cmpx_eq_i32, compare<int32_t, Test::Eq>},
    {S::v_cmpx_le_i32, compare<int32_t, Test::Le>},
    {S::v_cmpx_gt_i32, compare<int32_t, Test::Gt>},
    {S::v_cmpx_ne_i32, compare<int32_t, Test::Ne>},
    {S::v_cmpx_ge_i32, compare<int32_t, Test::Ge>},
    {S::v_cmpx_t_i32, compare<int32_t, Test::T>},
    {S::v_cmp_f_u32, compare<uint32_t, Test::F>},
    {S::v_cmp_lt_u32, compare<uint32_t, Test::Lt>},
    {S::v_cmp_eq_u32, compare<uint32_t, Test::Eq>},
    {S::v_cmp_le_u32, compare<uint32_t, Test::Le>},
    {S::v_cmp_gt_u32, compare<uint32_t, Test::Gt>},
    {S::v_cmp_ne_u32, compare<uint32_t, Test::Ne>},
    {S::v_cmp_ge_u32, compare<uint32_t, Test::Ge>},
    {S::v_cmp_t_u32, compare<uint32_t, Test::T>},
    {S::v_cmpx_f_u32, compare<uint32_t, Test::F>},
    {S::v_cmpx_lt_u32, compare<uint32_t, Test::Lt>},
    {S::v_cmpx_eq_u32, compare<uint32_t, Test::Eq>},
    {S::v_cmpx_le_u32, compare<uint32_t, Test::Le>},
    {S::v_cmpx_gt_u32, compare<uint32_t, Test::Gt>},
    {S::v_cmpx_ne_u32, compare<uint32_t, Test::Ne>},
    {S::v_cmpx_ge_u32, compare<uint32_t, Test::Ge>},
    {S::v_cmpx_t_u32, compare<uint32_t, Test::T>},
    {S::v_cmp_f_i64, compare<int64_t, Test::F>},
    {S::v_cmp_lt_i64, compare<int64_t, Test::Lt>},
    {S::v_cmp_eq_i64, compare<int64_t, Test::Eq>},
    {S::v_cmp_le_i64, compare<int64_t, Test::Le>},
    {S::v_cmp_gt_i64, compare<int64_t, Test::Gt>},
    {S::v_cmp_ne_i64, compare<int64_t, Test::Ne>},
    {S::v_cmp_ge_i64, compare<int64_t, Test::Ge>},
    {S::v_cmp_t_i64, compare<int64_t, Test::T>},
    {S::v_cmpx_f_i64, compare<int64_t, Test::F>},
    {S::v_cmpx_lt_i64, compare<int64_t, Test::Lt>},
    {S::v_cmpx_eq_i64, compare<int64_t, Test::Eq>},
    {S::v_cmpx_le_i64, compare<int64_t, Test::Le>},
    {S::v_cmpx_gt_i64, compare<int64_t, Test::Gt>},
    {S::v_cmpx_ne_i64, compare<int64_t, Test::Ne>},
    {S::v_cmpx_ge_i64, compare<int64_t, Test::Ge>},
    {S::v_cmpx_t_i64, compare<int64_t, Test::T>},
    {S::v_cmp_f_u64, compare<uint64_t, Test::F>},
    {S::v_cmp_lt_u64, compare<uint64_t, Test::Lt>},
    {S::v_cmp_eq_u64, compare<uint64_t, Test::Eq>},
    {S::v_cmp_le_u64, compare<uint64_t, Test::Le>},
    {S::v_cmp_gt_u64, compare<uint64_t, Test::Gt>},
    {S::v_cmp_ne_u64, compare<uint64_t, Test::Ne>},
    {S::v_cmp_ge_u64, compare<uint64_t, Test::Ge>},
    {S::v_cmp_t_u64, compare<uint64_t, Test::T>},
    {S::v_cmpx_f_u64, compare<uint64_t, Test::F>},
    {S::v_cmpx_lt_u64, compare<uint64_t, Test::Lt>},
    {S::v_cmpx_eq_u64, compare<uint64_t, Test::Eq>},
    {S::v_cmpx_le_u64, compare<uint64_t, Test::Le>},
    {S::v_cmpx_gt_u64, compare<uint64_t, Test::Gt>},
    {S::v_cmpx_ne_u64, compare<uint64_t, Test::Ne>},
    {S::v_cmpx_ge_u64, compare<uint64_t, Test::Ge>},
    {S::v_cmpx_t_u64, compare<uint64_t, Test::T>},
};

}  // namespace

EntryList integer_compare() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
