// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Random words against LLVM 19: both accept or both refuse, same length, same text, and what we
// call legal encodes back to the same words.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/fields.h"
#include "isa/text.h"
#include "isa_support/differences.h"
#include "oracle/llvm_oracle_client.h"

namespace cuvette::isa {
namespace {

using oracle::LlvmOracle;
using test::Differences;
using test::Kind;

/// Words of a class have `value` in the bits of `mask`; the rest is random.
struct WordClass {
  const char* name;
  uint32_t value, mask;
  Form form;
};

constexpr WordClass kClasses[] = {{"SOP2", 0x80000000, 0xc0000000, Form::Native},
                                  {"SOPK", 0xb0000000, 0xf0000000, Form::Native},
                                  {"SOP1", 0xbe800000, 0xff800000, Form::Native},
                                  {"SOPC", 0xbf000000, 0xff800000, Form::Native},
                                  {"SOPP", 0xbf800000, 0xff800000, Form::Native},
                                  {"SMEM", 0xc0000000, 0xfc000000, Form::Native},
                                  {"VOP2", 0x00000000, 0x80000000, Form::Native},
                                  {"VOP1", 0x7e000000, 0xfe000000, Form::Native},
                                  {"VOPC", 0x7c000000, 0xfe000000, Form::Native},
                                  {"VINTRP", 0xd4000000, 0xfc000000, Form::Native},
                                  {"VOP3", 0xd0000000, 0xfc000000, Form::Vop3},
                                  {"VOP3P", 0xd3800000, 0xff800000, Form::Native},
                                  {"DS", 0xd8000000, 0xfc000000, Form::Native},
                                  {"MUBUF", 0xe0000000, 0xfc000000, Form::Native},
                                  {"MTBUF", 0xe8000000, 0xfc000000, Form::Native},
                                  {"MIMG", 0xf0000000, 0xfc000000, Form::Native},
                                  {"FLAT", 0xdc000000, 0xfc00c000, Form::Native},
                                  {"SCRATCH", 0xdc004000, 0xfc00c000, Form::Native},
                                  {"GLOBAL", 0xdc008000, 0xfc00c000, Form::Native},
                                  {"EXP", 0xc4000000, 0xfc000000, Form::Native},
                                  {"SDWA", 0x000000f9, 0x800001ff, Form::Sdwa},
                                  {"DPP", 0x000000fa, 0x800001ff, Form::Dpp},
                                  {"other", 0x00000000, 0x00000000, Form::Native}};

struct Words {
  uint32_t w[2];
};

bool belongs(const Row& row, const WordClass& c, Target target, Form& form) {
  form = c.form;
  if (c.form == Form::Vop3) {
    const bool own = row.format == Format::Vop3a || row.format == Format::Vop3b;
    if (own) form = Form::Native;
    return rule_of(row, target, form) != nullptr;
  }
  if (c.form != Form::Native) return rule_of(row, target, c.form) != nullptr;
  const OpcodeField field = opcode_field(row.format, Form::Native);
  return field.prefix == c.value && row.on(target) && c.mask != 0;
}

/// Random words; every third one is bent to satisfy the field rule of some row, so that rows with
/// many fixed bits are reached too.
class Generator {
 public:
  Generator(const WordClass& word_class, Target target, uint64_t seed)
      : class_(word_class), target_(target), random_(seed) {
    for (const Row& row : rows()) {
      Form form{};
      if (belongs(row, class_, target, form)) candidates_.push_back({&row, form});
    }
  }

  Words next(unsigned long number) {
    const uint64_t bits = random_();
    Words words{{(static_cast<uint32_t>(bits) & ~class_.mask) | class_.value,
                 static_cast<uint32_t>(bits >> 32)}};
    if (number % 3 == 2 && !candidates_.empty()) bend(words);
    return words;
  }

 private:
  struct Candidate {
    const Row* row;
    Form form;
  };

  void bend(Words& words) {
    const Candidate& c = candidates_[random_() % candidates_.size()];
    const FieldRule& rule = *rule_of(*c.row, target_, c.form);
    const OpcodeField field = opcode_field(c.row->format, c.form);
    const uint64_t opcode_mask = field.prefix_mask | base::low_mask(field.width) << field.lo;
    uint64_t word = base::join32(words.w[0], words.w[1]);
    word = (word & ~opcode_mask) | opcode_bits(*c.row, target_, c.form);
    if (c.form == Form::Sdwa || c.form == Form::Dpp)
      word = (word & ~uint64_t{0x1ff}) | class_.value;
    word = (word & ~rule.mask) | rule.value;
    if (random_() % 4 != 0) word &= ~rule.ignored;
    words = {{base::lo32(word), base::hi32(word)}};
  }

  const WordClass& class_;
  Target target_;
  std::mt19937_64 random_;
  std::vector<Candidate> candidates_;
};

struct Counts {
  unsigned long words = 0, legal = 0, reserved = 0, illegal = 0, crashes = 0, known = 0,
                not_asked = 0;
};

/// LLVM crashes on an SDWA select of 7; a restart takes a while, so only some of these are asked.
constexpr const char* kCrashReason = "SDWA select 7 is reserved";
constexpr unsigned long kCrashesAsked = 5;

/// LLVM marks operands it cannot really have with a comment in the text.
bool llvm_accepts(const LlvmOracle::Disassembly& theirs) {
  const bool decoded =
      theirs.status == LlvmOracle::Status::Ok || theirs.status == LlvmOracle::Status::Soft;
  return decoded && theirs.text.find("/*") == std::string::npos;
}

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  const size_t last = text.find_last_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

bool accepted(const Decoded& d) {
  return d.status == DecodeStatus::Legal || d.status == DecodeStatus::Reserved;
}

Kind compare(const Decoded& ours, const LlvmOracle::Disassembly& theirs) {
  if (accepted(ours) != llvm_accepts(theirs))
    return accepted(ours) ? Kind::Accepted : Kind::Refused;
  if (!accepted(ours)) return Kind::None;
  if (ours.length * 4u != theirs.bytes) return Kind::Length;
  return text(ours.instruction) == trimmed(theirs.text) ? Kind::None : Kind::Text;
}

std::string describe(Target target, const Words& words, const Decoded& ours,
                     const LlvmOracle::Disassembly& theirs) {
  char hex[32];
  std::snprintf(hex, sizeof hex, "%08x %08x", words.w[0], words.w[1]);
  const std::string mine =
      accepted(ours) ? text(ours.instruction) : std::string("illegal: ") + ours.reason;
  return std::string(name_of(target)) + ' ' + hex + "\n  ours: " + mine +
         "\n  LLVM: " + (theirs.bytes == 0 ? std::string("no instruction") : trimmed(theirs.text));
}

/// Empty when the instruction encodes back to its words.
std::string reencode(const Decoded& ours, const Words& words) {
  Instruction copy = ours.instruction;
  for (uint32_t& word : copy.words) word = 0;
  const base::Status status = encode(copy);
  if (!status) return "encode: " + status.error().what;
  for (unsigned i = 0; i < ours.length; ++i) {
    if (copy.words[i] != words.w[i]) return "encodes to other words";
  }
  return {};
}

class Random : public testing::TestWithParam<Target> {
 protected:
  void run(const WordClass& word_class, unsigned long count) {
    const Target target = GetParam();
    const uint64_t seed =
        0x15a0000 + 100 * index_of(target) + static_cast<uint64_t>(&word_class - kClasses);
    Generator generator(word_class, target, seed);
    constexpr unsigned long kBatch = 20000;
    for (unsigned long first = 0; first < count; first += kBatch) {
      std::vector<Words> words;
      std::vector<std::vector<uint32_t>> cases;
      for (unsigned long i = first; i < count && i < first + kBatch; ++i) {
        const Words next = generator.next(i);
        const Decoded ours = decode(GetParam(), next.w, 2);
        const bool crash = ours.reason == std::string_view(kCrashReason);
        if (crash && ++crash_words_ > kCrashesAsked) {
          ++counts_.words;
          ++counts_.illegal;
          ++counts_.not_asked;
          continue;
        }
        words.push_back(next);
        cases.push_back({next.w[0], next.w[1]});
      }
      const auto theirs = llvm_.disassemble(std::string(name_of(target)), cases);
      for (size_t i = 0; i < words.size(); ++i) check(word_class, words[i], theirs[i], seed);
    }
  }

  void check(const WordClass& word_class, const Words& words, const LlvmOracle::Disassembly& theirs,
             uint64_t seed) {
    const Decoded ours = decode(GetParam(), words.w, 2);
    ++counts_.words;
    ++(ours.status == DecodeStatus::Legal      ? counts_.legal
       : ours.status == DecodeStatus::Reserved ? counts_.reserved
                                               : counts_.illegal);
    std::string problem;
    if (theirs.status == LlvmOracle::Status::Crash) {
      ++counts_.crashes;
      if (accepted(ours)) problem = "LLVM crashes";
    } else {
      const Kind kind = compare(ours, theirs);
      if (kind != Kind::None) {
        if (differences_.covers(word_class.name, kind, ours)) {
          ++counts_.known;
        } else {
          problem = name_of(kind);
        }
      }
    }
    if (problem.empty() && ours.status == DecodeStatus::Legal) problem = reencode(ours, words);
    if (problem.empty() || ++failures_ > 20) return;
    ADD_FAILURE() << word_class.name << " seed " << seed << ": " << problem << '\n'
                  << describe(GetParam(), words, ours, theirs);
  }

  LlvmOracle llvm_;
  Differences differences_ = Differences::load();
  Counts counts_;
  unsigned failures_ = 0;
  unsigned long crash_words_ = 0;
};

unsigned long words_per_class() {
  const char* text = std::getenv("CUVETTE_ISA_WORDS");
  return text == nullptr ? 50000 : std::strtoul(text, nullptr, 10);
}

TEST_P(Random, AgreesWithLlvmOnAcceptanceLengthAndText) {
  for (const WordClass& word_class : kClasses) run(word_class, words_per_class());
  std::printf(
      "%s: %lu words, legal %lu, reserved %lu, illegal %lu (LLVM not asked for %lu), "
      "LLVM crashes %lu, known differences %lu\n",
      std::string(name_of(GetParam())).c_str(), counts_.words, counts_.legal, counts_.reserved,
      counts_.illegal, counts_.not_asked, counts_.crashes, counts_.known);
  for (const auto& entry : differences_.entries()) {
    std::printf("  %s %s '%s': %lu\n", entry.format.c_str(), entry.kind.c_str(),
                entry.match.c_str(), entry.used);
  }
  EXPECT_EQ(failures_, 0u);
  EXPECT_GT(counts_.legal, counts_.words / 10);
}

INSTANTIATE_TEST_SUITE_P(AllTargets, Random, testing::ValuesIn(kAllTargets),
                         [](const auto& entry) { return std::string(name_of(entry.param)); });

TEST(Differences, AreFewAndExplained) {
  const Differences differences = Differences::load();
  EXPECT_LE(differences.entries().size(), 20u);
  for (const auto& entry : differences.entries()) {
    EXPECT_FALSE(entry.match.empty());
    EXPECT_GT(entry.reason.size(), 20u) << entry.match;
  }
}

}  // namespace
}  // namespace cuvette::isa
