// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "command_processor/micro_engine.h"
#include "command_processor/pm4.h"
#include "command_processor/queue_run.h"
#include "command_processor/slots.h"

namespace cuvette::command_processor {

/// Hardware queue descriptors (HQD) of both compute micro engines, a slot each: read, loaded from
/// memory queue descriptors and emptied by the registers of their banks.
class HqdSlots : public Firmware {
 public:
  explicit HqdSlots(MicroEngine& me) : Firmware(me) {}

  /// Registers of every slot, by slot number.
  struct View {
    std::array<uint32_t, kSlots> active{}, doorbell{}, vmid{};
    bool is_active(unsigned slot) const { return (active[slot] & kActive) != 0; }
  };
  Task look(QueueRun& queue, View& view);

  /// MAP_QUEUES in run.body: the kind of queues and where, then doorbell, descriptor and write
  /// pointer of each. `process_vmid`: of a run list's process, whose queues they are.
  Task map(QueueRun& queue, Pm4Run& run, std::optional<uint8_t> process_vmid);
  /// All are asked, then all are waited for. Queues that switch by saving are saved; others drain.
  Task take_away(QueueRun& queue, const std::vector<unsigned>& slots, uint32_t request);

  /// Queues that MAP_QUEUES may choose (SET_RESOURCES), one bit for each slot.
  void set_usable(uint64_t mask) { usable_ = mask; }
  unsigned count_free(const View& view) const;
  /// Its queue stays when UNMAP_QUEUES takes all others.
  bool is_static(unsigned slot) const { return (static_ >> slot & 1) != 0; }
  /// Slots that the last run list has filled.
  std::vector<unsigned> of_list() const;
  void clear_list() { list_ = 0; }
  void forget() { usable_ = list_ = static_ = 0; }

 private:
  /// Memory queue descriptor, as far as it is read.
  struct MqdImage {
    std::array<uint32_t, pm4::kMqdDwords> words{};
    uint32_t& operator[](unsigned i) { return words[i]; }
    uint32_t operator[](unsigned i) const { return words[i]; }
  };
  Task map_one(QueueRun& queue, Pm4Run& run, size_t at, std::optional<uint8_t> process_vmid);
  bool is_free(const View& view, unsigned slot) const;
  Task read_mqd(Pm4Run& run, uint64_t address, MqdImage& image);
  Task load(QueueRun& queue, Pm4Run& run, uint32_t bank, const MqdImage& image);

  uint64_t usable_ = 0, list_ = 0, static_ = 0;  // one bit for each slot
};

}  // namespace cuvette::command_processor
