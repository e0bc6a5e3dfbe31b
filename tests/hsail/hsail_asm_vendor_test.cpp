// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The instructions of extensions amd:gcn and amd:mipmap against HSAILasm: the rows of
// tests/ledger/hsail_vendor.csv, every form of them, and random modules of both, right and wrong.
// CUVETTE_TEST_MODULES: how many random modules (1,000).
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>

#include "csv.h"
#include "hsail/gcn_table.h"
#include "hsail/mipmap_table.h"
#include "hsail/vendor_instructions.h"
#include "hsail_asm_oracle.h"
#include "hsail_vendor_statements.h"

namespace cuvette::hsail {
namespace {

using namespace testing;

const std::vector<std::string> kExtensions = {"IMAGE", "amd:gcn", "amd:mipmap"};

class AsmVendor : public AsmOracle {
 protected:
  /// Both make the same BRIG of the text, and of each other's text of it.
  void expect_same(const std::string& module, const std::vector<uint8_t>& theirs) {
    const Outcome text = parse_text(module, "ours");
    ASSERT_TRUE(text.ok()) << module << text.errors[0].str();
    const auto ours = write_brig(text.module);
    ASSERT_TRUE(ours.ok());
    EXPECT_EQ(*ours, theirs) << module;
    const Outcome read = parse_module(theirs.data(), theirs.size(), "t");
    ASSERT_TRUE(read.ok()) << module << read.errors[0].str();
    EXPECT_TRUE(validate(read.module).empty()) << module;
    for (const std::string& again : {print(read.module), disassembled(theirs)}) {
      const auto second = write_brig(parse_text(again, "back").module);
      EXPECT_TRUE(second.ok() && *second == theirs) << again;
    }
    // HSAILasm reads our text as its own.
    EXPECT_EQ(assembled(print(text.module)), theirs) << print(text.module) << log();
  }
};

std::string module_of(const std::string& body, const std::vector<std::string>& extensions,
                      const std::string& profile = "full", const std::string& model = "large") {
  std::string text = "module &m:1:0:$" + profile + ":$" + model + ":$default;\n";
  for (const std::string& x : extensions) text += "extension \"" + x + "\";\n";
  return text + "prog kernel &k()\n{\n\tgroup_u64 %g;\n\t" + body + "\n};\n";
}

InstRows rows_of(Opcode opcode) {
  return is_gcn(opcode) ? gcn_rows(opcode) : mipmap_rows(opcode);
}

std::vector<csv::Row> ledger() {
  std::vector<csv::Row> rows = csv::read("ledger/hsail_vendor.csv");
  rows.erase(rows.begin());
  return rows;
}

/// For each row of the ledger: name, opcode, extension and format are those of the tables; each
/// form of it in text makes the BRIG of HSAILasm, and its text makes that BRIG again.
TEST_F(AsmVendor, RowsOfTheLedger) {
  static const std::map<Kind, std::string> kFormats = {{Kind::kInstBasic, "Basic"},
                                                       {Kind::kInstMod, "Basic or Mod (ftz)"},
                                                       {Kind::kInstMem, "Mem"},
                                                       {Kind::kInstAtomic, "Atomic"},
                                                       {Kind::kInstAddr, "Addr"},
                                                       {Kind::kInstImage, "Image"},
                                                       {Kind::kInstQueryImage, "QueryImage"}};
  std::map<std::string, size_t> rows, statements;
  for (const csv::Row& cells : ledger()) {
    SCOPED_TRACE(cells[0]);
    const std::string& extension = cells[1];
    const auto opcode = static_cast<Opcode>(std::stoul(cells[3]));
    const VendorInst* const inst = find_vendor_inst(opcode);
    ASSERT_NE(inst, nullptr);
    EXPECT_EQ(inst->name, cells[2]);
    EXPECT_EQ(inst->extension, extension);
    EXPECT_EQ(name(opcode), cells[2]);
    EXPECT_EQ(is_gcn(opcode), extension == kGcnExtension);
    EXPECT_EQ(is_mipmap(opcode), extension == kMipmapExtension);
    size_t count = 0;
    for (const InstRow& row : rows_of(opcode)) {
      EXPECT_EQ(row.id, cells[0]);
      EXPECT_EQ(kFormats.at(row.format), cells[4]);
      std::string body;
      for (const Statement& s : statements_of(row)) {
        body += s.text() + "\n\t";
        ++count;
      }
      const std::string module =
          module_of(body + "ret;", is_gcn(opcode) ? std::vector<std::string>{extension}
                                                  : std::vector<std::string>{"IMAGE", extension});
      const auto brig = assembled(module);
      ASSERT_FALSE(brig.empty()) << log();
      expect_same(module, brig);
    }
    EXPECT_NE(count, 0u);
    ++rows[extension];
    statements[extension] += count;
  }
  EXPECT_EQ(rows, (std::map<std::string, size_t>{{"amd:gcn", 31}, {"amd:mipmap", 5}}));
  std::cout << "ledger hsail_vendor: " << rows["amd:gcn"] + rows["amd:mipmap"] << " of "
            << ledger().size() << " in text and BRIG\n";
  for (const auto& [extension, count] : statements)
    std::cout << "statements of " << extension << " compared with HSAILasm: " << count << "\n";
}

/// Random modules: some statements, and in most of them one piece changed, or an extension missing.
class RandomModules {
 public:
  explicit RandomModules(unsigned seed) : random_(seed) {
    for (const InstRows& rows : {gcn_rows(), mipmap_rows()}) {
      std::vector<Statement>& all = statements_.emplace_back();
      for (const InstRow& row : rows) {
        for (Statement& s : statements_of(row)) all.push_back(std::move(s));
      }
    }
  }

  std::string next() {
    std::string body;
    const size_t count = 1 + random_() % 6;
    const size_t changed = random_() % (2 * count);
    for (size_t i = 0; i < count; ++i) {
      Statement s = pick(statements_[random_() % 2]);
      if (i == changed) {
        change(s);
        if (random_() % 2 == 0) change(s);
      }
      body += s.text() + "\n\t";
    }
    std::vector<std::string> extensions = kExtensions;
    std::shuffle(extensions.begin(), extensions.end(), random_);
    if (random_() % 8 == 0) extensions.pop_back();
    return module_of(body + "ret;", extensions, random_() % 4 == 0 ? "base" : "full",
                     random_() % 4 == 0 ? "small" : "large");
  }

 private:
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }

  void change(Statement& s) {
    static const std::vector<std::string> kModifiers = {
        "ftz",      "near",     "zero",     "v2",           "v4",          "region",  "group",
        "global",   "align(4)", "equiv(2)", "width(64)",    "const",       "rlx",     "scar",
        "wg",       "agent",    "add",      "exch",         "max",         "sat",     "p",
        "pp",       "1d",       "3d",       "1db",          "2da",         "2ddepth", "2dadepth",
        "equiv(0)", "width",    "array",    "nummiplevels", "nummiplevels"};
    static const std::vector<std::string> kTypes = {
        "",    "b1",  "b32", "b64",  "b128",  "u8",    "u16",   "u32",   "u64",   "s32", "s64",
        "f16", "f32", "f64", "u8x4", "f16x2", "sig64", "roimg", "woimg", "rwimg", "samp"};
    static const std::vector<std::string> kOperands = {"$s1",
                                                       "$d1",
                                                       "$q1",
                                                       "$c1",
                                                       "1",
                                                       "-1",
                                                       "0x100000000",
                                                       "1.0f",
                                                       "1.0",
                                                       "1.0h",
                                                       "WAVESIZE",
                                                       "[$s1]",
                                                       "[$d1]",
                                                       "[%g]",
                                                       "[4]",
                                                       "($s1, $s2)",
                                                       "($s1, $s1)",
                                                       "($s4, $s5, $s6, $s7)",
                                                       "($s4, $s5, $s6)",
                                                       "($s1, 1.0f)",
                                                       "($s1, 1)",
                                                       "%g"};
    auto& m = s.modifiers;
    switch (random_() % 7) {
      case 0:
        if (!s.types.empty()) s.types[random_() % s.types.size()] = pick(kTypes);
        break;
      case 1:
        m.insert(m.begin() + static_cast<std::ptrdiff_t>(random_() % (m.size() + 1)),
                 pick(kModifiers));
        break;
      case 2:
        if (!m.empty()) m.erase(m.begin() + static_cast<std::ptrdiff_t>(random_() % m.size()));
        break;
      case 3:
        if (!m.empty()) m[random_() % m.size()] = pick(kModifiers);
        break;
      case 4:
        if (!s.operands.empty()) s.operands.pop_back();
        break;
      case 5:
        s.operands.push_back(pick(kOperands));
        break;
      default:
        if (!s.operands.empty()) s.operands[random_() % s.operands.size()] = pick(kOperands);
        break;
    }
  }

  std::mt19937 random_;
  std::vector<std::vector<Statement>> statements_;
};

TEST_F(AsmVendor, RandomModules) {
  const char* value = std::getenv("CUVETTE_TEST_MODULES");
  const unsigned long modules = value == nullptr ? 300 : std::strtoul(value, nullptr, 10);
  RandomModules random(35);
  size_t taken = 0;
  size_t differences = 0;
  for (unsigned long i = 0; i < modules; ++i) {
    const std::string module = random.next();
    const auto brig = assembled(module);
    const bool ours = we_accept(module);
    if (ours != !brig.empty()) {
      ++differences;
      ADD_FAILURE() << (ours ? "taken: " : "refused: ") << module << "\n"
                    << log() << all_messages(module);
    } else if (ours) {
      ++taken;
      expect_same(module, brig);
    }
  }
  std::cout << "random modules: " << modules << ", both take " << taken << ", both refuse "
            << modules - taken - differences << ", differences " << differences << "\n";
  EXPECT_GT(taken, modules / 4);
  EXPECT_LT(taken, modules * 3 / 4);
}

}  // namespace
}  // namespace cuvette::hsail
