// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/module.h"

#include <cstdio>

namespace cuvette::hsail {

namespace {

class Comparer {
 public:
  Comparer(const Module& a, const Module& b) : a_(a), b_(b) {}

  bool entries() const {
    if (a_.code.size() != b_.code.size()) return false;
    for (size_t i = 0; i < a_.code.size(); ++i) {
      if (!entry(a_.code[i], b_.code[i])) return false;
    }
    return true;
  }

 private:
  /// Operand references recurse; aggregates nest at most a few levels (text and BRIG readers bound
  /// it).
  bool operand(OperandRef x, OperandRef y) const {
    if (x == 0 || y == 0) return x == y;
    const Operand& p = a_.operands[x];
    const Operand& q = b_.operands[y];
    return p.kind == q.kind && p.reg_kind == q.reg_kind && p.reg_num == q.reg_num &&
           p.symbol == q.symbol && operand(p.reg, q.reg) && p.offset == q.offset &&
           p.codes == q.codes && list(p.elements, q.elements) && p.type == q.type &&
           p.is_array == q.is_array && p.bytes == q.bytes && p.expression == q.expression &&
           p.align == q.align && p.image == q.image && p.sampler == q.sampler;
  }

  bool list(const std::vector<OperandRef>& x, const std::vector<OperandRef>& y) const {
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (!operand(x[i], y[i])) return false;
    }
    return true;
  }

  bool entry(const CodeEntry& x, const CodeEntry& y) const {
    if (x.kind != y.kind || x.body.index() != y.body.index()) return false;
    if (const auto* p = std::get_if<Inst>(&x.body)) {
      return with_operands(*p, y.as<Inst>());
    }
    if (const auto* p = std::get_if<Control>(&x.body)) {
      return with_operands(*p, y.as<Control>());
    }
    if (const auto* p = std::get_if<Pragma>(&x.body)) {
      return with_operands(*p, y.as<Pragma>());
    }
    if (const auto* p = std::get_if<Variable>(&x.body)) {
      Variable v = y.as<Variable>();
      if (!operand(p->init, v.init)) return false;
      v.init = p->init;
      return *p == v;
    }
    return x.body == y.body;
  }

  template <class T>
  bool with_operands(const T& x, T y) const {
    if (!list(x.operands, y.operands)) return false;
    y.operands = x.operands;
    return x == y;
  }

  const Module& a_;
  const Module& b_;
};

}  // namespace

std::string place_text(const Position& at) {
  if (at.line != 0 || at.offset == 0) return "line " + std::to_string(at.line);
  char text[32];
  std::snprintf(text, sizeof text, "offset 0x%llx", static_cast<unsigned long long>(at.offset));
  return text;
}

const ModuleHeader* Module::header() const {
  for (const CodeEntry& e : code) {
    if (e.kind == Kind::kModule) return &e.as<ModuleHeader>();
  }
  return nullptr;
}

MachineModel Module::machine_model() const {
  const ModuleHeader* h = header();
  return h == nullptr ? MachineModel::kLarge : h->machine_model;
}

CodeRef Module::find_kernel(const std::string& name) const {
  CodeRef declared = 0;
  for (CodeRef i = 1; i < code.size(); ++i) {
    if (code[i].kind != Kind::kKernel || code[i].as<Executable>().name != name) continue;
    if (code[i].as<Executable>().is_definition()) return i;
    if (declared == 0) declared = i;
  }
  return declared;
}

std::vector<CodeRef> Module::kernels() const {
  std::vector<CodeRef> found;
  for (CodeRef i = 1; i < code.size(); ++i) {
    if (code[i].kind == Kind::kKernel && code[i].as<Executable>().is_definition()) {
      found.push_back(i);
    }
  }
  return found;
}

uint64_t Module::constant(OperandRef ref) const {
  const std::string& bytes = operands[ref].bytes;
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size() && i < 8; ++i) {
    value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return value;
}

bool same_module(const Module& a, const Module& b) {
  return Comparer(a, b).entries();
}

}  // namespace cuvette::hsail
