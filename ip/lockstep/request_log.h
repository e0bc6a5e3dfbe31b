// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "machine/core.h"

namespace cuvette::ip {

template <class M, class = void>
struct HasId : std::false_type {};
template <class M>
struct HasId<M, std::void_t<decltype(M::id)>> : std::true_type {};

template <class M, class = void>
struct HasLast : std::false_type {};
template <class M>
struct HasLast<M, std::void_t<decltype(M::last)>> : std::true_type {};
/// True if a request, or an answer, is complete with this message of it.
template <class M>
bool completes(const M& message) {
  if constexpr (HasLast<M>::value) return message.last;
  return true;
}

/// Log of the last requests of one port, for the comparison of their answers. A ring: the oldest
/// request is forgotten when it is full.
template <class M>
class RequestLog {
 public:
  struct Entry {
    M message{};               ///< request
    machine::Cycle taken = 0;  ///< of the edge at which its last beat moved
    uint64_t stalls = 0;       ///< cycles in which the answering channel had no room, until then
    uint64_t number = 0;       ///< among the messages of all channels of the block
  };

  explicit RequestLog(size_t kept) : kept_(kept) {}

  void add(const M& message, machine::Cycle now, uint64_t stalls, uint64_t number) {
    if (ring_.size() < kept_) {
      ring_.emplace_back();
      newest_ = ring_.size() - 1;
    } else {
      newest_ = newest_ + 1 == ring_.size() ? 0 : newest_ + 1;
    }
    Entry& entry = ring_[newest_];
    entry.message = message;
    entry.taken = now;
    entry.stalls = stalls;
    entry.number = number;
  }
  /// Calls `f` with the last `count` requests, the newest first.
  template <class F>
  void for_last(size_t count, F&& f) const {
    for (size_t n = 0; n < ring_.size() && n < count; ++n) {
      f(ring_[(newest_ + ring_.size() - n) % ring_.size()]);
    }
  }
  /// The last request with this id; null: it is none, or forgotten. The search begins with the
  /// newest, because ids come again and few requests are under way.
  const Entry* find(uint64_t id) const {
    for (size_t n = 0; n < ring_.size(); ++n) {
      const Entry& e = ring_[n <= newest_ ? newest_ - n : newest_ + ring_.size() - n];
      if (e.message.id == id) return &e;
    }
    return nullptr;
  }

 private:
  size_t kept_;
  std::vector<Entry> ring_;
  size_t newest_ = 0;
};

}  // namespace cuvette::ip
