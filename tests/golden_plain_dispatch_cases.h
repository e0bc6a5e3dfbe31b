// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "golden_plain_dispatch_random.h"

// Directed cases: kernels in the way of y[i] = a * x[i] + y[i], put together line by line.
namespace cuvette::golden::plain {

inline constexpr uint64_t kX = uint64_t{16} << 32, kY = uint64_t{17} << 32, kZ = uint64_t{18} << 32;

/// Lines of a kernel that has s[0:1] for the arguments and s2 for the work-group. x, y and z are
/// buffers 0, 1 and 2.
class Lines {
 public:
  std::vector<Op> ops;

  Lines& add(const Op& op) {
    ops.push_back(op);
    return *this;
  }
  /// Pointers and numbers from the kernarg segment.
  Lines& arguments();
  /// kIndex: work-group * stride + the argument kStart + work-item, in 32 bits.
  Lines& index(uint32_t stride);
  /// What loads and stores of buffer `n` use from now on: pointer + index << shift in 64 bits.
  /// Carries go through the pair `mask`.
  Lines& wide(unsigned n, unsigned mask = kVcc, unsigned shift = 2);
  /// The same, as an offset to the pointer, which stays in SGPRs.
  Lines& based(unsigned n, unsigned shift = 2);
  Lines& load(unsigned d, unsigned n, int32_t offset = 0) {
    return access(What::Load, d, n, offset);
  }
  Lines& store(unsigned d, unsigned n, int32_t offset = 0) {
    return access(What::Store, d, n, offset);
  }
  /// A branch to what is added behind land() with the number that this gives.
  size_t branch(What what) {
    add(op(what, 0));
    return ops.size() - 1;
  }
  Lines& land(size_t branch) {
    ops[branch].target = ops.size();
    return *this;
  }
  /// VGPR kData = kScale * kData + that behind it.
  Lines& fma();
  std::vector<Op> end();

 private:
  Lines& access(What what, unsigned d, unsigned n, int32_t offset) {
    return add(memory(what, d, kAddresses[n], bases_[n], offset));
  }

  unsigned bases_[3] = {kOff, kOff, kOff};
};

/// y[i] = a * x[i] + y[i]; `based`: by offsets.
std::vector<Op> saxpy(uint32_t stride, bool based = false);

/// Arguments for these pointers.
std::vector<uint32_t> arguments(uint64_t x, uint64_t y, uint64_t z, uint32_t stride = 0,
                                uint32_t start = 0);
/// Maps these addresses and fills them with numbers of one magnitude.
void map_ranges(Memory& memory, std::vector<Interval> ranges);
/// One dispatch of `items` work-items with the x at kX and so on, and memory for `items` words.
Case case_of(const std::vector<Op>& ops, uint32_t items, uint16_t size);

}  // namespace cuvette::golden::plain
