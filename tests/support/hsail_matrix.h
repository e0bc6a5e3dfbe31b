// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// HSAIL text with matrix instructions, written from docs/reference/hsail_mfma.md.
namespace cuvette::hsail_matrix {

/// One instruction as its name and operand sizes: what a kernel around it has to know.
struct Form {
  std::string name;      ///< "cuvette:mfma_32x32x2_f32_f32"
  unsigned a_words = 1;  ///< dwords of A in a work-item
  unsigned b_words = 1;
  unsigned results = 0;  ///< values of C and of D
  bool f64 = false;
  bool integer = false;
  bool sparse = false;
  unsigned modifiers = 0;  ///< literals at the end
};

inline std::string list(char kind, unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += (i == 0 ? "$" : ", $") + std::string(1, kind) + std::to_string(first + i);
  }
  return count == 1 ? text : "(" + text + ")";
}

/// The register that holds so many words, by number of its kind.
inline std::string source(unsigned words, unsigned number) {
  return "$" + std::string(1, words == 1 ? 's' : words == 2 ? 'd' : 'q') + std::to_string(number);
}

/// Registers of C and D in the kernels below.
inline constexpr unsigned kFirstC = 10;
inline constexpr unsigned kFirstD = 50;

/// Source of C.
enum class Sum { kRegisters, kInPlace, kConstant };

/// The statement; `c` overrides the operand C.
inline std::string statement(const Form& f, Sum sum, const std::vector<unsigned>& modifiers) {
  const char kind = f.f64 ? 'd' : 's';
  std::string text = f.name + " " + list(kind, sum == Sum::kInPlace ? kFirstC : kFirstD, f.results);
  text += ", " + source(f.a_words, 4) + ", " + source(f.b_words, f.b_words == 4 ? 0 : 5) + ", ";
  if (sum != Sum::kConstant || f.results == 1) {
    text += list(kind, kFirstC, f.results);
  } else {
    text += f.integer ? "3" : f.f64 ? "0d4008000000000000" : "0f40400000";
  }
  if (f.sparse) text += ", $s3";
  for (const unsigned m : modifiers) text += ", " + std::to_string(m);
  return text + ";";
}

/// Each work-item loads its words of A, B and C and of the index of sparse instructions, executes
/// the statement and stores D. Word w of A and B at 4 (words * lane + w); value r of C and D at
/// size (64 r + lane).
inline std::string kernel(const Form& f, const std::string& name, Sum sum,
                          const std::vector<unsigned>& modifiers) {
  const unsigned size = f.f64 ? 8 : 4;
  const std::string number = f.f64 ? "u64" : "u32";
  const char kind = f.f64 ? 'd' : 's';
  std::string text =
      "prog kernel &" + name +
      "(kernarg_u64 %a, kernarg_u64 %b, kernarg_u64 %c, kernarg_u64 %d, kernarg_u64 %x)\n{\n"
      "\trequirenopartialwavefronts;\n\tworkitemid_u32 $s0, 0;\n";
  const auto pointer = [&](const char* argument, unsigned reg, unsigned stride) {
    const std::string d = "$d" + std::to_string(reg);
    text += "\tld_kernarg_u64 " + d + ", [" + argument + "];\n\tmul_u32 $s1, $s0, " +
            std::to_string(stride) + ";\n\tcvt_u64_u32 $d9, $s1;\n\tadd_u64 " + d + ", " + d +
            ", $d9;\n";
  };
  const auto load = [&](unsigned words, unsigned to, unsigned from) {
    text += "\tld_global_" +
            std::string(words == 1   ? "u32 "
                        : words == 2 ? "u64 "
                                     : "b128 ") +
            source(words, to) + ", [$d" + std::to_string(from) + "];\n";
  };
  pointer("%a", 6, 4 * f.a_words);
  load(f.a_words, 4, 6);
  pointer("%b", 6, 4 * f.b_words);
  load(f.b_words, f.b_words == 4 ? 0 : 5, 6);
  pointer("%x", 6, 4);
  load(1, 3, 6);
  pointer("%c", 6, size);
  for (unsigned r = 0; r < f.results; ++r) {
    text += "\tld_global_" + number + " " + list(kind, kFirstC + r, 1) + ", [$d6+" +
            std::to_string(64 * size * r) + "];\n";
  }
  text += "\t" + statement(f, sum, modifiers) + "\n";
  pointer("%d", 6, size);
  for (unsigned r = 0; r < f.results; ++r) {
    text += "\tst_global_" + number + " " +
            list(kind, (sum == Sum::kInPlace ? kFirstC : kFirstD) + r, 1) + ", [$d6+" +
            std::to_string(64 * size * r) + "];\n";
  }
  return text + "};\n";
}

inline std::string module_of(const std::string& body) {
  return "module &m:1:0:$full:$large:$default;\nextension \"cuvette:mfma\";\n" + body;
}

}  // namespace cuvette::hsail_matrix
