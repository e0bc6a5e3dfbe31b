// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hsail/inst_table.h"

namespace cuvette::hsail {

/// A broken rule and where it shows; `what` is empty when all is well.
struct Finding {
  std::string what;
  Position at;
  explicit operator bool() const { return !what.empty(); }
};

/// The rules of one instruction that need nothing but itself and its operands: chapters 5 to 11.
Finding check_inst(const Module& module, const ModuleHeader& header, const CodeEntry& entry);

/// The rules of image accesses and image queries beyond those of their operands.
Finding check_image(const Module& module, const CodeEntry& entry);

}  // namespace cuvette::hsail
