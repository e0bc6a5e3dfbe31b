// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cache/replacement.h"
#include "memory/memory_messages.h"

namespace cuvette::cache {

/// Lines of a set-associative cache with their bytes. A line is one or two blocks of 64 bytes, each
/// with the bytes that are valid and those that are dirty.
class TagStore {
 public:
  struct Block {
    uint64_t valid = 0;                               ///< byte mask
    uint64_t dirty = 0;                               ///< byte mask, within valid
    std::array<uint8_t, memory::kBlockBytes> data{};  ///< of meaning where `valid`
  };
  struct Line {
    uint64_t address = 0;         ///< of its first byte
    bool used = false;            ///< the way holds a line
    std::array<Block, 2> blocks;  ///< the second: of lines of 128 bytes
  };

  /// `config.line_bytes` is a power of two, `config.replacement` one of make_replacement().
  explicit TagStore(const Config& config);

  /// The line that holds `address`, or null. `touch`: a use, which the replacement is told of.
  Line* find(uint64_t address, bool touch);
  const Line* find(uint64_t address) const;
  /// The line to replace for `address`: the first free one of the set, or the one that the
  /// replacement gives up. Once for each line that comes in.
  Line& victim(uint64_t address);
  void claim(Line& line, uint64_t address);
  /// The line is free now.
  void release(Line& line);

  Block& block_of(Line& line, uint64_t address) const {
    return line.blocks[(address - line.address) / memory::kBlockBytes];
  }
  const Block& block_of(const Line& line, uint64_t address) const {
    return line.blocks[(address - line.address) / memory::kBlockBytes];
  }
  unsigned blocks_per_line() const { return line_bytes_ / memory::kBlockBytes; }
  std::vector<Line>& lines() { return lines_; }
  const std::vector<Line>& lines() const { return lines_; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  std::size_t set_of(uint64_t address) const {
    const uint64_t own = address / interleave_bytes_ / slices_ * interleave_bytes_ +
                         address % interleave_bytes_;  // as if this slice's pieces were adjacent
    return own / line_bytes_ % sets_;
  }
  uint64_t base_of(uint64_t address) const { return address & ~uint64_t{line_bytes_ - 1}; }
  uint32_t& bucket_of(uint64_t base) {
    constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
    return buckets_[base / memory::kBlockBytes * kSpread >> bucket_shift_];
  }

  uint32_t ways_, line_bytes_, slices_, interleave_bytes_;
  std::size_t sets_;
  std::unique_ptr<Replacement> replacement_;
  std::vector<Line> lines_;
  std::vector<uint64_t> address_;  // of each line: many are looked at before the right one
  std::vector<uint8_t> used_;      // by line, as Line::used
  // Lines that are used, by address: chains of line numbers.
  std::vector<uint32_t> buckets_, next_;
  unsigned bucket_shift_;
};

inline constexpr uint64_t kWholeBlock = ~uint64_t{0};  ///< mask of all bytes of a block

/// Copies the bytes of a block that `mask` names, bit 0 for the first.
void merge(uint8_t* to, const uint8_t* from, uint64_t mask);

}  // namespace cuvette::cache
