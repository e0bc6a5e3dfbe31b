// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalize_extension/directives.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "hsail/control_directives.h"
#include "hsail/names.h"

namespace cuvette::finalize_extension {

namespace {

using hsail::CodeEntry;
using hsail::CodeRef;
using hsail::Control;
using hsail::ControlDirective;
using hsail::Module;
using hsail::Operand;
using hsail::OperandRef;
using hsail::Type;

constexpr unsigned kWavesize = 64;

/// A directive and the members that it enables.
struct Asked {
  ControlDirective control;
  Type type;
  std::vector<uint64_t> values;
};

/// All that the structure can say, enabled or not, in the order of BrigControlDirective.
std::vector<Asked> members(const hsa_ext_control_directives_t& d) {
  using enum ControlDirective;
  const auto& grid = d.required_grid_size;
  const auto& group = d.required_workgroup_size;
  return {{kEnableBreakExceptions, Type::kU32, {d.break_exceptions_mask}},
          {kEnableDetectExceptions, Type::kU32, {d.detect_exceptions_mask}},
          {kMaxDynamicGroupSize, Type::kU32, {d.max_dynamic_group_size}},
          {kMaxFlatGridSize, Type::kU64, {d.max_flat_grid_size}},
          {kMaxFlatWorkGroupSize, Type::kU32, {d.max_flat_workgroup_size}},
          {kRequiredDim, Type::kU32, {d.required_dim}},
          {kRequiredGridSize, Type::kU64, {grid[0], grid[1], grid[2]}},
          {kRequiredWorkGroupSize, Type::kU32, {group.x, group.y, group.z}},
          {kRequireNoPartialWorkGroups, Type::kNone, {}}};
}

bool is_asked(const hsa_ext_control_directives_t& d, ControlDirective control) {
  return (d.control_directives_mask >> static_cast<unsigned>(control) & 1) != 0;
}

bool may_be_zero(ControlDirective control) {
  return control == ControlDirective::kEnableBreakExceptions ||
         control == ControlDirective::kEnableDetectExceptions ||
         control == ControlDirective::kMaxDynamicGroupSize;
}

std::string quoted(ControlDirective control) {
  return "'" + std::string(hsail::name(control)) + "'";
}

/// Sizes of three dimensions against the maximum and the number of dimensions.
std::string misfit(const hsa_ext_control_directives_t& d, ControlDirective sizes,
                   const std::vector<uint64_t>& values, ControlDirective most, uint64_t maximum) {
  if (!is_asked(d, sizes)) return {};
  if (is_asked(d, ControlDirective::kRequiredDim)) {
    for (size_t i = d.required_dim; i < values.size(); ++i) {
      if (values[i] != 1) return quoted(sizes) + " is above 1 in a dimension that is not used";
    }
  }
  uint64_t items = 0;
  const bool large = __builtin_mul_overflow(values[0], values[1], &items) ||
                     __builtin_mul_overflow(items, values[2], &items);
  if (is_asked(d, most) && (large || items > maximum)) {
    return quoted(sizes) + " is more than " + quoted(most) + " allows";
  }
  return {};
}

/// A copy of a program that grows.
class Editor {
 public:
  explicit Editor(const Module& program) : out_(program) {}

  /// Lowers the program's maximum of this kind to `value`, where there is one.
  base::Status lower(ControlDirective control, Type type, uint64_t value) {
    const OperandRef replacement = constant(type, value);
    for (CodeEntry& entry : out_.code) {
      auto* said = std::get_if<Control>(&entry.body);
      if (said == nullptr || said->control != control) continue;
      const Operand& old = out_.operand(said->operands[0]);
      const uint64_t maximum =
          old.kind == hsail::Kind::kOperandWavesize ? kWavesize : out_.constant(said->operands[0]);
      if (value > maximum) {
        return base::Error(quoted(control) + " of the call is " + std::to_string(value) +
                               ", more than the " + std::to_string(maximum) + " of the module",
                           {.file = out_.file_of(entry.at), .offset = entry.at.offset});
      }
      said->operands[0] = replacement;
    }
    return {};
  }

  void append(const Asked& asked) {
    CodeEntry entry;
    entry.kind = hsail::Kind::kControl;
    Control control;
    control.control = asked.control;
    for (const uint64_t value : asked.values) {
      control.operands.push_back(constant(asked.type, value));
    }
    entry.body = control;
    added_.push_back(std::move(entry));
  }

  /// With what was appended in front of the code of every kernel and indirect function.
  Module finish() {
    if (added_.empty()) return std::move(out_);
    std::vector<CodeEntry> code;
    std::vector<CodeRef> starts;  // of the code that an entry begins, by its number before
    for (CodeRef ref = 0; ref <= out_.code.size(); ++ref) {
      starts.push_back(static_cast<CodeRef>(code.size()));
      if (is_begin(ref)) code.insert(code.end(), added_.begin(), added_.end());
      places_.push_back(static_cast<CodeRef>(code.size()));
      if (ref < out_.code.size()) code.push_back(out_.code[ref]);
    }
    for (CodeEntry& entry : code) {
      auto* x = std::get_if<hsail::Executable>(&entry.body);
      if (x == nullptr) continue;
      x->first_in_arg = places_[x->first_in_arg];
      x->first_code_block_entry = starts_code(entry) ? starts[x->first_code_block_entry]
                                                     : places_[x->first_code_block_entry];
      x->next_module_entry = places_[x->next_module_entry];
    }
    for (Operand& operand : out_.operands) {
      operand.symbol = places_[operand.symbol];
      for (CodeRef& ref : operand.codes) ref = places_[ref];
    }
    out_.code = std::move(code);
    return std::move(out_);
  }

  static bool starts_code(const CodeEntry& entry) {
    const auto* x = std::get_if<hsail::Executable>(&entry.body);
    return x != nullptr && x->is_definition() &&
           (entry.kind == hsail::Kind::kKernel || entry.kind == hsail::Kind::kIndirectFunction);
  }

 private:
  OperandRef constant(Type type, uint64_t value) {
    Operand operand;
    operand.kind = hsail::Kind::kOperandConstantBytes;
    operand.type = type;
    const unsigned bytes = type == Type::kU64 ? 8 : 4;
    for (unsigned i = 0; i < bytes; ++i) operand.bytes += static_cast<char>(value >> (8 * i));
    out_.operands.push_back(std::move(operand));
    return static_cast<OperandRef>(out_.operands.size() - 1);
  }

  /// True if the code of a kernel or indirect function begins at this entry.
  bool is_begin(CodeRef ref) {
    if (begins_.empty()) {
      begins_.resize(out_.code.size() + 1);
      for (const CodeEntry& entry : out_.code) {
        if (!starts_code(entry)) continue;
        begins_[entry.as<hsail::Executable>().first_code_block_entry] = true;
      }
    }
    return begins_[ref];
  }

  Module out_;
  std::vector<CodeEntry> added_;
  std::vector<bool> begins_;
  std::vector<CodeRef> places_;  ///< of each entry, by its number before
};

}  // namespace

std::string malformed(const hsa_ext_control_directives_t& d) {
  using enum ControlDirective;
  constexpr uint64_t kKnown =
      ((2u << static_cast<unsigned>(kRequireNoPartialWorkGroups)) - 1) & ~1u;
  if ((d.control_directives_mask & ~kKnown) != 0) {
    return "control_directives_mask has a bit of no control directive";
  }
  const auto is_zero = [](uint64_t value) { return value == 0; };
  if (d.reserved1 != 0 || !std::all_of(std::begin(d.reserved2), std::end(d.reserved2), is_zero)) {
    return "a reserved member of the control directives is not 0";
  }
  for (const Asked& member : members(d)) {
    const auto& values = member.values;
    if (!is_asked(d, member.control)) {
      if (std::all_of(values.begin(), values.end(), is_zero)) continue;
      return quoted(member.control) + " has a value and is not enabled";
    }
    if (!may_be_zero(member.control) && std::any_of(values.begin(), values.end(), is_zero)) {
      return quoted(member.control) + " is 0";
    }
  }
  if (d.required_dim > 3) return "'requireddim' is above 3";
  const auto& group = d.required_workgroup_size;
  std::string grid_misfit = misfit(
      d, kRequiredGridSize, {std::begin(d.required_grid_size), std::end(d.required_grid_size)},
      kMaxFlatGridSize, d.max_flat_grid_size);
  if (!grid_misfit.empty()) return grid_misfit;
  return misfit(d, kRequiredWorkGroupSize, {group.x, group.y, group.z}, kMaxFlatWorkGroupSize,
                d.max_flat_workgroup_size);
}

base::Result<Module> with_directives(const Module& program,
                                     const hsa_ext_control_directives_t& directives) {
  Editor editor(program);
  for (const Asked& member : members(directives)) {
    if (!is_asked(directives, member.control)) continue;
    if (member.control == ControlDirective::kMaxFlatGridSize ||
        member.control == ControlDirective::kMaxFlatWorkGroupSize) {
      if (auto status = editor.lower(member.control, member.type, member.values[0]); !status) {
        return status.error();
      }
    }
    editor.append(member);
  }
  Module out = editor.finish();
  for (CodeRef ref = 1; ref < out.code.size(); ++ref) {
    if (!Editor::starts_code(out.code[ref])) continue;
    const auto limits = hsail::launch_limits(out, ref, kWavesize);
    if (limits) continue;
    base::Error e = limits.error();
    if (directives.control_directives_mask != 0) e.what += " (line 0: directives of the call)";
    return e;
  }
  return out;
}

}  // namespace cuvette::finalize_extension
