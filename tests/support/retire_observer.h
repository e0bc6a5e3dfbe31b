// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "golden/wave.h"
#include "hsa/memory.h"
#include "isa/text.h"

/// Judges retirement records without the code that makes them: copies of everything architectural
/// before and after a step, and the record applied to the first copy must give the second.
namespace cuvette::golden::testing {

struct Window {
  uint64_t address = 0;
  size_t bytes = 0;
};

struct Snapshot {
  wave::ScalarState s;
  std::vector<wave::LaneRow> arch, acc;
  std::vector<uint8_t> lds;
  std::vector<std::vector<uint8_t>> memory;  ///< per window
};

class RecordObserver {
 public:
  RecordObserver(const hsa::DeviceMemory& memory, std::vector<Window> windows)
      : memory_(memory), windows_(std::move(windows)) {}

  Snapshot take(const Wave& w) const {
    Snapshot s;
    s.s = w.state.s;
    s.arch.assign(w.state.v.arch, w.state.v.arch + w.state.v.arch_count);
    if (w.state.v.acc != nullptr) {
      s.acc.assign(w.state.v.acc, w.state.v.acc + w.state.v.acc_count);
    }
    s.lds = w.group->lds;
    for (const Window& window : windows_) {
      s.memory.emplace_back(window.bytes);
      if (!memory_.read(window.address, s.memory.back().data(), window.bytes)) std::abort();
    }
    return s;
  }

  /// The first thing wrong with the record; empty when nothing is.
  std::string check(Snapshot before, const wave::RetireRecord& r, const Snapshot& after) const {
    if (r.pc != before.s.pc) return "pc";
    if (r.exec != before.s.exec()) return "exec";
    if (r.mode != after.s.mode.raw) return "mode";
    if (r.trapsts != after.s.trapsts) return "trapsts";
    // Value that S_GETREG reads: VALID is 1, and three bits tell of other registers (MI100 ISA
    // table 7).
    const uint32_t status = after.s.status | 1u << 16 | (after.s.scc ? 1u : 0u) |
                            (after.s.exec() == 0 ? 1u << 9 : 0u) |
                            (after.s.vcc() == 0 ? 1u << 10 : 0u);
    if (r.status != status) return "status";
    if ((r.flags & ~after.s.trapsts) != 0) return "flags that are not in TRAPSTS";
    if ((after.s.trapsts & 0x7f) != ((before.s.trapsts | r.flags) & 0x7f) &&
        r.instruction.row->format != isa::Format::Sopk) {
      return "TRAPSTS gained flags that the record does not have";
    }
    for (const auto& w : r.vector_writes) {
      auto& file = w.kind == isa::OperandKind::Agpr ? before.acc : before.arch;
      if (w.index >= file.size()) return "a register that is not there";
      if (w.lanes == 0) return "a write of no lane";
      for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
        if ((w.lanes >> lane & 1) != 0) {
          file[w.index][lane] = w.data[lane];
        } else if (w.data[lane] != 0) {
          return "data of a lane that is not written";
        }
      }
    }
    for (const auto& w : r.scalar_writes) {
      if (w.code == isa::kScc) {
        if (before.s.scc == (w.value != 0)) return "SCC listed, unchanged";
        before.s.scc = w.value != 0;
      } else {
        if (before.s.sgpr.at(w.code) == w.value) return fmt::format("s{} unchanged", w.code);
        before.s.sgpr.at(w.code) = w.value;
      }
    }
    std::string wrong = apply(before, r, after);
    if (!wrong.empty()) return wrong;
    if (before.s.sgpr != after.s.sgpr) return "scalar registers";
    if (before.s.scc != after.s.scc) return "SCC";
    wrong = differs("v", before.arch, after.arch);
    if (wrong.empty()) wrong = differs("a", before.acc, after.acc);
    if (!wrong.empty()) return wrong;
    if (before.lds != after.lds) return "LDS";
    if (before.memory != after.memory) return "memory";
    return {};
  }

 private:
  static std::string differs(const char* file, const std::vector<wave::LaneRow>& a,
                             const std::vector<wave::LaneRow>& b) {
    for (size_t n = 0; n < a.size(); ++n) {
      for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
        if (a[n][lane] != b[n][lane]) {
          return fmt::format("{}{} lane {}: by the record {:#x}, really {:#x}", file, n, lane,
                             a[n][lane], b[n][lane]);
        }
      }
    }
    return {};
  }

  /// Place of an access in a snapshot; null when outside of the watched memory.
  uint8_t* find(Snapshot& s, const wave::MemoryAccess& a) const {
    if (a.space == wave::MemorySpace::Lds) {
      return a.address + a.size <= s.lds.size() ? s.lds.data() + a.address : nullptr;
    }
    for (size_t n = 0; n < windows_.size(); ++n) {
      const Window& w = windows_[n];
      if (a.address >= w.address && a.address + a.size <= w.address + w.bytes) {
        return s.memory[n].data() + (a.address - w.address);
      }
    }
    return nullptr;
  }

  std::string apply(Snapshot& before, const wave::RetireRecord& r, const Snapshot& after) const {
    Snapshot end = after;
    for (const auto& a : r.accesses) {
      if (a.size == 0 || a.size > sizeof a.bytes) return "size of an access";
      uint8_t* at = find(before, a);
      if (a.fault) {
        const bool atomic =
            a.kind == wave::MemoryKind::Atomic || a.kind == wave::MemoryKind::AtomicReturn;
        if (at != nullptr && !(atomic && a.address % a.size != 0)) {
          return "a fault where memory is";
        }
        for (unsigned n = 0; n < a.size; ++n) {
          if (a.kind == wave::MemoryKind::Load && a.bytes[n] != 0) return "data of a fault";
        }
        continue;
      }
      if (at == nullptr) return fmt::format("an access at {:#x}, unwatched", a.address);
      switch (a.kind) {
        case wave::MemoryKind::Load:
          if (std::memcmp(at, a.bytes, a.size) != 0) {
            return fmt::format("loaded bytes of lane {} at {:#x}", a.lane, a.address);
          }
          break;
        case wave::MemoryKind::Store:
          std::memcpy(at, a.bytes, a.size);
          break;
        default:
          if (a.kind == wave::MemoryKind::AtomicReturn && alone(r, a) &&
              std::memcmp(at, a.old_bytes, a.size) != 0) {
            return "old value of an atomic";
          }
          // Its result is not in the record; that the place is, is what counts here.
          std::memcpy(at, find(end, a), a.size);
      }
    }
    return {};
  }

  /// True if no other access of the instruction touches its bytes.
  static bool alone(const wave::RetireRecord& r, const wave::MemoryAccess& a) {
    for (const auto& b : r.accesses) {
      if (&b != &a && b.space == a.space && b.address < a.address + a.size &&
          a.address < b.address + b.size) {
        return false;
      }
    }
    return true;
  }

  const hsa::DeviceMemory& memory_;
  std::vector<Window> windows_;
};

}  // namespace cuvette::golden::testing
