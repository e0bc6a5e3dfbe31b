// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/layout.h"

#include <algorithm>
#include <set>

#include "base/bits.h"
#include "hsail/names.h"

namespace cuvette::hsail {

namespace {

class LayoutBuilder {
 public:
  explicit LayoutBuilder(const Module& module) : m_(module) {}

  base::Result<KernelLayout> run(CodeRef kernel) {
    const Executable& x = m_.code[kernel].as<Executable>();
    reach(kernel);
    KernelLayout layout;
    for (CodeRef i = x.first_in_arg; i < x.first_in_arg + x.in_arg_count; ++i) {
      if (!place(&layout.kernarg, i)) return too_large(i);
    }
    layout.kernarg.bytes = base::align_up(layout.kernarg.bytes, 16);
    layout.kernarg.alignment = std::max<uint64_t>(layout.kernarg.alignment, 16);
    for (const CodeRef v : used_) {  // module scope first: a set of indices is in text order
      const Variable& variable = m_.code[v].as<Variable>();
      if (variable.linkage != Linkage::kModule && variable.linkage != Linkage::kProgram) continue;
      if (!place_by_segment(&layout, v)) return too_large(v);
    }
    for (const CodeRef function : reached_) {
      const Executable& f = m_.code[function].as<Executable>();
      for (CodeRef i = f.first_code_block_entry; i < f.next_module_entry; ++i) {
        if (m_.code[i].kind != Kind::kVariable) continue;
        if (function != kernel && m_.code[i].as<Variable>().segment == Segment::kSpill) continue;
        if (!place_by_segment(&layout, i)) return too_large(i);
      }
    }
    return layout;
  }

 private:
  void reach(CodeRef executable) {
    std::vector<CodeRef> work{executable};
    while (!work.empty()) {
      const CodeRef ref = work.back();
      work.pop_back();
      if (!reached_.insert(ref).second) continue;
      const Executable& x = m_.code[ref].as<Executable>();
      for (CodeRef i = x.first_code_block_entry; i < x.next_module_entry; ++i) {
        if (!is_instruction(m_.code[i].kind)) continue;
        for (const OperandRef o : m_.code[i].as<Inst>().operands) {
          const Operand& op = m_.operand(o);
          if (op.symbol == 0) continue;
          const CodeEntry& target = m_.code[op.symbol];
          if (target.kind == Kind::kVariable) used_.insert(op.symbol);
          if (target.kind == Kind::kFunction || target.kind == Kind::kIndirectFunction) {
            work.push_back(op.symbol);
          }
        }
      }
    }
  }

  bool place_by_segment(KernelLayout* layout, CodeRef v) {
    switch (m_.code[v].as<Variable>().segment) {
      case Segment::kGroup:
        return place(&layout->group, v);
      case Segment::kPrivate:
        return place(&layout->private_segment, v);
      case Segment::kSpill:
        return place(&layout->spill, v);
      default:
        return true;
    }
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
    base::Location where;
    where.file = m_.file;
    where.line = m_.code[ref].at.line;
    where.column = m_.code[ref].at.column;
    where.offset = m_.code[ref].at.offset;
    return base::Error("the segment grows above 1 GiB here", where);
  }

  const Module& m_;
  std::set<CodeRef> reached_;
  std::set<CodeRef> used_;
};

std::string expand(const Module& m, OperandRef ref) {
  const Operand& init = m.operand(ref);
  if (init.kind != Kind::kOperandConstantOperandList) return init.bytes;
  std::string bytes;
  for (const OperandRef element : init.elements) {
    const Operand& item = m.operand(element);
    if (item.kind == Kind::kOperandAlign) {
      bytes.resize(base::align_up(bytes.size(), std::max(1u, alignment_bytes(item.align))));
    } else if (item.kind == Kind::kOperandZero) {
      bytes.resize(bytes.size() + std::min(item.offset, kLargestVariable));
    } else {
      bytes += item.bytes;
    }
  }
  return bytes;
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
  return LayoutBuilder(module).run(kernel);
}

std::vector<ModuleVariable> module_variables(const Module& module) {
  std::vector<ModuleVariable> found;
  for (CodeRef i = 1; i < module.code.size(); ++i) {
    const auto* v = std::get_if<Variable>(&module.code[i].body);
    if (v == nullptr || !v->is_definition()) continue;
    if (v->segment != Segment::kGlobal && v->segment != Segment::kReadonly) continue;
    found.push_back({i, variable_bytes(*v), std::max(1u, alignment_bytes(v->align)),
                     v->init == 0 ? std::string() : expand(module, v->init)});
  }
  return found;
}

uint64_t variable_bytes(const Variable& v) {
  return type_bytes(v.type) * (v.is_array ? v.dim : 1);
}

}  // namespace cuvette::hsail
