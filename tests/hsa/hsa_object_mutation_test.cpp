// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Mutated code objects: fields of their structures (ELF header, segments, sections, symbols,
// relocations, notes, kernel descriptors, bundle entries) get values that are near a border. An
// object that loads lies inside of its own memory, one that does not is refused with the place, and
// memory of others stays as it is. CUVETTE_MUTATIONS: the number; CUVETTE_MUTATION_SEED: the
// choice; a failure names seed and round, which give the same mutation again.
#include <algorithm>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "hsa/dispatch.h"
#include "hsa/kernarg.h"
#include "hsa_elf_edit.h"
#include "hsa_objects.h"
#include "offload_bundle.h"

namespace cuvette::hsa {
namespace {

constexpr uint64_t kNeighbourBytes = 0x10000;
constexpr uint8_t kNeighbourByte = 0x55;

uint64_t setting(const char* name, uint64_t usual) {
  const char* text = std::getenv(name);
  return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

struct Field {
  size_t at = 0;
  unsigned bytes = 0;
};

/// Every field that says how the rest is to be read, all of one structure beside each other.
std::vector<Field> fields_of(const ElfEdit& e, size_t start) {
  std::vector<Field> out;
  const auto add = [&](size_t at, std::initializer_list<unsigned> widths) {
    for (const unsigned width : widths) {
      out.push_back({start + at, width});
      at += width;
    }
  };
  add(4, {1, 1, 1, 1, 1});
  add(16, {2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2});
  const Elf64_Ehdr header = e.header();
  for (size_t i = 0; i < header.e_phnum; ++i) add(e.segment(i), {4, 4, 8, 8, 8, 8, 8, 8});
  for (size_t i = 0; i < header.e_shnum; ++i) {
    add(e.section(i), {4, 4, 8, 8, 8, 8, 4, 4, 8, 8});
    const auto s = e.get<Elf64_Shdr>(e.section(i));
    for (uint64_t at = s.sh_offset;
         s.sh_entsize != 0 && at + s.sh_entsize <= s.sh_offset + s.sh_size; at += s.sh_entsize) {
      if (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM) add(at, {4, 1, 1, 2, 8, 8});
      if (s.sh_type == SHT_RELA) add(at, {8, 4, 4, 8});
    }
    if (s.sh_type == SHT_NOTE) {
      add(s.sh_offset, {4, 4, 4});
      for (uint64_t at = s.sh_offset; at < s.sh_offset + s.sh_size; ++at) add(at, {1});
    }
  }
  for (const uint32_t table : {uint32_t{SHT_SYMTAB}}) {
    const auto s = e.get<Elf64_Shdr>(e.section(e.section_of(table)));
    for (uint64_t at = s.sh_offset; at + 24 <= s.sh_offset + s.sh_size; at += 24) {
      const auto symbol = e.get<Elf64_Sym>(at);
      const bool descriptor = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size == 64;
      if (descriptor)
        add(e.offset_of(symbol.st_value), {4, 4, 4, 4, 8, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2});
    }
  }
  return out;
}

class Mutator {
 public:
  Mutator(std::vector<uint8_t> good, std::vector<Field> fields)
      : good_(std::move(good)), fields_(std::move(fields)) {}

  std::vector<uint8_t> mutate(std::mt19937_64& random) const {
    std::vector<uint8_t> bytes = good_;
    const unsigned changes = 1 + random() % 3;
    for (unsigned i = 0; i < changes; ++i) change(bytes, random);
    if (random() % 16 == 0) bytes.resize(random() % (bytes.size() + 1));
    return bytes;
  }

 private:
  static uint64_t read(const std::vector<uint8_t>& bytes, const Field& f) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + f.at, f.bytes);
    return value;
  }
  void change(std::vector<uint8_t>& bytes, std::mt19937_64& random) const {
    const Field& f = fields_[random() % fields_.size()];
    const uint64_t old = read(bytes, f);
    const uint64_t step = uint64_t{1} << random() % 64;
    const uint64_t values[] = {0,
                               ~uint64_t{0},
                               old + 1,
                               old - 1,
                               old + step,
                               old - step,
                               old ^ step,
                               step,
                               step - 1,
                               ~step,
                               bytes.size(),
                               bytes.size() - old,
                               read(bytes, fields_[random() % fields_.size()]),
                               uint64_t{0} - 0x22000,
                               random()};
    const uint64_t value = values[random() % std::size(values)];
    std::memcpy(bytes.data() + f.at, &value, f.bytes);
  }

  std::vector<uint8_t> good_;
  std::vector<Field> fields_;
};

/// Loads and, when that works, uses what was loaded. True when it loaded.
bool digest_guarded(const std::vector<uint8_t>& bytes, const TargetId& machine) {
  static const std::vector<uint8_t> kGuard(kNeighbourBytes, kNeighbourByte);
  DeviceMemory memory;
  const uint64_t guard = *memory.allocate(kNeighbourBytes);
  EXPECT_TRUE(memory.write(guard, kGuard.data(), kGuard.size()).ok());
  const auto code = load_code_object(bytes, "x.co", memory, machine);
  std::vector<uint8_t> after(kNeighbourBytes);
  EXPECT_TRUE(memory.read(guard, after.data(), after.size()).ok());
  EXPECT_TRUE(after == kGuard) << "memory of others was written";
  if (!code) {
    EXPECT_FALSE(code.error().what.empty());
    EXPECT_EQ(code.error().str().rfind("x.co:+0x", 0), 0u) << code.error().str();
    return false;
  }
  const auto inside = [&](uint64_t address, uint64_t size) {
    return address >= code->base && size <= code->bytes &&
           address - code->base <= code->bytes - size;
  };
  for (const KernelInfo& kernel : code->kernels) {
    EXPECT_TRUE(inside(kernel.descriptor, 64)) << kernel.name;
    EXPECT_TRUE(inside(kernel.entry, 4)) << kernel.name;
    EXPECT_TRUE(kernel.code_end == 0 || inside(kernel.code_end, 0)) << kernel.name;
    (void)initial_layout(kernel).ok();
    std::vector<std::vector<uint8_t>> args;
    for (const KernelArg* arg : explicit_args(kernel)) {
      args.emplace_back(std::min<uint64_t>(arg->size, 1 << 16), uint8_t{0});
    }
    (void)fill_kernarg(kernel, args, {}, {}).ok();
  }
  return true;
}

TEST(HsaObjectMutation, StaysInsideAndSaysWhere) {
  CUVETTE_NEED_KERNELS();
  const uint64_t rounds = setting("CUVETTE_MUTATIONS", 6000);
  const uint64_t seed = setting("CUVETTE_MUTATION_SEED", 0);
  std::vector<std::string> objects = {"pointer_table.gfx908.v5", "pointer_table_hidden.gfx908.v5",
                                      "saxpy.gfx90a.v5", "tables.gfx908.v4"};
  if (CUVETTE_OPENCL_KERNELS_OLD) {
    objects.push_back("saxpy.gfx900xnack-.v2");
    objects.push_back("reduce.gfx908sramecc+xnack-.v3");
  }
  std::vector<std::pair<Mutator, TargetId>> mutators;
  for (const std::string& object : objects) {
    const auto bytes = kernel_bytes(object);
    const TargetId machine = machine_for(object);
    ASSERT_TRUE(digest_guarded(bytes, machine)) << object;
    mutators.emplace_back(Mutator(bytes, fields_of(ElfEdit(bytes), 0)), machine);
  }
  // The same inside of a bundle, whose own fields change too.
  const auto code = kernel_bytes(objects.front());
  const std::string id = "hip-amdgcn-amd-amdhsa--gfx908";
  const auto bundle = offload_bundle({{"host-x86_64--", {}}, {id, code}});
  const size_t start = bundle.size() - code.size();
  std::vector<Field> fields = fields_of(ElfEdit(code), start);
  const size_t own = fields.size();
  for (const size_t at : {24, 32, 40, 48, 69, 77, 85}) {
    // As often as all the others together.
    for (size_t i = 0; i < own / 7; ++i) fields.push_back({at, 8});
  }
  mutators.emplace_back(Mutator(bundle, fields), machine_for(objects.front()));

  uint64_t refused = 0;
  for (uint64_t round = 0; round < rounds; ++round) {
    // Each round by itself: one that fails is run again without those before it.
    std::mt19937_64 random(seed * 0x9e3779b97f4a7c15 + round);
    const auto& [mutator, machine] = mutators[random() % mutators.size()];
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    refused += digest_guarded(mutator.mutate(random), machine) ? 0 : 1;
    if (HasFailure()) return;
  }
  EXPECT_GT(refused, rounds / 4) << "mutations have to be noticed";
  EXPECT_LT(refused, rounds) << "and many are harmless";
}

}  // namespace
}  // namespace cuvette::hsa
