// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/brig.h"
#include "hsail/brig_elf.h"
#include "hsail/lexer.h"

namespace cuvette::hsail {

base::Result<Module> load_module(const uint8_t* data, size_t size, const std::string& file) {
  Outcome outcome = parse_module(data, size, file);
  if (!outcome.ok()) return outcome.errors.front();
  return std::move(outcome.module);
}

MachineModel peek_machine_model(const uint8_t* data, size_t size) {
  if (is_brig(data, size) || is_elf(data, size)) {
    const auto brig = read_brig(data, size, "");
    return brig ? brig->module.machine_model() : MachineModel::kLarge;
  }
  for (const Token& t : tokenize({reinterpret_cast<const char*>(data), size})) {
    if (t.kind == TokenKind::kDollar && t.text == "$small") return MachineModel::kSmall;
    if (t.kind == TokenKind::kPunct && t.text == ";") break;  // of the module directive
  }
  return MachineModel::kLarge;
}

}  // namespace cuvette::hsail
