// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/difference.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "isa/registers.h"

namespace cuvette::golden {
namespace {

using wave::MemoryAccess;
using wave::MemoryKind;
using wave::RetireRecord;
using wave::ScalarWrite;
using wave::VectorWrite;

std::string unequal(const std::string& what, uint64_t expected, uint64_t actual) {
  return fmt::format("{}: expected {:#x}, found {:#x}", what, expected, actual);
}

std::string name_of(const VectorWrite& w) {
  return fmt::format("{}{}", w.kind == isa::OperandKind::Agpr ? "a" : "v", w.index);
}

std::string name_of_scalar(unsigned code) {
  switch (code) {
    case isa::kScc:
      return "scc";
    case isa::kM0:
      return "m0";
    case isa::kVccLo:
      return "vcc_lo";
    case isa::kVccHi:
      return "vcc_hi";
    case isa::kExecLo:
      return "exec_lo";
    case isa::kExecHi:
      return "exec_hi";
    default:
      return fmt::format("s{}", code);
  }
}

std::string vectors(const RetireRecord& expected, const RetireRecord& actual) {
  for (const VectorWrite& e : expected.vector_writes) {
    const auto found =
        std::find_if(actual.vector_writes.begin(), actual.vector_writes.end(),
                     [&](const VectorWrite& a) { return a.kind == e.kind && a.index == e.index; });
    if (found == actual.vector_writes.end()) return name_of(e) + ": not written";
    if (found->lanes != e.lanes)
      return unequal(name_of(e) + " written lanes", e.lanes, found->lanes);
    for (unsigned lane = 0; lane < wave::kLanes; ++lane) {
      if ((e.lanes >> lane & 1) != 0 && found->data[lane] != e.data[lane]) {
        return unequal(fmt::format("{} lane {}", name_of(e), lane), e.data[lane],
                       found->data[lane]);
      }
    }
  }
  for (const VectorWrite& a : actual.vector_writes) {
    const auto same = [&](const VectorWrite& b) { return a.kind == b.kind && a.index == b.index; };
    if (std::count_if(actual.vector_writes.begin(), actual.vector_writes.end(), same) > 1) {
      return name_of(a) + ": written twice";
    }
    const auto found =
        std::find_if(expected.vector_writes.begin(), expected.vector_writes.end(),
                     [&](const VectorWrite& e) { return a.kind == e.kind && a.index == e.index; });
    if (found == expected.vector_writes.end() && a.lanes != 0) {
      return name_of(a) + ": written, expected not to be";
    }
  }
  return {};
}

std::string scalars(const RetireRecord& expected, const RetireRecord& actual,
                    const wave::ScalarState& after) {
  for (const ScalarWrite& e : expected.scalar_writes) {
    const auto found = std::find_if(actual.scalar_writes.begin(), actual.scalar_writes.end(),
                                    [&](const ScalarWrite& a) { return a.code == e.code; });
    if (found == actual.scalar_writes.end()) {
      return fmt::format("{}: not written, expected {:#x}", name_of_scalar(e.code), e.value);
    }
  }
  for (const ScalarWrite& a : actual.scalar_writes) {
    if (a.code != isa::kScc && a.code >= after.sgpr.size()) {
      return fmt::format("scalar code {} does not exist", a.code);
    }
    const uint32_t value = a.code == isa::kScc ? after.scc : after.sgpr[a.code];
    if (a.value != value) return unequal(name_of_scalar(a.code), value, a.value);
  }
  return {};
}

const char* name_of_kind(MemoryKind kind) {
  constexpr const char* kNames[] = {"load", "store", "atomic", "returning atomic"};
  return kNames[static_cast<unsigned>(kind)];
}

std::string bytes_text(const uint8_t* bytes, unsigned count) {
  std::string text;
  for (unsigned n = 0; n < count; ++n) text += fmt::format("{:02x}", bytes[n]);
  return text;
}

std::string access(const MemoryAccess& e, const MemoryAccess& a, uint32_t compare) {
  const std::string what =
      fmt::format("{} of lane {} at {:#x}", name_of_kind(e.kind), e.lane, e.address);
  if (a.lane != e.lane) return unequal(what + ", lane", e.lane, a.lane);
  if (a.kind != e.kind) return fmt::format("{}: found a {}", what, name_of_kind(a.kind));
  if (a.space != e.space) {
    return unequal(what + ", memory space", static_cast<unsigned>(e.space),
                   static_cast<unsigned>(a.space));
  }
  if (a.address != e.address) return unequal(what + ", address", e.address, a.address);
  if (a.size != e.size) return unequal(what + ", bytes", e.size, a.size);
  if (a.fault != e.fault) return unequal(what + ", fault", e.fault, a.fault);
  if (std::memcmp(a.bytes, e.bytes, sizeof e.bytes) != 0) {
    return fmt::format("{}: expected bytes {}, found {}", what, bytes_text(e.bytes, e.size),
                       bytes_text(a.bytes, e.size));
  }
  if (std::memcmp(a.old_bytes, e.old_bytes, sizeof e.old_bytes) != 0) {
    return fmt::format("{}: expected old value {}, found {}", what, bytes_text(e.old_bytes, e.size),
                       bytes_text(a.old_bytes, e.size));
  }
  if (e.kind != MemoryKind::Load && e.kind != MemoryKind::Store && a.atomic != e.atomic) {
    return unequal(what + ", operation", static_cast<unsigned>(e.atomic),
                   static_cast<unsigned>(a.atomic));
  }
  if ((compare & kCompareCacheBits) == 0) return {};
  if (a.glc != e.glc || a.slc != e.slc || a.scc != e.scc || a.nv != e.nv || a.scope != e.scope) {
    return what + ": cache bits or scope differ";
  }
  if (a.memory_type != e.memory_type) {
    return unequal(what + ", memory type", e.memory_type, a.memory_type);
  }
  return {};
}

std::string accesses(const RetireRecord& expected, const RetireRecord& actual, uint32_t compare) {
  const size_t both = std::min(expected.accesses.size(), actual.accesses.size());
  for (size_t n = 0; n < both; ++n) {
    std::string wrong = access(expected.accesses[n], actual.accesses[n], compare);
    if (!wrong.empty()) return wrong;
  }
  if (expected.accesses.size() != actual.accesses.size()) {
    return fmt::format("{} accesses expected, found {}", expected.accesses.size(),
                       actual.accesses.size());
  }
  return {};
}

}  // namespace

std::string difference(const RetireRecord& expected, const RetireRecord& actual,
                       const wave::ScalarState& after, uint32_t compare) {
  if (actual.pc != expected.pc) return unequal("pc", expected.pc, actual.pc);
  const unsigned length = expected.instruction.length, told = actual.instruction.length;
  for (unsigned n = 0; n < std::min(length, told); ++n) {
    const uint32_t e = expected.instruction.words[n], a = actual.instruction.words[n];
    if (a != e) return unequal(fmt::format("word {}", n), e, a);
  }
  if (told != length) return unequal("number of words", length, told);
  if ((compare & kCompareExec) != 0 && actual.exec != expected.exec) {
    return unequal("exec", expected.exec, actual.exec);
  }
  std::string wrong = scalars(expected, actual, after);
  if (wrong.empty()) wrong = vectors(expected, actual);
  if (wrong.empty() && (compare & kCompareAccesses) != 0) {
    wrong = accesses(expected, actual, compare);
  }
  if (!wrong.empty()) return wrong;
  if ((compare & kCompareStatus) != 0) {
    if (actual.mode != expected.mode) return unequal("mode", expected.mode, actual.mode);
    if (actual.trapsts != expected.trapsts) {
      return unequal("trapsts", expected.trapsts, actual.trapsts);
    }
  }
  if ((compare & kCompareStatusRegister) != 0 && actual.status != expected.status) {
    return unequal("status", expected.status, actual.status);
  }
  if ((compare & kCompareFlags) != 0) {
    if (actual.flags != expected.flags) return unequal("flags", expected.flags, actual.flags);
    if (actual.trap != expected.trap) return unequal("trap", expected.trap, actual.trap);
  }
  return {};
}

}  // namespace cuvette::golden
