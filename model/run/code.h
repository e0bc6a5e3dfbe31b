// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "hsa/external_symbols.h"
#include "hsa/target.h"
#include "run/dispatch_file.h"

namespace cuvette::run {

/// Form of the files of a Code, by content and not by name.
enum class CodeKind {
  CodeObject,   ///< linked; any ELF file that is nothing else
  Relocatable,  ///< a code object before linking
  Container,    ///< hsa/code_container.h
  OpenCl,       ///< OpenCL C
  Brig,
  HsailText,
};
/// True for HSAIL, which alone is interpreted and linked from several files.
inline bool is_hsail(CodeKind kind) {
  return kind == CodeKind::Brig || kind == CodeKind::HsailText;
}

/// One file of a Code in memory.
struct CodeFile {
  std::string path;  ///< "inline" for text in the dispatch file
  CodeKind kind = CodeKind::HsailText;
  std::vector<uint8_t> bytes;
};

/// Reads and recognises the files. Errors: unreadable; code that is none of the kinds but known,
/// with the command that makes a code object of it (run/foreign_code.h); machine code beside other
/// files (only HSAIL modules are linked together).
base::Result<std::vector<CodeFile>> read_code(const Code& code);

/// True if code has the addresses of 32 bits of the small machine model (HSAIL PRM 2.9), by the
/// first of its files. False for files that cannot be read; loading them says why.
bool is_small_model(const Code& code);

/// One machine code object, and its name in messages.
struct MachineObject {
  std::string name;
  std::vector<uint8_t> bytes;  ///< an ELF file
};

/// The machine code objects for `target`, with the externals in their places: the file itself,
/// those of a container, linked relocatable ones, compiled OpenCL C or finalized HSAIL. Only a
/// program with several offload bundles has more than one. Errors: those of the parser, validator
/// and finalizer; "not built" when HSAIL needs a finalizer that this build lacks; no code for the
/// target, with what there is; no linker or compiler, with the command; externals that are missing
/// or do not fit.
base::Result<std::vector<MachineObject>> code_objects_for(const std::vector<CodeFile>& files,
                                                          const hsa::TargetId& target,
                                                          const hsa::ExternalVariables& externals);

/// Equal for what is loaded once: the same files or text with the same externals.
std::string load_key(const Code& code, const hsa::ExternalVariables& externals);

}  // namespace cuvette::run
