// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "cache/cache.h"

namespace cuvette::ip {

/// A cache in C++ with the ends of its lower channels, as one block with all channels of the
/// contract: for CoreDevice and core_table().
class CacheCore {
 public:
  explicit CacheCore(std::unique_ptr<cache::Cache> cache) : cache_(std::move(cache)) {
    cache_->connect(down_);
  }
  void tick(machine::Cycle now) { cache_->tick(now); }
  machine::Cycle next_event() const { return cache_->next_event(); }

  template <class V>
  friend void visit_channels(CacheCore& core, V&& v) {
    cache::visit_channels(*core.cache_, v);
    v.template out<memory::MemReq>(2, 0, core.down_.request);
    v.template in<memory::MemResp>(3, 0, core.down_.response);
  }

 private:
  std::unique_ptr<cache::Cache> cache_;
  cache::Cache::Port down_;
};

}  // namespace cuvette::ip
