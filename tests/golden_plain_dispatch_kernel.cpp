// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "golden_plain_dispatch_random.h"

namespace cuvette::golden::plain {

/// Or something else without effect, or nothing.
void KernelMaker::wait() {
  if (random_.percent(60)) add(op(What::Waitcnt, 0));
  if (random_.percent(10)) {
    Op nop = op(What::Nop, 0);
    nop.offset = static_cast<int32_t>(random_.below(4));
    add(nop);
  }
}

void KernelMaker::prologue() {
  const unsigned kernarg = kernel_.kernarg_sgpr();
  std::vector<Op> loads;
  if (random_.percent(50)) {
    loads.push_back(s_load(kPointers[0], 4, kernarg, 0));
  } else {
    loads.push_back(s_load(kPointers[0], 2, kernarg, 0));
    loads.push_back(s_load(kPointers[1], 2, kernarg, 8));
  }
  loads.push_back(s_load(kPointers[2], 2, kernarg, 16));
  loads.push_back(s_load(kScale, 2, kernarg, 4 * kScaleWord));
  loads.push_back(s_load(kStart, 2, kernarg, 4 * kStartWord));
  for (size_t n = loads.size() - 1; n != 0; --n) std::swap(loads[n], loads[random_.below(n + 1)]);
  for (const Op& load : loads) add(load);
  wait();
}

/// In elements, to kGroup.
void KernelMaker::group_offset() {
  const Source group = s(kernel_.group_sgpr());
  const uint32_t stride = shape_.stride;
  const bool power = (stride & (stride - 1)) == 0 && stride != 0;
  if (power && random_.percent(35)) {
    const int bits = __builtin_ctz(stride);
    add(op(What::SLshl, kGroup, group, number(bits)));
  } else if (kernel_.packet && stride == shape_.workgroup[0] && random_.percent(70)) {
    add(s_load(kStride, 1, kernel_.packet_sgpr(), 4));
    wait();
    add(op(What::SAnd, kStride, s(kStride), literal(0xffff)));
    add(op(What::SMul, kGroup, s(kStride), group));
  } else if (random_.percent(50)) {
    const bool turned = random_.percent(50);
    add(op(What::SMul, kGroup, turned ? s(kStride) : group, turned ? group : s(kStride)));
  } else {
    add(op(What::SMul, kGroup, group, literal(stride)));
  }
  if (random_.percent(10)) falling_offset();
  if (random_.percent(8)) chosen_offset();
  if (shape_.start != 0 || random_.percent(10)) {
    add(op(What::SAdd, kGroup, s(kGroup), s(kStart)));
  }
}

/// Addresses that fall while work-groups go on.
void KernelMaker::falling_offset() {
  add(op(What::SSub, kGroup, random_.percent(50) ? number(0) : literal(100000), s(kGroup)));
}

/// One offset up to some work-group, another one from there on.
void KernelMaker::chosen_offset() {
  const What what = random_.pick(
      {What::SCmpEq, What::SCmpLg, What::SCmpGt, What::SCmpGe, What::SCmpLt, What::SCmpLe});
  const auto middle = static_cast<uint32_t>(random_.below(shape_.groups[0] + 1));
  add(op(what, 0, s(kernel_.group_sgpr()), literal(middle)));
  add(op(What::SCselect, kGroup, s(kGroup), random_.percent(50) ? s(kOther) : number(0)));
}

void KernelMaker::index() {
  first_ = random_.percent(50) ? kIndex : 0;
  const unsigned kind = static_cast<unsigned>(random_.below(100));
  if (kind < 6) {  // the same for all work-groups
    if (first_ != 0) add(op(What::Mov, first_, v(0)));
  } else if (kind < 10) {  // the same for all work-items
    add(op(What::Mov, first_, s(kGroup)));
  } else if (kind < 16) {
    add(op(What::Subrev, first_, v(0), v(0)));  // 0
    add(op(What::Add, first_, s(kGroup), v(first_)));
  } else {
    Op sum = op(What::Add, first_, s(kGroup), v(0));
    if (random_.percent(30)) {
      sum.wide = true;
      if (random_.percent(50)) std::swap(sum.a, sum.b);
    } else if (random_.percent(12)) {
      sum.what = random_.pick({What::Sub, What::Subrev});
    }
    add(sum);
  }
  if (kernel_.id_y) second_dimension();
}

void KernelMaker::second_dimension() {
  constexpr unsigned kRow = 10;
  add(op(What::SMul, kScratch, s(kernel_.group_sgpr() + 1), literal(shape_.workgroup[1])));
  add(op(What::Add, kRow, s(kScratch), v(1)));
  add(op(What::SMov, kScratch, literal(shape_.pitch)));
  add(op(What::MulLo, kRow, v(kRow), s(kScratch)));
  add(op(What::Add, first_, v(kRow), v(first_)));
}

KernelMaker::Access KernelMaker::address(unsigned n) {
  const unsigned kind = static_cast<unsigned>(random_.below(100));
  if (kind < 30) return based(n);
  if (kind < 42) return per_group(n);
  return summed(n);
}

/// An SGPR pair and 32 bits.
KernelMaker::Access KernelMaker::based(unsigned n) {
  const Op shift = op(What::Shl, kAddresses[n], number(static_cast<int>(shift_)), v(first_));
  add(shift);
  return {kAddresses[n], kPointers[n]};
}

/// A pointer that goes on with work-groups, and the work-item in it.
KernelMaker::Access KernelMaker::per_group(unsigned n) {
  const unsigned pointer = kGroupPointers[n];
  add(op(What::SMul, kScratch, s(kernel_.group_sgpr()), literal(shape_.stride << shift_)));
  const bool falls = random_.percent(15);
  add(op(falls ? What::SSub : What::SAdd, pointer, s(kPointers[n]), s(kScratch)));
  add(op(falls ? What::SSubb : What::SAddc, pointer + 1, s(kPointers[n] + 1), number(0)));
  if (first_ == 0) {  // overwritten: take what is there
    add(op(What::Shl, kAddresses[n], number(static_cast<int>(shift_)), v(first_)));
    return {kAddresses[n], pointer};
  }
  add(op(What::Shl, kAddresses[n], number(static_cast<int>(shift_)), v(0)));
  if (random_.percent(50)) return {kAddresses[n], pointer};
  // As 64 bits.
  add(op(What::Mov, kAddresses[n] + 1, s(pointer + 1)));
  add(op(What::AddCo, kAddresses[n], s(pointer), v(kAddresses[n])));
  Op high = op(What::Addc, kAddresses[n] + 1, number(0), v(kAddresses[n] + 1));
  add(high);
  return {kAddresses[n], kOff};
}

/// 64 bits: a pointer and the index, shifted.
KernelMaker::Access KernelMaker::summed(unsigned n) {
  constexpr unsigned kLow = 10, kHigh = 11;
  const unsigned low = kAddresses[n];
  const bool wide_shift = random_.percent(50);
  const auto bits = number(static_cast<int>(shift_));
  if (wide_shift) {
    const bool taken = first_ == 0 && kernel_.id_y;  // v1 is an id
    if (taken) add(op(What::Mov, kLow, v(first_)));
    const unsigned from = taken ? kLow : first_;
    add(op(What::Mov, from + 1, number(0)));
    add(op(What::Shl64, kLow, bits, v(from)));
  } else {
    add(op(What::Shl, kLow, bits, v(first_)));
  }
  const unsigned mask = random_.percent(50) ? kVcc : random_.pick({kMasks[0], kMasks[1]});
  const bool falls = random_.percent(12);
  add(op(What::Mov, low + 1, s(kPointers[n] + 1)));
  const bool in_vgpr = random_.percent(25);
  if (in_vgpr) add(op(What::Mov, low, s(kPointers[n])));
  add(with_mask(
      op(falls ? What::SubCo : What::AddCo, low, in_vgpr ? v(low) : s(kPointers[n]), v(kLow)),
      mask));
  if (random_.percent(15)) wait();
  const Source more = wide_shift ? v(kHigh) : number(0);
  Op high = op(falls ? What::Subb : What::Addc, low + 1, v(low + 1), more);
  // The short form wants a VGPR as its second source.
  if (!falls && (!wide_shift || random_.percent(50))) std::swap(high.a, high.b);
  high = with_mask(high, mask);
  high.wide = high.wide || high.b.code < 256;
  add(high);
  return {low, kOff};
}

unsigned KernelMaker::load(const Access& at, unsigned d) {
  int32_t offset = 0;
  if (random_.percent(20)) offset = static_cast<int32_t>(random_.below(1024)) * 4;
  if (random_.percent(8)) offset -= 4096;
  add(memory(What::Load, d, at.vgpr, at.base, offset));
  return d;
}

void KernelMaker::store(const Access& at, unsigned d) {
  const int32_t offset = random_.percent(10) ? static_cast<int32_t>(random_.below(64)) * 4 : 0;
  add(memory(What::Store, d, at.vgpr, at.base, offset));
  if (random_.percent(5)) add(memory(What::Store, d, at.vgpr, at.base, offset + 4));
}

/// From a buffer that may be stored to, or the kernarg segment.
void KernelMaker::peek() {
  const unsigned n = static_cast<unsigned>(random_.below(4));
  const auto offset = static_cast<int32_t>(4 * random_.below(n == 3 ? kArgumentWords : 64));
  add(s_load(kOther, 1, n == 3 ? kernel_.kernarg_sgpr() : kPointers[n], offset));
  wait();
}

/// A scalar that differs between work-groups, to kOther.
void KernelMaker::scalar_of_group() {
  const Source group = s(kernel_.group_sgpr());
  const auto middle = static_cast<uint32_t>(random_.below(shape_.groups[0] + 1));
  switch (random_.below(4)) {
    case 0:
      add(op(random_.pick({What::SCmpGt, What::SCmpEq, What::SCmpLt}), 0, group, literal(middle)));
      break;
    case 1: {  // the carry of a sum
      const uint32_t step = 0xffffffff / shape_.groups[0];
      add(op(What::SMul, kScratch, group, literal(step)));
      add(op(What::SAdd, kScratch, s(kScratch), literal(step * middle)));
      break;
    }
    case 2:  // a table in memory
      add(op(What::SLshl, kScratch, group, number(2)));
      add(s_load(kOther, 1, kPointers[random_.below(3)], 0));
      kernel_.ops.back().by_register = true;
      kernel_.ops.back().a = s(kScratch);
      wait();
      return;
    default:
      add(op(What::ToFloat, kData + 6, group));
      add(op(What::ReadFirst, kOther, v(kData + 6)));
      return;
  }
  add(op(What::SCselect, kOther, s(kScale), literal(0x40490fdb)));
}

Source KernelMaker::scalar() {
  switch (random_.below(10)) {
    case 0:
      return number(static_cast<int>(random_.below(20)));  // subnormal or 0
    case 1:
      return {240u + static_cast<unsigned>(random_.below(8)), 0};
    case 2:
      return s(kernel_.group_sgpr());
    case 3:
    case 4:
      return s(kOther);
    default:
      return s(kScale);
  }
}

void KernelMaker::modify(Op& op) {
  op.wide = true;
  if (random_.percent(50)) op.neg = static_cast<unsigned>(random_.below(4));
  if (random_.percent(30)) op.abs = static_cast<unsigned>(random_.below(4));
  if (op.what == What::FmaF && random_.percent(30)) op.neg |= 4;
  op.clamp = random_.percent(10);
  if (random_.percent(30)) std::swap(op.a, op.b);
}

/// Of what has been loaded; gives the VGPR of the result.
unsigned KernelMaker::operation(const std::vector<unsigned>& loaded) {
  const auto any = [&] { return v(loaded[random_.below(loaded.size())]); };
  const What what = random_.pick({What::AddF, What::SubF, What::MulF, What::MaxF, What::MacF,
                                  What::FmacF, What::FmaF, What::FmaF});
  const bool sums = what == What::MacF || what == What::FmacF;
  const unsigned d = sums || random_.percent(50) ? loaded.back() : kData + 4;
  Op out = op(what, d, random_.percent(60) ? scalar() : any(), any(), any());
  if (what == What::FmaF) {
    if (random_.percent(20)) std::swap(out.a, out.c);
  } else if (random_.percent(15)) {
    out.a = literal(0x3f800000 + random_.word() % 0x1000000);
  }
  if (out.a.code != 255 && (what == What::FmaF || random_.percent(25))) {
    const bool plain = what == What::FmaF && random_.percent(60);
    if (!plain) modify(out);
  }
  add(out);
  return d;
}

/// Loads, an operation and a store.
void KernelMaker::round() {
  std::vector<unsigned> loaded;
  const unsigned loads = 1 + static_cast<unsigned>(random_.below(3));
  unsigned last = 0;
  for (unsigned n = 0; n < loads; ++n) {
    last = static_cast<unsigned>(random_.below(accesses_.size()));
    loaded.push_back(load(accesses_[last], kData + n));
    if (random_.percent(mix_.peek / 2)) peek();
  }
  if (accesses_.size() < 3 && random_.percent(25)) {  // takes the register of its address
    const Access own = address(2);
    loaded.push_back(load(own, own.vgpr));
  }
  if (random_.percent(5)) load(accesses_[0], kData + 5);  // of no use
  if (random_.percent(mix_.peek)) peek();
  if (random_.percent(20)) scalar_of_group();
  if (random_.percent(4)) add(op(What::ReadFirst, kOther, v(loaded[0])));
  wait();
  unsigned d = operation(loaded);
  if (random_.percent(15)) {
    loaded.push_back(d);
    d = operation(loaded);
  }
  if (random_.percent(50)) last = static_cast<unsigned>(random_.below(accesses_.size()));
  store(accesses_[last], d);
}

Kernel KernelMaker::make() {
  kernel_.buffer = random_.percent(30);
  kernel_.packet = random_.percent(40);
  kernel_.id_y = shape_.workgroup[1] != 1;
  shift_ = random_.percent(80) ? 2 : random_.pick({0u, 1u, 3u, 3u, 4u});
  prologue();
  group_offset();
  index();
  for (unsigned n = 0; n < 1 + random_.below(3); ++n) accesses_.push_back(address(n));
  for (uint64_t n = 1 + random_.below(mix_.groups); n != 0; --n) round();
  if (random_.percent(10)) wait();
  add(op(What::End, 0));
  return std::move(kernel_);
}

}  // namespace cuvette::golden::plain
