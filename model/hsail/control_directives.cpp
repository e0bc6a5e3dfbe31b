// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/control_directives.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

using hsa::LaunchLimits;
using Values = std::array<uint64_t, 3>;

/// The definitions that `executable` reaches by call and scall, itself first. What 13.5 calls the
/// functions of a kernel: an icall may lead to any indirect function, and none has to be meant.
std::vector<CodeRef> called(const Module& m, CodeRef executable) {
  std::vector<CodeRef> found{executable};
  std::set<CodeRef> seen{executable};
  const auto add = [&](CodeRef function) {
    const auto* x = std::get_if<Executable>(&m.code[function].body);
    if (x != nullptr && x->is_definition() && seen.insert(function).second) {
      found.push_back(function);
    }
  };
  for (size_t i = 0; i < found.size(); ++i) {
    const Executable& x = m.code[found[i]].as<Executable>();
    for (CodeRef ref = x.first_code_block_entry; ref < x.next_module_entry; ++ref) {
      const auto* inst = std::get_if<Inst>(&m.code[ref].body);
      if (inst == nullptr) continue;
      if (inst->opcode == Opcode::kCall) add(m.operand(inst->operands[1]).symbol);
      if (inst->opcode != Opcode::kScall) continue;
      for (const CodeRef f : m.operand(inst->operands[3]).codes) add(f);
    }
  }
  return found;
}

class Collector {
 public:
  Collector(const Module& module, unsigned wavesize) : m_(module), wavesize_(wavesize) {}

  base::Result<LaunchLimits> run(CodeRef kernel) {
    for (const CodeRef executable : called(m_, kernel)) {
      const Executable& x = m_.code[executable].as<Executable>();
      for (CodeRef ref = x.first_code_block_entry; ref < x.next_module_entry && !error_; ++ref) {
        const auto* c = std::get_if<Control>(&m_.code[ref].body);
        if (c != nullptr) add(*c, ref);
      }
    }
    if (error_) return *error_;
    return limits();
  }

 private:
  struct Mention {
    Values values{};
    CodeRef ref = 0;
  };

  void add(const Control& c, CodeRef ref) {
    // 13.5: a set that grows with every mention.
    if (c.control == ControlDirective::kEnableBreakExceptions ||
        c.control == ControlDirective::kEnableDetectExceptions) {
      return;
    }
    Mention mention{{}, ref};
    for (size_t i = 0; i < c.operands.size() && i < 3; ++i) {
      mention.values[i] = m_.operand(c.operands[i]).kind == Kind::kOperandWavesize
                              ? wavesize_
                              : m_.constant(c.operands[i]);
    }
    const auto [first, fresh] = found_.emplace(c.control, mention);
    if (fresh || first->second.values == mention.values) return;
    fail(ref, "'" + std::string(name(c.control)) + "' has other values at " +
                  place_text(m_.code[first->second.ref].at));
  }

  Values values(ControlDirective control) const {
    const auto found = found_.find(control);
    return found == found_.end() ? Values{} : found->second.values;
  }

  LaunchLimits limits() const {
    LaunchLimits l;
    l.required_workgroup = values(ControlDirective::kRequiredWorkGroupSize);
    l.required_grid = values(ControlDirective::kRequiredGridSize);
    l.required_dimensions = values(ControlDirective::kRequiredDim)[0];
    l.max_flat_workgroup = values(ControlDirective::kMaxFlatWorkGroupSize)[0];
    l.max_flat_grid = values(ControlDirective::kMaxFlatGridSize)[0];
    if (found_.count(ControlDirective::kMaxDynamicGroupSize) != 0) {
      l.max_dynamic_group = values(ControlDirective::kMaxDynamicGroupSize)[0];
    }
    l.whole_workgroups = found_.count(ControlDirective::kRequireNoPartialWorkGroups) != 0;
    l.whole_wavefronts = found_.count(ControlDirective::kRequireNoPartialWavefronts) != 0;
    return l;
  }

  void fail(CodeRef ref, const std::string& what) {
    const Position& at = m_.code[ref].at;
    base::Location where;
    where.file = m_.file_of(at);
    where.line = at.line;
    where.column = at.column;
    where.offset = at.offset;
    error_ = base::Error(what, where);
  }

  const Module& m_;
  unsigned wavesize_;
  std::map<ControlDirective, Mention> found_;
  std::optional<base::Error> error_;
};

}  // namespace

base::Result<LaunchLimits> launch_limits(const Module& module, CodeRef kernel, unsigned wavesize) {
  return Collector(module, wavesize).run(kernel);
}

}  // namespace cuvette::hsail
