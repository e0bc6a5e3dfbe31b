// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "ip/lockstep/lockstep.h"
#include "memory/memory.h"

namespace cuvette::ip {

/// Device memory whose work a device on pins does, with our model beside it
/// (docs/reference/memory.md). The device has bytes of its own; host and loader write those of the
/// machine. So before a request to a block whose bytes the device does not have, the seat writes
/// them through its port, and keeps the answer to itself. Requests to addresses where there is no
/// memory are answered here: the device knows no map.
class MemorySeat final : public memory::Memory {
 public:
  using Kit = Lockstep<memory::Memory>;

  MemorySeat(std::unique_ptr<PinDevice> device, const memory::Config& config,
             const LockstepOptions& options, Kit::OnMismatch on_mismatch);

  void tick(machine::Cycle now) override;
  machine::Cycle next_event() const override;
  unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
  Port& port(unsigned index) override { return *ports_[index]; }
  Traffic traffic() const override { return traffic_; }

  Kit& kit() { return kit_; }

 private:
  /// The ends at the pins.
  class Inner final : public memory::Memory {
   public:
    explicit Inner(unsigned ports);
    void tick(machine::Cycle) override {}
    machine::Cycle next_event() const override { return machine::kNever; }
    unsigned ports() const override { return static_cast<unsigned>(ports_.size()); }
    Port& port(unsigned index) override { return *ports_[index]; }
    Traffic traffic() const override { return {}; }

   private:
    std::vector<std::unique_ptr<Port>> ports_;
  };
  /// Bytes of a block that are known (mask `known`), and the number of requests under way to it.
  struct Block {
    uint64_t known = 0;
    std::array<uint8_t, memory::kBlockBytes> data{};
    unsigned under_way = 0;
    uint64_t serial = 0;
  };

  void pass_requests(unsigned index, machine::Cycle now);
  void pass_answers(unsigned index, machine::Cycle now);
  bool exists(uint64_t address, uint64_t mask) const;
  void load(Block& block, uint64_t address, unsigned index, machine::Cycle now);

  memory::Config config_;
  std::vector<std::unique_ptr<Port>> ports_;
  Inner inner_;
  Kit kit_;
  std::unordered_map<uint64_t, Block> blocks_;
  /// Requests under way, by port and id.
  std::vector<std::unordered_map<uint64_t, memory::MemReq>> asked_;
  std::vector<std::deque<std::pair<memory::MemResp, machine::Cycle>>> own_;  ///< answers from here
  uint64_t loads_ = 0;
  machine::Cycle now_ = 0;
  Traffic traffic_;
};

}  // namespace cuvette::ip

namespace cuvette::ip::recording {

/// Settings for recordings (ip/lockstep/config_json.h).
template <class Config, class Visitor>
std::enable_if_t<std::is_same_v<std::remove_const_t<Config>, memory::Config>> visit_config(
    Config& config, Visitor&& visit) {
  visit("ports", config.ports);
  visit("latency_cycles", config.latency_cycles);
  visit("cycles_per_block", config.cycles_per_block);
}

}  // namespace cuvette::ip::recording
