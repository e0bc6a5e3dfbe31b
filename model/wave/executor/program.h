// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "isa/decode.h"
#include "isa/target.h"
#include "wave/executor/decoder.h"

namespace cuvette::wave {

/// Source of the instructions of a Program.
class CodeSource {
 public:
  virtual ~CodeSource() = default;
  /// Reads up to `count` dwords from `pc` on, as far as all of them can be fetched; how many.
  virtual size_t fetch(uint64_t pc, uint32_t* words, size_t count) const = 0;
  /// Address at which straight-line execution from `pc` comes to the end of its function, or of the
  /// gap between functions that `pc` is in.
  virtual uint64_t end_of_code(uint64_t pc) const = 0;
};

/// Decoded instructions by address, read from their source once. renew() or refresh() after memory
/// may have been rewritten; until then code is what it was when the straight piece it belongs to
/// was first reached, as with an instruction cache that is only invalidated when asked.
class Program {
 public:
  /// `source` outlives it.
  Program(const CodeSource& source, isa::Target target) : source_(source), target_(target) {}

  /// A basic block: instructions one after the other that all are micro-ops.
  struct Block {
    std::vector<MicroOp> straight;
    MicroOp jump;                       ///< ends the block; MicroKind::None when nothing does
    std::vector<const isa::Row*> rows;  ///< of all instructions
    uint64_t begin = 0, end = 0;        ///< byte addresses; `end` is behind the last instruction
    uint64_t falls_to = 0;      ///< address at which straight-line execution goes on behind it
    uint64_t executed = 0;      ///< as a whole, jump included; counted by who executes
    uint64_t instructions = 0;  ///< jump included
    uint32_t modes = 0;         ///< modes that its instructions need, all together
    uint16_t vgprs = 0, accvgprs = 0, sgprs = 0;  ///< registers the wave needs at least
    size_t number = 0;                            ///< of all blocks since clearings() changed

    /// True if all micro-ops of the block may be used for this wave now.
    bool fits(const WaveState& wave) const {
      return (wave.s.mode.raw & modes) == 0 && vgprs <= wave.v.arch_count &&
             vgprs <= wave.alloc.vgprs && accvgprs <= wave.v.acc_count &&
             accvgprs <= wave.alloc.accvgprs && sgprs <= wave.alloc.sgprs;
    }
    /// Blocks that came behind it: the one that begins at `pc`, or null.
    Block* successor(uint64_t pc) const {
      if (next_[0] != nullptr && next_[0]->begin == pc) return next_[0];
      return next_[1] != nullptr && next_[1]->begin == pc ? next_[1] : nullptr;
    }
    /// Remembers `next` as a successor; the last two are known.
    void follow_by(Block& next) {
      next_[1] = next_[0];
      next_[0] = &next;
    }

   private:
    Block* next_[2] = {};
  };
  /// Decoded instruction at an address, and the block that begins there.
  struct Entry {
    const isa::Decoded* decoded = nullptr;  ///< null: not looked at yet
    Block* block = nullptr;                 ///< that begins here; block() makes it
    uint64_t executed = 0;                  ///< alone; counted by who executes
  };

  /// The instruction at `pc` (a multiple of 4). Null when the memory cannot be fetched.
  Entry* at(uint64_t pc) {
    const uint64_t page = pc >> kPageShift;
    if (page != last_page_) [[unlikely]]
      turn_to(page);
    Entry& entry = last_->entries[(pc >> 2) & (kPageEntries - 1)];
    if (entry.decoded == nullptr && !fetch(pc, entry)) [[unlikely]]
      return nullptr;
    return &entry;
  }
  /// The block that begins at `pc`, whose entry is given; without instructions when the one there
  /// is for the reference executor.
  Block& block(uint64_t pc, Entry& entry) {
    if (entry.block == nullptr) [[unlikely]]
      make_block(pc, entry);
    return *entry.block;
  }
  /// The first `micro_ops` of a block have been run: counts them and moves PC behind them. Returns
  /// how many instructions they are.
  uint64_t pass(const Block& block, size_t micro_ops, WaveState& wave);
  /// Constants of the micro-ops.
  const LaneRow* constants() const { return decoder_->constants(); }
  /// True if an instruction that names an AccVGPR has ever been decoded, also before renew().
  bool accumulates() const { return accumulates_; }
  /// Executions per instruction since the last renew().
  isa::RowCounts executed() const;
  /// Forgets code that memory no longer holds; counts of executed blocks begin at 0.
  void renew();
  /// Forgets code that memory no longer holds; executed() goes on.
  void refresh();
  /// Number of times that code was forgotten: entries and blocks live as long as it stays.
  uint64_t clearings() const { return clearings_; }

 private:
  static constexpr unsigned kPageShift = 10;
  static constexpr size_t kWords = 4;  // of the longest instruction
  static constexpr size_t kPageEntries = size_t{1} << (kPageShift - 2);
  static constexpr size_t kMaxBlock = 128;
  struct Page {
    std::array<Entry, kPageEntries> entries;
    uint64_t first = ~uint64_t{0}, end = 0;  ///< addresses of what is decoded

    /// Calls `act` with the entries that may have something.
    template <class Act>
    void for_decoded(Act act) {
      if (end <= first) return;
      const size_t begin = (first >> 2) & (kPageEntries - 1);
      const size_t behind = std::min<size_t>(kPageEntries, begin + (end - first) / 4);
      for (size_t i = begin; i < behind; ++i) act(entries[i]);
    }
  };

  void turn_to(uint64_t page);
  bool fetch(uint64_t pc, Entry& entry);
  bool stands() const;
  bool stands(const Page& page) const;
  void forget();
  void make_block(uint64_t pc, Entry& entry);

  const CodeSource& source_;
  isa::Target target_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  // Stable addresses.
  std::deque<isa::Decoded> decoded_;
  std::deque<Block> blocks_;
  std::unique_ptr<Decoder> decoder_ = std::make_unique<Decoder>();
  uint64_t last_page_ = ~uint64_t{0};
  Page* last_ = nullptr;
  bool accumulates_ = false;
  uint64_t clearings_ = 0;
  isa::RowCounts forgotten_;  ///< executions of what refresh() forgot
};

}  // namespace cuvette::wave
