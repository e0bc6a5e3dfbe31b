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

constexpr size_t kKnown = 4096;
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

}  // namespace

CodeStore::CodeStore(isa::Target target) : target_(target), known_(kKnown) {}

const Code& CodeStore::find(uint64_t pc, const uint32_t* words, unsigned count) {
  Known& known = known_[pc / 4 % kKnown];
  if (known.pc == pc) {
    const isa::Instruction& i = known.code->instruction();
    unsigned same = 0;
    while (same < i.length && same < count && i.words[same] == words[same]) ++same;
    if (same == i.length) return *known.code;
  }
  const isa::Decoded decoded = isa::decode(target_, words, std::min(count, kMaxDwords));
  if (decoded.status == isa::DecodeStatus::Illegal ||
      decoded.status == isa::DecodeStatus::Truncated) {
    illegal_.decoded = decoded;
    return illegal_;
  }
  Words key{};
  std::copy_n(words, decoded.instruction.length, key.begin());
  const auto [it, fresh] = codes_.try_emplace(key);
  Code& code = it->second;
  if (fresh) {
    code.decoded = decoded;
    prepare(code);
  }
  known = {pc, &code};
  return code;
}

const Code* CodeStore::known(uint64_t pc) const {
  const Known& known = known_[pc / 4 % kKnown];
  return known.pc == pc ? known.code : nullptr;
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
