// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/control_directives.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

using hsa::LaunchLimits;
using Values = std::array<uint64_t, 3>;

/// Calls `visit` with each definition that code of `executable` names in call and scall, in order.
/// An icall may lead to any indirect function, and none has to be meant.
template <class Visit>
void each_callee(const Module& m, CodeRef executable, Visit visit) {
  const auto definition = [&](CodeRef function) {
    const auto* x = std::get_if<Executable>(&m.code[function].body);
    if (x != nullptr && x->is_definition()) visit(function);
  };
  const Executable& x = m.code[executable].as<Executable>();
  for (CodeRef ref = x.first_code_block_entry; ref < x.next_module_entry; ++ref) {
    const auto* inst = std::get_if<Inst>(&m.code[ref].body);
    if (inst == nullptr) continue;
    if (inst->opcode == Opcode::kCall) definition(m.operand(inst->operands[1]).symbol);
    if (inst->opcode != Opcode::kScall) continue;
    for (const CodeRef f : m.operand(inst->operands[3]).codes) definition(f);
  }
}

/// The definitions that `executable` reaches, itself first: what 13.5 calls the functions of a
/// kernel.
std::vector<CodeRef> called(const Module& m, CodeRef executable) {
  std::vector<CodeRef> found{executable};
  std::set<CodeRef> seen{executable};
  for (size_t i = 0; i < found.size(); ++i) {
    each_callee(m, found[i], [&](CodeRef function) {
      if (seen.insert(function).second) found.push_back(function);
    });
  }
  return found;
}

/// Every one and its first place, of a kernel or function and what it calls.
class Collector {
 public:
  Collector(const Module& module, unsigned wavesize) : m_(module), wavesize_(wavesize) {}

  Finding run(CodeRef root) {
    for (const CodeRef executable : called(m_, root)) {
      const Executable& x = m_.code[executable].as<Executable>();
      for (CodeRef ref = x.first_code_block_entry; ref < x.next_module_entry && !found_; ++ref) {
        const auto* c = std::get_if<Control>(&m_.code[ref].body);
        if (c != nullptr) add(*c, ref);
        if (c != nullptr && executable != root) also_in_kernel(*c, ref, root);
      }
    }
    if (!found_) compare();
    return found_;
  }

  /// The directives of the code block of `executable` alone.
  void add_block(CodeRef executable) {
    const Executable& x = m_.code[executable].as<Executable>();
    for (CodeRef ref = x.first_code_block_entry; ref < x.next_module_entry; ++ref) {
      if (const auto* c = std::get_if<Control>(&m_.code[ref].body)) add(*c, ref);
    }
  }

  /// Adds what `other` has; whether that is more than what was here.
  bool add_all(const Collector& other) {
    const size_t before = mentions_.size();
    const bool failed = bool(found_);
    for (const auto& [control, mention] : other.mentions_) add(control, mention);
    if (!found_) found_ = other.found_;
    return mentions_.size() != before || bool(found_) != failed;
  }

  bool says_nothing() const { return mentions_.empty() && !found_; }

  /// True if run() may find something where these are all directives, of whatever order, and
  /// `own` those of the root.
  bool is_doubtful(bool is_kernel, const Collector& own) const {
    using enum ControlDirective;
    for (const ControlDirective c : {kRequireNoPartialWorkGroups, kRequireNoPartialWavefronts}) {
      if (is_kernel && has(c) && !own.has(c)) return true;
    }
    Collector all = *this;
    if (!all.found_) all.compare();
    return bool(all.found_);
  }

  LaunchLimits limits() const {
    LaunchLimits l;
    l.required_workgroup = values(ControlDirective::kRequiredWorkGroupSize);
    l.required_grid = values(ControlDirective::kRequiredGridSize);
    l.required_dimensions = values(ControlDirective::kRequiredDim)[0];
    l.max_flat_workgroup = values(ControlDirective::kMaxFlatWorkGroupSize)[0];
    l.max_flat_grid = values(ControlDirective::kMaxFlatGridSize)[0];
    if (has(ControlDirective::kMaxDynamicGroupSize)) {
      l.max_dynamic_group = values(ControlDirective::kMaxDynamicGroupSize)[0];
    }
    l.whole_workgroups = has(ControlDirective::kRequireNoPartialWorkGroups);
    l.whole_wavefronts = has(ControlDirective::kRequireNoPartialWavefronts);
    return l;
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
    add(c.control, mention);
  }
  void add(ControlDirective control, const Mention& mention) {
    const auto [first, fresh] = mentions_.emplace(control, mention);
    if (fresh || first->second.values == mention.values) return;
    fail(Rule::kControlConflict, mention.ref,
         quoted(control) + " has other values " + place(first->second));
  }

  /// 13.5: a kernel makes the promise of whole work-groups and wavefronts itself.
  void also_in_kernel(const Control& c, CodeRef ref, CodeRef root) {
    if (m_.code[root].kind != Kind::kKernel) return;
    if (c.control != ControlDirective::kRequireNoPartialWorkGroups &&
        c.control != ControlDirective::kRequireNoPartialWavefronts) {
      return;
    }
    // Directives of the kernel come first.
    if (mentions_.at(c.control).ref < m_.code[root].as<Executable>().next_module_entry &&
        mentions_.at(c.control).ref > root) {
      return;
    }
    fail(Rule::kControlKernel, ref,
         quoted(c.control) + " of a function has to stand in kernel '" +
             m_.code[root].as<Executable>().name + "', which calls it, too");
  }

  /// 13.5: unused dimensions are 1, and products stay within the maxima.
  void compare() {
    using enum ControlDirective;
    for (const ControlDirective sizes : {kRequiredWorkGroupSize, kRequiredGridSize}) {
      const Values v = values(sizes);
      const ControlDirective most =
          sizes == kRequiredGridSize ? kMaxFlatGridSize : kMaxFlatWorkGroupSize;
      for (size_t i = values(kRequiredDim)[0]; has(kRequiredDim) && has(sizes) && i < 3; ++i) {
        if (v[i] != 1) disagree(sizes, kRequiredDim, "is above 1 in a dimension that is not used");
      }
      if (!has(sizes) || !has(most)) continue;
      uint64_t items = 0;
      const bool large =
          __builtin_mul_overflow(v[0], v[1], &items) || __builtin_mul_overflow(items, v[2], &items);
      if (large || items > values(most)[0]) disagree(sizes, most, "is more than allowed");
    }
  }

  void disagree(ControlDirective a, ControlDirective b, const std::string& how) {
    const Mention& first = mentions_.at(a);
    const Mention& second = mentions_.at(b);
    const bool later = second.ref > first.ref;
    fail(Rule::kControlConflict, std::max(first.ref, second.ref),
         later ? quoted(b) + ": " + quoted(a) + " " + place(first) + " " + how
               : quoted(a) + " " + how + " by " + quoted(b) + " " + place(second));
  }

  bool has(ControlDirective control) const { return mentions_.count(control) != 0; }
  Values values(ControlDirective control) const {
    const auto found = mentions_.find(control);
    return found == mentions_.end() ? Values{} : found->second.values;
  }
  static std::string quoted(ControlDirective control) {
    return "'" + std::string(name(control)) + "'";
  }
  std::string place(const Mention& mention) const {
    return "at " + place_text(m_.code[mention.ref].at);
  }
  void fail(Rule rule, CodeRef ref, const std::string& what) {
    if (!found_) found_ = {rule, what, m_.code[ref].at};
  }

  const Module& m_;
  unsigned wavesize_;
  std::map<ControlDirective, Mention> mentions_;
  Finding found_;
};

/// Collector::run() for every definition of a module, without a walk along all calls for each.
class LimitCheck {
 public:
  explicit LimitCheck(const Module& module) : m_(module) {
    for (CodeRef ref = 1; ref < m_.code.size(); ++ref) {
      const auto* x = std::get_if<Executable>(&m_.code[ref].body);
      if (x != nullptr && x->is_definition()) add(ref);
    }
    // Directives go up to the callers until nobody learns anything; each learns of each directive
    // once.
    std::vector<CodeRef> told;
    for (const auto& [ref, block] : blocks_) {
      if (!block.all.says_nothing()) told.push_back(ref);
    }
    while (!told.empty()) {
      const CodeRef ref = told.back();
      told.pop_back();
      for (const CodeRef caller : blocks_.at(ref).callers) {
        if (blocks_.at(caller).all.add_all(blocks_.at(ref).all)) told.push_back(caller);
      }
    }
  }

  Finding run(CodeRef root) {
    const CodeRef teller = teller_of(root);
    const Block& block = blocks_.at(teller);
    if (!block.all.is_doubtful(is_kernel(teller), block.own)) return {};
    const auto known = found_.find(teller);
    if (known != found_.end()) return known->second;
    if (failures_ == kMostFailures) return {};
    const Finding found = Collector(m_, kWavesize).run(teller);
    failures_ += bool(found);
    return found_.emplace(teller, found).first->second;
  }

 private:
  static constexpr unsigned kWavesize = 64;
  /// So many are reported: each takes a walk along the calls.
  static constexpr unsigned kMostFailures = 200;
  struct Block {
    Collector own, all;  ///< of its code, and with that of the functions it reaches
    std::set<CodeRef> callees;
    std::vector<CodeRef> callers;
  };

  bool is_kernel(CodeRef ref) const { return m_.code[ref].kind == Kind::kKernel; }
  Block& block(CodeRef ref) {
    const Collector none(m_, kWavesize);
    return blocks_.try_emplace(ref, Block{none, none, {}, {}}).first->second;
  }

  void add(CodeRef ref) {
    Block& b = block(ref);
    b.own.add_block(ref);
    b.all.add_all(b.own);
    each_callee(m_, ref, [&](CodeRef callee) {
      if (callee != ref && b.callees.insert(callee).second) block(callee).callers.push_back(ref);
    });
  }

  /// A function without directives that reaches all through one callee tells what that one tells.
  CodeRef teller_of(CodeRef ref) {
    std::vector<CodeRef> way;
    while (tellers_.count(ref) == 0) {
      way.push_back(ref);
      const CodeRef next = only_callee(ref);
      if (next == 0) break;
      ref = next;
    }
    const auto known = tellers_.find(ref);
    const CodeRef teller = known == tellers_.end() ? ref : known->second;
    for (const CodeRef w : way) tellers_[w] = teller;
    return teller;
  }
  CodeRef only_callee(CodeRef ref) const {
    const Block& b = blocks_.at(ref);
    if (is_kernel(ref) || !b.own.says_nothing()) return 0;
    CodeRef only = 0;
    for (const CodeRef callee : b.callees) {
      if (blocks_.at(callee).all.says_nothing()) continue;
      if (only != 0) return 0;
      only = callee;
    }
    return only;
  }

  const Module& m_;
  std::map<CodeRef, Block> blocks_;
  std::map<CodeRef, CodeRef> tellers_;
  std::map<CodeRef, Finding> found_;  ///< by teller
  unsigned failures_ = 0;             ///< in found_
};

/// Form of a directive's values (13.5).
struct Shape {
  size_t values;
  Type type;
  bool wavesize;  ///< WAVESIZE may stand for one
  bool zero;      ///< 0 is a value
};
Shape shape_of(ControlDirective control) {
  using enum ControlDirective;
  switch (control) {
    case kRequireNoPartialWorkGroups:
    case kRequireNoPartialWavefronts:
      return {0, Type::kU32, false, false};
    case kMaxFlatGridSize:
      return {1, Type::kU64, true, false};
    case kMaxFlatWorkGroupSize:
      return {1, Type::kU32, true, false};
    case kRequiredGridSize:
      return {3, Type::kU64, true, false};
    case kRequiredWorkGroupSize:
      return {3, Type::kU32, true, false};
    default:
      return {1, Type::kU32, false, true};
  }
}

}  // namespace

Finding check_control(const Module& module, const CodeEntry& entry) {
  const Control& c = entry.as<Control>();
  const auto bad = [&entry](const std::string& what) {
    return Finding(Rule::kControlValue, what, entry.at);
  };
  if (c.control == ControlDirective::kNone) return bad("a control directive without name");
  const Shape shape = shape_of(c.control);
  const std::string quoted = "'" + std::string(name(c.control)) + "'";
  const std::string takes = quoted + " takes " + std::to_string(shape.values) +
                            " values of type '" + std::string(name(shape.type)) + "'";
  if (c.operands.size() != shape.values) return bad(takes);
  for (const OperandRef ref : c.operands) {
    const Operand& op = module.operand(ref);
    if (op.kind == Kind::kOperandWavesize) {
      if (!shape.wavesize) return bad(takes + ", not WAVESIZE");
      continue;
    }
    if (op.kind != Kind::kOperandConstantBytes || op.type != shape.type || op.is_array) {
      return bad(takes);
    }
    if (!shape.zero && module.constant(ref) == 0) return bad(quoted + " is above 0");
  }
  const auto value = [&] { return module.constant(c.operands[0]); };
  if (c.control == ControlDirective::kRequiredDim && (value() < 1 || value() > 3)) {
    return bad("requireddim is 1, 2 or 3");
  }
  if (c.control == ControlDirective::kRequiredGroupBasePtrAlign && !find_alignment(value())) {
    return bad("requiredgroupbaseptralign is a power of two from 1 to 256");
  }
  return {};
}

std::vector<Finding> check_limits(const Module& module) {
  std::vector<Finding> findings;
  std::set<std::pair<uint64_t, uint64_t>> places;  // a function tells, and so do its callers
  LimitCheck check(module);
  for (CodeRef ref = 1; ref < module.code.size(); ++ref) {
    const auto* x = std::get_if<Executable>(&module.code[ref].body);
    if (x == nullptr || !x->is_definition()) continue;
    Finding f = check.run(ref);
    f.machine = true;
    const auto place = std::make_pair(uint64_t{f.at.line} << 32 | f.at.column, f.at.offset);
    if (f && places.insert(place).second) findings.push_back(f);
  }
  return findings;
}

base::Result<LaunchLimits> launch_limits(const Module& module, CodeRef kernel, unsigned wavesize) {
  Collector collector(module, wavesize);
  const Finding f = collector.run(kernel);
  if (!f) return collector.limits();
  return finding_error(module, f);
}

}  // namespace cuvette::hsail
