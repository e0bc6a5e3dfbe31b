// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/external_symbols.h"
#include "run/dispatch_file.h"

namespace cuvette::run {

/// What the files of a Code are, by content and not by name.
enum class CodeKind { CodeObject, Brig, HsailText };

struct CodeFile {
  std::string path;  ///< "inline" for text in the dispatch file
  CodeKind kind = CodeKind::HsailText;
  std::vector<uint8_t> bytes;
};

/// Reads and recognises the files. Errors: unreadable; a code object beside other files (only HSAIL
/// modules are linked together).
base::Result<std::vector<CodeFile>> read_code(const Code& code);

/// Whether code has the addresses of 32 bits of the small machine model (HSAIL PRM 2.9): what the
/// first of its files says. False for files that cannot be read; loading them says why.
bool is_small_model(const Code& code);

/// A machine code object for `target` ("gfx908"): the file itself, or finalized HSAIL, with the
/// externals in their places. Errors: those of the parser, validator and finalizer; "not built"
/// when HSAIL needs a finalizer that this build lacks; externals that are missing or do not fit.
base::Result<std::vector<uint8_t>> code_object_for(const std::vector<CodeFile>& files,
                                                   const std::string& target,
                                                   const hsa::ExternalVariables& externals);

/// Equal for what is loaded once: the same files or text with the same externals.
std::string load_key(const Code& code, const hsa::ExternalVariables& externals);

}  // namespace cuvette::run
