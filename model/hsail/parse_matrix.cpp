// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/matrix_table.h"
#include "hsail/parser.h"
#include "hsail/validate_inst.h"
#include "hsail/vendor_instructions.h"

// Instructions of vendor extensions: vendor name, colon, name (HSAIL PRM 13.1), and those of AMD.
namespace cuvette::hsail {

/// Reports an instruction of an extension that is not supported, once for each extension.
bool Parser::unknown_instruction(Position at, std::string_view word) {
  const std::string shown(word.substr(0, 80));
  const std::string_view extension = vendor_extension(word);
  if (extension.empty())
    return fail(Rule::kInstructionUnknown, at, "unknown instruction '" + shown + "'");
  if (!told_extensions_.insert(std::string(extension)).second) return false;
  const VendorInst* const inst = find_vendor_inst(word);
  const std::string problem = inst == nullptr ? "" : vendor_problem(out_.module, *inst, shown);
  if (!problem.empty()) {
    const bool declared = has_extension(out_.module, extension);
    return fail(declared ? Rule::kInstructionUnknown : vendor_rule(extension), at, problem);
  }
  return fail(Rule::kInstructionUnknown, at,
              "unknown instruction '" + shown + "'; extension \"" + std::string(extension) +
                  "\" has no such instruction");
}

/// Instruction of AMD's supported and declared extensions, by its exact name.
std::optional<Opcode> Parser::amd_opcode(std::string_view word, size_t* length) const {
  const VendorInst* const inst = find_vendor_inst(word);
  if (inst == nullptr || !vendor_problem(out_.module, *inst, word).empty()) return std::nullopt;
  *length = inst->name.size();
  return find_vendor_opcode(*inst);
}

bool Parser::vendor_instruction() {
  const Position at = token().at;
  const std::string_view vendor = token().text;
  skip();
  const Token colon = token();
  skip();
  const bool joined = token().kind == TokenKind::kWord &&
                      vendor.data() + vendor.size() == colon.text.data() &&
                      colon.text.data() + 1 == token().text.data();
  const std::string name = std::string(vendor) + ":" + std::string(joined ? token().text : "");
  const auto opcode = find_opcode(name);
  if (!opcode && vendor != "cuvette") {
    if (!told_extensions_.insert(std::string(vendor)).second) return false;
    const std::string named = unknown_extensions(out_.module, std::string(vendor) + ":");
    return fail(
        Rule::kInstructionUnknown, at,
        "unknown instruction '" + name.substr(0, 60) + "'; " +
            (named.empty() ? "the only vendor with instructions here is 'cuvette'"
                           : "the instructions of extension " + named + " are not supported"));
  }
  if (!opcode) {
    return fail(Rule::kInstructionUnknown, at,
                "unknown instruction '" + name.substr(0, 60) + "'" + similar_matrix_names(name));
  }
  skip();
  CodeEntry entry{Kind::kInstBasic, at, Inst{}};
  Inst& inst = entry.as<Inst>();
  inst.opcode = *opcode;
  inst.type = matrix_inst(*opcode)->result;
  if (!operands(*inst_rows(*opcode).first, &entry, 0)) return false;
  if (!expect(';', "after the operands of '" + name + "'")) return false;
  out_.module.code.push_back(std::move(entry));
  return true;
}

bool Parser::accumulators(const Inst& inst, bool destination, OperandRef* ref) {
  const unsigned count = matrix_inst(inst.opcode)->results();
  if (count == 1 || (!destination && !at_punct('('))) return operand(inst.type, ref);
  return vector(inst.type, count, ref);
}

}  // namespace cuvette::hsail
