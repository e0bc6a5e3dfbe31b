// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "wave/state.h"

namespace cuvette::wave {

/// Storage on cache-line boundaries: a host vector access to a register never straddles two lines.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <class U>
  explicit LineAllocator(const LineAllocator<U>&) {}
  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* at, size_t) { ::operator delete(at, kLine); }
  bool operator==(const LineAllocator&) const { return true; }
};

/// Vector registers with storage of their own.
using LaneRows = std::vector<LaneRow, LineAllocator<LaneRow>>;

}  // namespace cuvette::wave
