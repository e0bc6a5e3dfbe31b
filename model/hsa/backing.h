// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/lookup_hints.h"
#include "base/result.h"

namespace cuvette::hsa {

/// Memory by physical address: bytes that exist, without permissions and without time.
///
/// Threads: accesses may come from any thread at the same time. Naturally aligned accesses of 1, 2,
/// 4 and 8 bytes never tear; aligned accesses of several dwords up to 256 bytes are sequences of
/// whole dwords. Larger ones are plain copies: sharers of such a block synchronise by other
/// means. read_modify_write is sequentially consistent. Adding or removing ranges must not overlap
/// with accesses.
class Backing {
 public:
  virtual ~Backing();

  /// Host address of [pa, pa + bytes) when these bytes exist and are contiguous in the host (those
  /// of one range of SparseMemory are), otherwise null. Stays valid until the range is removed.
  virtual uint8_t* host_pointer(uint64_t pa, size_t bytes) = 0;

  /// False, with nothing copied, when a byte of the range does not exist.
  virtual bool read(uint64_t pa, void* out, size_t bytes) const = 0;
  virtual bool write(uint64_t pa, const void* data, size_t bytes) = 0;

  /// Replaces the 4 or 8 bytes at `pa` by update(old); `old` gets the value before. False when they
  /// do not exist or `pa` is not naturally aligned. `update` may be called several times.
  using Update = std::function<uint64_t(uint64_t)>;
  bool read_modify_write(uint64_t pa, unsigned bytes, const Update& update, uint64_t* old);

  /// Acquire load and release store of 4 or 8 naturally aligned bytes; false as above.
  bool load_acquire(uint64_t pa, unsigned bytes, uint64_t* value);
  bool store_release(uint64_t pa, unsigned bytes, uint64_t value);
};

/// Own memory, of which the host gives pages when they are first written, and host memory attached
/// in place. Bytes exist only inside reserved or attached ranges; untouched ones read as 0.
class SparseMemory final : public Backing {
 public:
  static constexpr uint64_t kPageBytes = 64 << 10;
  static constexpr uint64_t kMaxRangeBytes = uint64_t{1} << 38;

  SparseMemory();
  ~SparseMemory() override;

  /// Errors: empty, overlapping, above the end of the address space, larger than kMaxRangeBytes, no
  /// room in the host.
  base::Status reserve(uint64_t pa, uint64_t bytes);
  /// The caller keeps `host` alive until release(); alignment modulo 8 must equal that of `pa`.
  base::Status attach(uint64_t pa, uint64_t bytes, void* host);
  /// Removes the range that starts at `pa` and frees its pages; error when there is none.
  base::Status release(uint64_t pa);

  uint8_t* host_pointer(uint64_t pa, size_t bytes) override;
  bool read(uint64_t pa, void* out, size_t bytes) const override;
  bool write(uint64_t pa, const void* data, size_t bytes) override;

  /// Own pages that were written, ascending; bytes outside the ranges are 0.
  using Visitor = std::function<void(uint64_t pa, const uint8_t* bytes, size_t count)>;
  void visit(const Visitor& visitor) const;

  /// Own pages that may have been written, in bytes.
  uint64_t resident_bytes() const { return resident_pages_.load() * kPageBytes; }

 private:
  struct Range;
  const Range* find(uint64_t pa) const;
  bool covered(const Range* first, uint64_t pa, size_t bytes) const;
  base::Status check_new(uint64_t pa, uint64_t bytes) const;
  uint8_t* use(const Range& range, uint64_t pa, size_t bytes);

  std::map<uint64_t, std::unique_ptr<Range>> ranges_;  // by first address
  base::LookupHints<Range> hints_;
  std::atomic<uint64_t> resident_pages_{0};
};

/// One window of host memory, for example a DMI region of a testbench's own DRAM. Not owned.
class HostMemory final : public Backing {
 public:
  HostMemory(uint64_t pa, uint64_t bytes, void* host)
      : base_(pa), bytes_(bytes), host_(static_cast<uint8_t*>(host)) {}

  uint8_t* host_pointer(uint64_t pa, size_t bytes) override;
  bool read(uint64_t pa, void* out, size_t bytes) const override;
  bool write(uint64_t pa, const void* data, size_t bytes) override;

 private:
  bool inside(uint64_t pa, size_t bytes) const;

  uint64_t base_;
  uint64_t bytes_;
  uint8_t* host_;
};

}  // namespace cuvette::hsa
