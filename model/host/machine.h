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
#include "base/stop_point.h"
#include "command_processor/command_processor.h"
#include "host/hang.h"
#include "hsa/code_object.h"
#include "hsa/memory.h"
#include "machine/description.h"

/// What a driver has of a GPU, whatever engine is behind: registers, doorbells, memory, interrupts,
/// time (ip/host/cuvette.h, docs/firmware.md).
namespace cuvette::host {

/// Why a machine was made to stand still; the numbers are those of the host-event log.
enum class StopReason : uint32_t {
  Cancel = 1,   ///< the host asked
  Cycles = 2,   ///< nothing got on for so many cycles
  Seconds = 3,  ///< for so long
};

/// One engine. All calls come from one thread, which is the only one that ever touches SystemC.
/// Throws when the simulation itself breaks off; nothing may be called then but the destructor.
class Machine {
 public:
  virtual ~Machine() = default;

  virtual machine::Cycle now() const = 0;
  /// Everything before `end` happens; then now() is `end`, or earlier when the stop point has been
  /// met.
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
  /// Who waits for what, now.
  HangReport hang_report();
  /// Grows whenever something gets on: packets, waves that begin.
  virtual uint64_t progress() const = 0;

  hsa::DeviceMemory& memory() { return memory_; }
  /// As DeviceMemory's, up to the capacity of the description's memory.
  base::Result<uint64_t> allocate(uint64_t bytes, const hsa::DeviceMemory::Options& options);
  base::Status free(uint64_t address);

  /// A code object for the machine's target, relocated and with its variables, in memory of its
  /// own. Errors: those of hsa::load_code_object().
  base::Result<std::shared_ptr<const hsa::LoadedCode>> load(const std::vector<uint8_t>& bytes);
  /// By LoadedCode::block.
  base::Status unload(uint64_t block);

  /// Bases of the apertures in the address space of code: what hidden arguments tell.
  uint64_t shared_aperture() const { return shared_aperture_; }
  uint64_t private_aperture() const { return private_aperture_; }

 protected:
  explicit Machine(const machine::Description& description);
  /// Queues and waves; what is only known by name is filled in by hang_report().
  virtual void look(HangReport& report) = 0;

  hsa::DeviceMemory memory_;

 private:
  const hsa::LoadedCode* code_at(uint64_t address) const;

  std::string target_name_;
  bool sramecc_, xnack_;
  uint64_t shared_aperture_, private_aperture_;
  uint64_t left_;
  std::map<uint64_t, uint64_t> sizes_;                                // of blocks, by address
  std::map<uint64_t, std::shared_ptr<const hsa::LoadedCode>> codes_;  // by block
  unsigned loads_ = 0;
};

/// Whether a machine of any engine can be made of a description, before one is. Errors have the
/// place in its file.
base::Status check_machine(const machine::Description& description);

struct MachineOptions {
  std::string engine = "lt";   ///< golden, lt or ca
  machine::Cycle quantum = 0;  ///< lt: TLM's global quantum
  bool poison = false;
  uint64_t watchdog = 4'000'000'000;  ///< golden: instructions of one dispatch
  /// Where run_to() can be made to return early; outlives the machine. Null: nowhere.
  base::StopPoint* stop = nullptr;
  /// golden: a dispatch asks for StopReason::Cycles after so many instructions; 0: never.
  uint64_t stop_after = 0;
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
