// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/snapshot.h"

#include <utility>

namespace cuvette::golden {

uint8_t* Snapshot::Store::next() {
  if (used_ == chunks_.size() * kChunkParts) {
    chunks_.push_back(std::make_unique_for_overwrite<uint8_t[]>(kChunkParts * kPartBytes));
  }
  uint8_t* const part = chunks_[used_ / kChunkParts].get() + used_ % kChunkParts * kPartBytes;
  ++used_;
  return part;
}

void Snapshot::Store::clear() {
  used_ = 0;
  if (chunks_.size() > kKeptChunks) chunks_.resize(kKeptChunks);
}

bool Snapshot::take(uint64_t address, unsigned bytes, std::vector<Piece>& pieces) {
  Piece piece{address, std::vector<uint8_t>(bytes)};
  if (!memory_.backing().read(address, piece.bytes.data(), bytes)) return false;
  pieces.push_back(std::move(piece));
  return true;
}

uint64_t Snapshot::save(uint64_t block, uint64_t lines) {
  const uint64_t first = block * AccessBlock::kBytes;
  const auto translate = [this](uint64_t va) {
    return memory_.space().translate(0, va, hsa::Access::Write);
  };
  const hsa::Translation whole = translate(first);
  if (whole.ok() && whole.bytes >= AccessBlock::kBytes && whole.pa % AccessBlock::kBytes == 0) {
    return save_physical(whole.pa / AccessBlock::kBytes, lines);
  }
  // In pieces: byte by byte, as mappings are exact to the byte. Nobody writes what is not mapped.
  for (uint64_t rest = lines; rest != 0; rest &= rest - 1) {
    const uint64_t line =
        first + uint64_t{AccessBlock::kLine} * static_cast<unsigned>(__builtin_ctzll(rest));
    for (unsigned i = 0; i < AccessBlock::kLine; ++i) {
      const hsa::Translation t = translate(line + i);
      if (!t.ok()) continue;
      const auto in_block = static_cast<unsigned>(t.pa % AccessBlock::kBytes);
      save_physical(t.pa / AccessBlock::kBytes, AccessBlock::lines_of(in_block, 1));
    }
  }
  return lines;
}

/// Line by line, and byte by byte where a line is not memory from end to end.
void Snapshot::take_lines(uint64_t first, uint64_t lines, std::vector<Piece>& pieces) {
  for (; lines != 0; lines &= lines - 1) {
    const uint64_t at = first + static_cast<unsigned>(__builtin_ctzll(lines)) * AccessBlock::kLine;
    if (take(at, AccessBlock::kLine, pieces)) continue;
    for (unsigned i = 0; i < AccessBlock::kLine; ++i) take(at + i, 1, pieces);
  }
}

uint64_t Snapshot::save_physical(uint64_t block, uint64_t lines) {
  Shard& shard = shards_[block % shards_.size()];
  const std::lock_guard lock(shard.mutex);
  Block& b = shard.blocks[block];
  const uint64_t first = block * AccessBlock::kBytes;
  for (unsigned p = 0; p < kParts; ++p) {
    const uint64_t all = ((uint64_t{1} << kPartLines) - 1) << (p * kPartLines);
    const uint64_t wanted = lines & all & ~b.saved;
    if (wanted == 0) continue;
    if ((b.saved & all) == 0) {
      uint8_t* const part = shard.store.next();
      if (memory_.backing().read(first + p * kPartBytes, part, kPartBytes)) {
        b.parts[p] = part;
        b.saved |= all;
        continue;
      }
    }
    take_lines(first, wanted, b.pieces);
    b.saved |= wanted;
  }
  return b.saved;
}

void Snapshot::restore() {
  for (Shard& shard : shards_) {
    for (const auto& [number, block] : shard.blocks) {
      for (unsigned p = 0; p < kParts; ++p) {
        if (block.parts[p] == nullptr) continue;
        memory_.backing().write(number * AccessBlock::kBytes + p * kPartBytes, block.parts[p],
                                kPartBytes);
      }
      for (const Piece& piece : block.pieces) {
        memory_.backing().write(piece.address, piece.bytes.data(), piece.bytes.size());
      }
    }
  }
  clear();
}

void Snapshot::clear() {
  for (Shard& shard : shards_) {
    shard.blocks.clear();
    shard.store.clear();
  }
}

}  // namespace cuvette::golden
