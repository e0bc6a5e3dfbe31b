// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/lanes/plain.h"

#include "wave/lanes/host_unit.h"
#include "wave/operand.h"

namespace cuvette::wave {

#if defined(__x86_64__)
void HostSlice::enter() {
  if (ready()) return;
  leave();
  found_ = lanes::host::store_mxcsr(nullptr);
  const fp::Env env = scalar_.mode.env_f32();
  lanes::host::load_mxcsr(lanes::host::wanted_mxcsr(env, false));
  mode_ = scalar_.mode.raw;
  // Where subnormal numbers count as zeros the host is quick.
  careful = wants_care_ && !env.flush_in && !env.flush_out;
}
void HostSlice::restore(uint32_t dropped) {
  const uint32_t flags = lanes::host::store_mxcsr(nullptr) & lanes::host::kFlags;
  lanes::host::load_mxcsr(found_);
  scalar_.trapsts |= flags & ~dropped;
  met_subnormals |= (flags & (fp::kInputDenormal | fp::kUnderflow)) != 0;
  mode_ = kNone;
}
void HostSlice::leave_without_invalid() {
  if (mode_ != kNone) restore(lanes::host::kInvalid);
}
#else
void HostSlice::enter() {}
void HostSlice::restore(uint32_t) {}
void HostSlice::leave_without_invalid() {}
#endif

namespace lanes {
namespace {

using S = isa::SemanticId;

struct FloatEntry {
  S semantic;
  HostOp op;
  bool accumulates = false;
};
constexpr FloatEntry kFloats[] = {
    {S::v_add_f32, HostOp::Add},   {S::v_sub_f32, HostOp::Sub},
    {S::v_mul_f32, HostOp::Mul},   {S::v_subrev_f32, HostOp::Subrev},
    {S::v_fma_f32, HostOp::Fma},   {S::v_fmac_f32, HostOp::Fma, true},
    {S::v_fmamk_f32, HostOp::Fma}, {S::v_fmaak_f32, HostOp::Fma},
    {S::v_mad_f32, HostOp::Mad},   {S::v_mac_f32, HostOp::Mad, true},
    {S::v_madmk_f32, HostOp::Mad}, {S::v_madak_f32, HostOp::Mad},
    {S::v_min_f32, HostOp::Min},   {S::v_max_f32, HostOp::Max},
};

constexpr FloatEntry kDoubles[] = {
    {S::v_add_f64, HostOp::Add}, {S::v_mul_f64, HostOp::Mul},        {S::v_fma_f64, HostOp::Fma},
    {S::v_min_f64, HostOp::Min}, {S::v_fmac_f64, HostOp::Fma, true}, {S::v_max_f64, HostOp::Max},
};

struct IntegerEntry {
  S semantic;
  IntegerOp op;
};
constexpr IntegerEntry kIntegers[] = {
    {S::v_mov_b32, IntegerOp::Mov},          {S::v_not_b32, IntegerOp::Not},
    {S::v_and_b32, IntegerOp::And},          {S::v_or_b32, IntegerOp::Or},
    {S::v_xor_b32, IntegerOp::Xor},          {S::v_xnor_b32, IntegerOp::Xnor},
    {S::v_lshlrev_b32, IntegerOp::Lshlrev},  {S::v_lshrrev_b32, IntegerOp::Lshrrev},
    {S::v_ashrrev_i32, IntegerOp::Ashrrev},  {S::v_min_i32, IntegerOp::MinI},
    {S::v_max_i32, IntegerOp::MaxI},         {S::v_min_u32, IntegerOp::MinU},
    {S::v_max_u32, IntegerOp::MaxU},         {S::v_add_u32, IntegerOp::Add},
    {S::v_sub_u32, IntegerOp::Sub},          {S::v_subrev_u32, IntegerOp::Subrev},
    {S::v_add_i32, IntegerOp::Add},          {S::v_sub_i32, IntegerOp::Sub},
    {S::v_mul_lo_u32, IntegerOp::MulLo},     {S::v_mul_u32_u24, IntegerOp::MulU24},
    {S::v_mad_u32_u24, IntegerOp::MadU24},   {S::v_lshl_add_u32, IntegerOp::LshlAdd},
    {S::v_add_lshl_u32, IntegerOp::AddLshl}, {S::v_add3_u32, IntegerOp::Add3},
    {S::v_lshl_or_b32, IntegerOp::LshlOr},   {S::v_and_or_b32, IntegerOp::AndOr},
    {S::v_or3_b32, IntegerOp::Or3},          {S::v_xad_u32, IntegerOp::Xad},
    {S::v_bfi_b32, IntegerOp::Bfi},          {S::v_bfe_u32, IntegerOp::BfeU},
};

struct CarryEntry {
  S semantic;
  CarryOp op;
};
constexpr CarryEntry kCarries[] = {
    {S::v_add_co_u32, CarryOp::Add},       {S::v_sub_co_u32, CarryOp::Sub},
    {S::v_subrev_co_u32, CarryOp::Subrev}, {S::v_addc_co_u32, CarryOp::Addc},
    {S::v_subb_co_u32, CarryOp::Subb},     {S::v_subbrev_co_u32, CarryOp::Subbrev},
};

/// V_CMP and V_CMPX per comparison, in the order of CompareOp.
struct CompareFamily {
  S compares[6], executing[6];
  bool is_signed, wide;
};
constexpr CompareFamily kCompares[] = {
    {{S::v_cmp_lt_i32, S::v_cmp_eq_i32, S::v_cmp_le_i32, S::v_cmp_gt_i32, S::v_cmp_ne_i32,
      S::v_cmp_ge_i32},
     {S::v_cmpx_lt_i32, S::v_cmpx_eq_i32, S::v_cmpx_le_i32, S::v_cmpx_gt_i32, S::v_cmpx_ne_i32,
      S::v_cmpx_ge_i32},
     true,
     false},
    {{S::v_cmp_lt_u32, S::v_cmp_eq_u32, S::v_cmp_le_u32, S::v_cmp_gt_u32, S::v_cmp_ne_u32,
      S::v_cmp_ge_u32},
     {S::v_cmpx_lt_u32, S::v_cmpx_eq_u32, S::v_cmpx_le_u32, S::v_cmpx_gt_u32, S::v_cmpx_ne_u32,
      S::v_cmpx_ge_u32},
     false,
     false},
    {{S::v_cmp_lt_i64, S::v_cmp_eq_i64, S::v_cmp_le_i64, S::v_cmp_gt_i64, S::v_cmp_ne_i64,
      S::v_cmp_ge_i64},
     {S::v_cmpx_lt_i64, S::v_cmpx_eq_i64, S::v_cmpx_le_i64, S::v_cmpx_gt_i64, S::v_cmpx_ne_i64,
      S::v_cmpx_ge_i64},
     true,
     true},
    {{S::v_cmp_lt_u64, S::v_cmp_eq_u64, S::v_cmp_le_u64, S::v_cmp_gt_u64, S::v_cmp_ne_u64,
      S::v_cmp_ge_u64},
     {S::v_cmpx_lt_u64, S::v_cmpx_eq_u64, S::v_cmpx_le_u64, S::v_cmpx_gt_u64, S::v_cmpx_ne_u64,
      S::v_cmpx_ge_u64},
     false,
     true},
};

/// Of two numbers; what NaNs do is left to the general handler.
struct OrderEntry {
  S semantic, executing;  ///< V_CMP, V_CMPX
  unsigned accepted;      ///< FloatTest
};
constexpr unsigned kLess = kFloatLess, kEqual = kFloatEqual, kGreater = kFloatGreater;
constexpr OrderEntry kOrders[] = {
    {S::v_cmp_lt_f32, S::v_cmpx_lt_f32, kLess},
    {S::v_cmp_eq_f32, S::v_cmpx_eq_f32, kEqual},
    {S::v_cmp_le_f32, S::v_cmpx_le_f32, kLess | kEqual},
    {S::v_cmp_gt_f32, S::v_cmpx_gt_f32, kGreater},
    {S::v_cmp_lg_f32, S::v_cmpx_lg_f32, kLess | kGreater},
    {S::v_cmp_ge_f32, S::v_cmpx_ge_f32, kGreater | kEqual},
    {S::v_cmp_o_f32, S::v_cmpx_o_f32, kLess | kEqual | kGreater},
    {S::v_cmp_u_f32, S::v_cmpx_u_f32, 0},
    {S::v_cmp_nge_f32, S::v_cmpx_nge_f32, kLess},
    {S::v_cmp_nlg_f32, S::v_cmpx_nlg_f32, kEqual},
    {S::v_cmp_ngt_f32, S::v_cmpx_ngt_f32, kLess | kEqual},
    {S::v_cmp_nle_f32, S::v_cmpx_nle_f32, kGreater},
    {S::v_cmp_neq_f32, S::v_cmpx_neq_f32, kLess | kGreater},
    {S::v_cmp_nlt_f32, S::v_cmpx_nlt_f32, kGreater | kEqual},
};
constexpr OrderEntry kDoubleOrders[] = {
    {S::v_cmp_lt_f64, S::v_cmpx_lt_f64, kLess},
    {S::v_cmp_eq_f64, S::v_cmpx_eq_f64, kEqual},
    {S::v_cmp_le_f64, S::v_cmpx_le_f64, kLess | kEqual},
    {S::v_cmp_gt_f64, S::v_cmpx_gt_f64, kGreater},
    {S::v_cmp_lg_f64, S::v_cmpx_lg_f64, kLess | kGreater},
    {S::v_cmp_ge_f64, S::v_cmpx_ge_f64, kGreater | kEqual},
    {S::v_cmp_o_f64, S::v_cmpx_o_f64, kLess | kEqual | kGreater},
    {S::v_cmp_u_f64, S::v_cmpx_u_f64, 0},
    {S::v_cmp_nge_f64, S::v_cmpx_nge_f64, kLess},
    {S::v_cmp_nlg_f64, S::v_cmpx_nlg_f64, kEqual},
    {S::v_cmp_ngt_f64, S::v_cmpx_ngt_f64, kLess | kEqual},
    {S::v_cmp_nle_f64, S::v_cmpx_nle_f64, kGreater},
    {S::v_cmp_neq_f64, S::v_cmpx_neq_f64, kLess | kGreater},
    {S::v_cmp_nlt_f64, S::v_cmpx_nlt_f64, kGreater | kEqual},
};

struct ShiftEntry {
  S semantic;
  ShiftOp op;
};
constexpr ShiftEntry kShifts[] = {
    {S::v_lshlrev_b64, ShiftOp::Left},
    {S::v_lshrrev_b64, ShiftOp::Right},
    {S::v_ashrrev_i64, ShiftOp::RightSigned},
};

template <class Table>
auto find(const Table& table, S semantic) -> decltype(&table[0]) {
  for (const auto& entry : table) {
    if (entry.semantic == semantic) return &entry;
  }
  return nullptr;
}

template <class Table>
auto find_compare(const Table& table, S semantic) -> decltype(&table[0]) {
  for (const auto& entry : table) {
    if (entry.semantic == semantic || entry.executing == semantic) return &entry;
  }
  return nullptr;
}

/// `run`: of the entry; null where the level has none.
Prepared::Run float_row_of(const FloatEntry& entry, Prepared::Run run, Prepared& prepared) {
  if (run == nullptr) return nullptr;
  // Minimum and maximum are not arithmetic.
  const bool chooses = entry.op == HostOp::Min || entry.op == HostOp::Max;
  if (!chooses) prepared.shortness = Shortness::Float;
  if (entry.accumulates) prepared.src[2] = prepared.dst;
  return run;
}

SourceShape shape_of(const isa::Modifiers& mod, const Prepared& prepared) {
  constexpr unsigned kPlaces = 0xf, kFirst = 1;  // of Prepared::scalars
  if (mod.abs != 0 || mod.neg != 0) return SourceShape::Any;
  if ((prepared.scalars & kPlaces) == 0) return SourceShape::Registers;
  return (prepared.scalars & kPlaces) == kFirst ? SourceShape::FirstScalar : SourceShape::Any;
}

Prepared::Run integer_row_of(const HostRows& rows, S semantic, SourceShape shape) {
  if (const auto* e = find(kIntegers, semantic)) return rows.integers(e->op, shape);
  if (const auto* e = find(kCarries, semantic)) return rows.carries(e->op, shape);
  if (const auto c = integer_compare_of(semantic)) {
    return rows.compares(c->op, c->is_signed, c->wide);
  }
  if (const auto* e = find(kShifts, semantic)) return rows.shifts(e->op);
  if (semantic == S::v_lshl_add_u64) return rows.shift_add();
  return semantic == S::v_cndmask_b32 ? rows.select : nullptr;
}

}  // namespace

const HostRows* host_rows() {
  switch (host_level()) {
    case HostLevel::Avx512:
      return &host_rows_avx512();
    case HostLevel::Avx2:
      return &host_rows_avx2();
    case HostLevel::Baseline:
      return &host_rows_baseline();
    default:
      return nullptr;
  }
}

std::optional<IntegerCompare> integer_compare_of(S semantic) {
  for (const CompareFamily& family : kCompares) {
    for (uint8_t op = 0; op < 6; ++op) {
      const bool executing = family.executing[op] == semantic;
      if (!executing && family.compares[op] != semantic) continue;
      return IntegerCompare{static_cast<CompareOp>(op), family.is_signed, family.wide, executing};
    }
  }
  return std::nullopt;
}

Prepared::Run plain_row(const isa::Instruction& instruction, Prepared& prepared) {
  const isa::Modifiers& mod = instruction.mod;
  const HostRows* const rows = host_rows();
  if (rows == nullptr || mod.omod != 0 || mod.clamp) return nullptr;
  const bool edited = mod.abs != 0 || mod.neg != 0;
  const SourceShape shape = shape_of(mod, prepared);
  const S semantic = instruction.semantic();
  if (const auto* e = find(kFloats, semantic)) {
    return float_row_of(*e, rows->floats(e->op, shape), prepared);
  }
  if (const auto* e = find(kDoubles, semantic)) {
    return float_row_of(*e, rows->doubles(e->op), prepared);
  }
  if (const auto* e = find_compare(kOrders, semantic)) return rows->orders(e->accepted, shape);
  if (const auto* e = find_compare(kDoubleOrders, semantic))
    return rows->double_orders(e->accepted);
  return edited ? nullptr : integer_row_of(*rows, semantic, shape);
}

namespace {

/// What `of` says of the operation and shape of an F32 row that plain_row() has found.
template <class Of>
auto of_float_row(const Prepared& prepared, Of of) -> decltype(of(HostOp(), SourceShape())) {
  const HostRows* const rows = host_rows();
  const auto* e = find(kFloats, prepared.instruction->semantic());
  if (rows == nullptr || e == nullptr) return {};
  const SourceShape shape = shape_of(prepared.instruction->mod, prepared);
  // Rows of the general handlers have modifiers on their result.
  if (rows->floats(e->op, shape) != prepared.run) return {};
  return of(e->op, shape);
}

}  // namespace

StreamRows stream_rows(const Prepared& prepared) {
  return of_float_row(prepared,
                      [](HostOp op, SourceShape shape) { return host_rows()->streams(op, shape); });
}
Prepared::Run sequence_row(const Prepared& prepared) {
  return of_float_row(
      prepared, [](HostOp op, SourceShape shape) { return host_rows()->sequences(op, shape); });
}

void finish_with_nans(const Prepared& p, WaveState& wave, HostSlice& slice, const uint32_t* row,
                      uint64_t nan) {
  slice.leave_without_invalid();
  LaneRow copy[3];
  LaneOp op;
  op.instruction = p.instruction;
  op.mode = wave.s.mode;
  op.exec = nan;
  for (unsigned s = 0; s < p.sources; ++s) {
    if (base::bit(p.scalars, s)) {
      copy[s].fill(*p.scalar_source(wave, s));
      op.src[s][0] = copy[s].data();
    } else {
      op.src[s][0] = Prepared::row(wave, p.src[s]);
    }
  }
  LaneResult result;
  uint32_t* const dst = Prepared::row(wave, p.dst);
  result.dst[0] = dst;
  p.lanes(op, result);
  wave.s.trapsts |= result.flags & kExcpMask;
  for (uint64_t rest = wave.s.exec() & ~nan; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    dst[lane] = row[lane];
  }
  slice.enter();
}

}  // namespace lanes
}  // namespace cuvette::wave
