// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "command_processor/command_processor.h"
#include "command_processor/task.h"

namespace cuvette::command_processor {

inline constexpr uint8_t kKernelVmid = 0;  ///< of descriptors

/// Micro engine: what the firmware's coroutines await. Memory accesses of any size in blocks, cache
/// fences, register accesses, timers, and launches into the spi. An operation whose last part has
/// come is ready; the owner resumes its coroutine.
class MicroEngine {
 public:
  /// First block that a cache could not write back, of one or several fences.
  struct FenceFault {
    bool any = false;
    uint64_t address = 0;  ///< physical
  };
  /// Caches that a fence reaches: first level, or L2.
  enum class Level : uint8_t { Near, Far };

  /// Access, fence, timer or launch under way, in one or several parts.
  struct Operation {
    unsigned left = 0;  ///< parts
    bool faulted = false;
    FenceFault* fence = nullptr;
    std::coroutine_handle<> waiter;         ///< none: the owner takes the end
    std::optional<uint32_t> starts;         ///< a queue, when the time has come
    std::optional<uint32_t> properties_of;  ///< a queue, whose properties are read into `value`
    uint32_t value = 0;
  };

  /// Awaitable of an operation: false after a fault.
  class Await {
   public:
    /// Null: there is nothing to wait for.
    explicit Await(Operation* op) : op_(op) {}
    bool await_ready() const noexcept { return op_ == nullptr; }
    void await_suspend(std::coroutine_handle<> waiter) noexcept { op_->waiter = waiter; }
    bool await_resume() const noexcept { return op_ == nullptr || !op_->faulted; }

   private:
    Operation* op_;
  };

  MicroEngine(const Config& config, machine::Channel<RegisterAccess>& registers)
      : config_(config), registers_(registers) {}

  void connect(spi::Spi& spi, cache::Cache::Port& memory,
               const std::vector<cache::Cache::Port*>& near,
               const std::vector<cache::Cache::Port*>& far);

  Frames& frames() { return frames_; }
  const Config& config() const { return config_; }
  machine::Cycle now() const { return now_; }
  spi::Spi& spi() const { return *spi_; }
  CommandProcessor::Counters& counters() { return counters_; }
  const CommandProcessor::Counters& counters() const { return counters_; }
  uint32_t next_dispatch() { return next_dispatch_++; }
  uint64_t decode_cycles() const { return decode_cycles_; }
  void count_decoding(uint32_t cycles) { decode_cycles_ += cycles; }

  /// Virtual addresses of `vmid`, as device coherent accesses past the caches. `out` and the
  /// FenceFault live as long as the coroutine that awaits; `data` is copied, at most a block.
  Await read(uint8_t vmid, uint64_t va, void* out, unsigned bytes);
  Await write(uint8_t vmid, uint64_t va, const void* data, unsigned bytes);
  Await fetch_sub(uint8_t vmid, uint64_t va, uint64_t amount);
  Await fence(memory::MemOp op, Level level, FenceFault& fault);
  /// At least one cycle.
  Await delay(uint32_t cycles);
  Await launch(const spi::Dispatch& dispatch);
  Await read_register(uint32_t queue, uint32_t bank, uint32_t offset, uint32_t* value);
  /// `packet`: number of the packet whose grid the write starts.
  Await write_register(uint32_t queue, uint32_t bank, uint32_t offset, uint32_t value,
                       uint64_t packet = 0);

  /// Operations of several parts: begin, hold, add parts, release, await.
  Operation* begin();
  void hold(Operation& op) { ++op.left; }
  void finish_part(Operation& op);
  void start_timer(machine::Cycle end, Operation& op);
  void start_read(Operation& op, uint8_t vmid, uint64_t va, void* out, unsigned bytes);
  void ask_register(Operation& op, const RegisterAccess& access, uint32_t* out = nullptr,
                    uint64_t packet = 0);
  /// Number of the packet that asked for a register access under way.
  std::optional<uint64_t> packet_of(uint32_t access) const;

  // For the owner's tick().
  machine::Cycle next_event() const;
  void begin_cycle(machine::Cycle now) { now_ = now; }
  void take_responses();
  void take_register(const RegisterDone& done);
  void take_timers();
  /// Into the spi, as far as it has room. False: no launch waited.
  bool send_launches();
  bool in_memory() const { return !parts_.empty(); }
  /// The earliest that is ready, or null; give it back with free().
  Operation* take_ready();
  void free(Operation& op) { free_operations_.push_back(&op); }

 private:
  struct Part {
    Operation* operation;    // null: answered
    uint8_t* out;            // null: no data wanted
    unsigned offset, bytes;  // in the block
  };
  struct RegisterPart {
    Operation* operation;
    uint32_t* out;    // null: a write
    uint64_t packet;  // that asks
  };

  void take(cache::Cache::Port& port);
  void transfer(Operation& op, uint8_t vmid, uint64_t va, unsigned bytes, memory::MemReq& request,
                const void* in, uint8_t* out);

  Frames frames_;
  Config config_;
  machine::Channel<RegisterAccess>& registers_;
  spi::Spi* spi_ = nullptr;
  cache::Cache::Port* memory_ = nullptr;
  std::vector<cache::Cache::Port*> near_, far_;
  machine::Cycle now_ = 0;
  uint64_t next_id_ = 1;
  uint32_t sequence_ = 0;
  uint32_t next_dispatch_ = 1;
  uint32_t next_access_ = 1;
  std::vector<Part> parts_;  // requests under way, by id: the last one is next_id_ - 1
  std::map<uint32_t, RegisterPart> register_parts_;     // by RegisterAccess::id
  std::vector<std::unique_ptr<Operation>> operations_;  // under way, or free to be used again
  std::vector<Operation*> free_operations_;
  std::deque<Operation*> ready_;
  std::vector<std::pair<machine::Cycle, Operation*>> timers_;  // in the order they end
  // Waiting for room at the spi; all have time 0.
  machine::Channel<std::pair<spi::Dispatch, Operation*>> launches_{machine::kUnbounded};
  CommandProcessor::Counters counters_;
  uint64_t decode_cycles_ = 0;
};

/// Part of the firmware, whose coroutines run on the micro engine.
class Firmware {
 public:
  Frames& frames() { return me_.frames(); }

 protected:
  using FenceFault = MicroEngine::FenceFault;
  using Level = MicroEngine::Level;
  using Operation = MicroEngine::Operation;
  using Await = MicroEngine::Await;

  explicit Firmware(MicroEngine& me) : me_(me) {}

  /// Reads block by block: the next one when the one before has come. `fault`: address of the first
  /// block that cannot be read; nothing is read behind it.
  Task read_in_turn(uint8_t vmid, uint64_t va, void* out, size_t bytes,
                    std::optional<uint64_t>& fault);

  MicroEngine& me_;
};

}  // namespace cuvette::command_processor
