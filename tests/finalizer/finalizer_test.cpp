// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Output of the finalizer: code objects, metadata, errors.
#include <algorithm>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/Object/ELFObjectFile.h>

#include "base/file.h"
#include "finalizer/finalize.h"
#include "finalizer_testing.h"
#include "hsa/elf.h"
#include "isa/decode.h"

namespace {

namespace hsa = cuvette::hsa;
namespace hsail = cuvette::hsail;
using cuvette::finalizer::finalize;
using cuvette::finalizer::Options;
using cuvette::finalizer_testing::kernel;
using cuvette::finalizer_testing::kTargets;
using cuvette::finalizer_testing::load;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Argument {
  std::string name;
  uint64_t offset, size;
  std::string kind;
  bool operator==(const Argument&) const = default;
};
void PrintTo(const Argument& a, std::ostream* out) {
  *out << a.name << "@" << a.offset << "+" << a.size << " " << a.kind;
}

struct KernelInfo {
  std::vector<Argument> arguments;
  std::string symbol;
  uint64_t kernarg_bytes = 0, group_bytes = 0, private_bytes = 0, max_flat = 0;
  std::vector<uint64_t> required_size;
};

/// The parts of a code object that the loader depends on, read by LLVM's own ELF and MessagePack
/// code.
struct CodeObject {
  unsigned abi_version = 0, flags = 0;
  std::map<std::string, std::vector<uint8_t>> symbols;  ///< dynamic ones with their bytes
  std::map<std::string, KernelInfo> kernels;
  std::string target;
};

void read_metadata(llvm::StringRef blob, CodeObject& out) {
  llvm::msgpack::Document document;
  ASSERT_TRUE(document.readFromBlob(blob, false));
  auto root = document.getRoot().getMap();
  out.target = root["amdhsa.target"].getString().str();
  for (auto& node : root["amdhsa.kernels"].getArray()) {
    auto& entry = node.getMap();
    KernelInfo info;
    info.symbol = entry[".symbol"].getString().str();
    info.kernarg_bytes = entry[".kernarg_segment_size"].getUInt();
    info.group_bytes = entry[".group_segment_fixed_size"].getUInt();
    info.private_bytes = entry[".private_segment_fixed_size"].getUInt();
    info.max_flat = entry[".max_flat_workgroup_size"].getUInt();
    if (entry.find(".reqd_workgroup_size") != entry.end())
      for (auto& size : entry[".reqd_workgroup_size"].getArray())
        info.required_size.push_back(size.getUInt());
    if (entry.find(".args") != entry.end())
      for (auto& argument_node : entry[".args"].getArray()) {
        auto& argument = argument_node.getMap();
        info.arguments.push_back({argument[".name"].getString().str(),
                                  argument[".offset"].getUInt(), argument[".size"].getUInt(),
                                  argument[".value_kind"].getString().str()});
      }
    out.kernels[entry[".name"].getString().str()] = info;
  }
}

CodeObject parse(const std::vector<uint8_t>& bytes) {
  CodeObject out;
  const llvm::StringRef image(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto elf = llvm::object::ELF64LEFile::create(image);
  if (!elf) {
    ADD_FAILURE() << llvm::toString(elf.takeError());
    return out;
  }
  EXPECT_EQ(elf->getHeader().e_machine, llvm::ELF::EM_AMDGPU);
  EXPECT_EQ(elf->getHeader().e_ident[llvm::ELF::EI_OSABI], llvm::ELF::ELFOSABI_AMDGPU_HSA);
  EXPECT_EQ(elf->getHeader().e_type, llvm::ELF::ET_DYN);
  out.abi_version = elf->getHeader().e_ident[llvm::ELF::EI_ABIVERSION];
  out.flags = elf->getHeader().e_flags;
  for (const auto& header : llvm::cantFail(elf->program_headers())) {
    if (header.p_type != llvm::ELF::PT_NOTE) continue;
    llvm::Error error = llvm::Error::success();
    for (const auto& note : elf->notes(header, error))
      if (note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
        read_metadata(note.getDescAsStringRef(4), out);
    EXPECT_FALSE(static_cast<bool>(error));
  }
  auto object = llvm::cantFail(
      llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(image, "co")));
  const auto& file = llvm::cast<llvm::object::ELFObjectFileBase>(*object);
  for (const auto& symbol : file.getDynamicSymbolIterators()) {
    const auto name = llvm::cantFail(symbol.getName());
    auto section = llvm::cantFail(symbol.getSection());
    if (section == file.section_end()) continue;
    const uint64_t offset = llvm::cantFail(symbol.getAddress()) - section->getAddress();
    const auto contents = llvm::cantFail(section->getContents()).substr(offset, symbol.getSize());
    out.symbols[name.str()] = {contents.begin(), contents.end()};
  }
  return out;
}

CodeObject finalize_or_fail(const std::string& text, const std::string& target = "gfx908") {
  const hsail::Module module = load(text);
  auto object = finalize(module, Options{target, 4});
  if (!object) {
    ADD_FAILURE() << object.error().str();
    return {};
  }
  return parse(*object);
}

std::string error_of(const std::string& text, const Options& options = {}) {
  const hsail::Module module = load(text, "bad.hsail");
  auto object = finalize(module, options);
  return object ? "no error" : object.error().str();
}

uint32_t word_at(const std::vector<uint8_t>& bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) word |= uint32_t{bytes.at(at + i)} << (8 * i);
  return word;
}

TEST(Finalizer, DemoKernelsOnEveryTargetAndVersion) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(CUVETTE_SOURCE_DIR "/tests/kernels"))
    if (entry.path().extension() == ".hsail") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  ASSERT_GE(paths.size(), 8u);
  // LLVM's AMDGPU usage guide: EF_AMDGPU_MACH values, bits 8-9 xnack and 10-11 sramecc (2 off, 3
  // on).
  const std::map<std::string, unsigned> flags = {{"gfx900", 0x02c | 0x200},
                                                 {"gfx906", 0x02f | 0x200 | 0x800},
                                                 {"gfx908", 0x030 | 0x200 | 0xc00},
                                                 {"gfx90a", 0x03f | 0x200 | 0xc00},
                                                 {"gfx942", 0x04c | 0x200 | 0xc00}};
  for (const auto& path : paths) {
    auto text = cuvette::base::read_text(path.string());
    ASSERT_TRUE(text.ok());
    const hsail::Module module = load(*text, path.string());
    const bool matrix = text->find("\nextension \"cuvette:mfma\";") != std::string::npos;
    for (const char* target : kTargets)
      for (unsigned version : {4u, 5u}) {
        SCOPED_TRACE(path.filename().string() + " " + target + " v" + std::to_string(version));
        auto object = finalize(module, Options{target, version});
        if (matrix && std::string(target) < "gfx908") {  // no matrix core
          EXPECT_FALSE(object.ok());
          continue;
        }
        ASSERT_TRUE(object.ok()) << object.error().str();
        const CodeObject code = parse(*object);
        EXPECT_EQ(code.abi_version, version - 2);  // ELFABIVERSION_AMDGPU_HSA_V4 is 2
        EXPECT_EQ(code.flags, flags.at(target));
        EXPECT_THAT(code.target, StartsWith(std::string("amdgcn-amd-amdhsa--") + target));
        ASSERT_FALSE(code.kernels.empty());
        for (const auto& [name, info] : code.kernels) {
          EXPECT_EQ(info.symbol, name + ".kd");
          EXPECT_EQ(code.symbols.count(name), 1u);
          ASSERT_EQ(code.symbols.count(name + ".kd"), 1u);
          EXPECT_EQ(code.symbols.at(name + ".kd").size(), 64u);
          EXPECT_EQ(info.private_bytes, 0u);
          for (const Argument& argument : info.arguments)
            EXPECT_EQ(argument.kind, "by_value") << argument.name;
        }
      }
  }
}

// PRM 4.21: declaration order, natural or given alignment, nothing else.
TEST(Finalizer, KernargLayout) {
  const CodeObject code = finalize_or_fail(
      "module &m:1:0:$full:$large:$default;\n"
      "prog kernel &k(kernarg_u8 %a, kernarg_u64 %b, align(32) kernarg_u32 %c[3], kernarg_f32 %d,\n"
      "  kernarg_u16 %e, kernarg_u8 %f[3], kernarg_s64 %g)\n"
      "{\nret;\n};\n");
  ASSERT_EQ(code.kernels.count("k"), 1u);
  EXPECT_THAT(code.kernels.at("k").arguments,
              ElementsAre(Argument{"a", 0, 1, "by_value"}, Argument{"b", 8, 8, "by_value"},
                          Argument{"c", 32, 12, "by_value"}, Argument{"d", 44, 4, "by_value"},
                          Argument{"e", 48, 2, "by_value"}, Argument{"f", 50, 3, "by_value"},
                          Argument{"g", 56, 8, "by_value"}));
  EXPECT_EQ(code.kernels.at("k").kernarg_bytes, 64u);
}

// Kernel descriptor: bytes 0 group, 4 private, 8 kernarg size; at 56 the user registers asked for:
// bit 1 dispatch packet, 2 queue, 3 kernarg segment, 4 dispatch id (LLVM AMDGPU usage guide).
TEST(Finalizer, AsksOnlyForTheRegistersItUses) {
  const auto plain = finalize_or_fail(kernel("st_global_align(4)_u32 1, [$d0];"));
  ASSERT_EQ(plain.symbols.count("k.kd"), 1u);
  EXPECT_EQ(word_at(plain.symbols.at("k.kd"), 8), 8u);
  EXPECT_EQ(word_at(plain.symbols.at("k.kd"), 56) & 0x1e, 0x8u);
  const auto sized =
      finalize_or_fail(kernel("workgroupsize_u32 $s0, 0;\nst_global_align(4)_u32 $s0, [$d0];"));
  ASSERT_EQ(sized.symbols.count("k.kd"), 1u);
  EXPECT_EQ(word_at(sized.symbols.at("k.kd"), 56) & 0x1e, 0xau);
}

// Aperture tests look at the register of a FLAT instruction alone (decision D54), while the flat
// address of HSAIL is the sum with the offset (6.1.1): the sum has to be in the register.
TEST(Finalizer, FlatAddressesHaveNoOffset) {
  const std::string text = kernel(
      "add_u64 $d1, $d0, 16;\nld_align(4)_u32 $s0, [$d0+4];\nld_align(4)_u32 $s1, [$d1];\n"
      "ld_v4_align(4)_u32 ($s2, $s3, $s4, $s5), [$d0+32];\nld_u64 $d2, [$d0+64];\n"
      "add_u32 $s0, $s0, $s1;\nadd_u32 $s0, $s0, $s5;\ncvt_u32_u64 $s1, $d2;\n"
      "add_u32 $s0, $s0, $s1;\n"
      "atomicnoret_add_rlx_agent_u32 [$d0+128], $s0;\n"
      "st_align(4)_u32 $s0, [$d0+256];\nst_global_align(4)_u32 $s0, [$d0+512];");
  for (const char* name : kTargets) {
    const CodeObject object = finalize_or_fail(text, name);
    ASSERT_EQ(object.symbols.count("k"), 1u);
    const std::vector<uint8_t>& bytes = object.symbols.at("k");
    std::vector<uint32_t> words;
    for (size_t at = 0; at + 4 <= bytes.size(); at += 4) words.push_back(word_at(bytes, at));
    const auto target = cuvette::isa::target_from_name(name);
    ASSERT_TRUE(target);
    unsigned flat = 0, global = 0;
    for (size_t at = 0; at < words.size();) {
      const auto decoded = cuvette::isa::decode(*target, &words[at], words.size() - at);
      at += decoded.length;
      const auto& i = decoded.instruction;
      if (i.row == nullptr) continue;
      if (i.row->format == cuvette::isa::Format::Flat) {
        ++flat;
        EXPECT_EQ(i.mem.offset, 0) << name << " " << i.row->mnemonic;
      }
      global += i.row->format == cuvette::isa::Format::Global && i.mem.offset == 512;
    }
    EXPECT_GE(flat, 6u) << name;
    EXPECT_EQ(global, 1u) << name;
  }
}

TEST(Finalizer, StaticGroupMemoryFromOffsetZero) {
  const CodeObject code = finalize_or_fail(
      "module &m:1:0:$full:$large:$default;\n"
      "group_u8 &unused[100];\n"
      "group_u8 &a[5];\n"
      "group_u64 &b;\n"
      "prog kernel &k(kernarg_u64 %out)\n{\n"
      "group_u16 %c[3];\n"
      "ld_kernarg_align(8)_u64 $d0, [%out];\n"
      "lda_group_u32 $s0, [&a];\nlda_group_u32 $s1, [&b];\nlda_group_u32 $s2, [%c];\n"
      "st_v3_global_align(4)_u32 ($s0, $s1, $s2), [$d0];\nret;\n};\n");
  ASSERT_EQ(code.kernels.count("k"), 1u);
  EXPECT_EQ(code.kernels.at("k").group_bytes, 22u);  // 0..4 a, 8..15 b, 16..21 c
}

TEST(Finalizer, ControlDirectives) {
  const CodeObject code = finalize_or_fail(
      "module &m:1:0:$full:$large:$default;\n"
      "prog kernel &k()\n{\nrequiredworkgroupsize 16, 4, 2;\nret;\n};\n"
      "prog kernel &l()\n{\nmaxflatworkgroupsize 256;\nret;\n};\n");
  ASSERT_EQ(code.kernels.size(), 2u);
  EXPECT_THAT(code.kernels.at("k").required_size, ElementsAre(16u, 4u, 2u));
  EXPECT_EQ(code.kernels.at("k").max_flat, 128u);
  EXPECT_EQ(code.kernels.at("l").max_flat, 256u);
}

TEST(Finalizer, VariablesBecomeSymbols) {
  const CodeObject code = finalize_or_fail(
      "module &m:1:0:$full:$large:$default;\n"
      "prog global_u32 &table[3] = u32[](1, 0x20000, 3);\n"
      "prog readonly_u16 &two[2] = u16[](0x1234, 0x5678);\n"
      "prog kernel &k(kernarg_u64 %out)\n{\nret;\n};\n");
  ASSERT_EQ(code.symbols.count("table"), 1u);
  EXPECT_THAT(code.symbols.at("table"), ElementsAre(1, 0, 0, 0, 0, 0, 2, 0, 3, 0, 0, 0));
  ASSERT_EQ(code.symbols.count("two"), 1u);
  EXPECT_THAT(code.symbols.at("two"), ElementsAre(0x34, 0x12, 0x78, 0x56));
}

TEST(Finalizer, LinksModulesByProgramLinkage) {
  const hsail::Module user = load(
      "module &user:1:0:$full:$large:$default;\n"
      "decl prog global_u32 &shared;\n"
      "prog kernel &k(kernarg_u64 %out)\n{\nld_kernarg_align(8)_u64 $d0, [%out];\n"
      "ld_global_align(4)_u32 $s0, [&shared];\nst_global_align(4)_u32 $s0, [$d0];\nret;\n};\n",
      "user.hsail");
  const hsail::Module owner = load(
      "module &owner:1:0:$full:$large:$default;\nprog global_u32 &shared = 7;\n", "owner.hsail");
  auto both = finalize({&user, &owner}, Options{});
  ASSERT_TRUE(both.ok()) << both.error().str();
  const CodeObject code = parse(*both);
  ASSERT_EQ(code.symbols.count("shared"), 1u);
  EXPECT_THAT(code.symbols.at("shared"), ElementsAre(7, 0, 0, 0));

  auto alone = finalize(user, Options{});
  // Without its owner the variable may come from outside (4.12.1): an undefined symbol of its size.
  ASSERT_TRUE(alone.ok()) << alone.error().str();
  const auto elf = hsa::parse_elf(alone->data(), alone->size(), "alone.co");
  ASSERT_TRUE(elf.ok()) << elf.error().str();
  size_t undefined = 0;
  for (const hsa::ElfSymbol& s : elf->dynamic_symbols) {
    if (s.section != 0 || s.name.empty()) continue;
    ++undefined;
    EXPECT_EQ(s.name, "shared");
    EXPECT_EQ(s.bytes, 4u);
  }
  EXPECT_EQ(undefined, 1u);
  const hsail::Module other = load(
      "module &other:1:0:$full:$large:$default;\nprog global_u32 &shared = 8;\n", "other.hsail");
  auto twice = finalize({&owner, &other}, Options{});
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().str(),
            "other.hsail:2:6: error: second definition of '&shared' in the program "
            "[definition-repeated]");
}

TEST(Finalizer, SameBytesEveryTime) {
  auto text = cuvette::base::read_text(CUVETTE_SOURCE_DIR "/tests/kernels/sgemm.hsail");
  ASSERT_TRUE(text.ok());
  for (const char* target : kTargets) {
    const hsail::Module first = load(*text);
    const hsail::Module second = load(*text);
    auto a = finalize(first, Options{target, 5});
    auto b = finalize(second, Options{target, 5});
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(*a, *b) << target;
  }
}

/// A module with an instruction of the body changed in memory: what text does not accept yet.
std::string error_of_changed(void (*change)(hsail::Inst&)) {
  hsail::Module module = load(kernel("nop;\nadd_u32 $s0, 1, 2;"), "bad.hsail");
  for (hsail::CodeEntry& entry : module.code)
    if (hsail::is_instruction(entry.kind) && entry.as<hsail::Inst>().opcode == hsail::Opcode::kAdd)
      change(entry.as<hsail::Inst>());
  auto object = finalize(module, Options{});
  return object ? "no error" : object.error().str();
}

TEST(Finalizer, UnsupportedInstructions) {
  EXPECT_EQ(error_of_changed([](hsail::Inst& i) { i.opcode = hsail::Opcode::kRdImage; }),
            "bad.hsail:6:1: error: the finalizer does not support instruction 'rdimage_u32' with 3 "
            "operands, expected 4");
  EXPECT_EQ(error_of_changed([](hsail::Inst& i) { i.type = hsail::Type::kU16x2; }),
            "bad.hsail:6:1: error: the finalizer does not support instruction 'add_u16x2'");
  EXPECT_EQ(error_of_changed([](hsail::Inst& i) { i.operands.pop_back(); }),
            "bad.hsail:6:1: error: the finalizer does not support instruction 'add_u32' with 2 "
            "operands, expected 3");
}

TEST(Finalizer, ErrorsNameInstructionAndPlace) {
  // The body starts in line 5.
  EXPECT_EQ(error_of("module &m:1:0:$full:$large:$default;\ndecl prog kernel &far();\n"
                     "alloc(agent) global_b32 &low = addr(&far);\nprog kernel &k()\n{\n};\n"),
            "bad.hsail:3:32: error: addr(&far): nothing defines it");
  EXPECT_THAT(error_of("module &m:1:0:$full:$large:$default;\nprog kernel &k()\n{\n"
                       "group_u32 %big[20000];\nld_group_u32 $s0, [%big];\nret;\n};\n"),
              HasSubstr("static group memory of &k exceeds 65536 bytes"));
  EXPECT_THAT(error_of(kernel(""), Options{"gfx1030", 4}), HasSubstr("unknown target 'gfx1030'"));
  EXPECT_THAT(error_of(kernel(""), Options{"gfx908", 2}),
              HasSubstr("code object v2 has no gfx908, expected gfx900 or gfx906"));
  EXPECT_THAT(error_of(kernel(""), Options{"gfx900", 3}),
              HasSubstr("code object version 3 is not supported by the finalizer"));
  EXPECT_THAT(error_of("module &m:1:0:$full:$large:$default;\n"), HasSubstr("no kernel"));
}

/// LLVM walks the blocks of a function by recursion: with too small a stack for that the
/// finalization says so and tries with less effort, twice, and the next one has room.
TEST(Finalizer, StackThatIsUsedUp) {
  std::string body = "ld_global_align(4)_u32 $s0, [$d0];\nmov_b32 $s1, 0;\n";
  for (unsigned i = 0; i < 1600; ++i) {
    const std::string n = std::to_string(i);
    body += "cmp_eq_b1_u32 $c0, $s0, " + n + ";\ncbr_b1 $c0, @l" + n + ";\nadd_u32 $s1, $s1, " + n +
            ";\nst_global_align(4)_u32 $s1, [$d0+" + std::to_string(4 * i) + "];\n@l" + n + ":\n";
  }
  const hsail::Module module = load(kernel(body));
  std::string told;
  Options small;
  small.stack_bytes = 1 << 20;
  small.warn = [&told](const std::string& what) { told += what; };
  for (unsigned again = 0; again < 2; ++again) {
    told.clear();
    const auto object = finalize(module, small);
    if (!object) told = object.error().what;  // otherwise less effort was enough
    EXPECT_THAT(told, HasSubstr("LLVM used up its stack of 1 MiB: the code is nested too deep"));
  }
  EXPECT_TRUE(finalize(module, Options{}).ok());
}

/// The recursion of the finalizer itself, over functions that call functions, has an end.
TEST(Finalizer, LongChainsOfCalls) {
  constexpr unsigned kFunctions = 3000;
  std::string text = "module &m:1:0:$full:$large:$default;\n";
  for (unsigned i = 0; i < kFunctions; ++i)
    text += "decl function &f" + std::to_string(i) + "()();\n";
  for (unsigned i = 0; i < kFunctions; ++i) {
    text += "function &f" + std::to_string(i) + "()()\n{\n";
    if (i + 1 < kFunctions) text += "{\ncall &f" + std::to_string(i + 1) + "()();\n}\n";
    text += "};\n";
  }
  text += "prog kernel &k()\n{\n{\ncall &f0()();\n}\n};\n";
  Options options;
  options.stack_bytes = size_t{4} << 20;
  const auto object = finalize(load(text), options);
  EXPECT_TRUE(object.ok()) << object.error().str();
}

}  // namespace
