// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/layout.h"

#include <algorithm>
#include <set>

#include "base/bits.h"
#include "hsail/gcn_table.h"
#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

base::Error error_at(const Module& m, CodeRef ref, const std::string& what) {
  base::Location where;
  where.file = m.file_of(m.code[ref].at);
  where.line = m.code[ref].at.line;
  where.column = m.code[ref].at.column;
  where.offset = m.code[ref].at.offset;
  return base::Error(what, where);
}

/// Calls `see` for every instruction of a code block.
template <class F>
void each_instruction(const Module& m, CodeRef executable, F see) {
  const Executable& x = m.code[executable].as<Executable>();
  for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
    if (is_instruction(m.code[i].kind)) see(m.code[i].as<Inst>(), i);
  }
}

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const Module& module) : m_(module) {}

  base::Result<KernelLayout> kernel(CodeRef kernel) {
    auto all = reachable(m_, kernel);
    if (!all.ok()) return all.error();
    const Executable& x = m_.code[kernel].as<Executable>();
    KernelLayout layout;
    for (CodeRef i = x.first_in_arg; i < x.first_in_arg + x.in_arg_count; ++i) {
      if (!place(&layout.kernarg, i)) return too_large(i);
    }
    layout.kernarg.bytes = base::align_up(layout.kernarg.bytes, 16);
    layout.kernarg.alignment = std::max<uint64_t>(layout.kernarg.alignment, 16);
    for (const CodeRef v : used_variables(*all)) {
      const Variable& variable = m_.code[v].as<Variable>();
      if (variable.linkage != Linkage::kModule && variable.linkage != Linkage::kProgram) continue;
      if (variable.segment == Segment::kGroup && !place(&layout.group, v)) return too_large(v);
      if (variable.segment == Segment::kPrivate && !place(&layout.private_segment, v)) {
        return too_large(v);
      }
    }
    // 4.11: group memory of functions lies beside the kernel's, once.
    std::sort(all->begin(), all->end());
    for (const CodeRef function : *all) {
      const Executable& f = m_.code[function].as<Executable>();
      for (CodeRef i = f.first_code_block_entry; i < f.next_module_entry; ++i) {
        if (m_.code[i].kind != Kind::kVariable) continue;
        const Segment segment = m_.code[i].as<Variable>().segment;
        if (segment == Segment::kGroup && !place(&layout.group, i)) return too_large(i);
        if (segment == Segment::kPrivate && function == kernel &&
            !place(&layout.private_segment, i)) {
          return too_large(i);
        }
      }
    }
    layout.region_bytes = region_bytes(*all);
    for (const CodeRef f : used_fbarriers(*all)) place_fbarrier(&layout.group, f);
    if (detects(kernel, *all)) {
      constexpr uint64_t kWord = 4;
      layout.detected = base::align_up(layout.group.bytes, kWord);
      layout.group.bytes = *layout.detected + kDetectedBytes;
      layout.group.alignment = std::max(layout.group.alignment, kWord);
    }
    return layout;
  }

  /// amd:gcn: the most that one of the executables asks for.
  uint64_t region_bytes(const std::vector<CodeRef>& all) const {
    uint64_t most = 0;
    for (const CodeRef executable : all) {
      each_instruction(m_, executable, [&](const Inst& inst, CodeRef) {
        if (inst.opcode == Opcode::kGcnRegionAlloc)
          most = std::max(most, region_alloc_bytes(m_, inst));
      });
    }
    return most;
  }

  base::Result<FunctionLayout> function(CodeRef executable) const {
    const CodeEntry& entry = m_.code[executable];
    const Executable& x = entry.as<Executable>();
    const bool kernel = entry.kind == Kind::kKernel;
    FunctionLayout layout;
    for (CodeRef i = executable + 1; i < x.next_module_entry; ++i) {
      if (m_.code[i].kind != Kind::kVariable) continue;
      const Variable& v = m_.code[i].as<Variable>();
      if (v.segment == Segment::kArg && v.is_array && v.dim == 0) {
        layout.variadic = i;
        continue;
      }
      SegmentLayout* segment = v.segment == Segment::kArg                  ? &layout.arg
                               : v.segment == Segment::kSpill              ? &layout.spill
                               : v.segment == Segment::kPrivate && !kernel ? &layout.private_segment
                                                                           : nullptr;
      if (segment != nullptr && !place(segment, i)) return too_large(i);
    }
    if (layout.variadic != 0 && !place(&layout.arg, layout.variadic)) {
      return too_large(layout.variadic);
    }
    return layout;
  }

 private:
  /// In text order, so module scope first.
  std::set<CodeRef> used_variables(const std::vector<CodeRef>& executables) const {
    std::set<CodeRef> used;
    for (const CodeRef executable : executables) {
      each_instruction(m_, executable, [&](const Inst& inst, CodeRef) {
        for (const OperandRef o : inst.operands) {
          const CodeRef symbol = m_.operand(o).symbol;
          if (symbol != 0 && m_.code[symbol].kind == Kind::kVariable) used.insert(symbol);
        }
      });
    }
    return used;
  }

  /// True if the kernel or an indirect function enables detection (13.5), or some instruction works
  /// on detected exceptions.
  bool detects(CodeRef kernel, const std::vector<CodeRef>& executables) const {
    bool found = false;
    for (const CodeRef executable : executables) {
      const bool own = executable == kernel || m_.code[executable].kind == Kind::kIndirectFunction;
      const Executable& x = m_.code[executable].as<Executable>();
      for (CodeRef i = x.first_code_block_entry; own && i < x.next_module_entry; ++i) {
        const auto* c = std::get_if<Control>(&m_.code[i].body);
        found =
            found || (c != nullptr && c->control == ControlDirective::kEnableDetectExceptions &&
                      !c->operands.empty() && (m_.constant(c->operands[0]) & kAllExceptions) != 0);
      }
      each_instruction(m_, executable, [&](const Inst& inst, CodeRef) {
        found = found || inst.opcode == Opcode::kGetDetectExcept ||
                inst.opcode == Opcode::kSetDetectExcept ||
                inst.opcode == Opcode::kClearDetectExcept;
      });
    }
    return found;
  }

  /// Named by an instruction: ldf or an operation on it.
  std::set<CodeRef> used_fbarriers(const std::vector<CodeRef>& executables) const {
    std::set<CodeRef> used;
    for (const CodeRef executable : executables) {
      each_instruction(m_, executable, [&](const Inst& inst, CodeRef) {
        for (const OperandRef o : inst.operands) {
          const CodeRef symbol = m_.operand(o).symbol;
          if (symbol != 0 && m_.code[symbol].kind == Kind::kFbarrier) used.insert(symbol);
        }
      });
    }
    return used;
  }

  /// 9.2.1 lets an implementation take group memory for them.
  static void place_fbarrier(SegmentLayout* segment, CodeRef ref) {
    const uint64_t offset = base::align_up(segment->bytes, kFbarrierBytes);
    segment->places.push_back({ref, offset, kFbarrierBytes});
    segment->bytes = offset + kFbarrierBytes;
    segment->alignment = std::max(segment->alignment, kFbarrierBytes);
  }

  bool place(SegmentLayout* segment, CodeRef ref) const {
    const Variable& v = m_.code[ref].as<Variable>();
    const uint64_t alignment = std::max(1u, alignment_bytes(v.align));
    const uint64_t bytes = variable_bytes(v);
    const uint64_t offset = base::align_up(segment->bytes, alignment);
    if (bytes > kLargestVariable || offset + bytes > kLargestVariable) return false;
    segment->places.push_back({ref, offset, bytes});
    segment->bytes = offset + bytes;
    segment->alignment = std::max(segment->alignment, alignment);
    return true;
  }

  base::Error too_large(CodeRef ref) const {
    return error_at(m_, ref, "the segment grows above 1 GiB here");
  }

  const Module& m_;
};

/// Appends the bytes of an initialiser, handles as zeros.
void expand(const Module& m, OperandRef ref, ModuleVariable* v) {
  const Operand& init = m.operand(ref);
  std::string& bytes = v->initial;
  switch (init.kind) {
    case Kind::kOperandConstantOperandList:
      for (const OperandRef element : init.elements) expand(m, element, v);
      break;
    case Kind::kOperandAlign:
      bytes.resize(base::align_up(bytes.size(), std::max(1u, alignment_bytes(init.align))));
      break;
    case Kind::kOperandZero:
      bytes.resize(bytes.size() + std::min(init.offset, kLargestVariable));
      break;
    case Kind::kOperandConstantImage:
    case Kind::kOperandConstantSampler:
    case Kind::kOperandConstantExpression:
      v->handles.push_back({bytes.size(), ref});
      bytes.resize(bytes.size() + type_bytes(init.type));
      break;
    default:
      bytes += init.bytes;
      break;
  }
}

/// 4.3.8, 4.3.9, 10.6.2: only global and readonly variables may be defined outside the program.
bool is_undefined_storage(const CodeEntry& entry) {
  if (const auto* v = std::get_if<Variable>(&entry.body)) {
    return !v->is_definition() &&
           (v->segment == Segment::kGroup || v->segment == Segment::kPrivate);
  }
  const auto* f = std::get_if<Fbarrier>(&entry.body);
  return f != nullptr && (f->modifier & kVariableDefinition) == 0;
}

std::optional<base::Error> undefined_storage(const Module& module,
                                             const std::vector<CodeRef>& executables) {
  std::optional<base::Error> error;
  for (const CodeRef executable : executables) {
    each_instruction(module, executable, [&](const Inst& inst, CodeRef at) {
      for (const OperandRef o : inst.operands) {
        const CodeRef symbol = module.operand(o).symbol;
        if (error || symbol == 0 || !is_undefined_storage(module.code[symbol])) continue;
        const auto* v = std::get_if<Variable>(&module.code[symbol].body);
        error = error_at(module, at,
                         (v != nullptr ? "variable '" + v->name
                                       : "fbarrier '" + module.code[symbol].as<Fbarrier>().name) +
                             "' is not defined");
      }
    });
  }
  return error;
}

}  // namespace

const Place* SegmentLayout::find(CodeRef variable) const {
  for (const Place& p : places) {
    if (p.variable == variable) return &p;
  }
  return nullptr;
}

base::Result<KernelLayout> kernel_layout(const Module& module, CodeRef kernel) {
  const bool good = kernel != 0 && kernel < module.code.size() &&
                    module.code[kernel].kind == Kind::kKernel &&
                    module.code[kernel].as<Executable>().is_definition();
  if (!good) return base::Error("no definition of a kernel");
  return LayoutBuilder(module).kernel(kernel);
}

base::Result<FunctionLayout> function_layout(const Module& module, CodeRef executable) {
  return LayoutBuilder(module).function(executable);
}

base::Result<std::vector<CodeRef>> reachable(const Module& module, CodeRef executable) {
  std::vector<CodeRef> found{executable};
  std::set<CodeRef> seen{executable};
  CodeRef undefined = 0;  // the call of a function without definition
  CodeRef missing = 0;
  const auto add = [&](CodeRef function, CodeRef call) {
    if (!module.code[function].as<Executable>().is_definition()) {
      if (undefined == 0) undefined = call;
      missing = function;
    } else if (seen.insert(function).second) {
      found.push_back(function);
    }
  };
  for (size_t i = 0; i < found.size() && undefined == 0; ++i) {
    each_instruction(module, found[i], [&](const Inst& inst, CodeRef at) {
      if (inst.opcode == Opcode::kCall) add(module.operand(inst.operands[1]).symbol, at);
      if (inst.opcode == Opcode::kScall) {
        for (const CodeRef f : module.operand(inst.operands[3]).codes) add(f, at);
      }
      if (inst.opcode != Opcode::kIcall) return;
      for (CodeRef f = 1; f < module.code.size(); ++f) {
        const CodeEntry& entry = module.code[f];
        if (entry.kind == Kind::kIndirectFunction && entry.as<Executable>().is_definition()) {
          add(f, at);
        }
      }
    });
  }
  if (undefined == 0) {
    if (auto error = undefined_storage(module, found)) return *error;
    return found;
  }
  return error_at(module, undefined,
                  "function '" + module.code[missing].as<Executable>().name + "' is not defined");
}

std::vector<ModuleVariable> module_variables(const Module& module) {
  std::vector<ModuleVariable> found;
  for (CodeRef i = 1; i < module.code.size(); ++i) {
    const auto* v = std::get_if<Variable>(&module.code[i].body);
    if (v == nullptr || !v->is_definition()) continue;
    if (v->segment != Segment::kGlobal && v->segment != Segment::kReadonly) continue;
    found.push_back({i, variable_bytes(*v), std::max(1u, alignment_bytes(v->align)), {}, {}});
    if (v->init != 0) expand(module, v->init, &found.back());
  }
  return found;
}

uint64_t variable_bytes(const Variable& v) {
  return type_bytes(v.type) * (v.is_array ? v.dim : 1);
}

}  // namespace cuvette::hsail
