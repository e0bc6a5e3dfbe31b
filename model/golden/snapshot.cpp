// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/snapshot.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cuvette::golden {

namespace {

constexpr unsigned kLine = AccessBlock::kLine;

}  // namespace

uint8_t* Snapshot::Log::room() {
  if (used_ == chunks_.size() * kChunkBytes) {
    chunks_.push_back(std::make_unique_for_overwrite<uint8_t[]>(kChunkBytes));
  }
  if (parts_.size() == parts_.capacity()) parts_.reserve(2 * parts_.size() + 64);
  return chunks_[used_ / kChunkBytes].get() + used_ % kChunkBytes;
}

void Snapshot::Log::add(const Part& part) noexcept {
  parts_.push_back(part);
  if (part.bytes != nullptr) used_ += kPartBytes;
}

void Snapshot::Log::clear() {
  for (const Part& part : parts_) part.state->store(Region::Free, std::memory_order_relaxed);
  parts_.clear();
  used_ = 0;
  if (chunks_.size() > kKeptChunks) chunks_.resize(kKeptChunks);
}

uint64_t Snapshot::save(Log& log, uint64_t block, uint64_t lines) {
  const uint64_t first = block * AccessBlock::kBytes;
  const auto translate = [this](uint64_t va) {
    return memory_.space().translate(0, va, hsa::Access::Write);
  };
  const hsa::Translation whole = translate(first);
  if (whole.ok() && whole.bytes >= AccessBlock::kBytes && whole.pa % AccessBlock::kBytes == 0) {
    uint64_t kept = 0;
    for (unsigned n = 0; n < AccessBlock::kLines; n += kPartLines) {
      constexpr uint64_t kAll = (uint64_t{1} << kPartLines) - 1;
      const uint64_t wanted = lines >> n & kAll;
      if (wanted == 0) continue;
      kept |= save_part(log, whole.pa + n * kLine, wanted) << n;
    }
    return kept;
  }
  // In pieces: lines, or bytes, as mappings are exact to the byte. Nobody writes what is not
  // mapped.
  const auto save_line = [&](uint64_t pa) {
    save_part(log, pa / kPartBytes * kPartBytes, uint64_t{1} << pa % kPartBytes / kLine);
  };
  for (uint64_t rest = lines; rest != 0; rest &= rest - 1) {
    const uint64_t line = first + uint64_t{kLine} * static_cast<unsigned>(std::countr_zero(rest));
    const hsa::Translation t = translate(line);
    if (t.ok() && t.bytes >= kLine && t.pa % kLine == 0) {
      save_line(t.pa);
      continue;
    }
    for (unsigned i = 0; i < kLine; ++i) {
      if (const hsa::Translation byte = translate(line + i); byte.ok()) save_line(byte.pa);
    }
  }
  return lines;
}

Snapshot::Region& Snapshot::region_of(Log& log, uint64_t address) {
  const uint64_t number = address / Region::kBytes;
  auto& [known, region] = log.recent_[number % Log::kRecent];
  if (region == nullptr || known != number) {
    const std::lock_guard lock(mutex_);
    known = number;
    region = &regions_[number];
  }
  return *region;
}

/// `address`: of the part; `lines`: a bit for each that is wanted. The result: those kept.
uint64_t Snapshot::save_part(Log& log, uint64_t address, uint64_t lines) {
  constexpr uint64_t kAll = (uint64_t{1} << kPartLines) - 1;
  std::atomic<uint8_t>& state =
      region_of(log, address).parts[address % Region::kBytes / kPartBytes];
  uint8_t seen = state.load(std::memory_order_acquire);
  uint8_t* const bytes = seen == Region::Free ? log.room() : nullptr;
  if (bytes != nullptr && state.compare_exchange_strong(seen, Region::Copying)) {
    seen = !memory_.backing().read(address, bytes, kPartBytes) ? Region::InPieces
           : std::all_of(bytes, bytes + kPartBytes, [](uint8_t b) { return b == 0; })
               ? Region::Zeros
               : Region::Kept;
    log.add({address, &state, seen == Region::Kept ? bytes : nullptr});
    state.store(seen, std::memory_order_release);
  }
  while (seen == Region::Copying) seen = state.load(std::memory_order_acquire);
  if (seen != Region::InPieces) return kAll;
  save_pieces(address, lines);
  return lines;
}

/// Line by line, and byte by byte where a line is not memory from end to end.
void Snapshot::save_pieces(uint64_t address, uint64_t lines) {
  const std::lock_guard lock(mutex_);
  uint64_t& kept = lines_in_pieces_[address];
  for (uint64_t rest = lines & ~kept; rest != 0; rest &= rest - 1) {
    const uint64_t line = address + uint64_t{kLine} * static_cast<unsigned>(std::countr_zero(rest));
    if (take(line, kLine)) continue;
    for (unsigned i = 0; i < kLine; ++i) take(line + i, 1);
  }
  kept |= lines;
}

bool Snapshot::take(uint64_t address, unsigned bytes) {
  Piece piece{address, std::vector<uint8_t>(bytes)};
  if (!memory_.backing().read(address, piece.bytes.data(), bytes)) return false;
  pieces_.push_back(std::move(piece));
  return true;
}

void Snapshot::restore() {
  for (const Log& log : logs_) {
    for (const Log::Part& part : log.parts_) {
      const uint8_t state = part.state->load(std::memory_order_relaxed);
      if (state == Region::InPieces) continue;
      static constexpr uint8_t kZeros[kPartBytes] = {};
      const uint8_t* const bytes = state == Region::Zeros ? kZeros : part.bytes;
      memory_.backing().write(part.address, bytes, kPartBytes);
    }
  }
  for (const Piece& piece : pieces_) {
    memory_.backing().write(piece.address, piece.bytes.data(), piece.bytes.size());
  }
  clear();
}

void Snapshot::clear() {
  for (Log& log : logs_) log.clear();
  lines_in_pieces_.clear();
  pieces_.clear();
  if (regions_.size() <= kMostRegions) return;
  for (Log& log : logs_) log.recent_ = {};
  regions_.clear();
}

}  // namespace cuvette::golden
