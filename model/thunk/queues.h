// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "command_processor/command_processor.h"
#include "thunk/engine.h"
#include "thunk/recorder.h"

namespace cuvette::thunk {

/// User-mode queues of a process on one device and their doorbells. Used by the thread of the
/// simulation alone, but for the doorbells themselves, which any thread stores to.
class QueueTable {
 public:
  /// Value of a doorbell before anybody has rung it: no index of a packet.
  static constexpr uint64_t kSilent = ~uint64_t{0};

  /// `doorbells`: a page of spi::kDoorbells quadwords at a multiple of its size. `pointers`: two
  /// for each of them that the device sees, read and write pointer of SDMA queues.
  QueueTable(uint64_t* doorbells, uint64_t* pointers, Recorder& recorder);

  struct Request {
    uint64_t queue_address = 0;  ///< amd_queue_t
    uint64_t ring = 0;
    uint32_t packets = 0;
    uint8_t priority = 0;
    uint64_t trap_handler = 0, trap_memory = 0;
  };
  /// The doorbell's index, which is the queue's id here; nothing when all are taken.
  std::optional<uint32_t> create(Engine& engine, const Request& request);
  struct SdmaRequest {
    uint64_t ring = 0;
    uint64_t bytes = 0;
    sdma::Engines::Kind kind = sdma::Engines::Kind::General;
  };
  /// The same of a queue for an SDMA engine; nothing also when no engine has room.
  std::optional<uint32_t> create_sdma(Engine& engine, const SdmaRequest& request);
  bool is_sdma(uint64_t id) const;
  /// In bytes since the queue began.
  uint64_t* sdma_read_pointer(uint32_t index) { return pointers_ + uint64_t{index} * 2; }
  uint64_t* sdma_write_pointer(uint32_t index) { return pointers_ + uint64_t{index} * 2 + 1; }
  /// Bound again with another ring, none (0): it sleeps, between two packets. False when a packet
  /// is under way, which a ring must not change below.
  bool update_sdma(Engine& engine, uint64_t id, uint64_t ring, uint64_t bytes);
  bool has(uint64_t id) const { return queues_.count(id) != 0; }
  /// Cancels the running work; then the queue is gone.
  void destroy(Engine& engine, uint64_t id);
  /// Binds the queue again with another ring; none (0): it sleeps until there is one. Running work
  /// completes within a while or is cancelled.
  void update(Engine& engine, uint64_t id, uint64_t ring, uint32_t packets, uint8_t priority);
  void set_mask(Engine& engine, uint64_t id, const spi::CuMask& mask);
  /// Global wave sync belongs to one queue at a time, until it gives it back (false)
  /// or is destroyed. False: another queue has it, or to give back what the queue does not have.
  bool assign_gws(uint64_t id, bool assign);

  /// Rings what has been stored to. True when something had.
  bool poll(Engine& engine);
  uint64_t* doorbell(uint32_t index) { return doorbells_ + index; }
  /// By the number in interrupts; 0: none.
  uint64_t queue_address(uint32_t number) const;
  size_t size() const { return queues_.size(); }

 private:
  struct Entry {
    command_processor::QueueBinding binding;
    uint32_t number = 0;
    bool bound = false;
    uint64_t heard = kSilent;
    std::optional<SdmaRequest> sdma;
  };
  std::optional<uint32_t> take_doorbell();
  void bind(Engine& engine, Entry& entry);
  void unbind(Engine& engine, Entry& entry, bool drain);

  uint64_t* doorbells_;
  uint64_t* pointers_;
  Recorder& recorder_;
  std::map<uint64_t, Entry> queues_;  // by id
  uint32_t last_ = 0;
  uint64_t gws_owner_ = 0;  // id; 0: nobody
};

}  // namespace cuvette::thunk
