// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "registers/gfx9.h"

namespace cuvette::registers {

/// The register `i` places behind another one.
constexpr Reg nth(Reg first, unsigned i) {
  return static_cast<Reg>(static_cast<unsigned>(first) + i);
}

/// The registers of one GPU: values in banks, access rules, selection. Plain storage without time;
/// what a register means hangs on it through hooks. Not thread-safe.
class RegisterFile {
 public:
  /// Banks of GRBM_GFX_INDEX. The banks of GRBM_GFX_CNTL are the same on every part.
  struct Shape {
    unsigned engines = 1;  ///< shader engines
    unsigned arrays = 1;   ///< per shader engine
  };
  static constexpr unsigned kMicroEngines = 3;  ///< 0 graphics, 1 and 2 compute
  static constexpr unsigned kPipes = 4, kQueues = 8, kVmids = 16;
  static constexpr unsigned kSlots = kMicroEngines * kPipes * kQueues;
  static constexpr unsigned slot(unsigned me, unsigned pipe, unsigned queue) {
    return (me * kPipes + pipe) * kQueues + queue;
  }

  enum class Status : uint8_t {
    Ok,
    UnknownOffset,  ///< no register there
    Width,          ///< not 4 bytes
    Alignment,      ///< not at a multiple of 4
    ReadOnly,       ///< a write to a register that the model writes
    Selection,      ///< GRBM_GFX_CNTL or GRBM_GFX_INDEX names a bank that does not exist
  };
  /// A refused access. CUVETTE_ERROR (one bit per status), CUVETTE_ERROR_OFFSET and GRBM_READ_ERROR
  /// or GRBM_WRITE_ERROR keep the fact.
  struct Report {
    Status status = Status::Ok;
    bool write = false;
    uint32_t offset = 0;
    unsigned bytes = 4;
    /// "write of 4 bytes at 0x8010 (GRBM_STATUS): the register is read-only"
    std::string str() const;
  };

  explicit RegisterFile(const Shape& shape);

  /// Accesses from outside. A refused one changes nothing else; a refused read gives 0.
  Status read(uint32_t offset, unsigned bytes, uint32_t& value);
  Status write(uint32_t offset, unsigned bytes, uint32_t value);
  /// The value as a debugger sees it: no hook, no side effect, no report. False: nothing there.
  bool peek(uint32_t offset, uint32_t& value) const;
  void on_report(std::function<void(const Report&)> f) { report_ = std::move(f); }

  /// The model's side: no policy, no hook. `instance`: slot() of a queue bank, slot() / kQueues of
  /// a pipe, the VMID, or engine * arrays + array; 0 for a register that exists once.
  uint32_t get(Reg reg, unsigned instance = 0) const {
    return values_[first_[index(reg)] + instance];
  }
  void set(Reg reg, uint32_t value, unsigned instance = 0) {
    values_[first_[index(reg)] + instance] = value;
  }
  uint32_t get(Reg reg, Field field, unsigned instance = 0) const {
    return field.get(get(reg, instance));
  }
  void set(Reg reg, Field field, uint32_t value, unsigned instance = 0) {
    set(reg, field.set(get(reg, instance), value), instance);
  }
  unsigned instances(Reg reg) const { return count_[index(reg)]; }

  /// `written`: every bit as it came, pulses included; `before`: the value it replaced. The new
  /// value is in place already, and the hook may change it.
  using OnWrite = std::function<void(unsigned instance, uint32_t written, uint32_t before)>;
  void on_write(Reg reg, OnWrite f) { on_write_[reg] = std::move(f); }
  /// Value that a read from outside gives, instead of `value`, which is stored.
  using OnRead = std::function<uint32_t(unsigned instance, uint32_t value)>;
  void on_read(Reg reg, OnRead f) { on_read_[reg] = std::move(f); }

  void reset();
  /// One block of config/registers.yaml, every bank; no hooks.
  void reset_block(const std::string& block);
  /// Every register of a block in one bank.
  void reset_instance(const std::string& block, unsigned instance);

  /// Registers without effect in the model that were given a value other than that of reset.
  const std::set<std::string>& written_without_effect() const { return without_effect_; }

 private:
  static size_t index(Reg reg) { return static_cast<size_t>(reg); }
  /// The banks an access reaches; none: the selection is wrong.
  std::vector<unsigned> selected(const RegisterInfo& info, bool write) const;
  Status refuse(Status status, bool write, uint32_t offset, unsigned bytes);
  Status check(uint32_t offset, unsigned bytes, bool write) const;

  Shape shape_;
  std::vector<size_t> first_;    // by Reg, into values_
  std::vector<unsigned> count_;  // by Reg
  std::vector<uint32_t> values_;
  std::map<Reg, OnWrite> on_write_;
  std::map<Reg, OnRead> on_read_;
  std::function<void(const Report&)> report_;
  std::set<std::string> without_effect_;
};

const char* name(RegisterFile::Status status);

}  // namespace cuvette::registers
