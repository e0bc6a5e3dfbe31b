// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hsail/constant_expression.h"
#include "hsail/inst_table.h"
#include "hsail/rules.h"

namespace cuvette::hsail {

/// A broken rule and where it shows; none when `what` is empty.
struct Finding : Problem {
  Position at;           ///< of the entry or operand
  bool machine = false;  ///< the language allows it, no machine here takes it (validator.h)

  Finding() = default;
  Finding(Rule broken, std::string message, Position place)
      : Problem(broken, std::move(message)), at(place) {}
  /// One that only a machine can have.
  static Finding of_machine(Rule broken, std::string message, Position place) {
    Finding f(broken, std::move(message), place);
    f.machine = true;
    return f;
  }
};
/// The message of a finding, with the file that its place is in.
base::Error finding_error(const Module& module, const Finding& finding);
/// The first 64 bits of a constant of bytes.
uint64_t constant_value(const Operand& op);

/// The rules of one instruction that need nothing but itself and its operands: chapters 5 to 11.
Finding check_inst(const Module& module, const ModuleHeader& header, const CodeEntry& entry);

/// Error when an address in segment arg or spill names no variable: the place of variables there is
/// the finalizer's choice (4.3.10) and nothing gives their addresses (5.8.2), though an address may
/// be a register or a number alone (4.18).
Finding check_unnamed_address(const Module& module, const CodeEntry& entry);

/// True if a module names an extension (13.1).
bool has_extension(const Module& module, std::string_view name);
/// Error when the profile, the machine model or the extensions of a module lack a type.
Problem type_problem(const Module& module, Type type);
/// The same of a variable; also an error when its segment cannot hold such (7.1.7, 7.1.8).
Problem variable_type_problem(const Module& module, const Variable& v);
/// The same of a constant and what it consists of; registers and everything else have no problem.
Problem constant_type_problem(const Module& module, OperandRef ref);
/// Check of extension directives: they may stand in their module, and this layer knows their
/// versions; called in module order.
class ExtensionCheck {
 public:
  explicit ExtensionCheck(const Module& module);
  Finding run(const CodeEntry& entry);

 private:
  using Version = std::pair<uint64_t, uint64_t>;
  struct Mentions {
    const CodeEntry* first = nullptr;
    const CodeEntry* other = nullptr;  ///< the first one of another version
  };
  Version version_of(const CodeEntry& entry) const;
  Finding other_version(const CodeEntry& entry);

  const Module& m_;
  bool core_ = false;
  size_t next_ = 0;  ///< the entries before are in mentions_
  std::map<std::string, Mentions> mentions_;
};
/// A kernel or function with matrix instructions promises full wavefronts (hsail_mfma.md).
Finding check_matrix_block(const Module& module, const Executable& block);

/// 10.2: in the arg blocks of a kernel or function, what is passed in is only stored, before the
/// call, and what comes back only loaded, after it. Blocks with labels: the order does not count.
std::vector<Finding> check_actual_arguments(const Module& module, const Executable& block);

/// The rules of loads, stores, atomics, fences, signals and queues beyond those of their operands.
Finding check_memory(const ModuleHeader& header, const CodeEntry& entry);

/// The rules of image accesses and image queries beyond those of their operands.
Finding check_image(const Module& module, const CodeEntry& entry);

/// A variable's initialiser: 4.8.4, 4.10, 18.6.1.
std::vector<Finding> check_initializer(const Module& module, const CodeEntry& entry);
/// The constants of a pragma.
std::vector<Finding> check_pragma(const Module& module, const CodeEntry& entry);

/// Things that indirect functions, and the functions that these call, must not have or name (10.8).
/// `module` may be a linked program: calls lead to other modules there.
std::vector<Finding> check_indirect(const Module& module);

}  // namespace cuvette::hsail
