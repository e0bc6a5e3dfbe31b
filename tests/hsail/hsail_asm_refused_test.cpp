// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <map>

#include "hsail/warnings.h"
#include "hsail_asm_oracle.h"
#include "hsail_mutations.h"

// Wrong modules, and right ones, made from right ones by one change: HSAILasm and we judge
// them the same. If not, the HSAIL PRM decides, and the list here has its rule.
namespace cuvette::hsail {
namespace {

using namespace testing;

/// Judgement of a module by both.
struct Judgement {
  std::string text;     ///< of the statement
  bool ours = false;    ///< we take it as a text of the language
  std::string message;  ///< our first error, with the rule
  std::set<std::string> warnings;
  std::string theirs;  ///< what HSAILasm says; empty when it takes the module
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
  bool says(const std::string& part) const { return theirs.find(part) != std::string::npos; }
  bool rule(const std::string& id) const {
    return message.find("[" + id + "]") != std::string::npos;
  }
};

/// A kind of difference, and who is right.
struct Difference {
  const char* name;
  const char* reason;  ///< with the section of the PRM
  std::function<bool(const Judgement&)> is;
};

/// We take it and HSAILasm does not.
const Difference kTaken[] = {
    {"address outside of its variable", "6.1.1: undefined, not wrong; told by a warning",
     [](const Judgement& j) {
       return (j.says("Address offset exceeds variable size") ||
               j.says("Address is outside of memory allocated for variable")) &&
              j.warnings.count("address-outside") != 0;
     }},
    {"address that names no variable in arg or spill",
     "4.18 has the form, 4.3.10 leaves the place to the finalizer: a warning here, refused by "
     "finalizer and run",
     [](const Judgement& j) {
       return j.says("Flat address cannot be used with arg and spill") &&
              j.warnings.count("address-unnamed") != 0;
     }},
    {"number beyond the range of its type",
     "4.8.2: rounded to nearest even (4.19.2), which makes an infinity or 0; told by a warning. "
     "HSAILasm does so with some",
     [](const Judgement& j) {
       return j.says("invalid literal") && j.warnings.count("constant-range") != 0;
     }},
    {"handle of an image or sampler from an array of bits",
     "4.8.4 lets aggregates have handles, 7.1.9 leaves their use undefined; told by a warning",
     [](const Judgement& j) {
       return j.says("Instruction type does not match address symbol type") &&
              j.warnings.count("handle-type") != 0;
     }},
    {"handle of a signal from an array of bits", "4.8.4: its own example has sig64(0) in an array",
     [](const Judgement& j) {
       return j.says("Instruction type does not match address symbol type") && j.has("_sig64");
     }},
    {"white space",
     "4.4 asks for it between letters and digits, which these tokens do not meet with",
     [](const Judgement& j) { return j.says("missing white space"); }},
    {"saturating scalar add, sub and mad", "5.2, 5.3 and 5.12 have them, 1.0 had not",
     [](const Judgement& j) { return j.says("data type expected") && j.has("_sat_"); }},
    {"class with WAVESIZE", "5.13.1 and 4.16.1: the conditions are an immediate value of type u32",
     [](const Judgement& j) { return j.has("class_") && j.has("WAVESIZE"); }},
    {"mov of a null signal handle", "5.8.1, 4.16: an immediate value, signals are not excluded",
     [](const Judgement& j) { return j.has("mov_sig64") && j.has("sig64(0)"); }},
};

/// HSAILasm takes it and we do not.
const Difference kRefused[] = {
    {"a vector modifier where none is", "19.2: none of these has one, and HSAILasm loses it",
     [](const Judgement& j) { return j.rule("modifier-not-legal") && j.has("_v2_"); }},
    {"atomics on the handle of a signal",
     "6.8: handles are copied by ld, st and mov, nothing changes them",
     [](const Judgement& j) { return j.rule("handle-access") && j.has("atomic_"); }},
    {"strings side by side", "4.5, 19.2: one string is one literal",
     [](const Judgement& j) {
       return j.rule("syntax") && (j.has("\"x\" \"x\"") || j.has("\"a\" \"a\""));
     }},
};

class AsmRefused : public AsmOracle {
 protected:
  Judgement judge_both(const std::string& statement, const std::string& module) const {
    Judgement j;
    j.text = statement;
    const Outcome outcome = parse_module(reinterpret_cast<const uint8_t*>(module.data()),
                                         module.size(), "ours", Rules::kLanguage);
    j.ours = outcome.ok();
    if (!j.ours) j.message = outcome.errors[0].str();
    for (const base::Error& w : outcome.warnings) j.warnings.insert(w.id);
    if (j.ours)
      for (const base::Error& w : find_warnings(outcome.module)) j.warnings.insert(w.id);
    if (assembled(module).empty()) j.theirs = log().empty() ? "refused" : log();
    return j;
  }
};

TEST_F(AsmRefused, SameJudgement) {
  std::map<std::string, size_t> seen;
  size_t both = 0;
  size_t neither = 0;
  size_t unknown = 0;
  for (const Mutation& m : mutations()) {
    const Judgement j = judge_both(m.statement, m.module);
    if (j.ours == j.theirs.empty()) {
      ++(j.ours ? both : neither);
      continue;
    }
    std::string kinds;
    for (const Difference& d : j.ours ? std::span<const Difference>(kTaken) : kRefused) {
      if (!d.is(j)) continue;
      kinds += (kinds.empty() ? "" : ", ") + std::string(d.name);
      ++seen[d.name];
    }
    if (!kinds.empty()) continue;
    if (++unknown <= 400)
      ADD_FAILURE() << (j.ours ? "taken: " : "refused: ") << m.statement << "\n"
                    << j.theirs << j.message;
  }
  std::cout << "changed modules: " << mutations().size() << ", both take " << both
            << ", both refuse " << neither << "\n";
  for (const auto& [name, count] : seen) std::cout << "  " << name << ": " << count << "\n";
  EXPECT_EQ(unknown, 0u);
  for (const Difference& d : kTaken) EXPECT_NE(seen[d.name], 0u) << d.name;
  for (const Difference& d : kRefused) EXPECT_NE(seen[d.name], 0u) << d.name;
}

}  // namespace
}  // namespace cuvette::hsail
