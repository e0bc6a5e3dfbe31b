// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/rules.h"

#include <array>

namespace cuvette::hsail {

namespace {

constexpr auto kRules = std::to_array<RuleRow>({
    {Rule::kSyntax, "syntax", "19.2", "something else is expected at this place of the text"},
    {Rule::kToken, "token", "19.1",
     "characters that begin no token, or a string or comment without end"},
    {Rule::kStringEscape, "string-escape", "19.1",
     "an escape sequence of a string has one of its forms and a value up to 255"},
    {Rule::kLiteral, "literal", "4.8", "a number is malformed or has too many digits"},
    {Rule::kNotHsail, "not-hsail", "4.3", "the file begins neither like HSAIL text nor like BRIG"},
    {Rule::kVersion, "version", "14.1", "the module is of HSAIL or BRIG 1:0, 1:1 or 1:2"},
    {Rule::kModuleHeader, "module-header", "14.1",
     "one module directive stands before everything but annotations; its values are those of the "
     "language"},
    {Rule::kMachineModel, "machine-model", "2.9",
     "signal types and atomics have the size of the machine model"},
    {Rule::kAddressSize, "address-size", "2.9",
     "an address has the size that its segment has in the machine model"},
    {Rule::kSegmentAccess, "segment-access", "2.8.4",
     "the instruction works on memory of that segment"},
    {Rule::kOutputArguments, "output-arguments", "4.3.3",
     "a function has at most one output argument, a kernel none"},
    {Rule::kStatementOrder, "statement-order", "4.3.5",
     "control directives, then definitions, then statements"},
    {Rule::kArgBlock, "arg-block", "4.3.6",
     "an arg block has exactly one call, and a call is in one"},
    {Rule::kArgBlockStatement, "arg-block-statement", "4.3.6",
     "no way leads into or out of an arg block, and it has no ret or alloca"},
    {Rule::kVariableSegment, "variable-segment", "4.3.8",
     "a variable of that segment may be defined at this place"},
    {Rule::kVariableType, "variable-type", "4.3.8", "a variable has a type other than b1"},
    {Rule::kArraySize, "array-size", "4.3.8",
     "an array has elements: as many as it says or as its initialiser has"},
    {Rule::kVariableAlignment, "variable-alignment", "4.3.10",
     "a variable is aligned to its size at least"},
    {Rule::kAlignment, "alignment", "4.3.10", "an alignment is a power of two from 1 to 256"},
    {Rule::kConstVariable, "const-variable", "4.3.10",
     "const is for global and readonly variables; its definition has an initialiser"},
    {Rule::kAgentAllocation, "agent-allocation", "4.3.10", "alloc(agent) is for global variables"},
    {Rule::kDeclarationMismatch, "declaration-mismatch", "4.3.10",
     "what has one name is of one kind, type and size"},
    {Rule::kNameForm, "name-form", "4.6.1", "a name is &, % or @ and an identifier"},
    {Rule::kNameUnknown, "name-unknown", "4.6.2", "a name is declared before it is used"},
    {Rule::kNameRepeated, "name-repeated", "4.6.2", "a name is defined once in its scope"},
    {Rule::kNameKind, "name-kind", "4.16", "a name stands for what its place needs"},
    {Rule::kRegisterName, "register-name", "4.7", "a register is $c, $s, $d or $q and a number"},
    {Rule::kRegisterBudget, "register-budget", "4.7",
     "a code block uses at most 128 control registers and 2048 slots of the others"},
    {Rule::kConstantExpression, "constant-expression", "4.8.1",
     "addr() and null pointers have an integer type, and addr() what has an address before the "
     "program runs"},
    {Rule::kArrayConstant, "array-constant", "4.8.3",
     "the elements of an array constant have its type"},
    {Rule::kSignalConstant, "signal-constant", "4.8.3", "the only constant of a signal type is 0"},
    {Rule::kAggregate, "aggregate", "4.8.4",
     "an aggregate has typed constants, align and zero, and more than align"},
    {Rule::kConstantType, "constant-type", "4.8.5", "a constant has the type that its place takes"},
    {Rule::kLabelUnknown, "label-unknown", "4.9",
     "a label that is named stands in the same code block"},
    {Rule::kInitialiserPlace, "initialiser-place", "4.10",
     "only definitions in the global and readonly segments have initialisers"},
    {Rule::kInitialiserType, "initialiser-type", "4.10",
     "an initialiser has the type of its variable; aggregates are for arrays of bit types"},
    {Rule::kInitialiserSize, "initialiser-size", "4.10",
     "an initialiser is as large as its variable"},
    {Rule::kInitialiserAgent, "initialiser-agent", "4.10",
     "a value that each agent has for itself needs alloc(agent)"},
    {Rule::kLinkageMismatch, "linkage-mismatch", "4.12", "what has one name has one linkage"},
    {Rule::kDefinitionRepeated, "definition-repeated", "4.12.1",
     "a program defines a name of program linkage once"},
    {Rule::kDefinitionMissing, "definition-missing", "4.12.2",
     "a module defines what it declares with module linkage"},
    {Rule::kPackingControl, "packing-control", "4.14",
     "packed types need one of the packing controls that the instruction takes"},
    {Rule::kOperandCount, "operand-count", "4.16",
     "an instruction has as many operands as its form"},
    {Rule::kOperandKind, "operand-kind", "4.16",
     "an operand is a register, constant, address or list as its place needs"},
    {Rule::kOperandLiteral, "operand-literal", "4.16",
     "a literal is one of the values that the instruction takes"},
    {Rule::kRegisterSize, "register-size", "4.16.2",
     "a register has the size of its operand's type"},
    {Rule::kVectorSize, "vector-size", "4.17",
     "a vector has as many operands as the instruction needs"},
    {Rule::kVectorDestinations, "vector-destinations", "4.17",
     "the destinations of one instruction are different registers"},
    {Rule::kAddressSegment, "address-segment", "4.18",
     "a variable in an address is in the segment that the instruction names"},
    {Rule::kAddressUnnamed, "address-unnamed", "4.3.10",
     "an address in segment arg or spill names a variable"},
    {Rule::kInstructionUnknown, "instruction-unknown", "19.2", "there is such an instruction"},
    {Rule::kOperationUnknown, "operation-unknown", "19.2",
     "the mnemonic names an operation, comparison, geometry or property of the instruction"},
    {Rule::kTypeNotLegal, "type-not-legal", "5.1",
     "the instruction exists for the types that it names"},
    {Rule::kModifierNotLegal, "modifier-not-legal", "5.1",
     "the instruction takes the modifiers that it has"},
    {Rule::kModifierValue, "modifier-value", "6.3.1",
     "width, equiv and align have a value that exists"},
    {Rule::kElementType, "element-type", "5.9.2",
     "pack and unpack move values of the element type"},
    {Rule::kComparison, "comparison", "5.18.2",
     "cmp has a comparison and a result of its source type"},
    {Rule::kConversion, "conversion", "5.19.1", "cvt has two types of as many elements"},
    {Rule::kRounding, "rounding", "5.19.3",
     "cvt has a rounding modifier exactly where its types need one"},
    {Rule::kSaturation, "saturation", "5.19.6",
     "_sat stands where cvt makes integers narrower or changes their sign"},
    {Rule::kMemoryOrder, "memory-order", "6.2.1", "the operation exists with that memory order"},
    {Rule::kMemoryScope, "memory-scope", "6.2.2", "the operation exists with that memory scope"},
    {Rule::kHandleAccess, "handle-access", "7.1.7",
     "variables of handles are accessed with their own type, others with no handle type; arrays of "
     "bit types may have handles in them"},
    {Rule::kHandleSegment, "handle-segment", "7.1.7",
     "variables of images and samplers are global, readonly, kernarg or arg"},
    {Rule::kSignalType, "signal-type", "6.8.1", "the value of a signal has its size"},
    {Rule::kImageConstant, "image-constant", "7.1.7",
     "the properties of an image constant are complete and belong to its geometry and format"},
    {Rule::kSamplerConstant, "sampler-constant", "7.1.8",
     "the properties of a sampler constant are complete and go together"},
    {Rule::kImageCoordinates, "image-coordinates", "7.1.6",
     "an image instruction has the coordinates of its geometry, in a type that it takes"},
    {Rule::kImageComponents, "image-components", "7.2.1",
     "depth images have one component, others four"},
    {Rule::kImageQuery, "image-query", "7.5.2", "the geometry has the property that is asked for"},
    {Rule::kBranchTarget, "branch-target", "8.2", "a branch leads to a label of its code block"},
    {Rule::kFbarrierWidth, "fbarrier-width", "9.2.2",
     "the width of an fbarrier instruction is a multiple of WAVESIZE"},
    {Rule::kArgumentVariable, "argument-variable", "10.2",
     "every variable of an arg block is one argument of its call"},
    {Rule::kArgumentAccess, "argument-access", "10.2",
     "inputs are stored before and outputs loaded behind a call; the function loads inputs and "
     "stores its output"},
    {Rule::kArgumentMatch, "argument-match", "10.2",
     "actual arguments have number, types and sizes of the formal ones; those of all functions of "
     "an scall are the same"},
    {Rule::kCallTarget, "call-target", "10.6.2", "a call names functions, icall a signature"},
    {Rule::kIndirectFunction, "indirect-function", "10.8",
     "indirect functions and what they call have no group variables, no fbarriers and no private "
     "variables of module scope"},
    {Rule::kExtensionOrder, "extension-order", "13.1",
     "extensions stand before the first module statement"},
    {Rule::kExtensionName, "extension-name", "13.1", "the extension is known"},
    {Rule::kExtensionVersion, "extension-version", "13.1",
     "an extension has one version, and that is known"},
    {Rule::kExtensionCore, "extension-core", "13.1.1",
     "CORE has no version and excludes other extensions"},
    {Rule::kImageExtension, "image-extension", "13.1.2",
     "image instructions and types need the extension IMAGE"},
    {Rule::kGcnExtension, "gcn-extension", "docs/reference/hsail_gcn.md",
     "instructions of AMD's extension need the extension amd:gcn"},
    {Rule::kMipmapExtension, "mipmap-extension", "docs/reference/hsail_mipmap.md",
     "instructions of AMD's extension need the extension amd:mipmap"},
    {Rule::kMatrixExtension, "matrix-extension", "docs/reference/hsail_mfma.md",
     "matrix instructions need the extension cuvette:mfma"},
    {Rule::kMatrixWavefronts, "matrix-wavefronts", "docs/reference/hsail_mfma.md",
     "a code block with matrix instructions has requirenopartialwavefronts"},
    {Rule::kLoc, "loc", "13.2", "line and column are 32-bit numbers from 1 on"},
    {Rule::kPad, "pad", "13.3", "a pad entry fits into BRIG"},
    {Rule::kPragmaOperand, "pragma-operand", "13.4",
     "a pragma has a name and operands of the kinds that it takes"},
    {Rule::kControlValue, "control-value", "13.5",
     "a control directive has the values that it takes"},
    {Rule::kControlConflict, "control-conflict", "13.5",
     "the control directives of a kernel and of what it calls agree"},
    {Rule::kControlKernel, "control-kernel", "13.5",
     "what a function promises of partial work-groups and wavefronts its kernel promises too"},
    {Rule::kBaseProfile, "base-profile", "16.2.1", "the base profile has it"},
    {Rule::kProgramModules, "program-modules", "4.2",
     "the modules of a program have different names, and one machine model, profile and default "
     "rounding"},
    {Rule::kLimit, "limit", "docs/reference/hsail.md",
     "variables of 1 GiB, 65535 arguments, and what BRIG and this reader hold"},
    {Rule::kBrigElf, "brig-elf", "18.1", "the ELF file is whole and has a BRIG section"},
    {Rule::kBrigHeader, "brig-header", "18.3.18", "the module header is whole and fits the file"},
    {Rule::kBrigSection, "brig-section", "18.3.25",
     "the sections are those of a module, inside it and apart from each other"},
    {Rule::kBrigEntry, "brig-entry", "18.2",
     "an entry is of a kind of its section and has its size"},
    {Rule::kBrigField, "brig-field", "18.3",
     "a field has a value that exists; reserved fields, padding and the high words of 32-bit "
     "offsets are 0"},
    {Rule::kBrigReference, "brig-reference", "18.2", "an offset is that of an entry"},
    {Rule::kBrigVisibility, "brig-visibility", "18.5.1.1",
     "a reference leads to what its name means at that place, and to the definition where there "
     "is one"},
    {Rule::kBrigOrder, "brig-order", "18.5.1", "entries stand where they may and nest"},
    {Rule::kBrigExecutable, "brig-executable", "18.5.1.5",
     "arguments and code block of a kernel, function or signature are where its entry says"},
    {Rule::kBrigComment, "brig-comment", "18.5.1.3", "a comment is one line that starts with //"},
    {Rule::kBrigVariable, "brig-variable", "18.5.1.14",
     "linkage, allocation, segment, alignment and dimension belong to the place and to each "
     "other"},
    {Rule::kBrigInstruction, "brig-instruction", "18.5.2",
     "an instruction has the format and the fields of its opcode"},
    {Rule::kBrigOperand, "brig-operand", "18.6", "an operand has the kind that its place needs"},
});

consteval bool in_order() {
  for (size_t i = 0; i < kRules.size(); ++i) {
    if (kRules[i].rule != static_cast<Rule>(i)) return false;
  }
  return kRules.back().rule == Rule::kBrigOperand;
}
static_assert(in_order(), "one row for each rule, in the order of the enumeration");

}  // namespace

std::span<const RuleRow> rules() {
  return kRules;
}

std::string_view rule_id(Rule rule) {
  return kRules[static_cast<size_t>(rule)].id;
}

base::Error rule_error(const Problem& problem, base::Location where) {
  return base::Error(problem.what, std::move(where), std::string(rule_id(problem.rule)));
}

}  // namespace cuvette::hsail
