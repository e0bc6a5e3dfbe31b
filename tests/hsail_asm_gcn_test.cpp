// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// The instructions of extension amd:gcn against HSAILasm: those of tests/ledger/hsail_vendor.csv,
// every form of them, and changed ones.
#include <iostream>
#include <map>
#include <random>

#include "csv.h"
#include "hsail/gcn_table.h"
#include "hsail/vendor_instructions.h"
#include "hsail_asm_oracle.h"

namespace cuvette::hsail {
namespace {

using namespace testing;

class AsmGcn : public AsmOracle {};

/// One statement in pieces.
struct Statement {
  Opcode opcode;
  std::vector<std::string> modifiers;
  std::string type;
  std::vector<std::string> operands;

  std::string text() const {
    std::string all(name(opcode));
    for (const std::string& m : modifiers) all += "_" + m;
    if (!type.empty()) all += "_" + type;
    for (size_t i = 0; i < operands.size(); ++i) all += (i == 0 ? " " : ", ") + operands[i];
    return all + ";";
  }
};

std::string module_of(const std::string& body, const std::string& profile = "full") {
  return "module &m:1:0:$" + profile + ":$large:$default;\nextension \"amd:gcn\";\n" +
         "prog kernel &k()\n{\n\tgroup_u64 %g;\n\t" + body + "\n};\n";
}

std::string constant_of(Type t) {
  switch (t) {
    case Type::kF16:
      return "1.5h";
    case Type::kF32:
      return "-2.5f";
    case Type::kF64:
      return "1.0e10";
    case Type::kS32:
    case Type::kS64:
      return "-3";
    case Type::kB128:
      return "u8x16(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16)";
    default:
      return "200";
  }
}

/// The forms that operand `i` may have.
std::vector<std::string> operand_forms(const InstRow& row, const Inst& inst, size_t i,
                                       unsigned vector) {
  const Role role = static_cast<Role>(row.operands[i]);
  const Type t = operand_type(inst, i);
  const auto n = static_cast<unsigned>(4 * i);
  const auto list = [&](unsigned count, bool constants) {
    std::string text = "(";
    for (unsigned k = 0; k < count; ++k) {
      text += (k == 0 ? "" : ", ") + (constants && k == 1 ? constant_of(t) : reg(t, n + k));
    }
    return text + ")";
  };
  switch (role) {
    case Role::kDest:
    case Role::kSourceRegister:
      return {reg(t, n)};
    case Role::kSource: {
      std::vector<std::string> forms{reg(t, n), constant_of(t)};
      if (!is_float(t)) forms.push_back("WAVESIZE");
      return forms;
    }
    case Role::kImmediate:
      return {"27", "0x8123", "70000", "WAVESIZE"};
    case Role::kDestMany:
      return {vector == 0 ? reg(t, n) : list(vector, false)};
    case Role::kSourceMany:
      if (vector != 0) return {list(vector, false), list(vector, true)};
      return {reg(t, n), constant_of(t)};
    case Role::kDestFour:
      return {list(4, false)};
    case Role::kSourceFour:
      return {list(4, false), list(4, true)};
    case Role::kAddress:
      if (inst.segment == Segment::kGroup) return {"[%g]", "[$s30]", "[%g][$s30+4]"};
      return {"[$s30]", "[16]", "[$s30+4]", "[$s30-8]"};
    default:
      ADD_FAILURE() << row.operands[i];
      return {""};
  }
}

/// The modifiers that a row may have, each list as it stands in text.
std::vector<std::vector<std::string>> modifier_forms(const InstRow& row) {
  const std::string operation(name(row.atomic));
  switch (row.syntax) {
    case Syntax::kArith:
      return {{}, {"ftz"}};
    case Syntax::kLoad:
      return {{"region"},
              {"v2", "region"},
              {"v3", "region", "align(4)"},
              {"v4", "region", "equiv(3)"},
              {"region", "align(8)", "equiv(255)", "width(64)"},
              {"region", "width(all)"},
              {"region", "width(WAVESIZE)"}};
    case Syntax::kStore:
      return {
          {"region"}, {"v2", "region"}, {"v3", "region", "align(4)"}, {"v4", "region", "equiv(3)"}};
    case Syntax::kAtomic: {
      std::vector<std::vector<std::string>> all;
      for (const char* order : {"rlx", "scacq", "screl", "scar"}) {
        for (const char* scope : {"wave", "wg"}) all.push_back({operation, "group", order, scope});
      }
      all.push_back({operation, "group", "rlx", "wg", "equiv(7)"});
      return all;
    }
    default:
      return {{}};
  }
}

/// Every type and modifier of a row once with registers, and each other form of each operand.
std::vector<Statement> statements_of(const InstRow& row) {
  std::vector<Statement> all;
  for (unsigned n = 1; n < 128; ++n) {
    const Type t = static_cast<Type>(n);
    if (name(t).empty() || (row.types & type_bit(t)) == 0) continue;
    Inst inst;
    inst.opcode = row.opcode;
    inst.type = t;
    inst.atomic_op = row.atomic;
    if (row.syntax == Syntax::kAtomic) inst.segment = Segment::kGroup;
    for (const auto& modifiers : modifier_forms(row)) {
      const unsigned vector = !modifiers.empty() && modifiers[0][0] == 'v'
                                  ? static_cast<unsigned>(modifiers[0][1] - '0')
                                  : 0;
      std::vector<std::vector<std::string>> forms;
      for (size_t i = 0; row.operands[i] != 0; ++i) {
        forms.push_back(operand_forms(row, inst, i, vector));
      }
      Statement first{row.opcode, modifiers, std::string(name(t)), {}};
      if (row.syntax == Syntax::kUntyped) first.type.clear();
      for (const auto& f : forms) first.operands.push_back(f[0]);
      all.push_back(first);
      for (size_t i = 0; i < forms.size(); ++i) {
        for (size_t k = 1; k < forms[i].size(); ++k) {
          all.push_back(first);
          all.back().operands[i] = forms[i][k];
        }
      }
    }
  }
  return all;
}

/// Both make the same BRIG of the text, and of each other's text of it.
void expect_same(const std::string& module, const std::vector<uint8_t>& theirs,
                 const std::string& back) {
  const Outcome text = parse_text(module, "ours");
  ASSERT_TRUE(text.ok()) << module << text.errors[0].str();
  const auto ours = write_brig(text.module);
  ASSERT_TRUE(ours.ok());
  EXPECT_EQ(*ours, theirs) << module;
  const Outcome read = parse_module(theirs.data(), theirs.size(), "t");
  ASSERT_TRUE(read.ok()) << module << read.errors[0].str();
  EXPECT_TRUE(validate(read.module).empty()) << module;
  for (const std::string& again : {print(read.module), back}) {
    const auto second = write_brig(parse_text(again, "back").module);
    EXPECT_TRUE(second.ok() && *second == theirs) << again;
  }
}

/// The table has the rows of the ledger: names, opcodes, formats; those of amd:gcn with
/// instructions.
TEST_F(AsmGcn, RowsOfTheLedger) {
  const std::vector<csv::Row> ledger = csv::read("ledger/hsail_vendor.csv");
  std::map<std::string, unsigned> count;
  std::set<std::string> ids;
  for (size_t i = 1; i < ledger.size(); ++i) {
    const csv::Row& cells = ledger[i];
    ++count[cells[1]];
    const auto opcode = static_cast<Opcode>(std::stoul(cells[3]));
    ASSERT_NE(find_vendor_inst(opcode), nullptr) << cells[0];
    EXPECT_EQ(find_vendor_inst(opcode)->name, cells[2]);
    EXPECT_EQ(find_vendor_inst(opcode)->extension, cells[1]);
    EXPECT_EQ(name(opcode), cells[2]);
    EXPECT_EQ(is_gcn(opcode), cells[1] == kGcnExtension);
    if (!is_gcn(opcode)) continue;
    static const std::map<Kind, std::string> kFormats = {{Kind::kInstBasic, "Basic"},
                                                         {Kind::kInstMod, "Basic or Mod (ftz)"},
                                                         {Kind::kInstMem, "Mem"},
                                                         {Kind::kInstAtomic, "Atomic"},
                                                         {Kind::kInstAddr, "Addr"}};
    for (const InstRow& row : gcn_rows(opcode)) {
      EXPECT_EQ(row.id, cells[0]);
      EXPECT_EQ(kFormats.at(row.format), cells[4]) << cells[0];
      ids.insert(row.id);
    }
  }
  EXPECT_EQ(count, (std::map<std::string, unsigned>{{"amd:gcn", 31}, {"amd:mipmap", 5}}));
  EXPECT_EQ(ids.size(), 31u);
}

/// Text to BRIG as HSAILasm makes it, and back: the statements of a row in one module.
TEST_F(AsmGcn, EveryForm) {
  size_t count = 0;
  for (const InstRow& row : gcn_rows()) {
    std::string body;
    for (const Statement& s : statements_of(row)) {
      body += s.text() + "\n\t";
      ++count;
    }
    const std::string module = module_of(body + "ret;");
    const auto brig = assembled(module);
    ASSERT_FALSE(brig.empty()) << row.id << log();
    expect_same(module, brig, disassembled(brig));
  }
  std::cout << "statements of amd:gcn compared with HSAILasm: " << count << "\n";
  EXPECT_GT(count, 300u);
}

/// Statements of the table with one or two pieces changed: both take them or both refuse them.
TEST_F(AsmGcn, ChangedStatements) {
  std::vector<Statement> all;
  for (const InstRow& row : gcn_rows()) {
    for (Statement& s : statements_of(row)) all.push_back(std::move(s));
  }
  const std::vector<std::string> modifiers = {
      "ftz",      "near",     "zero",      "v2",    "v4",  "region", "group", "global",
      "align(4)", "equiv(2)", "width(64)", "const", "rlx", "scar",   "wg",    "agent",
      "add",      "exch",     "max",       "sat",   "p",   "pp"};
  const std::vector<std::string> types = {"",    "b1",  "b32",  "b64",   "b128",  "u8",
                                          "u16", "u32", "u64",  "s32",   "s64",   "f16",
                                          "f32", "f64", "u8x4", "f16x2", "sig64", "roimg"};
  const std::vector<std::string> operands = {
      "$s1",         "$d1",  "$q1", "$c1",        "1",          "-1",
      "0x100000000", "1.0f", "1.0", "1.0h",       "WAVESIZE",   "[$s1]",
      "[$d1]",       "[%g]", "[4]", "($s1, $s2)", "($s1, $s1)", "($s4, $s5, $s6, $s7)",
      "%g"};
  std::mt19937 random(35);
  const auto pick = [&](const auto& from) { return from[random() % from.size()]; };
  size_t taken = 0;
  size_t differences = 0;
  const size_t kModules = 1000;
  for (size_t i = 0; i < kModules; ++i) {
    Statement s = pick(all);
    for (unsigned changes = 1 + random() % 2; changes != 0; --changes) {
      switch (random() % 6) {
        case 0:
          s.type = pick(types);
          break;
        case 1:
          s.modifiers.insert(s.modifiers.begin() + random() % (s.modifiers.size() + 1),
                             pick(modifiers));
          break;
        case 2:
          if (!s.modifiers.empty())
            s.modifiers.erase(s.modifiers.begin() + random() % s.modifiers.size());
          break;
        case 3:
          if (!s.operands.empty()) s.operands.pop_back();
          break;
        case 4:
          s.operands.push_back(pick(operands));
          break;
        default:
          if (!s.operands.empty()) s.operands[random() % s.operands.size()] = pick(operands);
          break;
      }
    }
    const std::string module = module_of(s.text(), random() % 4 == 0 ? "base" : "full");
    const auto brig = assembled(module);
    const bool ours = we_accept(module);
    if (ours != !brig.empty()) {
      ++differences;
      ADD_FAILURE() << (ours ? "taken: " : "refused: ") << s.text() << "\n"
                    << log() << all_messages(module);
    } else if (ours) {
      ++taken;
      expect_same(module, brig, disassembled(brig));
    }
  }
  std::cout << "changed statements: " << kModules << ", both take " << taken << ", differences "
            << differences << "\n";
  EXPECT_GT(taken, 50u);
}

}  // namespace
}  // namespace cuvette::hsail
