// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// BRIG against the structures and numbers of HSAIL PRM chapter 18, written down here by hand.
#include "hsail/brig_layout.h"

#include "brig_ledger.h"
#include "brig_support.h"
#include "hsail_support.h"

namespace cuvette::hsail {
namespace {

using testing::Ledger;

using testing::ledger_rows;

// --- Structures (18.5, 18.6): offset of every field behind byte_count and kind ---

struct Layout {
  const char* id;  ///< ledger
  Kind kind;
  size_t bytes;
  const char* fields;  ///< "name:offset:bytes", "-" for reserved
};

#define INST "opcode:4:2 type:6:2 operands:8:4 "
const Layout kLayouts[] = {
    {"BR-090", Kind::kArgBlockStart, 4, ""},
    {"BR-091", Kind::kComment, 8, "name:4:4"},
    {"BR-092", Kind::kControl, 12, "control:4:2 -:6:2 operands:8:4"},
    {"BR-093", Kind::kKernel, 28,
     "name:4:4 out_arg_count:8:2 in_arg_count:10:2 first_in_arg:12:4 first_code_block_entry:16:4 "
     "next_module_entry:20:4 modifier:24:1 linkage:25:1 -:26:2"},
    {"BR-094", Kind::kExtension, 8, "name:4:4"},
    {"BR-095", Kind::kExtensionVersion, 16, "name:4:4 extension_major:8:4 extension_minor:12:4"},
    {"BR-096", Kind::kFbarrier, 12, "name:4:4 modifier:8:1 linkage:9:1 -:10:2"},
    {"BR-097", Kind::kLabel, 8, "name:4:4"},
    {"BR-098", Kind::kLoc, 16, "filename:4:4 line:8:4 column:12:4"},
    {"BR-099", Kind::kModule, 20,
     "name:4:4 hsail_major:8:4 hsail_minor:12:4 profile:16:1 machine_model:17:1 "
     "default_float_round:18:1 -:19:1"},
    {"BR-100", Kind::kNone, 4, ""},
    {"BR-101", Kind::kPragma, 8, "operands:4:4"},
    {"BR-102", Kind::kVariable, 28,
     "name:4:4 init:8:4 type:12:2 segment:14:1 align:15:1 dim:16:8 modifier:24:1 linkage:25:1 "
     "allocation:26:1 -:27:1"},
    {"BR-104", Kind::kInstAddr, 16, INST "segment:12:1 -:13:3"},
    {"BR-105", Kind::kInstAtomic, 20,
     INST "segment:12:1 memory_order:13:1 memory_scope:14:1 atomic_operation:15:1 "
          "equiv_class:16:1 -:17:3"},
    {"BR-106", Kind::kInstBasic, 12, INST},
    {"BR-107", Kind::kInstBr, 16, INST "width:12:1 -:13:3"},
    {"BR-108", Kind::kInstCmp, 20,
     INST "source_type:12:2 modifier:14:1 compare:15:1 pack:16:1 -:17:3"},
    {"BR-109", Kind::kInstCvt, 16, INST "source_type:12:2 modifier:14:1 round:15:1"},
    {"BR-110", Kind::kInstLane, 16, INST "source_type:12:2 width:14:1 -:15:1"},
    {"BR-111", Kind::kInstMem, 20,
     INST "segment:12:1 align:13:1 equiv_class:14:1 width:15:1 modifier:16:1 -:17:3"},
    {"BR-112", Kind::kInstMemFence, 16,
     INST "memory_order:12:1 global_segment_memory_scope:13:1 group_segment_memory_scope:14:1 "
          "-:15:1"},
    {"BR-113", Kind::kInstMod, 16, INST "modifier:12:1 round:13:1 pack:14:1 -:15:1"},
    {"BR-114", Kind::kInstQueue, 16, INST "segment:12:1 memory_order:13:1 -:14:2"},
    {"BR-115", Kind::kInstSeg, 16, INST "segment:12:1 -:13:3"},
    {"BR-116", Kind::kInstSegCvt, 16, INST "source_type:12:2 segment:14:1 modifier:15:1"},
    {"BR-117", Kind::kInstSignal, 16,
     INST "signal_type:12:2 memory_order:14:1 signal_operation:15:1"},
    {"BR-118", Kind::kInstSourceType, 16, INST "source_type:12:2 -:14:2"},
    {"BR-119", Kind::kInstImage, 20,
     INST "image_type:12:2 coord_type:14:2 geometry:16:1 equiv_class:17:1 -:18:2"},
    {"BR-120", Kind::kInstQueryImage, 16, INST "image_type:12:2 geometry:14:1 query:15:1"},
    {"BR-121", Kind::kInstQuerySampler, 16, INST "query:12:1 -:13:3"},
    {"BR-122", Kind::kOperandAddress, 20, "symbol:4:4 reg:8:4 offset:12:8"},
    {"BR-123", Kind::kOperandAlign, 8, "align:4:1 -:5:3"},
    {"BR-124", Kind::kOperandCodeList, 8, "elements:4:4"},
    {"BR-125", Kind::kOperandCodeRef, 8, "ref:4:4"},
    {"BR-126", Kind::kOperandConstantBytes, 12, "type:4:2 -:6:2 bytes:8:4"},
    {"BR-127", Kind::kOperandConstantExpression, 12,
     "type:4:2 expression_operation:6:2 operands:8:4"},
    {"BR-128", Kind::kOperandConstantOperandList, 12, "type:4:2 -:6:2 elements:8:4"},
    {"BR-129", Kind::kOperandOperandList, 8, "elements:4:4"},
    {"BR-130", Kind::kOperandRegister, 8, "reg_kind:4:2 reg_num:6:2"},
    {"BR-131", Kind::kOperandString, 8, "string:4:4"},
    {"BR-132", Kind::kOperandWavesize, 4, ""},
    {"BR-133", Kind::kOperandZero, 12, "zero_byte_count:4:8"},
    {"BR-134", Kind::kOperandConstantImage, 44,
     "type:4:2 geometry:6:1 channel_order:7:1 channel_type:8:1 -:9:3 width:12:8 height:20:8 "
     "depth:28:8 array:36:8"},
    {"BR-135", Kind::kOperandConstantSampler, 12,
     "type:4:2 coord:6:1 filter:7:1 addressing:8:1 -:9:3"},
};
#undef INST

TEST(BrigLayout, Structures) {
  const auto rows = ledger_rows();
  for (const Layout& layout : kLayouts) {
    SCOPED_TRACE(layout.id);
    const auto row = rows.find(layout.id);
    ASSERT_NE(row, rows.end());
    EXPECT_EQ(structure_name(layout.kind), row->second[2]);
    EXPECT_EQ(structure_bytes(layout.kind), layout.bytes);
    std::string fields;
    size_t end = 4;
    size_t members = 1;  // base
    for (const BrigField& f : structure_fields(layout.kind)) {
      fields += (fields.empty() ? "" : " ") + std::string(f.name.empty() ? "-" : f.name) + ":" +
                std::to_string(f.offset) + ":" + std::to_string(f.bytes);
      EXPECT_EQ(f.offset, end);
      end = f.offset + f.bytes;
      ++members;
    }
    std::string expected = layout.fields;
    if (!expected.empty() && expected.back() == ' ') expected.pop_back();
    EXPECT_EQ(fields, expected);
    EXPECT_EQ(end, layout.bytes);
    // The checklist counts members; the three of hsa_brig_inst_base_t are one.
    const bool inst = is_instruction(layout.kind);
    EXPECT_EQ(members - (inst ? 3 : 0), std::stoul(row->second[3]));
    Ledger::cover(layout.id);
  }
  Ledger::cover("BR-085 BR-103 BR-212");
}

TEST(BrigLayout, Headers) {
  const auto brig = testing::brig_of("module &m:1:0:$full:$large:$default;\n");
  ASSERT_GT(brig.size(), 128u);
  // 18.3.18: identification, versions, byte_count, hash, reserved, section_count, section_index.
  const std::string head(brig.begin(), brig.begin() + 8);
  EXPECT_EQ(head, "HSA BRIG");
  const auto word = [&](size_t at) {
    return brig[at] | brig[at + 1] << 8 | brig[at + 2] << 16 | brig[at + 3] << 24;
  };
  EXPECT_EQ(word(8), 1);
  EXPECT_EQ(word(12), 0);
  EXPECT_EQ(word(16), static_cast<int>(brig.size()));
  EXPECT_EQ(brig.size() % 16, 0u);
  for (size_t i = 24; i < 92; ++i) EXPECT_EQ(brig[i], 0);
  EXPECT_EQ(word(92), 3);
  EXPECT_EQ(word(96), 104);
  // 18.3.25, with "&m" at the first place behind the header of hsa_data.
  const auto data = static_cast<size_t>(word(104));
  EXPECT_EQ(data % 16, 0u);
  EXPECT_EQ(word(data + 8), 32);
  EXPECT_EQ(word(data + 12), 8);
  EXPECT_EQ(std::string(brig.begin() + static_cast<std::ptrdiff_t>(data) + 16,
                        brig.begin() + static_cast<std::ptrdiff_t>(data) + 24),
            "hsa_data");
  EXPECT_EQ(word(data + 32), 2);
  EXPECT_EQ(brig[data + 36], '&');
  EXPECT_EQ(brig[data + 37], 'm');
  Ledger::cover("BR-001 BR-002 BR-003 BR-004 BR-005 BR-007 BR-008 BR-009 BR-010 BR-011 BR-012");
  Ledger::cover("BR-013 BR-034 BR-069 BR-086 BR-087 BR-088 BR-089 BR-039 BR-220");
}

// --- Enumerations (18.3) ---

TEST(BrigLayout, Enumerations) {
  const auto rows = ledger_rows();
  const struct {
    const char* type;         ///< ledger row of the typedef
    const char* enumeration;  ///< ledger row of the enum, nullptr where others cover it
    size_t size;              ///< of the typedef in bytes
    size_t ours;              ///< enumerators, FIRST_USER_DEFINED and aliases left out
    size_t others;            ///< those left out
  } cases[] = {
      {"BR-014", "BR-049", sizeof(Alignment), EnumEnd<Alignment>::value, 1},
      {"BR-015", "BR-050", sizeof(Allocation), EnumEnd<Allocation>::value, 0},
      {"BR-017", "BR-052", sizeof(AtomicOp), EnumEnd<AtomicOp>::value, 1},
      {"BR-018", "BR-053", sizeof(Compare), EnumEnd<Compare>::value, 1},
      {"BR-019", "BR-054", sizeof(ControlDirective), EnumEnd<ControlDirective>::value, 1},
      {"BR-022", "BR-057", sizeof(ExpressionOp), EnumEnd<ExpressionOp>::value, 1},
      {"BR-024", "BR-059", sizeof(Linkage), EnumEnd<Linkage>::value, 0},
      {"BR-025", "BR-060", sizeof(MachineModel), EnumEnd<MachineModel>::value, 0},
      {"BR-027", "BR-062", sizeof(MemoryOrder), EnumEnd<MemoryOrder>::value, 0},
      {"BR-028", "BR-063", sizeof(MemoryScope), EnumEnd<MemoryScope>::value, 0},
      {"BR-029", "BR-064", sizeof(Opcode), EnumEnd<Opcode>::value, 1},
      {"BR-030", "BR-065", sizeof(Pack), EnumEnd<Pack>::value, 0},
      {"BR-031", "BR-066", sizeof(Profile), EnumEnd<Profile>::value, 0},
      {"BR-032", "BR-067", sizeof(RegisterKind), EnumEnd<RegisterKind>::value, 0},
      {"BR-033", "BR-068", sizeof(Round), EnumEnd<Round>::value, 0},
      {"BR-036", "BR-071", sizeof(Segment), EnumEnd<Segment>::value, 1},
      {"BR-040", "BR-076", sizeof(Width), EnumEnd<Width>::value, 0},
      {"BR-041", "BR-077", sizeof(ChannelOrder), EnumEnd<ChannelOrder>::value, 1},
      {"BR-042", "BR-078", sizeof(ChannelType), EnumEnd<ChannelType>::value, 1},
      {"BR-043", "BR-079", sizeof(ImageGeometry), EnumEnd<ImageGeometry>::value, 1},
      {"BR-044", "BR-080", sizeof(ImageQuery), EnumEnd<ImageQuery>::value, 1},
      {"BR-045", "BR-081", sizeof(SamplerAddressing), EnumEnd<SamplerAddressing>::value, 1},
      {"BR-046", "BR-082", sizeof(SamplerCoord), EnumEnd<SamplerCoord>::value, 0},
      {"BR-047", "BR-083", sizeof(SamplerFilter), EnumEnd<SamplerFilter>::value, 1},
      {"BR-048", "BR-084", sizeof(SamplerQuery), EnumEnd<SamplerQuery>::value, 1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.type);
    const std::string type = rows.at(c.type)[6];
    EXPECT_EQ(type, "= uint" + std::to_string(8 * c.size) + "_t");
    EXPECT_EQ(std::to_string(c.ours + c.others), rows.at(c.enumeration)[3]);
    Ledger::cover(c.type);
    Ledger::cover(c.enumeration);
  }
  // Masks and version.
  EXPECT_EQ(kAluFtz, 1);
  EXPECT_EQ(kAluIntegerSat, 2);
  EXPECT_EQ(kMemConst, 1);
  EXPECT_EQ(kMemNonTemporal, 2);
  EXPECT_EQ(kExecutableDefinition, 1);
  EXPECT_EQ(kVariableDefinition, 1);
  EXPECT_EQ(kVariableConst, 2);
  EXPECT_EQ(kSegCvtNoNull, 1);
  EXPECT_EQ(kHsailMajor, 1u);
  EXPECT_EQ(kHsailMinorMax, 2u);
  Ledger::cover("BR-016 BR-021 BR-026 BR-035 BR-038 BR-051 BR-056 BR-061 BR-070 BR-074 BR-075");
}

/// 18.3.28: which numbers are types, by trying all of them as the type of a variable.
TEST(BrigLayout, Types) {
  const auto good = testing::brig_of("module &m:1:0:$full:$large:$default;\nglobal_u32 &x;\n");
  ASSERT_FALSE(good.empty());
  // hsa_code starts at the offset in its index entry; behind its header of 32 bytes the module
  // directive of 20, then the variable.
  const size_t type = (good[112] | good[113] << 8) + 32 + 20 + 12;
  size_t types = 0;
  for (unsigned v = 0; v < 1024; ++v) {
    auto changed = good;
    changed[type] = static_cast<uint8_t>(v);
    changed[type + 1] = static_cast<uint8_t>(v >> 8);
    const auto read = read_brig(changed.data(), changed.size(), "t.brig");
    const bool refused = !read && read.error().what.find("expected a type") != std::string::npos;
    if (!refused) ++types;
  }
  EXPECT_EQ(std::to_string(types), ledger_rows().at("BR-073")[3]);
  EXPECT_EQ(kTypeBaseMask, 0x1f);
  EXPECT_EQ(kTypePackMask, 0x60);
  EXPECT_EQ(kTypeArray, 0x80);
  Ledger::cover("BR-072 BR-073");
}

/// 18.3.9: five exceptions, as u32; other bits are ignored (13.5).
TEST(BrigLayout, Exceptions) {
  for (const uint64_t mask : {uint64_t{0}, uint64_t{0x1f}, uint64_t{0x20}, uint64_t{0xffffffff}}) {
    const auto bytes = testing::brig_of(
        "module &m:1:0:$full:$large:$default;\nkernel &k()\n{\n\tenabledetectexceptions " +
        std::to_string(mask) + ";\n};\n");
    const Outcome outcome = parse_module(bytes.data(), bytes.size(), "t.brig");
    EXPECT_TRUE(outcome.ok()) << mask;
  }
  Ledger::cover("BR-020 BR-055");
}

}  // namespace
}  // namespace cuvette::hsail
