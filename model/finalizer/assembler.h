// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "finalizer/target.h"

namespace cuvette::finalizer {

/// Assembles AMDGPU instruction text with LLVM's machine code layer, in process.
///
/// A line holds at most one instruction, behind any number of labels ("loop:"); branches may name
/// labels of the same text. Comments (; and //) are fine. Directives, quoted strings and block
/// comments are refused: the text comes from outside and a directive could read files or ask for
/// any amount of memory.
class Assembler {
 public:
  /// Errors: an unknown target (find_target).
  static base::Result<Assembler> create(const std::string& target);
  ~Assembler();
  Assembler(Assembler&&) noexcept;
  Assembler& operator=(Assembler&&) noexcept;

  /// The words in program order. Errors carry `name`, line (first line is 1), column and LLVM's
  /// message; the first error wins. Undefined symbols are errors. At most 1,000,000 lines.
  base::Result<std::vector<uint32_t>> assemble(const std::vector<std::string>& lines,
                                               const std::string& name = "asm") const;

 private:
  struct Tools;
  explicit Assembler(std::unique_ptr<Tools> tools);
  std::unique_ptr<Tools> tools_;
};

/// The same for one text and one target.
base::Result<std::vector<uint32_t>> assemble(const std::vector<std::string>& lines,
                                             const std::string& target);

}  // namespace cuvette::finalizer
