// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "gpu/doorbell_aperture.h"
#include "hsa/address_space.h"

namespace cuvette::gpu {

/// Address spaces of the VMIDs, as VM_CONTEXTn_* switch them on (registers.md "Address
/// spaces"): a VMID whose context is enabled has page tables in memory, every other one sees the
/// address space around. Formats of Vega10: root and directory entries valid 0, base 47:6, entry is
/// a page 54, block fragment size 63:59; page entries valid 0, execute 4, read 5, write 6, base
/// 47:12, further directory 56, memory type 58:57 (public gmc_v9_0 comments).
///
/// Entries are read from memory at every translation, in no time and past the caches. Contexts are
/// changed while nothing translates.
class VmContexts final : public hsa::AddressSpace {
 public:
  static constexpr unsigned kContexts = 16;
  static constexpr unsigned kPageBits = 12;

  /// Page tables of a VMID, as its registers describe them.
  struct Context {
    bool enabled = false;     ///< false: its addresses are those of the address space around
    unsigned depth = 0;       ///< directories above the page table
    unsigned block_size = 0;  ///< a page table has 512 << block_size entries; flat ones any number
    uint64_t root = 0;        ///< directory entry of the first table
    uint64_t first = 0;       ///< pages that there are, both ends included; tables begin at `first`
    uint64_t last = 0;
  };

  /// Outcome of a walk.
  enum class Error : uint8_t {
    None,       ///< `entry` is a page entry, valid or not
    Range,      ///< no page from `first` to `last`
    Directory,  ///< no valid entry says where the table of `level` is
    Malformed,  ///< entry asks for what is not modelled: further directories, block fragments
    Memory,     ///< nothing to read at an entry
  };
  struct Walk {
    Error error = Error::None;  ///< reason of the end
    unsigned level = 0;         ///< of the table where it ended: 0 page table, 1 directory above it
    uint64_t entry = 0;         ///< page entry, or the one that is wrong
    uint64_t offset = 0;        ///< bytes, of the address in its page
    uint64_t bytes = 0;         ///< of the page, as far as `last` allows
  };

  /// Reads physical memory; false when something is not there.
  using Read = std::function<bool(uint64_t pa, void* out, size_t bytes)>;
  /// `around` outlives it.
  explicit VmContexts(const hsa::AddressSpace& around) : around_(around) {}
  /// Without, no entry is ever there.
  void read_by(Read read) { read_ = std::move(read); }

  void set(unsigned vmid, const Context& context);
  bool enabled(uint32_t vmid) const { return vmid < kContexts && contexts_[vmid].enabled; }
  Walk walk(unsigned vmid, uint64_t va) const;

  DoorbellAperture& doorbells() { return doorbells_; }
  const DoorbellAperture& doorbells() const { return doorbells_; }

  /// The doorbell aperture is never cached, and VMIDs without page tables may write to it where it
  /// is. Unmapped: no valid entry; NotBacked: no memory where an entry should be.
  hsa::Translation translate(uint32_t vmid, uint64_t va, hsa::Access access) const override;
  /// Behind page tables: what lies at the physical address, at addresses of the VMID.
  hsa::CodeExtent code_at(uint32_t vmid, uint64_t va) const override;

  /// By the physical address where there are page tables.
  std::string place_of(uint32_t vmid, uint64_t va, uint64_t bytes) const override;
  uint64_t generation() const override { return around_.generation() + changes_; }
  /// Page tables may be written at any time.
  bool stays(uint32_t vmid) const override { return !enabled(vmid) && around_.stays(vmid); }
  bool stays() const override { return !any() && around_.stays(); }
  /// Some VMID has page tables.
  bool any() const;

  static bool valid(uint64_t entry) { return (entry & 1) != 0; }
  /// Rights of a page entry.
  static hsa::Access permitted(uint64_t entry);

 private:
  const hsa::AddressSpace& around_;
  Read read_;
  DoorbellAperture doorbells_;
  std::array<Context, kContexts> contexts_;
  uint64_t changes_ = 0;  // of contexts
};

}  // namespace cuvette::gpu
