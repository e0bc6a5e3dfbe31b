// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "wave/executor/program.h"

#include <algorithm>

#include "wave/code_flow.h"

namespace cuvette::wave {

void Program::turn_to(uint64_t page) {
  std::unique_ptr<Page>& entries = pages_[page];
  if (entries == nullptr) entries = std::make_unique<Page>();
  last_ = entries.get();
  last_page_ = page;
}

void Program::renew() {
  forgotten_.clear();
  if (!stands()) return forget();
  for (auto& [number, page] : pages_) {
    page->for_decoded([](Entry& entry) { entry.executed = 0; });
  }
  for (Block& block : blocks_) block.executed = 0;
}

void Program::refresh() {
  if (stands()) return;
  forgotten_ = executed();
  forget();
}

void Program::forget() {
  pages_.clear();
  blocks_.clear();
  decoded_.clear();
  decoder_ = std::make_unique<Decoder>();
  last_page_ = ~uint64_t{0};
  ++clearings_;
}

bool Program::stands() const {
  return std::all_of(pages_.begin(), pages_.end(),
                     [this](const auto& page) { return stands(*page.second); });
}

/// True if memory holds the words that a page's instructions were decoded from.
bool Program::stands(const Page& page) const {
  if (page.end <= page.first) return true;
  std::array<uint32_t, kPageEntries + kWords> words;
  const size_t count = (page.end - page.first) / 4;
  if (source_.fetch(page.first, words.data(), count) != count) return false;
  const size_t origin = (page.first >> 2) & (kPageEntries - 1);
  for (size_t i = origin; i < kPageEntries; ++i) {
    const isa::Decoded* const d = page.entries[i].decoded;
    if (d == nullptr) continue;
    const isa::Instruction& instruction = d->instruction;
    // A word that is no instruction may have been checked by words behind it.
    if (d->status != isa::DecodeStatus::Legal && d->status != isa::DecodeStatus::Reserved) {
      return false;
    }
    if (!std::equal(instruction.words, instruction.words + instruction.length,
                    words.begin() + static_cast<ptrdiff_t>(i - origin))) {
      return false;
    }
  }
  return true;
}

bool Program::fetch(uint64_t pc, Entry& entry) {
  uint32_t words[kWords] = {};
  const size_t count = source_.fetch(pc, words, kWords);
  if (count == 0) return false;
  entry.decoded = &decoded_.emplace_back(isa::decode(target_, words, count));
  const isa::Instruction& i = entry.decoded->instruction;
  last_->first = std::min(last_->first, pc);
  last_->end = std::max(last_->end, pc + 4u * i.length);
  const auto names = [](const isa::Operand& o) { return o.kind == isa::OperandKind::Agpr; };
  accumulates_ = accumulates_ || std::any_of(std::begin(i.src), std::end(i.src), names) ||
                 std::any_of(std::begin(i.dst), std::end(i.dst), names);
  return true;
}

/// A block ends behind a jump, before anything that only the reference executes, and where its page
/// and its function do.
void Program::make_block(uint64_t pc, Entry& entry) {
  constexpr unsigned kMostJoined = 16;
  Block& block = blocks_.emplace_back();
  entry.block = &block;
  block.number = blocks_.size() - 1;
  block.begin = pc;
  const uint64_t page = pc >> kPageShift;
  const uint64_t end = source_.end_of_code(pc);
  while (pc >> kPageShift == page && pc < end && block.rows.size() < kMaxBlock) {
    const Entry* next = at(pc);
    if (next == nullptr) break;
    const auto status = next->decoded->status;
    if (status != isa::DecodeStatus::Legal && status != isa::DecodeStatus::Reserved) break;
    const MicroOp op = decoder_->decode(next->decoded->instruction);
    if (op.kind == MicroKind::None) break;
    pc += 4u * op.length;
    block.rows.push_back(next->decoded->instruction.row);
    block.modes |= op.modes;
    block.vgprs = std::max(block.vgprs, op.vgprs);
    block.accvgprs = std::max(block.accvgprs, op.accvgprs);
    block.sgprs = std::max(block.sgprs, op.sgprs);
    if (op.kind == MicroKind::Jump) {
      block.jump = op;
      break;
    }
    // A micro-op without effect belongs to the one before it.
    if (op.kind == MicroKind::Nothing && !block.straight.empty() &&
        block.straight.back().instructions < kMostJoined) {
      MicroOp& before = block.straight.back();
      ++before.instructions;
      before.length = static_cast<uint8_t>(before.length + op.length);
      before.modes |= op.modes;
      continue;
    }
    block.straight.push_back(op);
  }
  block.end = block.falls_to = pc;
  if (block.jump.run != nullptr) {
    block.falls_to = fall_through(*block.jump.instruction, pc - 4u * block.jump.length);
  }
  block.instructions = block.rows.size();
}

uint64_t Program::pass(const Block& block, size_t micro_ops, WaveState& wave) {
  uint64_t instructions = 0;
  for (size_t i = 0; i < micro_ops; ++i) instructions += block.straight[i].instructions;
  wave.s.pc = block.begin;
  for (uint64_t i = 0; i < instructions; ++i) {
    Entry& entry = *at(wave.s.pc);
    ++entry.executed;
    wave.s.pc += 4u * entry.decoded->instruction.length;
  }
  return instructions;
}

isa::RowCounts Program::executed() const {
  isa::RowCounts out = forgotten_;
  for (const auto& [number, page] : pages_) {
    page->for_decoded([&out](const Entry& entry) {
      if (entry.executed != 0) out.emplace_back(entry.decoded->instruction.row, entry.executed);
    });
  }
  for (const Block& block : blocks_) {
    if (block.executed == 0) continue;
    for (const isa::Row* row : block.rows) out.emplace_back(row, block.executed);
  }
  isa::put_in_order(out);
  return out;
}

}  // namespace cuvette::wave
