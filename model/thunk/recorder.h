// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "command_processor/command_processor.h"
#include "hsa/packet.h"
#include "thunk/kernel_names.h"

namespace cuvette::thunk {

/// Record of the kernels that a device has run, from the steps of the packets of its queues. One
/// thread.
class Recorder {
 public:
  struct Kernel {
    std::string name;
    uint64_t dispatches = 0, workgroups = 0;
    uint64_t cycles = 0, least = ~uint64_t{0}, most = 0;  ///< from start to end of a packet
  };

  /// The ring of a queue, by its number.
  void add_queue(uint32_t number, uint64_t ring, uint32_t packets);
  void remove_queue(uint32_t number);
  void step(machine::Cycle now, uint32_t queue, uint64_t packet,
            command_processor::CommandProcessor::Stage stage);

  /// Kernels have started and not ended.
  bool busy() const { return !under_way_.empty(); }
  uint64_t dispatches() const { return dispatches_; }
  /// By the cycles they took, the longest first.
  std::vector<Kernel> kernels() const;
  KernelNames& names() { return names_; }
  /// Name of the kernel that was started last with its first instruction there; "" for none.
  std::string name_at(uint64_t entry) const;

 private:
  struct Ring {
    uint64_t address = 0;
    uint32_t packets = 1;
    hsa::KernelDispatchPacket next;  // as it was when it was prepared
  };
  void prepare(uint32_t queue, uint64_t packet);
  void start(machine::Cycle now, uint32_t queue, uint64_t packet);
  void end(machine::Cycle now, uint32_t queue, uint64_t packet);

  struct Dispatch {
    machine::Cycle start = 0;
    uint64_t kernel_object = 0;
  };
  KernelNames names_;
  std::map<uint32_t, Ring> rings_;
  std::map<std::pair<uint32_t, uint64_t>, Dispatch> under_way_;  // by queue and packet
  std::map<uint64_t, Kernel> kernels_;                           // by object
  std::map<uint64_t, uint64_t> objects_;                         // by first instruction
  uint64_t dispatches_ = 0;
};

}  // namespace cuvette::thunk
