// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "command_processor/command_processor.h"
#include "hsa/memory.h"
#include "machine/description.h"

/// What a driver has of a GPU, whatever engine is behind: registers, doorbells, memory, interrupts,
/// time (ip/host/cuvette.h, docs/firmware.md).
namespace cuvette::host {

/// One engine. All calls come from one thread, which is the only one that ever touches SystemC.
/// Throws when the simulation itself breaks off; nothing may be called then but the destructor.
class Machine {
 public:
  virtual ~Machine() = default;

  virtual machine::Cycle now() const = 0;
  /// Everything before `end` happens; then now() is `end`.
  virtual void run_to(machine::Cycle end) = 0;
  /// Nothing is left to happen by itself.
  virtual bool idle() const = 0;

  /// Errors: the access was refused.
  virtual base::Status read_register(uint32_t offset, uint32_t& value) = 0;
  virtual base::Status write_register(uint32_t offset, uint32_t value) = 0;
  virtual base::Status ring(uint32_t doorbell, uint64_t value) = 0;

  /// Called inside run_to(), at `at`.
  using OnInterrupt =
      std::function<void(machine::Cycle at, const command_processor::Interrupt& interrupt)>;
  virtual void on_interrupt(OnInterrupt handler) = 0;
  /// Serves an agent dispatch packet inside run_to(), at `at`, and may use memory(); true when it
  /// has done so.
  using OnAgent =
      std::function<bool(machine::Cycle at, const command_processor::AgentDispatch& packet)>;
  virtual void on_agent_dispatch(OnAgent handler) = 0;

  /// Before a range of memory() goes.
  virtual void before_free() {}
  /// Waves that ended by an error and refused register accesses since the last call.
  virtual std::vector<std::string> take_reports() = 0;

  hsa::DeviceMemory& memory() { return memory_; }
  /// As DeviceMemory's, up to the capacity of the description's memory.
  base::Result<uint64_t> allocate(uint64_t bytes, const hsa::DeviceMemory::Options& options);
  base::Status free(uint64_t address);

 protected:
  explicit Machine(const machine::Description& description) : left_(description.memory.bytes) {}

  hsa::DeviceMemory memory_;

 private:
  uint64_t left_;
  std::map<uint64_t, uint64_t> sizes_;  // of blocks, by address
};

struct MachineOptions {
  std::string engine = "lt";   ///< golden, lt or ca
  machine::Cycle quantum = 0;  ///< lt: TLM's global quantum
  bool poison = false;
  uint64_t watchdog = 4'000'000'000;  ///< golden: instructions of one dispatch
};
/// Errors: an unknown engine, a description that chooses blocks of others, or does not hold. lt and
/// ca: once per process.
base::Result<std::unique_ptr<Machine>> make_machine(const machine::Description& description,
                                                    const MachineOptions& options);
/// lt and ca.
bool is_systemc(const std::string& engine);

base::Result<std::unique_ptr<Machine>> make_systemc_machine(const machine::Description& description,
                                                            const MachineOptions& options);
base::Result<std::unique_ptr<Machine>> make_golden_machine(const machine::Description& description,
                                                           const MachineOptions& options);

}  // namespace cuvette::host
