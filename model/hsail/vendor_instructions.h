// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hsail/module.h"
#include "hsail/rules.h"

// Names, opcodes and extensions of AMD's instructions (HSAIL PRM 13.1; decisions.md D73). Their
// rows are in hsail/gcn_table.h and hsail/mipmap_table.h.
namespace cuvette::hsail {

/// An instruction of AMD's extensions.
struct VendorInst {
  std::string_view name;       ///< "amd_gcn_min3"
  std::string_view extension;  ///< "amd:gcn"
};

/// By opcode; nullptr for all others.
const VendorInst* find_vendor_inst(Opcode opcode);
/// The one that a mnemonic with its suffixes begins with, also without its vendor ("gcn_min3_f32").
const VendorInst* find_vendor_inst(std::string_view mnemonic);
/// The opcode of a row that find_vendor_inst() gave.
Opcode find_vendor_opcode(const VendorInst& inst);
/// Extension that alone can have a mnemonic, known or not. Empty: none.
std::string_view vendor_extension(std::string_view mnemonic);

/// Reason why `module` cannot have the instruction, which the text calls `written` with its
/// suffixes: an old spelling, or an extension that it does not declare. Empty when it can.
std::string vendor_problem(const Module& module, const VendorInst& inst, std::string_view written);
/// The rule that a module breaks which uses one of these extensions and does not declare it.
Rule vendor_rule(std::string_view extension);
/// The extensions of `module` that nobody here has, each in quotes; of one vendor unless that is
/// empty.
std::string unknown_extensions(const Module& module, std::string_view vendor);

}  // namespace cuvette::hsail
