// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/snapshot.h"

#include <utility>

#include "golden/access_map.h"

namespace cuvette::golden {

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

uint64_t Snapshot::save_physical(uint64_t block, uint64_t lines) {
  Shard& shard = shards_[block % shards_.size()];
  const std::lock_guard lock(shard.mutex);
  const auto [it, fresh] = shard.blocks.try_emplace(block);
  Block& b = it->second;
  const uint64_t first = block * AccessBlock::kBytes;
  if (fresh && take(first, AccessBlock::kBytes, b.pieces)) b.saved = ~uint64_t{0};
  // Otherwise the block is not memory from end to end: line by line, as they are wanted.
  for (uint64_t rest = lines & ~b.saved; rest != 0; rest &= rest - 1) {
    const uint64_t at = first + static_cast<unsigned>(__builtin_ctzll(rest)) * AccessBlock::kLine;
    if (take(at, AccessBlock::kLine, b.pieces)) continue;
    for (unsigned i = 0; i < AccessBlock::kLine; ++i) take(at + i, 1, b.pieces);
  }
  b.saved |= lines;
  return b.saved;
}

void Snapshot::restore() {
  for (Shard& shard : shards_) {
    for (const auto& [number, block] : shard.blocks) {
      for (const Piece& p : block.pieces)
        memory_.backing().write(p.address, p.bytes.data(), p.bytes.size());
    }
    shard.blocks.clear();
  }
}

}  // namespace cuvette::golden
