// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "golden_plain_dispatch_guard.h"
#include "golden_plain_dispatch_random.h"

namespace cuvette::golden::plain {

/// Random kernels with guards, in the way of compilers and otherwise.
class GuardedKernelMaker : public KernelMaker {
 public:
  using KernelMaker::KernelMaker;
  Kernel make();

 private:
  const GuardMix& guards() const { return mix_.guard; }
  void begin();
  void unpack_ids();
  bool index_form();
  void strange_form(const Source& item);
  Access form_address(unsigned n);
  void pointer_sum(unsigned d, unsigned pointer, unsigned from);
  Access scalar_pointer(unsigned n);
  Guard some_guard();
  void choose_ways(Guard& guard);
  void choose_condition(Guard& guard);
  void choose_bound(Guard& guard);
  void wide_index(Guard& guard);
  void other_index(Guard& guard);
  void open();
  void close();
  void scalar_guard();
  void rounds();
  void translate();

  std::vector<std::pair<Guard, std::vector<size_t>>> open_;
  unsigned opened_ = 0;
};

}  // namespace cuvette::golden::plain
