// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "compute_unit/code_store.h"

#include <algorithm>
#include <iterator>

#include "wave/formats.h"

namespace cuvette::compute_unit {
namespace {

using isa::Format;
using isa::OperandKind;

constexpr size_t kMostFound = 64;
constexpr unsigned kMaxDwords = 4;  // of one instruction

IssueClass class_of(const isa::Row& row) {
  switch (row.unit) {
    case isa::Unit::Valu:
    case isa::Unit::Trans:
    case isa::Unit::Matrix:
      return IssueClass::Valu;
    case isa::Unit::Vmem:
    case isa::Unit::Flat:
      return IssueClass::Vmem;
    case isa::Unit::Salu:
    case isa::Unit::Smem:
      return IssueClass::Scalar;
    case isa::Unit::Lds:
    case isa::Unit::Gds:
      return IssueClass::Lds;
    case isa::Unit::Branch:
      return IssueClass::Branch;
    default:
      return IssueClass::Internal;
  }
}

Code::Way way_of(const isa::Row& row) {
  if (wave::is_memory(row.format)) return Code::Way::Memory;
  if (wave::is_scalar(row.format)) return Code::Way::Scalar;
  return row.unit == isa::Unit::Matrix ? Code::Way::Matrix : Code::Way::Vector;
}

const char* refusal_of(const isa::Instruction& i) {
  for (const isa::Operand& o : i.src) {
    const bool direct = o.kind == OperandKind::Special && o.index == isa::kLdsDirect;
    if (direct) return "LDS direct operands are not modelled";
    if (o.kind == OperandKind::Sgpr && o.dwords > 2) {
      return "scalar operands of more than two dwords";
    }
  }
  return "";
}

/// The words of `code`, of which `count` are at `words`.
bool is_at(const Code& code, const uint32_t* words, unsigned count) {
  const isa::Instruction& i = code.instruction();
  unsigned same = 0;
  while (same < i.length && same < count && i.words[same] == words[same]) ++same;
  return same == i.length;
}

}  // namespace

CodeStore::CodeStore(isa::Target target) : target_(target) {}

const CodeStore::Page* CodeStore::page(uint64_t pc) const {
  const auto found = known_.find(page_of(pc));
  return found == known_.end() ? nullptr : found->second.get();
}

void CodeStore::put(uint64_t pc, const Code& code) {
  auto& page = known_[page_of(pc)];
  if (page == nullptr) page = std::make_unique<Page>();
  (*page)[pc / 4 % kPageDwords] = &code;
}

void CodeStore::publish() {
  if (!fresh_.load(std::memory_order_relaxed)) return;
  fresh_.store(false, std::memory_order_relaxed);
  for (CodeReader* reader : readers_) {
    for (const auto& found : reader->found_) put(found.pc, *found.code);
    reader->found_.clear();
  }
}

const Code& CodeStore::entry(const isa::Decoded& decoded) {
  Words key{};
  std::copy_n(decoded.instruction.words, decoded.instruction.length, key.begin());
  const std::lock_guard lock(mutex_);
  const auto [it, fresh] = codes_.try_emplace(key);
  Code& code = it->second;
  if (fresh) {
    code.decoded = decoded;
    prepare(code);
  }
  return code;
}

CodeReader::CodeReader(const std::shared_ptr<CodeStore>& shared, isa::Target target)
    : store_(shared != nullptr ? shared : std::make_shared<CodeStore>(target)),
      shared_(shared != nullptr) {
  if (shared_) store_->readers_.push_back(this);
}

CodeReader::~CodeReader() {
  if (shared_) std::erase(store_->readers_, this);
}

const Code& CodeReader::find(uint64_t pc, const uint32_t* words, unsigned count) {
  if (const auto* p = page(pc); p != nullptr) {
    const Code* code = (*p)[pc / 4 % CodeStore::kPageDwords];
    if (code != nullptr && is_at(*code, words, count)) return *code;
  }
  for (const Found& f : found_) {
    if (f.pc == pc && is_at(*f.code, words, count)) return *f.code;
  }
  const isa::Decoded decoded = isa::decode(store_->target_, words, std::min(count, kMaxDwords));
  if (decoded.status == isa::DecodeStatus::Illegal ||
      decoded.status == isa::DecodeStatus::Truncated) {
    illegal_.decoded = decoded;
    return illegal_;
  }
  const Code& code = store_->entry(decoded);
  if (!shared_) {
    store_->put(pc, code);
    return code;
  }
  // Nobody publishes: what was found so long ago is not worth keeping.
  if (found_.size() == kMostFound) found_.clear();
  found_.push_back({pc, &code});
  store_->fresh_.store(true, std::memory_order_relaxed);
  return code;
}

const Code* CodeReader::known(uint64_t pc) const {
  const auto* p = page(pc);
  return p != nullptr ? (*p)[pc / 4 % CodeStore::kPageDwords] : nullptr;
}

void CodeStore::prepare(Code& code) {
  const isa::Instruction& i = code.instruction();
  code.way = way_of(*i.row);
  code.issue_class = class_of(*i.row);
  code.row = isa::index_of(*i.row);
  if (code.way == Code::Way::Memory) return;
  if (code.way == Code::Way::Vector) {
    const bool mask = std::any_of(std::begin(i.dst), std::end(i.dst), [](const isa::Operand& o) {
      return o.kind == OperandKind::Sgpr;
    });
    code.scalar_result = mask || (i.row->format == Format::Vopc && i.row->has(isa::kWritesExec));
    code.refusal = refusal_of(i);
    if (*code.refusal != 0) return;
  }
  code.op = decoder_.decode(i);
}

}  // namespace cuvette::compute_unit
