// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

// Rules of valid modules. Every message about one carries the identifier of the rule that is
// broken; docs/reference/hsail_rules.md lists them.
namespace cuvette::hsail {

/// In the order of rules(). An identifier never changes its meaning; a new rule gets a new one.
enum class Rule : uint8_t {
  kSyntax,
  kToken,
  kStringEscape,
  kLiteral,
  kNotHsail,
  kVersion,
  kModuleHeader,
  kMachineModel,
  kAddressSize,
  kSegmentAccess,
  kOutputArguments,
  kStatementOrder,
  kArgBlock,
  kArgBlockStatement,
  kVariableSegment,
  kVariableType,
  kArraySize,
  kVariableAlignment,
  kAlignment,
  kConstVariable,
  kAgentAllocation,
  kDeclarationMismatch,
  kNameForm,
  kNameUnknown,
  kNameRepeated,
  kNameKind,
  kRegisterName,
  kRegisterBudget,
  kConstantExpression,
  kArrayConstant,
  kSignalConstant,
  kAggregate,
  kConstantType,
  kLabelUnknown,
  kInitialiserPlace,
  kInitialiserType,
  kInitialiserSize,
  kInitialiserAgent,
  kLinkageMismatch,
  kDefinitionRepeated,
  kDefinitionMissing,
  kPackingControl,
  kOperandCount,
  kOperandKind,
  kOperandLiteral,
  kRegisterSize,
  kVectorSize,
  kVectorDestinations,
  kAddressSegment,
  kAddressUnnamed,
  kInstructionUnknown,
  kOperationUnknown,
  kTypeNotLegal,
  kModifierNotLegal,
  kModifierValue,
  kElementType,
  kComparison,
  kConversion,
  kRounding,
  kSaturation,
  kMemoryOrder,
  kMemoryScope,
  kHandleAccess,
  kHandleSegment,
  kSignalType,
  kImageConstant,
  kSamplerConstant,
  kImageCoordinates,
  kImageComponents,
  kImageQuery,
  kBranchTarget,
  kFbarrierWidth,
  kArgumentVariable,
  kArgumentAccess,
  kArgumentMatch,
  kCallTarget,
  kIndirectFunction,
  kExtensionOrder,
  kExtensionName,
  kExtensionVersion,
  kExtensionCore,
  kImageExtension,
  kGcnExtension,
  kMipmapExtension,
  kMatrixExtension,
  kMatrixWavefronts,
  kLoc,
  kPad,
  kPragmaOperand,
  kControlValue,
  kControlConflict,
  kControlKernel,
  kBaseProfile,
  kProgramModules,
  kLimit,
  kBrigElf,
  kBrigHeader,
  kBrigSection,
  kBrigEntry,
  kBrigField,
  kBrigReference,
  kBrigVisibility,
  kBrigOrder,
  kBrigExecutable,
  kBrigComment,
  kBrigVariable,
  kBrigInstruction,
  kBrigOperand,
};

/// A rule and its documentation.
struct RuleRow {
  Rule rule;
  std::string_view id;       ///< lower-case words with dashes
  std::string_view section;  ///< of the HSAIL PRM, or the page that describes it
  std::string_view meaning;  ///< rule for a valid module, in one line
};

/// Every rule once.
std::span<const RuleRow> rules();
/// RuleRow::id
std::string_view rule_id(Rule rule);

/// A broken rule in words; `what` is empty when all is well.
struct Problem {
  Rule rule{};
  std::string what;

  Problem() = default;
  Problem(Rule broken, std::string message) : rule(broken), what(std::move(message)) {}
  explicit operator bool() const { return !what.empty(); }
};

/// A message about a module that names its rule.
base::Error rule_error(const Problem& problem, base::Location where);

}  // namespace cuvette::hsail
