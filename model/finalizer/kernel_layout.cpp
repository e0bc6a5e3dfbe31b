// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/kernel_layout.h"

#include <algorithm>
#include <set>

#include "base/bits.h"
#include "finalizer/symbols.h"

namespace cuvette::finalizer {

using hsail::CodeRef;
using hsail::Kind;

namespace {

constexpr uint64_t kGroupLimit = 65536;  // LDS of one compute unit

/// Adds the variables an operand names.
void collect(const hsail::Module& module, hsail::OperandRef ref, std::set<CodeRef>& variables) {
  const hsail::Operand& operand = module.operand(ref);
  if (operand.symbol != 0 && module.code[operand.symbol].kind == Kind::kVariable)
    variables.insert(operand.symbol);
  for (hsail::OperandRef element : operand.elements) collect(module, element, variables);
}

}  // namespace

CodeRef executable_end(const hsail::Module& module, CodeRef executable) {
  const auto& entry = module.code[executable].as<hsail::Executable>();
  const auto size = static_cast<CodeRef>(module.code.size());
  return entry.next_module_entry == 0 ? size : std::min(entry.next_module_entry, size);
}

base::Result<KernelLayout> layout_kernel(const hsail::Module& module, CodeRef kernel) {
  const auto& header = module.code[kernel].as<hsail::Executable>();
  const CodeRef end = executable_end(module, kernel);
  KernelLayout layout;
  std::set<CodeRef> group;
  unsigned arguments = 0;
  for (CodeRef ref = kernel + 1; ref < end; ++ref) {
    const hsail::CodeEntry& entry = module.code[ref];
    if (entry.kind == Kind::kVariable) {
      const auto& variable = entry.as<hsail::Variable>();
      if (variable.segment == hsail::Segment::kGroup) group.insert(ref);
      if (variable.segment == hsail::Segment::kKernarg && arguments < header.in_arg_count) {
        ++arguments;
        KernargSlot slot;
        slot.variable = ref;
        slot.bytes = variable_bytes(variable);
        slot.align = std::max<uint64_t>(1, variable_align(variable));
        slot.offset = base::align_up(layout.kernarg_bytes, slot.align);
        layout.kernarg_bytes = slot.offset + slot.bytes;
        layout.arguments.push_back(slot);
      }
    } else if (hsail::is_instruction(entry.kind)) {
      for (hsail::OperandRef operand : entry.as<hsail::Inst>().operands) {
        std::set<CodeRef> named;
        collect(module, operand, named);
        for (CodeRef variable : named)
          if (module.code[variable].as<hsail::Variable>().segment == hsail::Segment::kGroup)
            group.insert(variable);
      }
    }
  }
  uint64_t at = 0;
  for (CodeRef ref : group) {
    const auto& variable = module.code[ref].as<hsail::Variable>();
    const uint64_t align = std::max<uint64_t>(1, variable_align(variable));
    at = base::align_up(at, align);
    const uint64_t bytes = variable_bytes(variable);
    if (at > kGroupLimit || bytes > kGroupLimit - at)
      return error_at(module, module.code[ref].at,
                      "static group memory of " + header.name + " exceeds 65536 bytes");
    layout.group_offsets[ref] = static_cast<uint32_t>(at);
    at += bytes;
    layout.group_align = std::max(layout.group_align, static_cast<uint32_t>(align));
  }
  layout.group_bytes = static_cast<uint32_t>(at);
  return layout;
}

}  // namespace cuvette::finalizer
