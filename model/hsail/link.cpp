// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/link.h"

#include <map>
#include <set>
#include <string>

#include "hsail/names.h"
#include "hsail/validate_inst.h"

namespace cuvette::hsail {

namespace {

/// A symbol of program linkage: its name and whether it is defined here. Names are empty otherwise.
struct Symbol {
  std::string name;
  bool defined = false;
};

Symbol program_symbol(const CodeEntry& entry) {
  if (const auto* v = std::get_if<Variable>(&entry.body)) {
    if (v->linkage == Linkage::kProgram) return {v->name, v->is_definition()};
  } else if (const auto* f = std::get_if<Fbarrier>(&entry.body)) {
    if (f->linkage == Linkage::kProgram) return {f->name, (f->modifier & kVariableDefinition) != 0};
  } else if (const auto* x = std::get_if<Executable>(&entry.body)) {
    if (entry.kind != Kind::kSignature && x->linkage == Linkage::kProgram)
      return {x->name, x->is_definition()};
  }
  return {};
}

bool same_variable(const Module& m, CodeRef a, CodeRef b) {
  const Variable& x = m.code[a].as<Variable>();
  const Variable& y = m.code[b].as<Variable>();
  const bool same_size =
      x.dim == y.dim || (x.dim == 0 && !x.is_definition()) || (y.dim == 0 && !y.is_definition());
  return x.type == y.type && x.is_array == y.is_array && x.segment == y.segment &&
         x.align == y.align && x.allocation == y.allocation &&
         ((x.modifier ^ y.modifier) & kVariableConst) == 0 && same_size;
}

class Linker {
 public:
  base::Result<Module> run(const std::vector<const Module*>& modules) {
    for (const Module* m : modules) {
      if (m->header() == nullptr) {
        return rule_error({Rule::kModuleHeader, "no module directive"}, {.file = m->file});
      }
      if (!header(*m)) return error_;
      append(*m);
    }
    if (!find_definitions()) return error_;
    resolve();
    // Calls lead to functions of other modules only now.
    for (const Finding& f : check_indirect(out_)) {
      return finding_error(out_, f);
    }
    return std::move(out_);
  }

 private:
  bool fail(const Finding& finding) {
    error_ = finding_error(out_, finding);
    return false;
  }

  bool header(const Module& m) {
    const ModuleHeader& own = *m.header();
    const auto bad = [&](const std::string& what) {
      error_ = rule_error({Rule::kProgramModules, what}, {.file = m.file});
      return false;
    };
    if (!names_.insert(own.name).second) {
      return bad("the program has two modules named '" + own.name + "'");
    }
    ModuleHeader* program = first_header();
    if (program == nullptr) return true;
    if (own.machine_model != program->machine_model) {
      return bad("the machine model is not that of the other modules of the program");
    }
    if (own.profile != program->profile) {
      return bad("the profile is not that of the other modules of the program");
    }
    if (own.default_round == Round::kFloatDefault) return true;
    if (program->default_round != Round::kFloatDefault &&
        program->default_round != own.default_round) {
      return bad("the default rounding is not that of the other modules of the program");
    }
    program->default_round = own.default_round;
    return true;
  }

  ModuleHeader* first_header() {
    for (CodeEntry& e : out_.code) {
      if (e.kind == Kind::kModule) return &e.as<ModuleHeader>();
    }
    return nullptr;
  }

  /// All references grow by what is there already.
  void append(const Module& m) {
    const bool first = out_.code.size() == 1;
    const auto code = static_cast<CodeRef>(out_.code.size() - 1);
    const auto operands = static_cast<OperandRef>(out_.operands.size() - 1);
    if (first) {
      out_.file = m.file;
    } else {
      out_.more_files.push_back(m.file);
    }
    const auto file = static_cast<uint32_t>(out_.more_files.size());
    const auto move_code = [=](CodeRef& ref) { ref += ref == 0 ? 0 : code; };
    const auto move_operand = [=](OperandRef& ref) { ref += ref == 0 ? 0 : operands; };
    const auto move_operands = [&](std::vector<OperandRef>& refs) {
      for (OperandRef& ref : refs) move_operand(ref);
    };
    for (size_t i = 1; i < m.operands.size(); ++i) {
      Operand o = m.operands[i];
      o.at.file = file;
      move_code(o.symbol);
      move_operand(o.reg);
      for (CodeRef& ref : o.codes) move_code(ref);
      move_operands(o.elements);
      out_.operands.push_back(std::move(o));
    }
    for (size_t i = 1; i < m.code.size(); ++i) {
      CodeEntry e = m.code[i];
      e.at.file = file;
      if (auto* x = std::get_if<Executable>(&e.body)) {
        move_code(x->first_in_arg);
        move_code(x->first_code_block_entry);
        move_code(x->next_module_entry);
      } else if (auto* v = std::get_if<Variable>(&e.body)) {
        move_operand(v->init);
      } else if (auto* inst = std::get_if<Inst>(&e.body)) {
        move_operands(inst->operands);
      } else if (auto* control = std::get_if<Control>(&e.body)) {
        move_operands(control->operands);
      } else if (auto* pragma = std::get_if<Pragma>(&e.body)) {
        move_operands(pragma->operands);
      }
      out_.code.push_back(std::move(e));
    }
  }

  bool find_definitions() {
    for (CodeRef i = 1; i < out_.code.size(); ++i) {
      const Symbol symbol = program_symbol(out_.code[i]);
      if (!symbol.defined) continue;
      if (!definitions_.emplace(symbol.name, i).second) {
        return fail({Rule::kDefinitionRepeated,
                     "second definition of '" + symbol.name + "' in the program", out_.code[i].at});
      }
    }
    for (CodeRef i = 1; i < out_.code.size(); ++i) {
      const Symbol symbol = program_symbol(out_.code[i]);
      if (symbol.name.empty() || symbol.defined) continue;
      const auto found = definitions_.find(symbol.name);
      if (found == definitions_.end()) {
        if (!undefined(symbol.name, i)) return false;
        continue;
      }
      if (!is_compatible(out_, i, found->second)) {
        return fail({Rule::kDeclarationMismatch,
                     "the declaration of '" + symbol.name + "' does not match its definition in " +
                         out_.file_of(out_.code[found->second].at),
                     out_.code[i].at});
      }
      target_[i] = found->second;
    }
    return true;
  }

  /// 4.3.2, 4.3.3, 4.3.8: declarations of what no module defines go together as well.
  bool undefined(const std::string& name, CodeRef declaration) {
    const auto [before, fresh] = undefined_.emplace(name, declaration);
    if (fresh) return true;
    if (!is_compatible(out_, before->second, declaration)) {
      return fail({Rule::kDeclarationMismatch,
                   "the declaration of '" + name + "' does not match that at " +
                       place_text(out_.code[before->second].at) + " of " +
                       out_.file_of(out_.code[before->second].at),
                   out_.code[declaration].at});
    }
    if (says_more(out_, before->second, declaration)) before->second = declaration;
    return true;
  }

  void resolve() {
    const auto lead = [this](CodeRef& ref) {
      if (const auto found = target_.find(ref); found != target_.end()) ref = found->second;
    };
    for (Operand& o : out_.operands) {
      lead(o.symbol);
      for (CodeRef& ref : o.codes) lead(ref);
    }
  }

  Module out_;
  std::set<std::string> names_;
  std::map<std::string, CodeRef> definitions_;
  std::map<std::string, CodeRef> undefined_;  ///< the declaration that says most
  std::map<CodeRef, CodeRef> target_;         ///< declaration to definition
  base::Error error_;
};

}  // namespace

bool is_compatible(const Module& m, CodeRef a, CodeRef b) {
  if (m.code[a].kind != m.code[b].kind) return false;
  if (m.code[a].kind == Kind::kVariable) return same_variable(m, a, b);
  const auto* x = std::get_if<Executable>(&m.code[a].body);
  if (x == nullptr) return true;
  const Executable& y = m.code[b].as<Executable>();
  if (x->out_arg_count != y.out_arg_count || x->in_arg_count != y.in_arg_count) return false;
  for (CodeRef i = 0; i < x->out_arg_count; ++i) {
    if (!same_variable(m, a + 1 + i, b + 1 + i)) return false;
  }
  for (CodeRef i = 0; i < x->in_arg_count; ++i) {
    if (!same_variable(m, x->first_in_arg + i, y.first_in_arg + i)) return false;
  }
  return true;
}

bool says_more(const Module& m, CodeRef before, CodeRef now) {
  const auto* x = std::get_if<Variable>(&m.code[before].body);
  return x != nullptr && x->is_array && x->dim == 0 && m.code[now].as<Variable>().dim != 0;
}

base::Result<Module> link(const std::vector<const Module*>& modules) {
  return Linker().run(modules);
}

}  // namespace cuvette::hsail
