// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "base/lookup_hints.h"
#include "base/result.h"
#include "hsa/code_ranges.h"

namespace cuvette::hsa {

/// Access rights, as a set of bits: those an access needs, and those a range grants.
enum class Access : uint8_t { None = 0, Read = 1, Write = 2, ReadWrite = 3, Execute = 4, All = 7 };
constexpr Access operator|(Access a, Access b) {
  return static_cast<Access>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr bool includes(Access set, Access wanted) {
  return (static_cast<uint8_t>(set) & static_cast<uint8_t>(wanted)) == static_cast<uint8_t>(wanted);
}

/// Caching policy of a page (MTYPE of the gfx9 page table; Compute ABI "SH_MEM_CONFIG" chooses
/// NonCoherent by default).
enum class MemoryType : uint8_t {
  NonCoherent = 0,
  ReadWrite = 1,
  CoherentlyCached = 2,
  Uncached = 3
};

enum class Fault : uint8_t {
  None,
  Unmapped,      ///< no range holds the address
  NotPermitted,  ///< a range holds it, without the permission wanted
  NotBacked,     ///< translated to a physical address where there is no memory
  Misaligned,    ///< an atomic that is not naturally aligned
};
const char* name(Fault fault);

/// Result of a translation.
struct Translation {
  uint64_t pa = 0;     ///< physical address
  uint64_t bytes = 0;  ///< bytes from the address on that translate the same way
  MemoryType type = MemoryType::NonCoherent;
  Fault fault = Fault::None;

  bool ok() const { return fault == Fault::None; }
};

/// Virtual to physical addresses per VMID. Only what is mapped translates; map() is the identity
/// unless told otherwise. Ranges are exact to the byte, so that a store one element past a buffer
/// faults.
///
/// Derive and override translate() to put an own IOMMU in its place. Mapping is not thread-safe
/// against translation; translations are safe against each other.
class AddressSpace {
 public:
  /// A range of this VMID is seen by every other.
  static constexpr uint32_t kAnyVmid = 0xffffffff;

  /// Mapped range; pa is that of its first byte.
  struct Range {
    uint64_t va = 0;
    uint64_t bytes = 0;
    uint64_t pa = 0;
    Access permitted = Access::ReadWrite;
    MemoryType type = MemoryType::NonCoherent;
    uint32_t vmid = kAnyVmid;
  };

  virtual ~AddressSpace();

  /// A VMID's own ranges hide those of kAnyVmid.
  virtual Translation translate(uint32_t vmid, uint64_t va, Access access) const;

  /// The loaded function, or the gap between loaded functions, where a VMID fetches `va` from.
  virtual CodeExtent code_at(uint32_t vmid, uint64_t va) const;
  /// Functions of what has been loaded, at addresses that every VMID sees. The loader adds them.
  CodeRanges& code() { return code_; }
  const CodeRanges& code() const { return code_; }

  /// Errors: empty, wraps, overlaps a range of the same VMID.
  base::Status map(const Range& range);
  /// Identity for every VMID.
  base::Status map(uint64_t va, uint64_t bytes, Access permitted);
  /// The range that starts at `va`; error when there is none.
  base::Status unmap(uint64_t va, uint32_t vmid = kAnyVmid);
  /// The range of `vmid` (or of kAnyVmid) that holds `va`, null when none does.
  const Range* find(uint32_t vmid, uint64_t va) const;
  /// Grows by one with every map and unmap: caches of translations compare it.
  virtual uint64_t generation() const { return generation_; }
  /// True if the translations of a VMID's addresses stay as long as generation() does.
  virtual bool stays(uint32_t /*vmid*/) const { return true; }
  /// The same of all VMIDs.
  virtual bool stays() const { return true; }

  /// Names the bytes [va, va + bytes) for messages: "buffer y", "code of saxpy.co". They may have
  /// been named before, and need not be mapped.
  void name(uint64_t va, uint64_t bytes, std::string what);
  /// The name that starts at `va` is that of memory which is gone.
  void forget(uint64_t va);
  /// Description of the place of an access of `bytes` (0: unknown) at `va`, for messages: "12 bytes
  /// beyond the end of buffer y (0x100000000, 4096 bytes)". Goes by names; where nothing is named,
  /// by what is mapped. Empty: nothing is near.
  virtual std::string place_of(uint32_t vmid, uint64_t va, uint64_t bytes) const;

 private:
  /// Mapped ranges of one VMID, or of all.
  struct Ranges {
    std::map<uint64_t, Range> by_va;
    base::LookupHints<Range> hints;

    const Range* find(uint64_t va) const;
  };
  const Ranges* own(uint32_t vmid) const;

  /// Named range.
  struct Named {
    uint64_t bytes = 0;
    std::string what;
    bool gone = false;
  };
  std::map<uint64_t, Named> names_;  // by first address
  std::deque<uint64_t> gone_;        // of those that are, oldest first

  Ranges common_;  // of kAnyVmid
  std::map<uint32_t, Ranges> by_vmid_;
  CodeRanges code_;
  uint64_t generation_ = 0;
};

}  // namespace cuvette::hsa
