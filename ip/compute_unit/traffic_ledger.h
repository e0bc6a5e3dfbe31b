// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "memory/memory_messages.h"
#include "wave/retire_record.h"

namespace cuvette::ip {

/// Ledger of the data that the memory requests of one wave slot have moved and that no instruction
/// has accounted for: bytes that answers brought, bytes that stores sent, atomics.
class TrafficLedger {
 public:
  /// Physical address of a virtual one, of the wave's address space; nothing where there is none.
  using Translate = std::function<std::optional<uint64_t>(uint64_t va)>;

  void sent(const memory::MemReq& request);
  void answered(const memory::MemReq& request, const memory::MemResp& response);

  /// Accounts for the accesses of a retired instruction to one cache. The result describes an
  /// error; empty: none.
  std::string account(const std::vector<const wave::MemoryAccess*>& accesses,
                      const Translate& translate);
  /// A store or atomic that no instruction has accounted for; empty: there is none.
  std::string left() const;
  void clear() { *this = TrafficLedger(); }

 private:
  using Block = std::array<uint8_t, memory::kBlockBytes>;
  /// Bytes of a block, by mask.
  struct Bytes {
    uint64_t address = 0, mask = 0;
    Block data{};
    bool used = false;  ///< by the instruction that is accounted for
  };
  struct Atomic {
    uint64_t address = 0, operand = 0, old = 0;
    base::AtomicOp op = base::AtomicOp::Swap;
    uint8_t bytes = 0;
    bool answered = false;
    uint64_t id = 0;
  };
  std::string account_load(const wave::MemoryAccess& access, const Translate& translate);
  std::string account_atomic(const wave::MemoryAccess& access, const Translate& translate);
  std::string account_stores(const std::vector<const wave::MemoryAccess*>& accesses,
                             const Translate& translate);

  std::deque<Bytes> loaded_, stored_;
  std::deque<Atomic> atomics_;
};

}  // namespace cuvette::ip
