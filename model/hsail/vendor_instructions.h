// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hsail/module.h"

// Names, opcodes and extensions of AMD's instructions (HSAIL PRM 13.1; docs/decisions.md D73).
// Those of amd:mipmap are known by name only.
namespace cuvette::hsail {

struct VendorInst {
  std::string_view name;       ///< "amd_gcn_min3"
  std::string_view extension;  ///< "amd:gcn"
};

/// By opcode; nullptr for all others.
const VendorInst* find_vendor_inst(Opcode opcode);
/// The one that a mnemonic with its suffixes begins with, also without its vendor ("gcn_min3_f32").
const VendorInst* find_vendor_inst(std::string_view mnemonic);
Opcode find_vendor_opcode(const VendorInst& inst);
/// Whether a mnemonic can only be one of these extensions, known or not: which one. Empty: none.
std::string_view vendor_extension(std::string_view mnemonic);

/// Why `module` cannot have the instruction, which the text calls `written` with its suffixes: an
/// old spelling, an extension that it does not declare, or one that nobody here has. Empty when it
/// can.
std::string vendor_problem(const Module& module, const VendorInst& inst, std::string_view written);
/// The extensions of `module` that nobody here has, each in quotes; of one vendor unless that is
/// empty.
std::string unknown_extensions(const Module& module, std::string_view vendor);

}  // namespace cuvette::hsail
