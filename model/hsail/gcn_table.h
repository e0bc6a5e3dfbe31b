// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hsail/inst_table.h"

/// The instructions of the vendor extension "amd:gcn", each a machine instruction of the targets
/// (hsail_gcn.md). Names and opcodes are in hsail/vendor_instructions.h; their rows belong to
/// the table of inst_table.h: inst_rows(opcode) and match_row know them.
namespace cuvette::hsail {

constexpr std::string_view kGcnExtension = "amd:gcn";

constexpr bool is_gcn(Opcode opcode) {
  return opcode >= Opcode::kGcnMadu && opcode <= Opcode::kGcnDivRelaxedNarrow;
}

/// Rows of an instruction of the extension.
InstRows gcn_rows(Opcode opcode);
/// All of them, by opcode.
InstRows gcn_rows();

/// True if it accesses the global data share.
bool accesses_region(Opcode opcode);
/// Bytes of region memory that a kernel of `target` can have ("gfx908", with features or without).
uint64_t region_limit(std::string_view target);
/// Bytes of region memory that amd_gcn_region_alloc asks for.
uint64_t region_alloc_bytes(const Module& module, const Inst& inst);
/// Reason why `target` cannot execute it; empty when it can.
std::string gcn_target_problem(const Module& module, const Inst& inst, std::string_view target);

}  // namespace cuvette::hsail
