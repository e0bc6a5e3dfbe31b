// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every kind of BRIG entry there and back, and the rules of HSAIL PRM chapter 18.
#include "brig_ledger.h"
#include "brig_support.h"
#include "hsail/brig_layout.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::Ledger;
using testing::ledger_rows;

const auto* const kLedger = ::testing::AddGlobalTestEnvironment(new Ledger("brig_test"));

// --- Every kind that a module can hold ---

/// A module made by hand, for what text cannot say yet.
class Builder {
 public:
  Module m;
  Builder() {
    ModuleHeader h;
    h.name = "&m";
    h.minor = 2;
    add(Kind::kModule, h);
  }
  CodeRef add(Kind kind, decltype(CodeEntry::body) body) {
    m.code.push_back({kind, {}, std::move(body)});
    return static_cast<CodeRef>(m.code.size() - 1);
  }
  OperandRef add(Operand op) {
    m.operands.push_back(std::move(op));
    return static_cast<OperandRef>(m.operands.size() - 1);
  }
  OperandRef reg(RegisterKind kind, uint16_t n) {
    Operand op;
    op.kind = Kind::kOperandRegister;
    op.reg_kind = kind;
    op.reg_num = n;
    return add(op);
  }
  OperandRef bytes(Type type, std::string value) {
    Operand op;
    op.kind = Kind::kOperandConstantBytes;
    op.type = type;
    op.bytes = std::move(value);
    return add(op);
  }
  OperandRef expression(ExpressionOp operation, std::vector<OperandRef> elements) {
    Operand op;
    op.kind = Kind::kOperandConstantExpression;
    op.type = Type::kU64;
    op.expression = operation;
    op.elements = std::move(elements);
    return add(op);
  }
  OperandRef code_ref(CodeRef ref) {
    Operand op;
    op.kind = Kind::kOperandCodeRef;
    op.symbol = ref;
    return add(op);
  }
  CodeRef variable(const std::string& name, OperandRef init) {
    Variable v;
    v.name = name;
    v.init = init;
    v.type = Type::kU64;
    v.segment = Segment::kGlobal;
    v.align = Alignment::k8;
    v.modifier = kVariableDefinition;
    v.linkage = Linkage::kProgram;
    v.allocation = Allocation::kProgram;
    return add(Kind::kVariable, v);
  }
  /// A kernel around what `body` adds.
  template <class F>
  void kernel(F body) {
    Executable x;
    x.name = "&k";
    x.modifier = kExecutableDefinition;
    const CodeRef ref = add(Kind::kKernel, x);
    x.first_in_arg = x.first_code_block_entry = ref + 1;
    body();
    x.next_module_entry = static_cast<CodeRef>(m.code.size());
    m.code[ref].body = x;
  }
};

/// The numbers of the kinds (18.3.12) that `bytes` contains, by walking its sections.
std::set<unsigned> kinds_in(const std::vector<uint8_t>& bytes) {
  const auto get = [&](size_t at, size_t size) {
    size_t value = 0;
    for (size_t i = 0; i < size; ++i) value |= size_t{bytes[at + i]} << (8 * i);
    return value;
  };
  std::set<unsigned> kinds;
  for (const size_t i : {1, 2}) {
    const size_t start = get(104 + 8 * i, 8);
    for (size_t at = get(start + 8, 4); at < get(start, 8); at += get(start + at, 2)) {
      kinds.insert(static_cast<unsigned>(get(start + at + 2, 2)));
    }
  }
  return kinds;
}

Module every_kind() {
  Builder b;
  b.add(Kind::kExtension, Extension{"amd:gcn", 0, 0});
  b.add(Kind::kExtensionVersion, Extension{"IMAGE", 1, 0});
  b.add(Kind::kComment, Comment{"// c"});
  b.add(Kind::kLoc, Loc{"a.cl", 3, 4});
  b.add(Kind::kNone, Marker{2});
  Operand string;
  string.kind = Kind::kOperandString;
  string.bytes = "x";
  Operand wavesize;
  wavesize.kind = Kind::kOperandWavesize;
  const auto name = b.add(string);
  b.add(Kind::kPragma, Pragma{{name, b.add(wavesize)}});
  const CodeRef x = b.variable("&x", 0);
  const auto eight = b.bytes(Type::kU64, std::string("\x08\0\0\0\0\0\0\0", 8));
  const auto address = b.code_ref(x);
  b.variable("&y", b.expression(ExpressionOp::kAddr, {address, eight}));
  b.variable("&z", b.expression(ExpressionOp::kNullPtrFlat, {}));
  // An aggregate with all that may stand in it.
  Operand align;
  align.kind = Kind::kOperandAlign;
  align.align = Alignment::k8;
  Operand zero;
  zero.kind = Kind::kOperandZero;
  zero.offset = 24;
  Operand packed;
  packed.kind = Kind::kOperandConstantOperandList;
  packed.type = Type::kU64x2;
  packed.elements = {b.expression(ExpressionOp::kNullPtrFlat, {}),
                     b.bytes(Type::kU64, std::string(8, '\1'))};
  Operand list;
  list.kind = Kind::kOperandConstantOperandList;
  list.elements = {b.bytes(Type::kU8, "a"), b.add(align), b.add(zero), b.add(packed)};
  Variable array = b.m.code[b.variable("&a", b.add(list))].as<Variable>();
  array.is_array = true;
  array.type = Type::kB8;
  array.dim = 48;
  b.m.code.back().body = array;
  Operand image;
  image.kind = Kind::kOperandConstantImage;
  image.type = Type::kRwimg;
  image.image =
      ImageConstant{ImageGeometry::k2da, ChannelOrder::kRgba, ChannelType::kUnorm8, 7, 5, 0, 3};
  Operand sampler;
  sampler.kind = Kind::kOperandConstantSampler;
  sampler.type = Type::kSamp;
  sampler.sampler = {SamplerCoord::kNormalized, SamplerFilter::kLinear,
                     SamplerAddressing::kMirroredRepeat};
  Variable handle = b.m.code[b.variable("&i", b.add(image))].as<Variable>();
  handle.type = Type::kRwimg;
  b.m.code.back().body = handle;
  handle = b.m.code[b.variable("&s", b.add(sampler))].as<Variable>();
  handle.type = Type::kSamp;
  b.m.code.back().body = handle;
  for (const Kind kind : {Kind::kFunction, Kind::kIndirectFunction, Kind::kSignature}) {
    Executable f;
    f.name = "&f" + std::to_string(static_cast<unsigned>(kind) & 0xf);
    f.modifier = kind == Kind::kSignature ? kExecutableDefinition : 0;
    f.linkage = kind == Kind::kSignature ? Linkage::kNone : Linkage::kModule;
    f.first_in_arg = f.first_code_block_entry = f.next_module_entry =
        static_cast<CodeRef>(b.m.code.size()) + 1;
    b.add(kind, f);
  }
  b.kernel([&] {
    const auto value = b.bytes(Type::kU32, std::string("\x40\0\0\0", 4));
    b.add(Kind::kControl, Control{ControlDirective::kMaxFlatWorkGroupSize, {value}});
    b.add(Kind::kFbarrier, Fbarrier{"%b", kVariableDefinition, Linkage::kFunction});
    b.add(Kind::kArgBlockStart, Marker{});
    b.add(Kind::kArgBlockEnd, Marker{});
    const CodeRef label = b.add(Kind::kLabel, Label{"@l"});
    Operand labels;
    labels.kind = Kind::kOperandCodeList;
    labels.codes = {label, label};
    Operand vector;
    vector.kind = Kind::kOperandOperandList;
    vector.elements = {b.reg(RegisterKind::kSingle, 1), b.reg(RegisterKind::kSingle, 2)};
    Operand memory;
    memory.kind = Kind::kOperandAddress;
    memory.symbol = x;
    memory.reg = b.reg(RegisterKind::kDouble, 65535);
    memory.offset = static_cast<uint64_t>(-8);
    const std::vector<OperandRef> operands = {b.add(vector), b.add(memory), b.add(labels),
                                              b.reg(RegisterKind::kControl, 3),
                                              b.reg(RegisterKind::kQuad, 4)};
    const auto inst = [&](Kind kind, auto change) {
      Inst i;
      i.opcode = Opcode::kNop;
      i.type = Type::kU32;
      change(i);
      i.operands = operands;
      b.add(kind, i);
    };
    inst(Kind::kInstAddr, [](Inst& i) { i.segment = Segment::kGroup; });
    inst(Kind::kInstAtomic, [](Inst& i) {
      i.segment = Segment::kGlobal;
      i.order = MemoryOrder::kAcquireRelease;
      i.scope = MemoryScope::kSystem;
      i.atomic_op = AtomicOp::kXor;
      i.equiv_class = 200;
    });
    inst(Kind::kInstBasic, [](Inst&) {});
    inst(Kind::kInstBr, [](Inst& i) { i.width = Width::kAll; });
    inst(Kind::kInstCmp, [](Inst& i) {
      i.source_type = Type::kF16x8;
      i.modifier = kAluFtz;
      i.compare = Compare::kSgtu;
      i.pack = Pack::kPp;
    });
    inst(Kind::kInstCvt, [](Inst& i) {
      i.source_type = Type::kF64;
      i.modifier = kAluFtz | kAluIntegerSat;
      i.round = Round::kIntSignalDownSat;
    });
    inst(Kind::kInstImage, [](Inst& i) {
      i.opcode = Opcode::kLdImage;
      i.source_type = Type::kRwimg;
      i.coord_type = Type::kU32;
      i.geometry = ImageGeometry::k2daDepth;
      i.equiv_class = 9;
    });
    inst(Kind::kInstQueryImage, [](Inst& i) {
      i.opcode = Opcode::kQueryImage;
      i.source_type = Type::kRoimg;
      i.geometry = ImageGeometry::k1db;
      i.image_query = ImageQuery::kChannelType;
    });
    inst(Kind::kInstQuerySampler, [](Inst& i) {
      i.opcode = Opcode::kQuerySampler;
      i.sampler_query = SamplerQuery::kFilter;
    });
    inst(Kind::kInstLane, [](Inst& i) {
      i.source_type = Type::kB1;
      i.width = Width::kWavesize;
    });
    inst(Kind::kInstMem, [](Inst& i) {
      i.segment = Segment::kArg;
      i.align = Alignment::k256;
      i.equiv_class = 3;
      i.width = Width::k2147483648;
      i.modifier = kMemConst | kMemNonTemporal;
    });
    inst(Kind::kInstMemFence, [](Inst& i) {
      i.order = MemoryOrder::kAcquire;
      i.scope = MemoryScope::kAgent;
    });
    inst(Kind::kInstMod, [](Inst& i) {
      i.modifier = kAluIntegerSat;
      i.round = Round::kFloatDown;
      i.pack = Pack::kPSat;
    });
    inst(Kind::kInstQueue, [](Inst& i) {
      i.opcode = Opcode::kLdQueueReadIndex;
      i.segment = Segment::kGlobal;
      i.order = MemoryOrder::kRelaxed;
    });
    inst(Kind::kInstSeg, [](Inst& i) {
      i.opcode = Opcode::kNullPtr;
      i.segment = Segment::kPrivate;
    });
    inst(Kind::kInstSegCvt, [](Inst& i) {
      i.opcode = Opcode::kStof;
      i.source_type = Type::kU32;
      i.segment = Segment::kGroup;
      i.modifier = kSegCvtNoNull;
    });
    inst(Kind::kInstSignal, [](Inst& i) {
      i.opcode = Opcode::kSignal;
      i.source_type = Type::kSig64;
      i.order = MemoryOrder::kAcquire;
      i.atomic_op = AtomicOp::kWaitTimeoutGte;
    });
    inst(Kind::kInstSourceType, [](Inst& i) { i.source_type = Type::kS8x16; });
  });
  return b.m;
}

TEST(BrigKinds, EveryKindComesBack) {
  const Module m = every_kind();
  const auto bytes = write_brig(m);
  ASSERT_TRUE(bytes.ok()) << bytes.error().str();
  const auto back = read_brig(bytes->data(), bytes->size(), "kinds.brig");
  ASSERT_TRUE(back.ok()) << back.error().str();
  EXPECT_TRUE(same_module(m, back->module));
  EXPECT_EQ(*write_brig(back->module), *bytes);
  const auto present = kinds_in(*bytes);
  size_t kinds = 0;
  for (const auto& [id, row] : ledger_rows()) {
    if (row[1] != "entry-kind") continue;
    ++kinds;
    const auto number = static_cast<unsigned>(std::stoul(row[3], nullptr, 16));
    const Kind kind = static_cast<Kind>(number);
    EXPECT_EQ(present.count(number), 1u) << id << " " << row[2];
    EXPECT_NE(structure_name(kind), "") << id;
    if (present.count(number) != 0) Ledger::cover(id);
  }
  EXPECT_EQ(kinds, 49u);
  Ledger::cover("BR-023 BR-037 BR-058 BR-213 BR-214 BR-222");
}

TEST(BrigKinds, ConstantExpressions) {
  // 18.6.7: the operands that each operation has.
  Builder good;
  const auto eight = good.bytes(Type::kU64, std::string("\x08\0\0\0\0\0\0\0", 8));
  const CodeRef x = good.variable("&x", 0);
  good.variable("&y", good.expression(ExpressionOp::kAddr, {good.code_ref(x), eight}));
  auto bytes = *write_brig(good.m);
  EXPECT_TRUE(parse_module(bytes.data(), bytes.size(), "kinds.brig").ok());
  Builder bad;
  bad.variable("&y", bad.expression(ExpressionOp::kAddr, {}));
  bytes = *write_brig(bad.m);
  const Outcome outcome = parse_module(bytes.data(), bytes.size(), "kinds.brig");
  ASSERT_FALSE(outcome.ok());
  EXPECT_NE(outcome.errors[0].what.find("addr() names a variable"), std::string::npos)
      << outcome.errors[0].str();
}

/// 18.2: new fields at the end of an entry are skipped.
TEST(BrigRules, LongerEntries) {
  const std::string text =
      "module &m:1:0:$full:$large:$default;\nkernel &k()\n{\n@l:\n\tbr @l;\n};\n";
  auto bytes = testing::brig_of(text);
  const auto good = bytes;
  // The last entry of hsa_code is the branch; four bytes of the padding behind become part of it.
  const size_t code = bytes[112] | bytes[113] << 8;
  const size_t size = bytes[code] | bytes[code + 1] << 8;
  const size_t operands = bytes[120] | bytes[121] << 8;
  const size_t inst = code + size - 16;
  ASSERT_EQ(bytes[inst + 2], 0x03);
  // Room for the new field: a copy with 16 bytes more between the sections.
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(operands), 16, 0);
  const auto add = [&](size_t at, size_t n) {
    const size_t value = (bytes[at] | bytes[at + 1] << 8) + n;
    bytes[at] = static_cast<uint8_t>(value);
    bytes[at + 1] = static_cast<uint8_t>(value >> 8);
  };
  add(16, 16);   // the module's byte_count
  add(120, 16);  // where hsa_operand starts
  add(code, 4);  // the section's byte_count
  add(inst, 4);  // the entry's
  bytes[code + size] = 0xee;
  // next_module_entry of the kernel, at the end of the section: kernel entry is behind the
  // module's.
  const size_t kernel = code + 32 + 20;
  ASSERT_EQ(bytes[kernel + 2], 0x08);
  add(kernel + 20, 4);
  const auto read = load_module(bytes.data(), bytes.size(), "longer.brig");
  ASSERT_TRUE(read.ok()) << read.error().str();
  EXPECT_EQ(*write_brig(*read), good);
  Ledger::cover("BR-221");
}

/// 18.7.1: default modifiers as BASIC or MOD; both are read.
TEST(BrigRules, BasicOrMod) {
  const Outcome basic = parse_text(
      "module &m:1:0:$full:$large:$default;\nkernel &k()\n{\n\tadd_f32 $s0, $s1, $s2;\n};\n", "t");
  Module mod = basic.module;
  for (CodeEntry& e : mod.code) {
    if (e.kind != Kind::kInstBasic) continue;
    e.kind = Kind::kInstMod;
    e.as<Inst>().round = Round::kFloatDefault;
  }
  const auto bytes = *write_brig(mod);
  const auto read = load_module(bytes.data(), bytes.size(), "mod.brig");
  ASSERT_TRUE(read.ok()) << read.error().str();
  EXPECT_EQ(read->code.back().kind, Kind::kInstBasic);
  EXPECT_EQ(print(*read), print(basic.module));
  Ledger::cover("BR-218");
}

/// 18.6.1: from 1:1 on constants keep the type they were written with.
TEST(BrigRules, TypesOfConstants) {
  const auto types = [](const std::string& version) {
    const std::string text = "module &m:" + version +
                             ":$full:$large:$default;\nkernel &k()\n{\n\tadd_s32 $s0, $s0, 5;\n\t"
                             "add_s32 $s0, $s0, -5;\n\tadd_u32 $s0, $s0, -5;\n\tmov_b32 $s0, "
                             "1.0f;\n\tmov_b32 $s0, -1;\n};\n";
    const auto bytes = testing::brig_of(text);
    const auto read = load_module(bytes.data(), bytes.size(), "types.brig");
    EXPECT_TRUE(read.ok()) << read.error().str();
    EXPECT_EQ(testing::brig_problem(*read), "");
    std::vector<Type> found;
    for (const Operand& op : read->operands) {
      if (op.kind == Kind::kOperandConstantBytes) found.push_back(op.type);
    }
    return found;
  };
  EXPECT_EQ(types("1:0"),
            (std::vector<Type>{Type::kS32, Type::kS32, Type::kU32, Type::kU32, Type::kU32}));
  EXPECT_EQ(types("1:2"),
            (std::vector<Type>{Type::kU32, Type::kS32, Type::kS32, Type::kF32, Type::kS32}));
  Ledger::cover("BR-216");
}

TEST(BrigRules, SectionsAndHashAreKept) {
  Brig brig;
  brig.module = parse_text("module &m:1:1:$full:$large:$default;\n", "t").module;
  brig.hash[0] = 7;
  brig.hash[63] = 9;
  // 18.3.25: byte_count, header_byte_count, name_length, name, data.
  BrigSection section;
  section.name = "vendor";
  section.bytes = {32,  0,   0,   0,   0,   0,   0, 0, 24, 0, 0, 0, 6, 0, 0, 0,
                   'v', 'e', 'n', 'd', 'o', 'r', 0, 0, 1,  2, 3, 4, 5, 6, 7, 8};
  brig.sections = {section, section};
  for (const auto container : {BrigContainer::kRaw, BrigContainer::kElf32, BrigContainer::kElf64}) {
    const auto bytes = write_brig(brig, container);
    ASSERT_TRUE(bytes.ok());
    const auto read = read_brig(bytes->data(), bytes->size(), "vendor.brig");
    ASSERT_TRUE(read.ok()) << read.error().str();
    EXPECT_EQ(read->sections, brig.sections);
    EXPECT_EQ(read->hash, brig.hash);
    EXPECT_EQ(*write_brig(*read, container), *bytes);
  }
  Ledger::cover("BR-006");
}

/// A name that is left out is the last one; none at all has to be said then.
TEST(BrigRules, NamesInLoc) {
  const std::string head = "module &m:1:2:$full:$large:$default;\n";
  const Module places =
      parse_text(head + "loc 1;\nloc 2 \"a\";\nloc 3;\nloc 4 5 \"\";\nloc 6;\n", "t").module;
  EXPECT_EQ(testing::brig_problem(places), "");
  EXPECT_EQ(print(places),
            head + "loc 1 1;\nloc 2 1 \"a\";\nloc 3 1 \"a\";\nloc 4 5 \"\";\nloc 6 1;\n");
}

TEST(BrigRules, LargestPad) {
  const std::string head = "module &m:1:2:$full:$large:$default;\n";
  EXPECT_EQ(testing::brig_problem(parse_text(head + "pad 16382;\n", "t").module), "");
  const auto refused = write_brig(parse_text(head + "pad 16383;\n", "t").module);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().str(), "t:2:1: error: 'pad' takes at most 16382 words in BRIG [pad]");
}

TEST(BrigRules, TextAndBrigAreToldApart) {
  auto text = base::read_text(testing::kernel_path("saxpy"));
  ASSERT_TRUE(text.ok());
  EXPECT_FALSE(is_brig(reinterpret_cast<const uint8_t*>(text->data()), text->size()));
  const auto bytes = testing::brig_of(*text);
  EXPECT_TRUE(is_brig(bytes.data(), bytes.size()));
  const auto a = load_module(reinterpret_cast<const uint8_t*>(text->data()), text->size(), "a");
  const auto b = load_module(bytes.data(), bytes.size(), "b");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(same_module(*a, *b));
  EXPECT_EQ(print(*a), print(*b));
}

}  // namespace
}  // namespace cuvette::hsail
