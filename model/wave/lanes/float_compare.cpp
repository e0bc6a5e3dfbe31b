// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "fp/compare.h"
#include "wave/lanes/families.h"
#include "wave/lanes/float_ops.h"

// V_CMP, V_CMPX and V_CMP_CLASS on floats (Vega ISA 12.8). CLAMP makes quiet NaNs signal (MI100
// ISA 6.5).
namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME {
namespace {

using S = isa::SemanticId;

/// A comparison as the set of orderings it accepts.
constexpr unsigned bit_of(fp::Ordering o) {
  return 1u << static_cast<unsigned>(o);
}
constexpr unsigned kLess = bit_of(fp::Ordering::Less);
constexpr unsigned kEqual = bit_of(fp::Ordering::Equal);
constexpr unsigned kGreater = bit_of(fp::Ordering::Greater);
constexpr unsigned kUnordered = bit_of(fp::Ordering::Unordered);
constexpr unsigned kAll = kLess | kEqual | kGreater | kUnordered;

constexpr unsigned kF = 0;
constexpr unsigned kLt = kLess;
constexpr unsigned kEq = kEqual;
constexpr unsigned kLe = kLess | kEqual;
constexpr unsigned kGt = kGreater;
constexpr unsigned kLg = kLess | kGreater;
constexpr unsigned kGe = kGreater | kEqual;
constexpr unsigned kO = kLess | kEqual | kGreater;
constexpr unsigned kU = kUnordered;
constexpr unsigned kNge = kAll & ~kGe;
constexpr unsigned kNlg = kAll & ~kLg;
constexpr unsigned kNgt = kAll & ~kGt;
constexpr unsigned kNle = kAll & ~kLe;
constexpr unsigned kNeq = kAll & ~kEq;
constexpr unsigned kNlt = kAll & ~kLt;
constexpr unsigned kTru = kAll;

template <class F, unsigned Accepted>
void soft_compare(const LaneOp& op, LaneResult& result) {
  if constexpr (Accepted == kF || Accepted == kTru) {
    result.mask = Accepted == kF ? 0 : active(op);  // looks at no operand, raises nothing
  } else {
    const FloatSources in(op);
    Env env = env_of<F>(op);
    const bool signaling = clamps(op);
    mark_active(op, result, [&](unsigned lane) {
      const fp::Ordering order =
          fp::compare<F>(in.get<F>(0, lane), in.get<F>(1, lane), env, signaling);
      return (bit_of(order) & Accepted) != 0;
    });
    result.flags = env.flags;
  }
}
static_assert(kLess == 1 && kEqual == 2 && kGreater == 4, "as QuickCompare has them");
template <class F, unsigned Accepted>
constexpr Row compare = [] {
  if constexpr (Accepted == kF || Accepted == kTru) {
    return Row(soft_compare<F, Accepted>);
  } else {
    return quick<F, QuickCompare<F, Accepted>, 2, soft_compare<F, Accepted>>;
  }
}();

/// S1 selects the classes; nothing is flushed and nothing raised.
template <class F>
void soft_class(const LaneOp& op, LaneResult& result) {
  const FloatSources in(op);
  mark_active(op, result, [&](unsigned lane) {
    return (fp::classify<F>(in.get<F>(0, lane)) & in.raw().b32(1, lane)) != 0;
  });
}
template <class F>
constexpr Row test_class = quick<F, QuickClass<F>, 2, soft_class<F>>;

constexpr Entry kEntries[] = {
    {S::v_cmp_class_f16, test_class<F16>},   {S::v_cmpx_class_f16, test_class<F16>},
    {S::v_cmp_class_f32, test_class<F32>},   {S::v_cmpx_class_f32, test_class<F32>},
    {S::v_cmp_class_f64, test_class<F64>},   {S::v_cmpx_class_f64, test_class<F64>},
    {S::v_cmp_f_f16, compare<F16, kF>},      {S::v_cmp_lt_f16, compare<F16, kLt>},
    {S::v_cmp_eq_f16, compare<F16, kEq>},    {S::v_cmp_le_f16, compare<F16, kLe>},
    {S::v_cmp_gt_f16, compare<F16, kGt>},    {S::v_cmp_lg_f16, compare<F16, kLg>},
    {S::v_cmp_ge_f16, compare<F16, kGe>},    {S::v_cmp_o_f16, compare<F16, kO>},
    {S::v_cmp_u_f16, compare<F16, kU>},      {S::v_cmp_nge_f16, compare<F16, kNge>},
    {S::v_cmp_nlg_f16, compare<F16, kNlg>},  {S::v_cmp_ngt_f16, compare<F16, kNgt>},
    {S::v_cmp_nle_f16, compare<F16, kNle>},  {S::v_cmp_neq_f16, compare<F16, kNeq>},
    {S::v_cmp_nlt_f16, compare<F16, kNlt>},  {S::v_cmp_tru_f16, compare<F16, kTru>},
    {S::v_cmpx_f_f16, compare<F16, kF>},     {S::v_cmpx_lt_f16, compare<F16, kLt>},
    {S::v_cmpx_eq_f16, compare<F16, kEq>},   {S::v_cmpx_le_f16, compare<F16, kLe>},
    {S::v_cmpx_gt_f16, compare<F16, kGt>},   {S::v_cmpx_lg_f16, compare<F16, kLg>},
    {S::v_cmpx_ge_f16, compare<F16, kGe>},   {S::v_cmpx_o_f16, compare<F16, kO>},
    {S::v_cmpx_u_f16, compare<F16, kU>},     {S::v_cmpx_nge_f16, compare<F16, kNge>},
    {S::v_cmpx_nlg_f16, compare<F16, kNlg>}, {S::v_cmpx_ngt_f16, compare<F16, kNgt>},
    {S::v_cmpx_nle_f16, compare<F16, kNle>}, {S::v_cmpx_neq_f16, compare<F16, kNeq>},
    {S::v_cmpx_nlt_f16, compare<F16, kNlt>}, {S::v_cmpx_tru_f16, compare<F16, kTru>},
    {S::v_cmp_f_f32, compare<F32, kF>},      {S::v_cmp_lt_f32, compare<F32, kLt>},
    {S::v_cmp_eq_f32, compare<F32, kEq>},    {S::v_cmp_le_f32, compare<F32, kLe>},
    {S::v_cmp_gt_f32, compare<F32, kGt>},    {S::v_cmp_lg_f32, compare<F32, kLg>},
    {S::v_cmp_ge_f32, compare<F32, kGe>},    {S::v_cmp_o_f32, compare<F32, kO>},
    {S::v_cmp_u_f32, compare<F32, kU>},      {S::v_cmp_nge_f32, compare<F32, kNge>},
    {S::v_cmp_nlg_f32, compare<F32, kNlg>},  {S::v_cmp_ngt_f32, compare<F32, kNgt>},
    {S::v_cmp_nle_f32, compare<F32, kNle>},  {S::v_cmp_neq_f32, compare<F32, kNeq>},
    {S::v_cmp_nlt_f32, compare<F32, kNlt>},  {S::v_cmp_tru_f32, compare<F32, kTru>},
    {S::v_cmpx_f_f32, compare<F32, kF>},     {S::v_cmpx_lt_f32, compare<F32, kLt>},
    {S::v_cmpx_eq_f32, compare<F32, kEq>},   {S::v_cmpx_le_f32, compare<F32, kLe>},
    {S::v_cmpx_gt_f32, compare<F32, kGt>},   {S::v_cmpx_lg_f32, compare<F32, kLg>},
    {S::v_cmpx_ge_f32, compare<F32, kGe>},   {S::v_cmpx_o_f32, compare<F32, kO>},
    {S::v_cmpx_u_f32, compare<F32, kU>},     {S::v_cmpx_nge_f32, compare<F32, kNge>},
    {S::v_cmpx_nlg_f32, compare<F32, kNlg>}, {S::v_cmpx_ngt_f32, compare<F32, kNgt>},
    {S::v_cmpx_nle_f32, compare<F32, kNle>}, {S::v_cmpx_neq_f32, compare<F32, kNeq>},
    {S::v_cmpx_nlt_f32, compare<F32, kNlt>}, {S::v_cmpx_tru_f32, compare<F32, kTru>},
    {S::v_cmp_f_f64, compare<F64, kF>},      {S::v_cmp_lt_f64, compare<F64, kLt>},
    {S::v_cmp_eq_f64, compare<F64, kEq>},    {S::v_cmp_le_f64, compare<F64, kLe>},
    {S::v_cmp_gt_f64, compare<F64, kGt>},    {S::v_cmp_lg_f64, compare<F64, kLg>},
    {S::v_cmp_ge_f64, compare<F64, kGe>},    {S::v_cmp_o_f64, compare<F64, kO>},
    {S::v_cmp_u_f64, compare<F64, kU>},      {S::v_cmp_nge_f64, compare<F64, kNge>},
    {S::v_cmp_nlg_f64, compare<F64, kNlg>},  {S::v_cmp_ngt_f64, compare<F64, kNgt>},
    {S::v_cmp_nle_f64, compare<F64, kNle>},  {S::v_cmp_neq_f64, compare<F64, kNeq>},
    {S::v_cmp_nlt_f64, compare<F64, kNlt>},  {S::v_cmp_tru_f64, compare<F64, kTru>},
    {S::v_cmpx_f_f64, compare<F64, kF>},     {S::v_cmpx_lt_f64, compare<F64, kLt>},
    {S::v_cmpx_eq_f64, compare<F64, kEq>},   {S::v_cmpx_le_f64, compare<F64, kLe>},
    {S::v_cmpx_gt_f64, compare<F64, kGt>},   {S::v_cmpx_lg_f64, compare<F64, kLg>},
    {S::v_cmpx_ge_f64, compare<F64, kGe>},   {S::v_cmpx_o_f64, compare<F64, kO>},
    {S::v_cmpx_u_f64, compare<F64, kU>},     {S::v_cmpx_nge_f64, compare<F64, kNge>},
    {S::v_cmpx_nlg_f64, compare<F64, kNlg>}, {S::v_cmpx_ngt_f64, compare<F64, kNgt>},
    {S::v_cmpx_nle_f64, compare<F64, kNle>}, {S::v_cmpx_neq_f64, compare<F64, kNeq>},
    {S::v_cmpx_nlt_f64, compare<F64, kNlt>}, {S::v_cmpx_tru_f64, compare<F64, kTru>},
};

}  // namespace

EntryList float_compare() {
  return kEntries;
}

}  // namespace cuvette::wave::lanes::inline CUVETTE_LEVEL_NAME
