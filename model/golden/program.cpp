// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "golden/program.h"

#include <algorithm>
#include <optional>

#include "wave/code_flow.h"
#include "wave/formats.h"

namespace cuvette::golden {

void Program::turn_to(uint64_t page) {
  std::unique_ptr<Page>& entries = pages_[page];
  if (entries == nullptr) entries = std::make_unique<Page>();
  last_ = entries.get();
  last_page_ = page;
}

void Program::renew() {
  const bool good = std::all_of(pages_.begin(), pages_.end(),
                                [this](const auto& page) { return stands(*page.second); });
  if (!good) {
    straight_.clear();
    pages_.clear();
    blocks_.clear();
    decoded_.clear();
    last_page_ = ~uint64_t{0};
    return;
  }
  for (auto& [number, page] : pages_) {
    for (Entry& entry : page->entries) entry.executed = 0;
  }
  for (Block& block : blocks_) block.executed = 0;
}

/// Whether memory holds the words that its instructions were decoded from.
bool Program::stands(const Page& page) const {
  if (page.end <= page.first) return true;
  std::array<uint32_t, kPageEntries + kWords> words;
  const size_t bytes = page.end - page.first;
  const auto t = memory_->space().translate(0, page.first, hsa::Access::Execute);
  if (!t.ok() || t.bytes < bytes || !memory_->backing().read(t.pa, words.data(), bytes))
    return false;
  const size_t origin = (page.first >> 2) & (kPageEntries - 1);
  for (size_t i = origin; i < kPageEntries; ++i) {
    const isa::Decoded* const d = page.entries[i].decoded;
    if (d == nullptr) continue;
    const isa::Instruction& instruction = d->instruction;
    // What is no instruction may have been judged by words behind it.
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
  size_t count = 0;
  // Word by word: the last instruction may end where the mapping does.
  while (count < kWords) {
    const auto t = memory_->space().translate(0, pc + 4 * count, hsa::Access::Execute);
    if (!t.ok() || !memory_->backing().read(t.pa, &words[count], 4)) break;
    ++count;
  }
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

namespace {

/// Adds an instruction that does nothing to the one before it.
constexpr unsigned kMaxJoined = 16;
void join(wave::Prepared& p, const wave::Prepared& nothing) {
  ++p.instructions;
  p.length = static_cast<uint8_t>(p.length + nothing.length);
  p.modes |= nothing.modes;
}

}  // namespace

/// A block ends behind a jump, before anything without a short way, and where its page and its
/// function do.
void Program::make_block(uint64_t pc, Entry& entry) {
  Block& block = blocks_.emplace_back();
  entry.block = &block;
  block.begin = pc;
  const uint64_t page = pc >> kPageShift;
  const hsa::CodeExtent code = code_at(pc);
  while (pc >> kPageShift == page && code.contains(pc) && block.rows.size() < kMaxBlock) {
    const Entry* next = at(pc);
    if (next == nullptr) break;
    const auto status = next->decoded->status;
    if (status != isa::DecodeStatus::Legal && status != isa::DecodeStatus::Reserved) break;
    const wave::Prepared prepared = wave::prepare(next->decoded->instruction);
    if (prepared.shortness == wave::Shortness::None) break;
    pc += 4u * prepared.length;
    block.rows.push_back(next->decoded->instruction.row);
    block.modes |= prepared.modes;
    block.vgprs = std::max(block.vgprs, prepared.vgprs);
    block.sgprs = std::max(block.sgprs, prepared.sgprs);
    if (prepared.shortness == wave::Shortness::Jump) {
      block.jump = prepared;
      break;
    }
    if (prepared.shortness == wave::Shortness::Nothing && !block.straight.empty() &&
        block.straight.back().instructions < kMaxJoined) {
      join(block.straight.back(), prepared);
      continue;
    }
    block.floats = block.floats || prepared.shortness == wave::Shortness::Float;
    block.straight.push_back(prepared);
  }
  block.joined = block.straight;
  wave::join_rows(block.joined);
  block.end = block.falls_to = pc;
  if (block.jump.run != nullptr) {
    block.falls_to = wave::fall_through(*block.jump.instruction, pc - 4u * block.jump.length);
  }
  block.instructions = block.rows.size();
}

const Program::Straight& Program::straight(uint64_t pc, const wave::OwnRegisters& own) {
  std::unique_ptr<Straight>& code = straight_[pc];
  if (code == nullptr || code->own != own) code = make_straight(pc, own);
  return *code;
}

namespace {

using isa::SemanticId;

/// Where a branch goes when no lane is enabled; none: it is another jump.
std::optional<uint64_t> branch_around(const Program::Block& block) {
  if (block.jump.instruction->semantic() != SemanticId::s_cbranch_execz) return std::nullopt;
  const auto words = static_cast<int16_t>(block.jump.instruction->words[0]);
  return block.end + static_cast<uint64_t>(int64_t{words} * 4);
}

/// Behind the last vector instruction of a block; its beginning when there is none.
uint64_t end_of_vectors(const Program::Block& block) {
  uint64_t pc = block.begin, end = pc;
  for (const wave::Prepared& p : block.straight) {
    pc += 4u * p.length;
    if (!wave::is_scalar(p.instruction->row->format)) end = pc;
  }
  return end;
}

}  // namespace

std::unique_ptr<Program::Straight> Program::make_straight(uint64_t pc,
                                                          const wave::OwnRegisters& own) {
  std::vector<wave::Prepared> pieces;
  std::vector<Block*> blocks;
  std::vector<uint64_t> around;
  uint64_t instructions = 1, vectors = pc;
  Entry* entry = at(pc);
  const hsa::CodeExtent function = code_at(pc);
  while (entry != nullptr && pieces.size() < kMaxBlock) {
    Block& next = block(pc, *entry);
    if (next.instructions == 0) break;
    blocks.push_back(&next);
    pieces.insert(pieces.end(), next.straight.begin(), next.straight.end());
    instructions += next.instructions;
    if (const uint64_t end = end_of_vectors(next); end != pc) vectors = end;
    pc = next.end;
    entry = function.contains(pc) ? at(pc) : nullptr;
    if (entry == nullptr || next.jump.run == nullptr) continue;
    if (const auto target = branch_around(next)) {
      around.push_back(*target);
    } else {
      entry = nullptr;
    }
  }
  const bool ends = entry != nullptr && entry->decoded->status == isa::DecodeStatus::Legal &&
                    entry->decoded->instruction.semantic() == SemanticId::s_endpgm;
  if (!ends) pieces.clear();
  auto code = std::make_unique<Straight>(pieces, own);
  code->blocks = std::move(blocks);
  code->leaves_for_end = std::all_of(around.begin(), around.end(), [=](uint64_t target) {
    return target >= vectors && target <= pc;
  });
  code->end = entry;
  code->instructions = instructions;
  return code;
}

isa::RowCounts Program::executed() const {
  isa::RowCounts out;
  for (const auto& [page, entries] : pages_) {
    for (const Entry& entry : entries->entries) {
      if (entry.executed != 0) out.emplace_back(entry.decoded->instruction.row, entry.executed);
    }
  }
  for (const Block& block : blocks_) {
    if (block.executed == 0) continue;
    for (const isa::Row* row : block.rows) out.emplace_back(row, block.executed);
  }
  isa::put_in_order(out);
  return out;
}

}  // namespace cuvette::golden
