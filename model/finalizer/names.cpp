// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalizer/names.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "hsa/symbol_names.h"

namespace cuvette::finalizer {

using hsail::CodeRef;
using hsail::Kind;
using hsail::Linkage;

namespace {

/// Scope that an entry stands in.
struct Scope {
  std::string module;
  std::string executable;  ///< empty outside of all
};

bool has_suffix(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

/// True if a code object may need this symbol for something that is not the program's: descriptors
/// of kernels, names to which LLVM gives a meaning, the marks of layer hsa, names that lld defines
/// (also where the program only declares them).
bool is_taken(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"llvm.", "cuvette."};
  constexpr std::string_view kLinker[] = {
      "_DYNAMIC",
      "_GLOBAL_OFFSET_TABLE_",
      "_TLS_MODULE_BASE_",
      "__bss_start",
      "__dso_handle",
      "__ehdr_start",
      "__executable_start",
      "__init_array_end",
      "__init_array_start",
      "__fini_array_end",
      "__fini_array_start",
      "__preinit_array_end",
      "__preinit_array_start",
      "__rela_iplt_end",
      "__rela_iplt_start",
      "__rel_iplt_end",
      "__rel_iplt_start",
      "_edata",
      "edata",
      "_end",
      "end",
      "_etext",
      "etext",
  };
  return has_suffix(name, ".kd") ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view p) { return name.substr(0, p.size()) == p; }) ||
         std::find(std::begin(kLinker), std::end(kLinker), name) != std::end(kLinker);
}

std::string spelled(const std::string& name, Spelling spelling) {
  return spelling == Spelling::kHsail || name.empty() ? name : name.substr(1);
}

std::string program_symbol(const std::string& name, Spelling spelling) {
  const std::string symbol = spelled(name, spelling);
  return is_taken(symbol) ? hsa::kNameAside + symbol : symbol;
}

bool is_started(Kind kind) {
  return kind == Kind::kKernel || kind == Kind::kIndirectFunction;
}

std::vector<Scope> scopes_of(const hsail::Module& program, Spelling spelling) {
  std::vector<Scope> scopes(program.code.size());
  Scope now;
  CodeRef end = 0;
  for (CodeRef ref = 1; ref < program.code.size(); ++ref) {
    if (ref >= end) now.executable.clear();
    if (const auto* header = std::get_if<hsail::ModuleHeader>(&program.code[ref].body)) {
      now.module = spelled(header->name, spelling);
    }
    scopes[ref] = now;
    const auto* executable = std::get_if<hsail::Executable>(&program.code[ref].body);
    if (executable == nullptr || executable->name.empty()) continue;
    now.executable = spelled(executable->name, spelling);
    end = executable->next_module_entry;
  }
  return scopes;
}

}  // namespace

Names::Names(const hsail::Module& program, Spelling spelling) : names_(program.code.size()) {
  const std::vector<Scope> scopes = scopes_of(program, spelling);
  std::map<std::string, std::string> owners;  // symbol: the scope whose it is
  for (CodeRef ref = 1; ref < program.code.size(); ++ref) {
    const hsail::CodeEntry& entry = program.code[ref];
    const Scope& at = scopes[ref];
    if (const auto* variable = std::get_if<hsail::Variable>(&entry.body)) {
      if (variable->name.empty()) continue;
      const std::string plain = spelled(variable->name, spelling);
      if (variable->linkage == Linkage::kProgram) {
        names_[ref] = program_symbol(variable->name, spelling);
        owners.emplace(names_[ref], "");
      } else if (at.executable.empty()) {
        names_[ref] = at.module + "::" + plain;
      } else {
        names_[ref] = at.module + "::" + at.executable + "::" + plain;
      }
    } else if (const auto* executable = std::get_if<hsail::Executable>(&entry.body);
               executable != nullptr && !executable->name.empty() &&
               executable->linkage == Linkage::kProgram) {
      names_[ref] = program_symbol(executable->name, spelling);
      if (is_started(entry.kind)) owners.emplace(names_[ref], "");
    }
  }
  for (CodeRef ref = 1; ref < program.code.size(); ++ref) {
    const auto* executable = std::get_if<hsail::Executable>(&program.code[ref].body);
    if (executable == nullptr || executable->name.empty() || !names_[ref].empty()) continue;
    const std::string own = scopes[ref].module + "::" + spelled(executable->name, spelling);
    const std::string plain = program_symbol(executable->name, spelling);
    const bool free = is_started(program.code[ref].kind) &&
                      owners.emplace(plain, scopes[ref].module).first->second == scopes[ref].module;
    names_[ref] = free ? plain : own;
  }
}

}  // namespace cuvette::finalizer
