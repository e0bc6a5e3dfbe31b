// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Code objects of clang 15 and 19 against what LLVM 19's tools and the kernels' sources say.
#include <cstring>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml.h"
#include "hsa/dispatch.h"
#include "hsa/elf.h"
#include "hsa/kernarg.h"
#include "hsa/metadata.h"
#include "hsa/queue.h"
#include "hsa/relocation.h"
#include "hsa/signal.h"
#include "hsa_objects.h"

namespace cuvette::hsa {
namespace {

using base::Yaml;
using ::testing::HasSubstr;

const std::vector<std::string>& new_objects() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const char* version : {"4", "5"}) {
      for (const char* target : {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"}) {
        for (const char* kernel : {"saxpy", "reduce", "tables", "mfma_gemm"}) {
          const std::string t = target;
          if (std::string(kernel) == "mfma_gemm" && (t == "gfx900" || t == "gfx906")) continue;
          out.push_back(std::string(kernel) + "." + t + ".v" + version);
        }
      }
      out.push_back(std::string("saxpy.gfx908sramecc+xnack+.v") + version);
    }
    return out;
  }();
  return names;
}

const std::vector<std::string>& v3_objects() {
  static const std::vector<std::string> names = {
      "saxpy.gfx900xnack-.v3",  "saxpy.gfx906sramecc-xnack-.v3",  "saxpy.gfx908sramecc+xnack-.v3",
      "reduce.gfx900xnack-.v3", "reduce.gfx906sramecc-xnack-.v3", "reduce.gfx908sramecc+xnack-.v3"};
  return names;
}

std::string fmt_hex(uint64_t value) {
  std::ostringstream out;
  out << "0x" << std::hex << value;
  return out.str();
}

LoadedCode load(const std::string& object, DeviceMemory& memory) {
  auto code = load_code_object(kernel_bytes(object), object, memory, machine_for(object));
  EXPECT_TRUE(code.ok()) << code.error().str();
  return code.ok() ? *code : LoadedCode();
}

// ---- descriptors, as llvm-objdump prints them ----

/// Kernel name to directive to value.
std::map<std::string, std::map<std::string, long>> directives(const std::string& object) {
  std::map<std::string, std::map<std::string, long>> out;
  std::istringstream lines(output_of(std::string(CUVETTE_LLVM_OBJDUMP) + " -D -j .rodata '" +
                                     kernel_path(object) + "'"));
  std::string kernel, word, line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    words >> word;
    if (word == ".amdhsa_kernel") {
      words >> kernel;
    } else if (word.rfind(".amdhsa_", 0) == 0) {
      words >> out[kernel][word.substr(8)];
    }
  }
  return out;
}

void check_descriptors(const std::string& object) {
  DeviceMemory memory;
  const LoadedCode code = load(object, memory);
  const auto all = directives(object);
  ASSERT_EQ(code.kernels.size(), all.size()) << object;
  for (const KernelInfo& k : code.kernels) {
    ASSERT_EQ(all.count(k.name), 1u);
    std::map<std::string, long> said = all.at(k.name);
    const Rsrc1& r1 = k.rsrc1;
    const Rsrc2& r2 = k.rsrc2;
    const UserSgprs& u = k.user_sgprs;
    const std::map<std::string, long> ours = {
        {"group_segment_fixed_size", k.group_bytes},
        {"private_segment_fixed_size", k.private_bytes},
        {"kernarg_size", k.kernarg_bytes},
        {"accum_offset", k.accum_offset},
        {"tg_split", k.rsrc3.tg_split},
        {"next_free_vgpr", k.vgpr_count},
        {"next_free_sgpr", (r1.sgpr_granules + 1) * 8},
        {"float_round_mode_32", static_cast<long>(r1.round_32)},
        {"float_round_mode_16_64", static_cast<long>(r1.round_16_64)},
        {"float_denorm_mode_32", static_cast<long>(r1.denorm_32)},
        {"float_denorm_mode_16_64", static_cast<long>(r1.denorm_16_64)},
        {"dx10_clamp", r1.dx10_clamp},
        {"ieee_mode", r1.ieee},
        {"fp16_overflow", r1.fp16_ovfl},
        {"system_sgpr_private_segment_wavefront_offset", r2.private_segment},
        {"enable_private_segment", r2.private_segment},
        {"system_sgpr_workgroup_id_x", r2.workgroup_id_x},
        {"system_sgpr_workgroup_id_y", r2.workgroup_id_y},
        {"system_sgpr_workgroup_id_z", r2.workgroup_id_z},
        {"system_sgpr_workgroup_info", r2.workgroup_info},
        {"system_vgpr_workitem_id", r2.workitem_id},
        {"exception_fp_ieee_invalid_op", r2.exceptions & 1},
        {"exception_fp_denorm_src", r2.exceptions >> 1 & 1},
        {"exception_fp_ieee_div_zero", r2.exceptions >> 2 & 1},
        {"exception_fp_ieee_overflow", r2.exceptions >> 3 & 1},
        {"exception_fp_ieee_underflow", r2.exceptions >> 4 & 1},
        {"exception_fp_ieee_inexact", r2.exceptions >> 5 & 1},
        {"exception_int_div_zero", r2.exceptions >> 6 & 1},
        {"user_sgpr_private_segment_buffer", u.private_segment_buffer},
        {"user_sgpr_dispatch_ptr", u.dispatch_ptr},
        {"user_sgpr_queue_ptr", u.queue_ptr},
        {"user_sgpr_kernarg_segment_ptr", u.kernarg_segment_ptr},
        {"user_sgpr_dispatch_id", u.dispatch_id},
        {"user_sgpr_flat_scratch_init", u.flat_scratch_init},
        {"user_sgpr_private_segment_size", u.private_segment_size},
        {"user_sgpr_kernarg_preload_length", k.kernarg_preload_dwords},
        {"user_sgpr_kernarg_preload_offset", k.kernarg_preload_offset},
        {"uses_dynamic_stack", k.dynamic_stack},
    };
    int compared = 0;
    for (const auto& [directive, value] : said) {
      if (directive.rfind("reserve_", 0) == 0) continue;  // printed as 0 for lack of knowledge
      ASSERT_EQ(ours.count(directive), 1u) << object << " " << directive;
      EXPECT_EQ(ours.at(directive), value) << object << " " << k.name << " " << directive;
      ++compared;
    }
    EXPECT_GE(compared, 30) << object;
    // LLVM counts SGPRs in blocks of 8, gfx9 allocates 16.
    EXPECT_EQ(k.sgpr_count, (said["next_free_sgpr"] + 15) / 16 * 16) << object;
    EXPECT_TRUE(initial_layout(k).ok()) << object << " " << initial_layout(k).error().str();
  }
}

TEST(HsaObject, DescriptorsAsObjdumpReadsThem) {
  CUVETTE_NEED_LLVM_TOOLS();
  CUVETTE_NEED_KERNELS();
  for (const std::string& object : new_objects()) check_descriptors(object);
}

TEST(HsaObject, DescriptorsOfV3) {
  CUVETTE_NEED_LLVM_TOOLS();
  CUVETTE_NEED_OLD_KERNELS();
  for (const std::string& object : v3_objects()) check_descriptors(object);
}

// ---- metadata, as llvm-readelf prints it ----

/// The YAML between "---" and "..." of the notes; readelf is the second reader of the MessagePack.
Yaml notes_of(const std::string& object) {
  const std::string text =
      output_of(std::string(CUVETTE_LLVM_READELF) + " --notes '" + kernel_path(object) + "'");
  const size_t first = text.find("---\n");
  const size_t last = text.find("\n...", first);
  EXPECT_NE(first, std::string::npos) << object;
  auto yaml = Yaml::parse(text.substr(first + 4, last - first - 3), object);
  EXPECT_TRUE(yaml.ok()) << yaml.error().str();
  return *yaml;
}

uint64_t number(const Yaml& map, const char* key) {
  auto node = map.get(key);
  return node ? node->unsigned_in(0, ~uint64_t{0}).value() : 0;
}
std::string text(const Yaml& map, const char* key) {
  auto node = map.get(key);
  return node ? node->text().value() : std::string();
}

void check_metadata(const std::string& object) {
  const auto bytes = kernel_bytes(object);
  const auto elf = parse_elf(bytes.data(), bytes.size(), object);
  ASSERT_TRUE(elf.ok()) << elf.error().str();
  ASSERT_EQ(elf->notes.size(), 1u);
  const ElfNote& note = elf->notes[0];
  EXPECT_EQ(note.owner, "AMDGPU");
  EXPECT_EQ(note.type, 32u);
  const auto ours =
      parse_metadata_msgpack(bytes.data() + note.offset, note.bytes, object, note.offset);
  ASSERT_TRUE(ours.ok()) << ours.error().str();
  const Yaml root = notes_of(object);
  EXPECT_EQ(ours->target, text(root, "amdhsa.target"));
  EXPECT_EQ(ours->version[0], root.get("amdhsa.version")->at(0).unsigned_in(0, 9).value());
  EXPECT_EQ(ours->version[1], root.get("amdhsa.version")->at(1).unsigned_in(0, 9).value());
  const Yaml kernels = *root.get("amdhsa.kernels");
  ASSERT_EQ(ours->kernels.size(), kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i) {
    const Yaml theirs = kernels.at(i);
    const KernelMetadata& k = ours->kernels[i];
    EXPECT_EQ(k.name, text(theirs, ".name"));
    EXPECT_EQ(k.symbol, text(theirs, ".symbol"));
    EXPECT_EQ(k.group_bytes, number(theirs, ".group_segment_fixed_size"));
    EXPECT_EQ(k.private_bytes, number(theirs, ".private_segment_fixed_size"));
    EXPECT_EQ(k.kernarg_bytes, number(theirs, ".kernarg_segment_size"));
    EXPECT_EQ(k.kernarg_alignment, number(theirs, ".kernarg_segment_align"));
    EXPECT_EQ(k.wavefront_size, number(theirs, ".wavefront_size"));
    EXPECT_EQ(k.sgpr_count, number(theirs, ".sgpr_count"));
    EXPECT_EQ(k.vgpr_count, number(theirs, ".vgpr_count"));
    EXPECT_EQ(k.agpr_count, number(theirs, ".agpr_count"));
    EXPECT_EQ(k.max_flat_workgroup_size, number(theirs, ".max_flat_workgroup_size"));
    if (auto required = theirs.get(".reqd_workgroup_size")) {
      for (size_t d = 0; d < 3; ++d) {
        EXPECT_EQ(k.reqd_workgroup_size[d], required->at(d).unsigned_in(0, 1024).value());
      }
    }
    const Yaml args = *theirs.get(".args");
    ASSERT_EQ(k.args.size(), args.size()) << object;
    for (size_t a = 0; a < args.size(); ++a) {
      const Yaml arg = args.at(a);
      EXPECT_EQ(k.args[a].offset, number(arg, ".offset")) << object << " argument " << a;
      EXPECT_EQ(k.args[a].size, number(arg, ".size"));
      EXPECT_EQ(k.args[a].kind_name, text(arg, ".value_kind"));
      EXPECT_NE(k.args[a].kind, ArgKind::Unknown) << k.args[a].kind_name;
      EXPECT_EQ(k.args[a].address_space, text(arg, ".address_space"));
      EXPECT_EQ(k.args[a].type_name, text(arg, ".type_name"));
      EXPECT_EQ(k.args[a].pointee_align, number(arg, ".pointee_align"));
    }
  }
}

TEST(HsaObject, MetadataAsReadelfPrintsIt) {
  CUVETTE_NEED_LLVM_TOOLS();
  CUVETTE_NEED_KERNELS();
  for (const std::string& object : new_objects()) check_metadata(object);
}

TEST(HsaObject, MetadataOfV3) {
  CUVETTE_NEED_LLVM_TOOLS();
  CUVETTE_NEED_OLD_KERNELS();
  for (const std::string& object : v3_objects()) check_metadata(object);
}

// ---- facts of the sources ----

struct Expected {
  const char* kind;
  uint64_t offset, size;
};

void check_args(const KernelInfo& kernel, const std::vector<Expected>& expected) {
  const auto args = explicit_args(kernel);
  ASSERT_EQ(args.size(), expected.size()) << kernel.name;
  for (size_t i = 0; i < args.size(); ++i) {
    EXPECT_EQ(args[i]->kind_name, expected[i].kind);
    EXPECT_EQ(args[i]->offset, expected[i].offset);
    EXPECT_EQ(args[i]->size, expected[i].size);
  }
}

void check_sources(const std::string& object) {
  SCOPED_TRACE(object);
  DeviceMemory memory;
  const LoadedCode code = load(object, memory);
  if (object.rfind("saxpy", 0) == 0) {
    ASSERT_EQ(code.kernels.size(), 1u);
    check_args(code.kernels[0], {{"by_value", 0, 4},
                                 {"by_value", 4, 4},
                                 {"global_buffer", 8, 8},
                                 {"global_buffer", 16, 8}});
    EXPECT_EQ(*code.find(""), &code.kernels[0]) << "the only kernel";
    EXPECT_EQ(*code.find("&saxpy.kd"), &code.kernels[0]);
  } else if (object.rfind("reduce", 0) == 0) {
    ASSERT_EQ(code.kernels.size(), 2u);
    ASSERT_FALSE(code.find("").ok()) << "two kernels";
    EXPECT_THAT(code.find("").error().what,
                testing::AllOf(HasSubstr("2 kernels"), HasSubstr("reduce, reduce_dynamic"),
                               testing::Not(HasSubstr("''"))));
    EXPECT_THAT(code.find("sum").error().what, HasSubstr("reduce, reduce_dynamic"));
    const KernelInfo& fixed = **code.find("reduce");
    EXPECT_EQ(fixed.group_bytes, 1024u) << "int partial[256]";
    EXPECT_EQ(fixed.limits.required_workgroup[0], 256u);
    EXPECT_EQ(fixed.limits.required_workgroup[1], 1u);
    check_args(fixed, {{"global_buffer", 0, 8}, {"global_buffer", 8, 8}});
    const KernelInfo& dynamic = **code.find("reduce_dynamic");
    EXPECT_EQ(dynamic.group_bytes, 0u);
    EXPECT_EQ(dynamic.limits.required_workgroup[0], 0u);
    check_args(
        dynamic,
        {{"global_buffer", 0, 8}, {"global_buffer", 8, 8}, {"dynamic_shared_pointer", 16, 4}});
  } else if (object.rfind("mfma_gemm", 0) == 0) {
    const KernelInfo& k = **code.find("mfma_gemm");
    check_args(k, {{"by_value", 0, 4},
                   {"global_buffer", 8, 8},
                   {"global_buffer", 16, 8},
                   {"global_buffer", 24, 8},
                   {"global_buffer", 32, 8}});
    EXPECT_EQ(k.limits.required_workgroup[0], 64u);
    EXPECT_GE(k.vgpr_count, 32u) << "an accumulator of 32 registers";
  } else {
    check_args(**code.find("tables"), {{"global_buffer", 0, 8}, {"by_value", 8, 4}});
  }
  for (const KernelInfo& k : code.kernels) {
    EXPECT_EQ(k.entry % 256, 0u);
    EXPECT_GT(k.code_end, k.entry);
    uint32_t first = 0;
    EXPECT_TRUE(memory.read_value(k.entry, &first).ok());
    EXPECT_NE(first, 0u) << "code is there";
    const uint64_t page_end = (k.code_end + 4095) / 4096 * 4096;
    EXPECT_TRUE(memory.space().translate(0, page_end - 1, Access::Execute).ok())
        << "fetches run past the end";
    EXPECT_EQ(memory.write_value(k.entry, first).fault, Fault::NotPermitted) << "code is read-only";
    EXPECT_TRUE(memory.space().translate(0, k.entry, Access::Execute).ok());
    EXPECT_EQ(memory.space().translate(0, k.descriptor, Access::Execute).ok(),
              code.code_object == 2)
        << "v2 keeps descriptor and code in one section";
  }
}

TEST(HsaObject, SourceFacts) {
  CUVETTE_NEED_KERNELS();
  for (const std::string& object : new_objects()) check_sources(object);
}

TEST(HsaObject, SourceFactsOfOldVersions) {
  CUVETTE_NEED_OLD_KERNELS();
  for (const std::string& object : v3_objects()) check_sources(object);
  for (const char* object :
       {"saxpy.gfx900xnack-.v2", "saxpy.gfx906xnack-.v2", "reduce.gfx900xnack-.v2",
        "reduce.gfx906xnack-.v2", "saxpy.gfx900xnack+.v2"}) {
    check_sources(object);
  }
}

TEST(HsaObject, V2AndV3NormaliseToTheSame) {
  CUVETTE_NEED_OLD_KERNELS();
  DeviceMemory memory;
  const LoadedCode v2 = load("reduce.gfx900xnack-.v2", memory);
  const LoadedCode v3 = load("reduce.gfx900xnack-.v3", memory);
  EXPECT_EQ(v2.code_object, 2u);
  EXPECT_EQ(v3.code_object, 3u);
  for (const char* name : {"reduce", "reduce_dynamic"}) {
    const KernelInfo& a = **v2.find(name);
    const KernelInfo& b = **v3.find(name);
    EXPECT_EQ(a.target, b.target);
    EXPECT_EQ(a.group_bytes, b.group_bytes);
    EXPECT_EQ(a.private_bytes, b.private_bytes);
    EXPECT_EQ(a.kernarg_bytes, b.kernarg_bytes);
    EXPECT_EQ(a.vgpr_count, b.vgpr_count);
    EXPECT_EQ(a.sgpr_count, b.sgpr_count);
    EXPECT_EQ(a.rsrc1.raw, b.rsrc1.raw);
    EXPECT_EQ(a.rsrc2.raw, b.rsrc2.raw);
    EXPECT_EQ(a.user_sgprs.dispatch_ptr, b.user_sgprs.dispatch_ptr);
    EXPECT_EQ(a.user_sgprs.kernarg_segment_ptr, b.user_sgprs.kernarg_segment_ptr);
    ASSERT_EQ(a.args.size(), b.args.size());
    for (size_t i = 0; i < a.args.size(); ++i) {
      EXPECT_EQ(a.args[i].offset, b.args[i].offset) << "computed in v2, written in v3";
      EXPECT_EQ(a.args[i].size, b.args[i].size);
      EXPECT_EQ(a.args[i].kind, b.args[i].kind);
      EXPECT_EQ(a.args[i].type_name, b.args[i].type_name);
    }
  }
}

TEST(HsaObject, Relocations) {
  CUVETTE_NEED_KERNELS();
  for (const char* object : {"tables.gfx908.v4", "tables.gfx90a.v5"}) {
    DeviceMemory memory;
    const LoadedCode code = load(object, memory);
    std::map<std::string, uint64_t> at;
    for (const LoadedSymbol& s : code.symbols) at[s.name] = s.address;
    ASSERT_EQ(at.count("values") + at.count("where"), 2u) << object;
    for (unsigned i = 0; i < 2; ++i) {
      uint64_t pointer = 0;
      ASSERT_TRUE(memory.read_value(at["where"] + 8 * i, &pointer).ok());
      EXPECT_EQ(pointer, at["values"] + (i == 0 ? 4 : 12)) << object;
      int32_t value = 0;
      ASSERT_TRUE(memory.read_value(pointer, &value).ok());
      EXPECT_EQ(value, i == 0 ? 20 : 40);
      EXPECT_TRUE(memory.write_value(pointer, value).ok()) << "global data is writable";
    }
    EXPECT_EQ(memory.write_value(at["values"] + 16, 0).fault, Fault::Unmapped)
        << "and ends exactly";
  }
}

TEST(HsaObject, RelocationFormulas) {
  DeviceMemory memory;
  const uint64_t base = *memory.allocate(4096);
  ElfFile elf;
  elf.segments.resize(1);
  elf.segments[0].type = kElfLoadSegment;
  elf.segments[0].memory_bytes = 0x1000;
  elf.dynamic_symbols.resize(4);
  elf.dynamic_symbols[1] = {"s", 0x100, 4, 1, 1, 5};
  elf.dynamic_symbols[2] = {"gone", 0, 0, 0, 1, 0};
  elf.dynamic_symbols[3] = {"weak", 0, 0, 0, 2, 0};
  auto apply = [&](uint64_t offset, uint32_t type, uint32_t symbol, int64_t addend) {
    elf.relocations = {{offset, type, symbol, addend}};
    auto status = apply_relocations(elf, base, memory);
    uint64_t value = 0;
    EXPECT_TRUE(memory.read_value(base + 0x80, &value).ok());
    EXPECT_TRUE(memory.write_value(base + 0x80, uint64_t{0}).ok());
    return status.ok() ? fmt_hex(value) : status.error().what;
  };
  // Base is 0x100000000, the place 0x100000080, the symbol 0x100000100.
  ASSERT_EQ(base, 0x100000000u);
  EXPECT_EQ(apply(0x80, 3, 1, 8), "0x100000108") << "ABS64";
  EXPECT_EQ(apply(0x80, 1, 1, 8), "0x108") << "ABS32_LO";
  EXPECT_EQ(apply(0x80, 2, 1, 8), "0x1") << "ABS32_HI";
  EXPECT_EQ(apply(0x80, 4, 1, -0xc0), "0xffffffc0") << "REL32";
  EXPECT_EQ(apply(0x80, 5, 1, -0xc0), "0xffffffffffffffc0") << "REL64";
  EXPECT_EQ(apply(0x80, 10, 1, 4), "0x84") << "REL32_LO";
  EXPECT_EQ(apply(0x80, 11, 1, -0x100), "0xffffffff") << "REL32_HI";
  EXPECT_EQ(apply(0x80, 13, 0, 0x30), "0x100000030") << "RELATIVE64";
  EXPECT_EQ(apply(0x80, 3, 3, 0), "0x0") << "undefined weak";
  EXPECT_EQ(apply(0x80, 0, 0, 0), "0x0") << "NONE";
  EXPECT_THAT(apply(0x80, 6, 1, 0), HasSubstr("does not fit")) << "ABS32 above 4 GiB";
  EXPECT_THAT(apply(0x80, 4, 1, int64_t{1} << 40), HasSubstr("does not fit"));
  EXPECT_THAT(apply(0x80, 3, 2, 0), HasSubstr("symbol 'gone' is undefined"));
  EXPECT_THAT(apply(0x80, 14, 1, 0), HasSubstr("type 14 is unsupported"));
  EXPECT_THAT(apply(0x2000, 3, 1, 0),
              HasSubstr("relocation at 0x2000 of the object: its place is outside"));
}

TEST(HsaObject, LoadingIsDeterministicAndUnloads) {
  CUVETTE_NEED_KERNELS();
  DeviceMemory a, b;
  const LoadedCode first = load("reduce.gfx908.v5", a);
  const LoadedCode second = load("reduce.gfx908.v5", b);
  EXPECT_EQ(first.kernels.at(0).entry, second.kernels.at(0).entry);
  EXPECT_NE(load("reduce.gfx908.v5", a).base, first.base);
  ASSERT_TRUE(a.free(first.base).ok());
  uint32_t word = 0;
  EXPECT_EQ(a.read_value(first.kernels[0].entry, &word).fault, Fault::Unmapped);
}

// ---- targets ----

TEST(HsaObject, TargetsMustFit) {
  CUVETTE_NEED_KERNELS();
  struct Case {
    std::string object;
    const char* machine;
    bool fits;
  };
  std::vector<Case> cases = {
      {"saxpy.gfx908.v5", "gfx908:sramecc+:xnack-", true},
      {"saxpy.gfx908.v5", "gfx908:sramecc-:xnack+", true},
      {"saxpy.gfx908.v5", "gfx90a:sramecc+:xnack-", false},
      {"saxpy.gfx90a.v4", "gfx908:sramecc+:xnack-", false},
      {"saxpy.gfx908sramecc+xnack+.v4", "gfx908:sramecc+:xnack-", false},
      {"saxpy.gfx908sramecc+xnack+.v5", "gfx908:sramecc+:xnack+", true},
      {"saxpy.gfx908sramecc+xnack+.v5", "gfx908:sramecc-:xnack+", false},
  };
  if (CUVETTE_OPENCL_KERNELS_OLD) {
    cases.push_back({"saxpy.gfx908sramecc+xnack-.v3", "gfx908:sramecc+:xnack-", true});
    cases.push_back({"saxpy.gfx908sramecc+xnack-.v3", "gfx908:sramecc+:xnack+", false});
    cases.push_back({"saxpy.gfx908sramecc+xnack+.v3", "gfx908:sramecc+:xnack-", false});
    cases.push_back({"saxpy.gfx900xnack+.v2", "gfx900:xnack-", false});
    cases.push_back({"saxpy.gfx900xnack+.v2", "gfx900:xnack+", true});
    cases.push_back({"saxpy.gfx900xnack-.v2", "gfx900:xnack-", true});
    cases.push_back({"saxpy.gfx900xnack-.v2", "gfx906:sramecc-:xnack-", false});
  }
  for (const Case& c : cases) {
    DeviceMemory memory;
    const auto machine = parse_target(c.machine);
    ASSERT_TRUE(machine.ok());
    const auto code = load_code_object(kernel_bytes(c.object), c.object, memory, *machine);
    EXPECT_EQ(code.ok(), c.fits) << c.object << " on " << c.machine;
    if (code.ok()) continue;
    EXPECT_THAT(code.error().str(), HasSubstr(std::string("expected ") + c.machine));
  }
}

// ---- a host's way to a dispatch ----

TEST(HsaObject, ProducerSequence) {
  CUVETTE_NEED_KERNELS();
  DeviceMemory memory;
  const LoadedCode code = load("reduce.gfx908.v5", memory);
  const KernelInfo& kernel = **code.find("reduce_dynamic");
  const uint64_t in = *memory.allocate(4096);
  const uint64_t out = *memory.allocate(64);
  std::vector<std::vector<uint8_t>> args(3);
  args[0].resize(8);
  args[1].resize(8);
  args[2] = {0, 0, 0, 0};
  std::memcpy(args[0].data(), &in, 8);
  std::memcpy(args[1].data(), &out, 8);
  HiddenValues hidden;
  hidden.grid[0] = 1000;
  hidden.workgroup[0] = 64;
  hidden.dynamic_lds_bytes = 256;
  const auto segment = fill_kernarg(kernel, args, hidden, {});
  ASSERT_TRUE(segment.ok()) << segment.error().str();
  ASSERT_EQ(segment->size(), 280u) << "24 bytes of arguments and 256 hidden ones";
  uint32_t blocks = 0;
  std::memcpy(&blocks, segment->data() + 24, 4);
  EXPECT_EQ(blocks, 15u);
  DeviceMemory::Options options;
  options.alignment = kernel.kernarg_alignment;
  const uint64_t kernarg = *memory.allocate(segment->size(), options);
  ASSERT_TRUE(memory.write(kernarg, segment->data(), segment->size()).ok());

  const uint64_t reg = *memory.allocate(8);
  auto doorbell = Signal::create_doorbell(memory, reg, 0);
  Queue::Config config;
  config.doorbell_signal = doorbell->handle();
  auto queue = Queue::create(memory, config);
  ASSERT_TRUE(queue.ok());
  KernelDispatchPacket packet;
  PacketHeader header;
  header.type = PacketType::KernelDispatch;
  packet.header = encode(header);
  packet.setup = 1;
  packet.workgroup_size_x = 64;
  packet.grid_size_x = 1000;
  packet.group_segment_size = kernel.group_bytes + 256;
  packet.kernel_object = kernel.descriptor;
  packet.kernarg_address = kernarg;
  const auto index = queue->submit(&packet);
  ASSERT_TRUE(index.ok());
  ASSERT_TRUE(doorbell->store(static_cast<int64_t>(*index)).ok());
  EXPECT_EQ(queue->header(*index)->type, PacketType::KernelDispatch);
  KernelDispatchPacket seen;
  ASSERT_TRUE(queue->read_packet(*index, &seen).ok());
  EXPECT_EQ(std::memcmp(&seen, &packet, sizeof packet), 0);
}

}  // namespace
}  // namespace cuvette::hsa
