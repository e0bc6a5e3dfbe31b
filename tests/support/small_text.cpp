// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "small_text.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <vector>

namespace cuvette::small_text {

namespace {

/// A statement: what stands before a ';', '{' or '}', with it.
struct Statement {
  std::string lead;  ///< white space and labels
  std::string text;
  char end = 0;
  std::string executable;  ///< the kernel or function that it is in or names in a header
  bool is_header = false;
};

std::string without_comments(const std::string& in) {
  std::string out;
  for (size_t i = 0; i < in.size();) {
    if (in.compare(i, 2, "//") == 0) {
      i = std::min(in.find('\n', i), in.size());
    } else if (in.compare(i, 2, "/*") == 0) {
      i = std::min(in.find("*/", i), in.size() - 2) + 2;
    } else {
      out += in[i++];
    }
  }
  return out;
}

std::vector<Statement> split(const std::string& text) {
  static const std::regex kLead(R"(^(\s|@\w+:)*)");
  static const std::regex kExecutable(R"(\b(?:kernel|function)\s*(&\w+))");
  std::vector<Statement> out;
  std::string executable;
  bool quoted = false;
  std::string so_far;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted || (c != ';' && c != '{' && c != '}')) {
      so_far += c;
      continue;
    }
    std::smatch lead;
    std::regex_search(so_far, lead, kLead);
    Statement s;
    s.lead = lead.str();
    s.text = so_far.substr(s.lead.size());
    s.end = c;
    std::smatch header;
    s.is_header = std::regex_search(s.text, header, kExecutable);
    if (s.is_header) executable = header[1].str();
    s.executable = executable;
    out.push_back(s);
    so_far.clear();
  }
  Statement rest;
  rest.text = so_far;
  out.push_back(rest);
  return out;
}

std::string opcode_of(const std::string& text) {
  return text.substr(0, text.find_first_of(" \t\n"));
}

bool has_part(const std::string& opcode, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](const std::string part) {
    return ("_" + opcode + "_").find("_" + part + "_") != std::string::npos;
  });
}

bool starts(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

/// ld, st, lda, atomics and queue instructions that take a wide address.
bool is_wide_memory(const std::string& opcode) {
  const bool memory = starts(opcode, "ld_") || starts(opcode, "st_") || starts(opcode, "lda_") ||
                      starts(opcode, "atomic") || opcode.find("queue") != std::string::npos;
  return memory && !has_part(opcode, {"group", "private", "spill", "arg"});
}

const std::regex kAddress(R"(\[\$d(\d+))");  // [$d0+4], [&x][$d0]
const std::regex kKernargLoad(
    R"(^ld_kernarg(?:_(?:align|width)\(\w+\))*_[ub]64\s+(\$d\d+),\s*\[(%\w+)\]$)");
const std::regex kRegister(R"(\$d\d+)");

std::vector<std::string> registers_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::sregex_iterator i(text.begin(), text.end(), kRegister), end; i != end; ++i)
    out.push_back(i->str());
  return out;
}

/// Registers that become addresses, by executable: those in brackets and what is added up to them.
std::map<std::string, std::set<std::string>> address_registers(const std::vector<Statement>& all) {
  std::map<std::string, std::set<std::string>> found;
  for (const Statement& s : all) {
    std::smatch m;
    const std::string opcode = opcode_of(s.text);
    if (is_wide_memory(opcode) && std::regex_search(s.text, m, kAddress))
      found[s.executable].insert("$d" + m[1].str());
    if (starts(opcode, "icall")) found[s.executable].insert(registers_of(s.text).at(0));
  }
  for (bool more = true; more;) {
    more = false;
    for (const Statement& s : all) {
      const std::string opcode = opcode_of(s.text);
      if (!starts(opcode, "add_") && !starts(opcode, "sub_") && !starts(opcode, "mov_") &&
          !starts(opcode, "mad_"))
        continue;
      const std::vector<std::string> r = registers_of(s.text);
      std::set<std::string>& known = found[s.executable];
      if (r.size() < 2 || known.count(r[0]) == 0) continue;
      for (size_t i = 1; i < r.size(); ++i) more = known.insert(r[i]).second || more;
    }
  }
  return found;
}

/// Kernel arguments, by executable, of which every use loads an address.
std::map<std::string, std::set<std::string>> pointer_arguments(const std::vector<Statement>& all) {
  auto registers = address_registers(all);
  std::map<std::string, std::set<std::string>> found;
  static const std::regex kArgument(R"(kernarg_u64\s+(%\w+)(?!\w*\[))");
  for (const Statement& s : all) {
    if (!s.is_header) continue;
    for (std::sregex_iterator i(s.text.begin(), s.text.end(), kArgument), end; i != end; ++i)
      found[s.executable].insert((*i)[1].str());
  }
  for (const Statement& s : all) {
    if (s.is_header) continue;
    for (auto name = found[s.executable].begin(); name != found[s.executable].end();) {
      const bool named = std::regex_search(s.text, std::regex(*name + R"((?!\w))"));
      std::smatch m;
      const bool good = std::regex_match(s.text, m, kKernargLoad) && m[2].str() == *name &&
                        registers[s.executable].count(m[1].str()) != 0;
      name = named && !good ? found[s.executable].erase(name) : std::next(name);
    }
  }
  return found;
}

std::string replaced(const std::string& text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  return at == std::string::npos ? text : text.substr(0, at) + by + text.substr(at + what.size());
}

/// The instruction with a 64-bit source or destination register through $s100.
std::string through_source(const std::string& text, const std::string& reg) {
  return "cvt_u32_u64 $s100, " + reg + ";\n" + replaced(text, reg, "$s100");
}
std::string through_destination(const std::string& text, const std::string& reg) {
  return replaced(text, reg, "$s100") + ";\ncvt_u64_u32 " + reg + ", $s100";
}

std::string small_instruction(const std::string& text, const std::set<std::string>& pointers) {
  const std::string opcode = opcode_of(text);
  const std::vector<std::string> r = registers_of(text);
  std::smatch m;
  if (std::regex_match(text, m, kKernargLoad) && pointers.count(m[2].str()) != 0)
    return "ld_kernarg_align(4)_u32 $s100, [" + m[2].str() + "];\ncvt_u64_u32 " + m[1].str() +
           ", $s100";
  if (starts(opcode, "stof_")) {
    // An immediate or narrow source.
    return through_destination(replaced(text, "_u64_u32", "_u32_u32"), r.at(0));
  }
  if (starts(opcode, "ftos_")) {
    const std::string narrow = replaced(text, "_u32_u64", "_u32_u32");
    return r.empty() ? narrow : through_source(narrow, r[0]);
  }
  if (starts(opcode, "segmentp_")) {
    const std::string narrow = replaced(text, "_b1_u64", "_b1_u32");
    return r.empty() ? narrow : through_source(narrow, r[0]);
  }
  if (starts(opcode, "icall")) return through_source(replaced(text, "_u64", "_u32"), r.at(0));
  if (starts(opcode, "signal_ld"))
    return through_destination(replaced(text, "_b64", "_b32"), r.at(0));
  if (starts(opcode, "nullptr") || starts(opcode, "kernargbaseptr"))
    return has_part(opcode, {"u64"}) ? through_destination(replaced(text, "_u64", "_u32"), r.at(0))
                                     : text;
  if (!is_wide_memory(opcode)) return text;
  std::string out = text;
  std::string before;
  if (std::regex_search(text, m, kAddress)) {
    before = "cvt_u32_u64 $s100, $d" + m[1].str() + ";\n";
    out.replace(static_cast<size_t>(m.position(0)), m[0].str().size(), "[$s100");
  }
  if (starts(opcode, "lda_"))
    return before + through_destination(replaced(out, "_u64", "_u32"), r.at(0));
  return before + out;
}

bool is_refused(const std::string& text) {
  const std::string opcode = opcode_of(text);
  if (starts(opcode, "atomic")) return has_part(opcode, {"b64", "u64", "s64"});
  return starts(opcode, "signal") && !starts(opcode, "signal_ld");
}

}  // namespace

std::optional<std::string> small_text(const std::string& large) {
  std::vector<Statement> all = split(without_comments(large));
  if (all.empty() || all[0].text.find("$large") == std::string::npos) return std::nullopt;
  all[0].text = replaced(all[0].text, "$large", "$small");
  const auto pointers = pointer_arguments(all);
  std::string out;
  for (const Statement& s : all) {
    if (is_refused(s.text)) return std::nullopt;
    const auto of = pointers.find(s.executable);
    static const std::set<std::string> kNone;
    const std::set<std::string>& names = of == pointers.end() ? kNone : of->second;
    std::string text = s.text;
    if (s.end == ';' && !s.is_header) text = small_instruction(text, names);
    if (s.is_header) {
      for (const std::string& name : names)
        text = std::regex_replace(text, std::regex(R"(kernarg_u64\s+)" + name + R"((?!\w))"),
                                  "kernarg_u32 " + name);
    }
    text = std::regex_replace(text, std::regex("sig64"), "sig32");
    out += s.lead + text;
    if (s.end != 0) out += s.end;
  }
  return out;
}

}  // namespace cuvette::small_text
