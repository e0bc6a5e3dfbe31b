// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hsa/backing.h"
#include "ip/traffic/memory_coverage.h"
#include "memory/memory.h"

namespace cuvette::ip::traffic {

/// Address map of a memory: addresses are interleaved over ports; a row of a port's bank has
/// `row_bytes` of its addresses one after the other, and the next row is of the next bank.
struct MemoryMap {
  uint64_t base = 0, bytes = 0;  ///< first address; size
  unsigned ports = 1, interleave_bytes = 256, banks = 16, row_bytes = 2048;

  unsigned port_of(uint64_t address) const {
    return static_cast<unsigned>(address / interleave_bytes % ports);
  }
  /// The address of byte `offset` of what a port has, from `base` on.
  uint64_t address(unsigned port, uint64_t offset) const;
  uint64_t bytes_of_port() const { return bytes / ports; }
  /// Between rows of one bank, in bytes of a port.
  uint64_t row_stride() const { return uint64_t{row_bytes} * banks; }
};

/// Constrained-random requests to a memory with banks.
class MemoryRequests {
 public:
  MemoryRequests(const MemoryMap& map, uint32_t seed, bool outside)
      : map_(map), outside_(outside), rng_(seed) {}

  /// Request of a port, whose blocks change with time: few rows of few banks, one row, or any.
  memory::MemReq make(unsigned port);
  /// A write of a whole block with drawn bytes.
  memory::MemReq fill(uint64_t address);
  unsigned below(unsigned n) { return static_cast<unsigned>(rng_() % n); }

 private:
  uint64_t pick(unsigned port);
  uint32_t word();

  MemoryMap map_;
  bool outside_;  ///< some addresses have no memory
  std::mt19937 rng_;
  uint64_t next_id_ = uint64_t{1} << 40;
  uint32_t sequence_ = 0;
  unsigned pattern_ = 0, left_ = 0;
  uint64_t hot_ = 0;
};

/// Order rules of a memory's answers and their serials: answers of one block come in the order of
/// the requests; serials of stores and atomics ascend in a block, from 1, and none comes twice;
/// others have 0, and so may stores that fault.
class MemoryOrder {
 public:
  void asked(const memory::MemReq& r);
  void answered(const memory::MemResp& r);
  const std::string& wrong() const { return wrong_; }

 private:
  std::unordered_map<uint64_t, memory::MemReq> open_;
  std::unordered_map<uint64_t, std::vector<uint64_t>> order_;  ///< ids under way, by block
  std::unordered_map<uint64_t, uint64_t> last_;                ///< serials, by block
  std::map<uint64_t, uint64_t> serials_;
  std::string wrong_;
};

/// Requester of all ports of a memory: first it writes every block of the map, then it makes
/// requests.
class MemoryTraffic final : public Requester {
 public:
  struct Options {
    unsigned requests = 1000;  ///< in all
    uint32_t seed = 1;
    unsigned under_way = 24;  ///< of a port, at most
    bool outside = true;      ///< some addresses have no memory
  };
  MemoryTraffic(memory::Memory& memory, const MemoryMap& map, const Options& options);

  bool step(machine::Cycle now) override;
  void follow(machine::Cycle now) override;
  uint64_t answers() const override { return answers_; }
  Coverage coverage() const override;
  std::string wrong() const override { return order_.wrong(); }

  uint64_t blocks() const { return map_.bytes / memory::kBlockBytes; }
  uint64_t faults() const { return faults_; }
  /// Answers that came before one to an older request of their port.
  uint64_t overtaken() const { return overtaken_; }
  const std::vector<unsigned>& served() const { return served_; }  ///< by port

 private:
  void send(unsigned port, const memory::MemReq& request, machine::Cycle now);

  memory::Memory& memory_;
  MemoryMap map_;
  Options options_;
  MemoryRequests requests_;
  MemoryOrder order_;
  MemoryCoverage coverage_{true};
  std::vector<std::vector<uint64_t>> under_way_;
  std::vector<unsigned> served_;
  uint64_t filled_ = 0, answers_ = 0, faults_ = 0, overtaken_ = 0;
  unsigned sent_ = 0, quiet_ = 0;
};

}  // namespace cuvette::ip::traffic
