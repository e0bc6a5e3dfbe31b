// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden_plain_dispatch_cases.h"

#include <cstring>

namespace cuvette::golden::plain {

Lines& Lines::arguments() {
  return add(s_load(kPointers[0], 4, 0, 0))
      .add(s_load(kPointers[2], 2, 0, 16))
      .add(s_load(kScale, 2, 0, 4 * kScaleWord))
      .add(s_load(kStart, 2, 0, 4 * kStartWord))
      .add(op(What::Waitcnt, 0));
}

Lines& Lines::index(uint32_t stride) {
  return add(op(What::SMul, kGroup, s(2), literal(stride)))
      .add(op(What::SAdd, kGroup, s(kGroup), s(kStart)))
      .add(op(What::Add, kIndex, s(kGroup), v(0)));
}

Lines& Lines::wide(unsigned n, unsigned mask, unsigned shift) {
  constexpr unsigned kLow = 10;
  const unsigned low = kAddresses[n];
  bases_[n] = kOff;
  return add(op(What::Mov, kIndex + 1, number(0)))
      .add(op(What::Shl64, kLow, number(static_cast<int>(shift)), v(kIndex)))
      .add(op(What::Mov, low + 1, s(kPointers[n] + 1)))
      .add(with_mask(op(What::AddCo, low, s(kPointers[n]), v(kLow)), mask))
      .add(with_mask(op(What::Addc, low + 1, v(low + 1), v(kLow + 1)), mask));
}

Lines& Lines::based(unsigned n, unsigned shift) {
  bases_[n] = kPointers[n];
  return add(op(What::Shl, kAddresses[n], number(static_cast<int>(shift)), v(kIndex)));
}

Lines& Lines::fma() {
  return add(op(What::Waitcnt, 0)).add(op(What::FmaF, kData, s(kScale), v(kData), v(kData + 1)));
}

std::vector<Op> Lines::end() {
  add(op(What::End, 0));
  return std::move(ops);
}

std::vector<Op> saxpy(uint32_t stride, bool based) {
  Lines lines;
  lines.arguments().index(stride);
  if (based) {
    lines.based(0).based(1);
  } else {
    lines.wide(0).wide(1);
  }
  return lines.load(kData, 0).load(kData + 1, 1).fma().store(kData, 1).end();
}

std::vector<uint32_t> arguments(uint64_t x, uint64_t y, uint64_t z, uint32_t stride,
                                uint32_t start) {
  std::vector<uint32_t> out(kArgumentWords, 0x3f400000);
  const uint64_t pointers[] = {x, y, z};
  for (unsigned n = 0; n < 3; ++n) {
    out[2 * n] = static_cast<uint32_t>(pointers[n]);
    out[2 * n + 1] = static_cast<uint32_t>(pointers[n] >> 32);
  }
  out[kStrideWord] = stride;
  out[kStartWord] = start;
  return out;
}

void map_ranges(Memory& memory, std::vector<Interval> ranges) {
  sort_and_join(ranges, 0);
  uint32_t number = 0x12345;
  for (const Interval& range : ranges) {
    memory.add(range.begin, range.end - range.begin);
    std::vector<uint8_t>& bytes = memory.chunks.back().bytes;
    for (size_t n = 0; n + 4 <= bytes.size(); n += 4) {
      number = number * 1664525 + 1013904223;
      const uint32_t word = 0x3f000000 | number >> 9;  // 0.5 to 1
      std::memcpy(&bytes[n], &word, 4);
    }
  }
  memory.sort();
}

Case case_of(const std::vector<Op>& ops, uint32_t items, uint16_t size) {
  Case out;
  out.kernel.ops = ops;
  out.setup.entry = kEntry;
  out.setup.kernarg = kKernarg;
  Dispatch d;
  d.grid = {items, 1, 1};
  d.workgroup = {size, 1, 1};
  d.arguments = arguments(kX, kY, kZ);
  out.dispatches = {d};
  const uint64_t bytes = 4 * uint64_t{items};
  map_ranges(out.memory, {{kX, kX + bytes},
                          {kY, kY + bytes},
                          {kZ, kZ + bytes},
                          {kKernarg, kKernarg + 4 * kArgumentWords}});
  return out;
}

}  // namespace cuvette::golden::plain
