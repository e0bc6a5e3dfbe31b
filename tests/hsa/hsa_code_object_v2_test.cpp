// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Writing code object v2: its parts against objects of clang 15, which still wrote it, and its note
// against the reader.
#include <cstring>

#include <gtest/gtest.h>

#include "hsa/elf.h"
#include "hsa/kernel_code.h"
#include "hsa/metadata.h"
#include "hsa_objects.h"

namespace cuvette::hsa {
namespace {

LoadedCode load_for_machine(const std::string& object, DeviceMemory& memory) {
  auto code = load_code_object(kernel_bytes(object), object, memory, machine_for(object));
  EXPECT_TRUE(code.ok()) << code.error().str();
  return code.ok() ? *code : LoadedCode();
}

/// The object that clang-15 writes for v2 and the one made from its v3 of the same source.
TEST(CodeObjectV2, KernelCodeFromADescriptor) {
  CUVETTE_NEED_OLD_KERNELS();
  unsigned kernels = 0;
  for (const char* name : {"saxpy.gfx900xnack-", "reduce.gfx900xnack-"}) {
    DeviceMemory memory;
    const std::string v3_name = std::string(name) + ".v3";
    const LoadedCode v2 = load_for_machine(std::string(name) + ".v2", memory);
    const LoadedCode v3 = load_for_machine(v3_name, memory);
    const std::vector<uint8_t> bytes = kernel_bytes(v3_name);
    const auto elf = parse_elf(bytes.data(), bytes.size(), v3_name);
    ASSERT_TRUE(elf.ok());
    const ElfNote& note = elf->notes.front();
    const auto metadata =
        parse_metadata_msgpack(&bytes[note.offset], note.bytes, v3_name, note.offset);
    ASSERT_TRUE(metadata.ok());
    for (const KernelMetadata& kernel : metadata->kernels) {
      AmdKernelCode wanted;
      KernelDescriptor descriptor;
      ASSERT_TRUE(memory.read_value((**v2.find(kernel.name)).descriptor, &wanted).ok());
      ASSERT_TRUE(memory.read_value((**v3.find(kernel.name)).descriptor, &descriptor).ok());
      const AmdKernelCode found = encode_kernel_code(descriptor, kernel, v3.target);
      EXPECT_EQ(std::memcmp(&found, &wanted, sizeof wanted), 0) << name << " " << kernel.name;
      ++kernels;
    }
  }
  EXPECT_EQ(kernels, 3u);
  KernelDescriptor descriptor;
  KernelMetadata kernel;
  const auto stepping = [&](const char* target) {
    return encode_kernel_code(descriptor, kernel, *parse_target(target))
        .amd_machine_version_stepping;
  };
  EXPECT_EQ(stepping("gfx900:xnack+"), 1);  // ISA 9.0.1
  EXPECT_EQ(stepping("gfx906:xnack-"), 6);
  EXPECT_EQ(stepping("gfx906:xnack+"), 7);
}

/// Printed metadata is read back unchanged; an argument that no alignment explains is refused.
TEST(CodeObjectV2, Metadata) {
  Metadata m;
  m.version[0] = 1;
  m.printf = {"1:1:4:it's %d\\n"};
  KernelMetadata k;
  k.name = k.symbol = "it's";
  k.kernarg_bytes = 56;
  k.kernarg_alignment = 16;
  k.group_bytes = 1024;
  k.private_bytes = 8;
  k.wavefront_size = 64;
  k.sgpr_count = 20;
  k.vgpr_count = 9;
  k.max_flat_workgroup_size = 256;
  k.reqd_workgroup_size[0] = 16;
  k.reqd_workgroup_size[1] = k.reqd_workgroup_size[2] = 1;
  k.uses_dynamic_stack = true;
  const auto arg = [&](const char* name, const char* kind, uint64_t offset, uint64_t size) {
    KernelArg a;
    a.name = name;
    a.kind_name = kind;
    a.kind = arg_kind(kind);
    a.offset = offset;
    a.size = size;
    k.args.push_back(a);
  };
  arg("n", "by_value", 0, 2);
  arg("pairs", "by_value", 4, 12);  // aligned by 4, though 12 bytes would go by 8
  arg("x", "global_buffer", 16, 8);
  k.args.back().address_space = "global";
  k.args.back().access = "read_only";
  k.args.back().is_const = true;
  arg("lds", "dynamic_shared_pointer", 24, 4);
  k.args.back().pointee_align = 8;
  arg("", "hidden_global_offset_x", 32, 8);
  arg("", "hidden_multigrid_sync_arg", 48, 8);  // 16-byte alignment
  m.kernels.push_back(k);
  const auto text = print_metadata_yaml(m);
  ASSERT_TRUE(text.ok()) << text.error().str();
  const auto read = parse_metadata_yaml(*text, "m", 0);
  ASSERT_TRUE(read.ok()) << read.error().str();
  EXPECT_EQ(read->printf, m.printf);
  ASSERT_EQ(read->kernels.size(), 1u);
  const KernelMetadata& r = read->kernels[0];
  EXPECT_EQ(r.name, k.name);
  EXPECT_EQ(r.kernarg_bytes, k.kernarg_bytes);
  EXPECT_EQ(r.kernarg_alignment, k.kernarg_alignment);
  EXPECT_EQ(r.group_bytes, k.group_bytes);
  EXPECT_EQ(r.private_bytes, k.private_bytes);
  EXPECT_EQ(r.wavefront_size, k.wavefront_size);
  EXPECT_EQ(r.sgpr_count, k.sgpr_count);
  EXPECT_EQ(r.vgpr_count, k.vgpr_count);
  EXPECT_EQ(r.max_flat_workgroup_size, k.max_flat_workgroup_size);
  EXPECT_EQ(r.reqd_workgroup_size[0], 16u);
  EXPECT_TRUE(r.uses_dynamic_stack);
  ASSERT_EQ(r.args.size(), k.args.size());
  for (size_t i = 0; i < k.args.size(); ++i) {
    EXPECT_EQ(r.args[i].name, k.args[i].name);
    EXPECT_EQ(r.args[i].kind, k.args[i].kind) << k.args[i].kind_name;
    EXPECT_EQ(r.args[i].offset, k.args[i].offset) << k.args[i].name;
    EXPECT_EQ(r.args[i].size, k.args[i].size);
    EXPECT_EQ(r.args[i].address_space, k.args[i].address_space);
    EXPECT_EQ(r.args[i].access, k.args[i].access);
    EXPECT_EQ(r.args[i].pointee_align, k.args[i].pointee_align);
    EXPECT_EQ(r.args[i].is_const, k.args[i].is_const);
  }
  m.kernels[0].args[1].offset = 1;
  EXPECT_FALSE(print_metadata_yaml(m).ok());
}

}  // namespace
}  // namespace cuvette::hsa
