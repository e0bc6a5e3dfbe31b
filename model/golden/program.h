// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "hsa/memory.h"
#include "isa/decode.h"
#include "isa/target.h"
#include "wave/prepared.h"
#include "wave/steady.h"
#include "wave/stream_waves.h"

namespace cuvette::golden {

/// Decoded instructions by address, read from memory once. renew() after memory may have been
/// rewritten; golden itself sees code as it was when the straight piece it belongs to was first
/// reached, like an instruction cache that is only invalidated when asked.
class Program {
 public:
  Program(const hsa::DeviceMemory& memory, isa::Target target)
      : memory_(&memory), target_(target) {}

  /// Code comes from there from now on; renew() before the next instruction.
  void see(const hsa::DeviceMemory& memory) { memory_ = &memory; }

  /// Instructions one after the other that all have a short way (wave/prepared.h).
  struct Block {
    std::vector<wave::Prepared> straight;
    std::vector<wave::Prepared> joined;  ///< the same, with wave::join_rows
    wave::Prepared jump;                 ///< ends the block; shortness None when nothing does
    wave::SteadyCode loop;               ///< rounds behind the first; made by steady_loop()
    wave::SteadyCode once;               ///< a round for itself; made by steady_once()
    bool loop_made = false, once_made = false;
    uint8_t missed = 0;  ///< times in a row that registers were not as `once` wants them
    std::vector<const isa::Row*> rows;  ///< of all instructions
    uint64_t begin = 0, end = 0;
    uint64_t falls_to = 0;      ///< where straight-line execution goes on behind it
    uint64_t executed = 0;      ///< as a whole, jump included; counted by who executes
    uint64_t instructions = 0;  ///< jump included
    uint32_t modes = 0;         ///< what its instructions need, all together
    uint16_t vgprs = 0, sgprs = 0;
    bool floats = false;  ///< one of them is Shortness::Float

    bool fits(const wave::WaveState& wave) const {
      return (wave.s.mode.raw & modes) == 0 && vgprs <= wave.v.arch_count &&
             vgprs <= wave.alloc.vgprs && sgprs <= wave.alloc.sgprs;
    }
  };
  struct Entry {
    const isa::Decoded* decoded = nullptr;
    Block* block = nullptr;  ///< that begins here; block() makes it
    uint64_t executed = 0;   ///< alone; counted by who executes
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
  /// The function at `pc`, or the gap between functions there.
  hsa::CodeExtent code_at(uint64_t pc) const { return memory_->space().code_at(0, pc); }
  /// The block that begins at `pc`, whose entry is given; without instructions when the one there
  /// has no short way.
  Block& block(uint64_t pc, Entry& entry) {
    if (entry.block == nullptr) [[unlikely]]
      make_block(pc, entry);
    return *entry.block;
  }
  /// Of a block that has jumped to its beginning.
  const wave::SteadyCode& steady_loop(Block& block) {
    if (!block.loop_made) [[unlikely]] {
      block.loop = wave::SteadyCode(block.straight, wave::SteadyCode::Rounds::Many);
      block.loop_made = true;
    }
    return block.loop;
  }
  /// Short cuts for a round for itself, begun. Null: none that this wave may take, or not worth it.
  const wave::SteadyCode* steady_once(Block& block, const wave::WaveState& wave) {
    constexpr unsigned kOften = 8, kMisses = 16;
    if (block.executed < kOften || block.missed == kMisses) return nullptr;
    if (!block.once_made) [[unlikely]] {
      block.once = wave::SteadyCode(block.straight, wave::SteadyCode::Rounds::One);
      block.once_made = true;
    }
    if (block.once.empty()) {
      block.missed = kMisses;
      return nullptr;
    }
    const bool begun = block.once.begin(wave);
    block.missed = begun ? 0 : static_cast<uint8_t>(block.missed + 1);
    return begun ? &block.once : nullptr;
  }
  /// The code of waves that go straight to S_ENDPGM while EXEC is full.
  struct Straight {
    Straight(std::span<const wave::Prepared> pieces, const wave::OwnRegisters& registers)
        : own(registers), streams(pieces, registers) {}
    wave::OwnRegisters own;
    wave::StreamWaves streams;   ///< empty also when they do not go straight there
    std::vector<Block*> blocks;  ///< all but S_ENDPGM
    /// Waves that do not, for want of lanes, store nothing and load into no VGPR from there on.
    bool leaves_for_end = true;
    Entry* end = nullptr;       ///< which is this one
    uint64_t instructions = 0;  ///< with it
  };
  /// Of waves that start at `pc` with such registers. Until the next renew().
  const Straight& straight(uint64_t pc, const wave::OwnRegisters& own);

  /// Whether waves had better keep subnormal numbers from the host: some were met lately.
  bool careful() const { return careful_ != 0; }
  /// A slice of a wave has met some, or none.
  void met_subnormals(bool some) {
    constexpr unsigned kSlices = 64;
    careful_ = some ? kSlices : careful_ - (careful_ != 0 ? 1 : 0);
  }
  /// Whether an instruction that names an AccVGPR has ever been decoded, also before renew().
  bool accumulates() const { return accumulates_; }
  /// Executions per instruction since the last renew().
  isa::RowCounts executed() const;
  /// Nothing has been executed, and what memory no longer holds is forgotten.
  void renew();

 private:
  static constexpr unsigned kPageShift = 10;
  static constexpr size_t kWords = 4;  // of the longest instruction
  static constexpr size_t kPageEntries = size_t{1} << (kPageShift - 2);
  static constexpr size_t kMaxBlock = 128;
  struct Page {
    std::array<Entry, kPageEntries> entries;
    uint64_t first = ~uint64_t{0}, end = 0;  ///< addresses of what is decoded
  };

  void turn_to(uint64_t page);
  bool fetch(uint64_t pc, Entry& entry);
  bool stands(const Page& page) const;
  void make_block(uint64_t pc, Entry& entry);
  std::unique_ptr<Straight> make_straight(uint64_t pc, const wave::OwnRegisters& own);

  const hsa::DeviceMemory* memory_;
  isa::Target target_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  // Stable addresses.
  std::deque<isa::Decoded> decoded_;
  std::deque<Block> blocks_;
  std::unordered_map<uint64_t, std::unique_ptr<Straight>> straight_;
  uint64_t last_page_ = ~uint64_t{0};
  Page* last_ = nullptr;
  bool accumulates_ = false;
  unsigned careful_ = 0;  ///< slices that remain so
};

}  // namespace cuvette::golden
