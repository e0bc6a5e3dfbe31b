// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_plain_dispatch_guard_kernel.h"

#include <bit>

namespace cuvette::golden::plain {
namespace {

using isa::Target;

/// VGPRs behind those of the other kernels.
constexpr unsigned kCompared = 20, kBoundCopy = 22;
constexpr unsigned kSum = 56;  ///< a pair of SGPRs

}  // namespace

/// Arguments, and ids in registers of their own.
void GuardedKernelMaker::begin() {
  const unsigned kernarg = kernel_.kernarg_sgpr();
  add(s_load(kBounds[0], 4, kernarg, 4 * kBoundWord));
  prologue();
  unpack_ids();
}

void GuardedKernelMaker::unpack_ids() {
  if (!kernel_.packed_ids() || !kernel_.id_y) return;
  add(op(What::Bfe, 1, v(0), number(10), number(10)));
  add(op(What::And, 0, literal(0x3ff), v(0)));
}

/// The index as clang puts it together. False: there is nothing for this shape.
bool GuardedKernelMaker::index_form() {
  if (!random_.percent(guards().forms) || kernel_.id_y) return false;
  const Source group = s(kernel_.group_sgpr()), item = v(0);
  const uint32_t stride = shape_.stride;
  const bool power = std::has_single_bit(stride) && stride <= 1024;
  first_ = random_.percent(50) ? kIndex : 0;
  const auto bits = number(power ? std::countr_zero(stride) : 0);
  switch (random_.below(power ? 7 : 4)) {
    case 0:
      add(op(What::Mov, 10, s(kStride)));
      add(op(What::MadU24, first_, group, v(10), item));
      break;
    case 1:
      add(op(What::SMul, kGroup, group, s(kStride)));
      add(op(What::Mov, 10, s(kStart)));
      add(op(What::Add3, first_, s(kGroup), v(10), item));
      return true;
    case 2:
      add(op(What::Mov, 10, group));
      add(op(What::MulLo, 10, v(10), s(kStride)));
      add(op(What::Add, first_, v(10), item));
      break;
    case 3:
      strange_form(item);
      break;
    case 4:
      add(op(What::LshlAdd, first_, group, bits, item));
      break;
    case 5:
      add(op(What::LshlOr, first_, group, bits, item));
      break;
    default:
      add(op(What::SLshl, kGroup, group, bits));
      add(op(What::Or, first_, s(kGroup), item));
      break;
  }
  if (shape_.start != 0) add(op(What::Add, first_, s(kStart), v(first_)));
  return true;
}

/// What is not linear, or not in the work-group's number.
void GuardedKernelMaker::strange_form(const Source& item) {
  const Source group = s(kernel_.group_sgpr());
  add(op(What::SMul, kGroup, group, s(kStride)));
  switch (random_.below(6)) {
    case 0:
      add(op(What::MbcntLo, 10, number(-1), number(0)));
      add(op(What::MbcntHi, 10, number(-1), v(10)));
      add(op(What::Add, first_, s(kGroup), v(10)));
      break;
    case 1:
      add(op(What::LshlOr, first_, group, number(static_cast<int>(random_.below(7))), item));
      break;
    case 2:
      add(op(What::Add, 10, s(kGroup), item));
      add(op(What::Xor, first_, number(static_cast<int>(random_.below(65))), v(10)));
      break;
    case 3:
      add(op(What::Add, 10, s(kGroup), item));
      add(op(What::And, first_, literal(random_.word() & 0xffff), v(10)));
      break;
    case 4:
      add(op(What::Add, 10, s(kGroup), item));
      add(op(What::MinU, first_, s(kBounds[0]), v(10)));
      break;
    default:
      add(op(What::Add, 10, s(kGroup), item));
      add(op(What::Lshr, first_, number(static_cast<int>(random_.below(4))), v(10)));
      break;
  }
}

void GuardedKernelMaker::pointer_sum(unsigned d, unsigned pointer, unsigned from) {
  if (kernel_.target == Target::Gfx942 && random_.percent(80)) {
    add(op(What::LshlAdd64, d, s(pointer), number(0), v(from)));
    return;
  }
  const unsigned mask = random_.percent(70) ? kVcc : kMasks[0];
  add(op(What::Mov, d + 1, s(pointer + 1)));
  add(with_mask(op(What::AddCo, d, s(pointer), v(from)), mask));
  add(with_mask(op(What::Addc, d + 1, v(d + 1), v(from + 1)), mask));
}

/// The work-group's part and the pointer in SGPRs.
KernelMaker::Access GuardedKernelMaker::scalar_pointer(unsigned n) {
  const unsigned to = kGroupPointers[n];
  add(op(What::SMul, kSum, s(kernel_.group_sgpr()), s(kStride)));
  if (random_.percent(50)) add(op(What::SAdd, kSum, s(kSum), s(kStart)));
  add(random_.percent(60) ? op(What::SAshr, kSum + 1, s(kSum), number(31))
                          : op(What::SMov, kSum + 1, number(0)));
  add(op(What::SLshl64, kSum, s(kSum), number(static_cast<int>(shift_))));
  add(op(What::SAdd, to, s(kPointers[n]), s(kSum)));
  add(op(What::SAddc, to + 1, s(kPointers[n] + 1), s(kSum + 1)));
  const Source from = first_ == 0 ? v(first_) : v(0);
  add(op(What::Shl, kAddresses[n], number(static_cast<int>(shift_)), from));
  return {kAddresses[n], to};
}

/// As clang has them, or one of the other kernels.
KernelMaker::Access GuardedKernelMaker::form_address(unsigned n) {
  if (!random_.percent(guards().forms)) return address(n);
  const unsigned d = kAddresses[n], kind = static_cast<unsigned>(random_.below(100));
  if (kind < 20) return scalar_pointer(n);
  if (kind < 30) {
    add(op(What::AddLshl, d, v(first_), number(static_cast<int>(random_.below(9))),
           number(static_cast<int>(shift_))));
    return {d, kPointers[n]};
  }
  const unsigned high = first_ + 1;
  if (random_.percent(60)) {
    add(op(What::Ashr, high, number(31), v(first_)));
  } else {
    add(op(What::Mov, high, number(0)));
  }
  if (random_.percent(15)) add(op(What::And, high, number(3), v(high)));
  if (kernel_.target == Target::Gfx942 && random_.percent(40)) {
    add(op(What::LshlAdd64, d, v(first_), number(static_cast<int>(shift_)), s(kPointers[n])));
    return {d, kOff};
  }
  add(op(What::Shl64, 10, number(static_cast<int>(shift_)), v(first_)));
  pointer_sum(d, kPointers[n], 10);
  return {d, kOff};
}

void GuardedKernelMaker::choose_ways(Guard& guard) {
  if (random_.percent(30)) guard.mask = kFree[0];
  if (random_.percent(guards().ways)) {
    guard.narrow = kNarrows[random_.below(std::size(kNarrows))];
  }
  if (random_.percent(guards().ways)) guard.leave = kLeaves[random_.below(std::size(kLeaves))];
  guard.close = kCloses[random_.below(std::size(kCloses))];
  guard.saved = kSaved[opened_ % 2];
}

void GuardedKernelMaker::choose_condition(Guard& guard) {
  guard.type = random_.percent(60) ? Type::U32 : Type::I32;
  if (random_.percent(guards().wide)) {
    guard.type = random_.percent(60) ? Type::U64 : Type::I64;
  }
  guard.cond = random_.percent(60) ? Cond::Gt : Cond::Le;
  if (random_.percent(guards().conditions)) guard.cond = static_cast<Cond>(random_.below(8));
}

/// A pair with what is to be compared.
void GuardedKernelMaker::wide_index(Guard& guard) {
  guard.index = v(kCompared);
  if (random_.percent(50)) {  // the start of all items, in 64 bits
    add(op(What::Mov, kCompared + 1, s(kBounds[1] + 1)));
    add(op(What::AddCo, kCompared, s(kBounds[1]), v(first_)));
    add(op(What::Addc, kCompared + 1, number(0), v(kCompared + 1)));
    return;
  }
  add(op(What::Mov, kCompared, v(first_)));
  if (random_.percent(50)) {
    add(op(What::Ashr, kCompared + 1, number(31), v(kCompared)));
  } else {
    add(op(What::Mov, kCompared + 1, number(0)));
  }
}

/// Something else than the index; there may be 64 bits of it.
void GuardedKernelMaker::other_index(Guard& guard) {
  guard.index = v(kCompared);
  switch (random_.below(5)) {
    case 0:
      add(op(What::Mov, kCompared, s(kernel_.group_sgpr())));
      break;
    case 1:
      add(op(What::MbcntLo, kCompared, number(-1), number(0)));
      break;
    case 2:
      add(op(What::And, kCompared, number(static_cast<int>(random_.below(64))), v(first_)));
      break;
    case 3:  // a number from memory
      add(op(What::Shl, kCompared, number(2), v(first_)));
      add(memory(What::Load, kCompared, kCompared, kPointers[random_.below(3)]));
      wait();
      break;
    default:
      add(op(What::Sub, kCompared, s(kBounds[1]), v(first_)));
      break;
  }
  add(op(What::Mov, kCompared + 1, number(0)));
}

void GuardedKernelMaker::choose_bound(Guard& guard) {
  const unsigned pair = kBounds[random_.percent(70) ? 0 : 1];
  guard.bound = s(pair);
  guard.turned = random_.percent(30);
  if (guard.turned) guard.cond = mirrored(guard.cond);
  const unsigned kind = static_cast<unsigned>(random_.below(100));
  if (kind < 10) {
    add(op(What::Mov, kBoundCopy, s(pair)));
    add(op(What::Mov, kBoundCopy + 1, s(pair + 1)));
    guard.bound = v(kBoundCopy);
  } else if (kind < 16) {
    guard.bound = number(static_cast<int>(random_.below(65)));
  } else if (kind < 24 && !guard.turned && guard.mask == kVcc && !is_64_bit(guard.type)) {
    guard.bound = literal(static_cast<uint32_t>(shape_.bounds[0]));
  } else if (kind < 30 && first_ != 0) {  // what is left from here on
    add(op(What::SSub, kSum, s(pair), s(kGroup)));
    add(op(What::SSubb, kSum + 1, s(pair + 1), number(0)));
    guard.bound = s(kSum);
    guard.index = is_64_bit(guard.type) ? guard.index : v(0);
  }
}

Guard GuardedKernelMaker::some_guard() {
  Guard guard;
  choose_ways(guard);
  choose_condition(guard);
  guard.index = v(first_);
  if (random_.percent(guards().others)) {
    other_index(guard);
  } else if (is_64_bit(guard.type)) {
    wide_index(guard);
  }
  choose_bound(guard);
  return guard;
}

void GuardedKernelMaker::open() {
  const Guard guard = some_guard();
  ++opened_;
  open_.push_back({guard, open_guard(kernel_.ops, guard)});
  if (random_.percent(10)) wait();
}

void GuardedKernelMaker::close() {
  close_guard(kernel_.ops, open_.back().first, open_.back().second);
  open_.pop_back();
}

/// Whole work-groups, by a comparison of scalars.
void GuardedKernelMaker::scalar_guard() {
  const What what = random_.pick(
      {What::SCmpEq, What::SCmpLg, What::SCmpGt, What::SCmpGe, What::SCmpLt, What::SCmpLe});
  const auto middle = static_cast<uint32_t>(random_.below(shape_.groups[0] + 1));
  add(op(what, 0, s(kernel_.group_sgpr()), literal(middle)));
  add(op(random_.percent(50) ? What::SBranchScc0 : What::SBranchScc1, 0));
  Guard guard;
  open_.push_back({guard, {kernel_.ops.size() - 1}});
}

/// Some of them with a guard of their own, which may end behind them.
void GuardedKernelMaker::rounds() {
  const size_t outer = open_.size();
  for (uint64_t n = 1 + random_.below(mix_.groups); n != 0; --n) {
    if (opened_ == 0 || random_.percent(guards().more)) open();
    round();
    if (open_.size() > outer && random_.percent(60)) {
      close();
      if (random_.percent(50)) store(accesses_[0], kData);
    }
  }
}

/// Operations that the target has.
void GuardedKernelMaker::translate() {
  for (Op& each : kernel_.ops) {
    if (each.what == What::MacF && kernel_.target >= Target::Gfx90a) each.what = What::FmacF;
    if (each.what == What::FmacF && kernel_.target == Target::Gfx900) each.what = What::MacF;
  }
}

Kernel GuardedKernelMaker::make() {
  if (random_.percent(guards().targets)) {
    kernel_.target = isa::kAllTargets[random_.below(isa::kTargets)];
  }
  // gfx942 finds its scratch memory without it.
  kernel_.buffer = random_.percent(30) && kernel_.target != Target::Gfx942;
  kernel_.packet = random_.percent(40);
  kernel_.id_y = shape_.workgroup[1] != 1;
  shift_ = random_.percent(90) ? 2 : random_.pick({0u, 1u, 3u, 4u});
  begin();
  if (random_.percent(guards().scalar)) scalar_guard();
  if (!index_form()) {
    group_offset();
    index();
  }
  if (random_.percent(guards().early)) open();
  for (unsigned n = 0; n < 1 + random_.below(3); ++n) accesses_.push_back(form_address(n));
  rounds();
  while (!open_.empty()) close();
  if (random_.percent(10)) wait();
  add(op(What::End, 0));
  translate();
  return std::move(kernel_);
}

}  // namespace cuvette::golden::plain
