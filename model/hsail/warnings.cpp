// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/warnings.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "hsail/inst_table.h"
#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

/// Straight code: the successors of its last instruction are other blocks.
struct Block {
  size_t first = 0, end = 0;  ///< instructions of the code block
  std::vector<size_t> next;
  bool reached = false;
  std::vector<bool> written;  ///< registers that some way to its start writes
};

bool is_destination(char role) {
  return std::strchr("dDVM", role) != nullptr;
}

bool goes_on(Opcode opcode) {
  return opcode != Opcode::kBr && opcode != Opcode::kSbr && opcode != Opcode::kRet;
}

/// The code block of one kernel or function.
class CodeReader {
 public:
  CodeReader(const Module& module, const Executable& executable, std::vector<base::Error>& warnings)
      : m_(module), warnings_(warnings) {
    for (CodeRef ref = executable.first_code_block_entry; ref < executable.next_module_entry;
         ++ref) {
      const CodeEntry& entry = m_.code[ref];
      if (entry.kind == Kind::kLabel) labels_[ref] = insts_.size();
      if (std::holds_alternative<Inst>(entry.body)) insts_.push_back(ref);
    }
  }

  void run() {
    for (const CodeRef ref : insts_) look_at(m_.code[ref]);
    if (insts_.empty()) return;
    find_blocks();
    reach();
    find_unreachable();
    number_registers();
    // Sets of registers grow along loops: what would take long is not worth the time.
    if (blocks_.size() * registers_.size() > kMostBits) return;
    spread();
    for (const Block& block : blocks_)
      if (block.reached) find_unset(block);
  }

 private:
  static constexpr size_t kMostBits = size_t{1} << 22;

  const CodeEntry& entry(size_t i) const { return m_.code[insts_[i]]; }
  const Inst& inst(size_t i) const { return entry(i).as<Inst>(); }

  void warn(const char* id, const Position& at, const std::string& what) {
    if (warnings_.size() < kMaxWarnings)
      warnings_.emplace_back(what, base::Location{m_.file_of(at), at.line, at.column, at.offset},
                             id);
  }

  // Checks of one instruction.

  void look_at(const CodeEntry& e) {
    const Inst& inst = e.as<Inst>();
    if ((inst.opcode == Opcode::kDiv || inst.opcode == Opcode::kRem) && is_integer(inst.type) &&
        inst.operands.size() == 3)
      look_at_divisor(m_.operand(inst.operands[2]));
    if (inst.opcode != Opcode::kLd && inst.opcode != Opcode::kSt) return;
    for (const OperandRef ref : inst.operands)
      if (m_.operand(ref).kind == Kind::kOperandAddress) look_at_address(inst, m_.operand(ref));
  }

  void look_at_divisor(const Operand& divisor) {
    const bool zero =
        divisor.kind == Kind::kOperandConstantBytes && !is_packed(divisor.type) &&
        std::all_of(divisor.bytes.begin(), divisor.bytes.end(), [](char c) { return c == 0; });
    if (zero) warn("division-by-zero", divisor.at, "the result of a division by 0 is undefined");
  }

  void look_at_address(const Inst& inst, const Operand& address) {
    if (address.symbol == 0) return;
    const auto& variable = m_.code[address.symbol].as<Variable>();
    if (is_opaque(inst.type) && !is_signal(inst.type) && variable.type != inst.type) {
      // 7.1.9: undefined, whatever an aggregate may have put there (4.8.4).
      warn("handle-type", address.at,
           "a handle of type '" + std::string(name(inst.type)) + "' comes from '" + variable.name +
               "' of type '" + std::string(name(variable.type)) +
               "', expected one of its own type");
    }
    if (address.reg != 0) return;
    if (variable.is_array && variable.dim == 0) return;
    if (variable.dim > kLargestVariable) return;  // told elsewhere
    const uint64_t size = type_bytes(variable.type) * std::max<uint64_t>(variable.dim, 1);
    const Operand& value = m_.operand(inst.operands[0]);
    const uint64_t elements =
        value.kind == Kind::kOperandOperandList ? value.elements.size() : uint64_t{1};
    const uint64_t bytes = type_bytes(inst.type) * elements;
    if (address.offset <= size && bytes <= size - address.offset) return;
    warn("address-outside", address.at,
         "'" + variable.name + "' has " + std::to_string(size) + " bytes, expected " +
             std::to_string(bytes) + " at offset " +
             std::to_string(static_cast<int64_t>(address.offset)));
  }

  // Ways through the code (HSAIL PRM 2.12).

  std::vector<size_t> targets_of(const Inst& inst) const {
    std::vector<size_t> targets;
    const auto add = [&](CodeRef ref) {
      const auto label = labels_.find(ref);
      if (label != labels_.end()) targets.push_back(label->second);
    };
    for (const OperandRef ref : inst.operands) {
      const Operand& op = m_.operand(ref);
      if (op.kind == Kind::kOperandCodeRef) add(op.symbol);
      if (op.kind == Kind::kOperandCodeList) std::for_each(op.codes.begin(), op.codes.end(), add);
    }
    return targets;
  }

  void find_blocks() {
    std::set<size_t> starts = {0};
    for (size_t i = 0; i < insts_.size(); ++i) {
      const std::vector<size_t> targets = targets_of(inst(i));
      starts.insert(targets.begin(), targets.end());
      if (!targets.empty() || !goes_on(inst(i).opcode)) starts.insert(i + 1);
    }
    starts.erase(insts_.size());
    std::map<size_t, size_t> block_at;
    for (const size_t start : starts) {
      if (!blocks_.empty()) blocks_.back().end = start;
      block_at[start] = blocks_.size();
      blocks_.emplace_back().first = start;
    }
    blocks_.back().end = insts_.size();
    for (Block& block : blocks_) {
      const auto add = [&](size_t at) {
        if (at < insts_.size()) block.next.push_back(block_at.at(at));
      };
      const Inst& last = inst(block.end - 1);
      for (const size_t target : targets_of(last)) add(target);
      if (goes_on(last.opcode)) add(block.end);
    }
  }

  void reach() {
    std::vector<size_t> open = {0};
    blocks_[0].reached = true;
    while (!open.empty()) {
      const size_t from = open.back();
      open.pop_back();
      for (const size_t to : blocks_[from].next) {
        if (blocks_[to].reached) continue;
        blocks_[to].reached = true;
        open.push_back(to);
      }
    }
  }

  /// One warning for what stands together. A branch or return alone is what generators leave behind
  /// another one.
  void find_unreachable() {
    bool told = false;
    for (const Block& block : blocks_) {
      if (block.reached) told = false;
      const Opcode first = inst(block.first).opcode;
      if (block.reached || told || first == Opcode::kBr || first == Opcode::kRet) continue;
      told = true;
      warn("unreachable", entry(block.first).at, "no way leads to this instruction");
    }
  }

  // Registers.

  using Register = std::pair<RegisterKind, unsigned>;

  template <class Visit>
  void each_register(const Operand& op, Visit visit) const {
    if (op.kind == Kind::kOperandRegister) visit(op);
    if (op.reg != 0) visit(m_.operand(op.reg));
    for (const OperandRef element : op.elements) each_register(m_.operand(element), visit);
  }

  template <class Visit>
  void each_register(const Inst& inst, const InstRow& row, bool written, Visit visit) const {
    const size_t roles = std::strlen(row.operands);
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      if ((i < roles && is_destination(row.operands[i])) == written)
        each_register(m_.operand(inst.operands[i]), visit);
    }
  }

  void number_registers() {
    for (size_t i = 0; i < insts_.size(); ++i) {
      rows_.push_back(match_row(entry(i)).row);
      for (const OperandRef ref : inst(i).operands)
        each_register(m_.operand(ref), [&](const Operand& op) {
          registers_.try_emplace({op.reg_kind, op.reg_num}, registers_.size());
        });
    }
  }

  size_t number_of(const Operand& op) const { return registers_.at({op.reg_kind, op.reg_num}); }

  void write(size_t i, std::vector<bool>& written) const {
    if (rows_[i] == nullptr) return;
    each_register(inst(i), *rows_[i], true,
                  [&](const Operand& op) { written[number_of(op)] = true; });
  }

  void spread() {
    for (Block& block : blocks_) block.written.resize(registers_.size());
    std::set<size_t> open;
    for (size_t b = 0; b < blocks_.size(); ++b)
      if (blocks_[b].reached) open.insert(b);
    while (!open.empty()) {
      const size_t b = *open.begin();
      open.erase(open.begin());
      std::vector<bool> written = blocks_[b].written;
      for (size_t i = blocks_[b].first; i < blocks_[b].end; ++i) write(i, written);
      for (const size_t to : blocks_[b].next) {
        std::vector<bool>& there = blocks_[to].written;
        bool more = false;
        for (size_t r = 0; r < written.size(); ++r) {
          more = more || (written[r] && !there[r]);
          there[r] = there[r] || written[r];
        }
        if (more) open.insert(to);
      }
    }
  }

  /// Once for each register.
  void find_unset(const Block& block) {
    std::vector<bool> written = block.written;
    for (size_t i = block.first; i < block.end; ++i) {
      if (rows_[i] == nullptr) continue;
      each_register(inst(i), *rows_[i], false, [&](const Operand& op) {
        const size_t number = number_of(op);
        if (written[number] || !told_.insert(number).second) return;
        warn("register-unset", op.at,
             std::string("$") + register_letter(op.reg_kind) + std::to_string(op.reg_num) +
                 " has no value here: nothing before writes it");
      });
      write(i, written);
    }
  }

  const Module& m_;
  std::vector<base::Error>& warnings_;
  std::vector<CodeRef> insts_;
  std::map<CodeRef, size_t> labels_;  ///< the instruction behind each
  std::vector<Block> blocks_;
  std::vector<const InstRow*> rows_;
  std::map<Register, size_t> registers_;
  std::set<size_t> told_;
};

}  // namespace

std::vector<base::Error> find_warnings(const Module& module) {
  std::vector<base::Error> warnings;
  for (const CodeEntry& entry : module.code) {
    const auto* const executable = std::get_if<Executable>(&entry.body);
    if (executable != nullptr && executable->is_definition() && entry.kind != Kind::kSignature)
      CodeReader(module, *executable, warnings).run();
  }
  return warnings;
}

}  // namespace cuvette::hsail
