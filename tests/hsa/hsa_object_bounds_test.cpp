// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Addresses in a code object stay inside of the object, and every error has its place in
// the file. Meanings from the ELF gABI (symbol table, relocation, program header)
// and LLVM's AMDGPU User Guide (ELF Code Object).
#include <cstddef>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hsa_elf_edit.h"
#include "hsa_objects.h"

namespace cuvette::hsa {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint64_t kGuardBytes = 0x40000;
constexpr uint8_t kGuardByte = 0x55;

/// Loads beside memory of somebody else, which has to stay as it is. The error, or "".
std::string error_of(const ElfEdit& object) {
  DeviceMemory memory;
  const std::vector<uint8_t> guard(kGuardBytes, kGuardByte);
  const uint64_t before = *memory.allocate(kGuardBytes);
  EXPECT_TRUE(memory.write(before, guard.data(), guard.size()).ok());
  const auto code =
      load_code_object(object.bytes(), "x.co", memory, default_machine(Processor::Gfx908));
  std::vector<uint8_t> after(kGuardBytes);
  EXPECT_TRUE(memory.read(before, after.data(), after.size()).ok());
  EXPECT_EQ(after, guard) << "memory of others was written";
  return code.ok() ? "" : code.error().str();
}

std::string at(size_t offset, const std::string& what) {
  return fmt::format("x.co:+{:#x}: error: {}", offset, what);
}

TEST(HsaObjectBounds, PlacesOfRelocations) {
  CUVETTE_NEED_KERNELS();
  for (const char* name : {"pointer_table.gfx908.v5", "pointer_table_hidden.gfx908.v5"}) {
    const ElfEdit good(kernel_bytes(name));
    ASSERT_EQ(error_of(good), "");
    const size_t entry = good.entry(SHT_RELA, -1);
    const auto place = good.get<uint64_t>(entry);
    uint64_t end = 0;  // of the segment that has it
    for (size_t i = 0; i < good.header().e_phnum; ++i) {
      const auto p = good.get<Elf64_Phdr>(good.segment(i));
      const bool has = p.p_type == PT_LOAD && p.p_vaddr <= place && place < p.p_vaddr + p.p_memsz;
      if (has) end = p.p_vaddr + p.p_memsz;
    }
    ASSERT_NE(end, 0u);
    for (const uint64_t outside : {uint64_t{0} - 0x22000, uint64_t{0} - 8, end - 7, end,
                                   end + 0x100000, std::numeric_limits<uint64_t>::max() - 3}) {
      ElfEdit bad = good;
      bad.set(entry, outside);
      EXPECT_EQ(error_of(bad),
                at(entry, fmt::format("relocation at {:#x} of the object: its place is outside of "
                                      "the object's segments",
                                      outside)))
          << name;
    }
    ElfEdit last = good;
    last.set(entry, end - 8);
    EXPECT_EQ(error_of(last), "") << "the last bytes of the segment";
  }
}

TEST(HsaObjectBounds, ValuesOfRelocations) {
  CUVETTE_NEED_KERNELS();
  // By symbol and relative: the sum is an address of the object, or the one behind its last byte.
  for (const char* name : {"pointer_table.gfx908.v5", "pointer_table_hidden.gfx908.v5"}) {
    const ElfEdit good(kernel_bytes(name));
    const size_t entry = good.entry(SHT_RELA, -1);
    const size_t addend = entry + offsetof(Elf64_Rela, r_addend);
    for (const int64_t beyond : {int64_t{-0x22000}, int64_t{0x22000}, int64_t{1} << 40}) {
      ElfEdit bad = good;
      bad.set(addend, beyond);
      const std::string error = error_of(bad);
      EXPECT_THAT(error, StartsWith(at(entry, "relocation at "))) << name << " " << beyond;
      EXPECT_THAT(error, HasSubstr("its value, is outside of the segments"));
    }
  }
  // A variable that is elsewhere leads all of its relocations there.
  ElfEdit bad(kernel_bytes("pointer_table.gfx908.v5"));
  const size_t symbol = bad.symbol(SHT_DYNSYM, "values");
  bad.set(symbol + offsetof(Elf64_Sym, st_value), uint64_t{0x900000});
  EXPECT_THAT(error_of(bad), HasSubstr("its value, is outside of the segments"));
}

TEST(HsaObjectBounds, KernelsAndVariables) {
  CUVETTE_NEED_KERNELS();
  const ElfEdit good(kernel_bytes("pointer_table.gfx908.v5"));
  const auto moved = [&](const char* name, uint64_t value, uint16_t section = 0) {
    ElfEdit bad = good;
    const size_t symbol = bad.symbol(SHT_SYMTAB, name);
    bad.set(symbol + offsetof(Elf64_Sym, st_value), value);
    if (section != 0) bad.set(symbol + offsetof(Elf64_Sym, st_shndx), section);
    return error_of(bad);
  };
  const size_t kernel = good.symbol(SHT_SYMTAB, "follow.kd");
  // A descriptor where somebody else's bytes are, in front of the object and far behind it.
  EXPECT_EQ(moved("follow.kd", uint64_t{0} - 0x20000),
            at(kernel,
               "symbol 'follow.kd' at 0xfffffffffffe0000, 0x40 bytes, is outside of the "
               "object's segments"));
  EXPECT_THAT(moved("follow.kd", 0x7ffff000), StartsWith(at(kernel, "symbol 'follow.kd'")));
  // At an address of its own, not of the object.
  EXPECT_EQ(moved("follow.kd", 0x100000000, SHN_ABS),
            at(kernel,
               "kernel follow: its descriptor at 0x100000000, 64 bytes, is outside of the "
               "object's segments"));
  EXPECT_THAT(moved("follow", uint64_t{1} << 33),
              StartsWith(at(good.symbol(SHT_SYMTAB, "follow"), "symbol 'follow'")));
  EXPECT_THAT(moved("values", uint64_t{1} << 33),
              StartsWith(at(good.symbol(SHT_SYMTAB, "values"), "symbol 'values'")));
  // One byte longer than what is left.
  ElfEdit wide = good;
  const size_t values = wide.symbol(SHT_SYMTAB, "values");
  wide.set(values + offsetof(Elf64_Sym, st_size), uint64_t{0x100000});
  EXPECT_THAT(error_of(wide), StartsWith(at(values, "symbol 'values'")));

  // The entry in code that is executable, but of another object: what 16 MiB before may be.
  ElfEdit entry = good;
  const auto descriptor = good.get<Elf64_Sym>(kernel).st_value;
  const size_t place = good.offset_of(descriptor);
  constexpr size_t kEntryAt = 16;  // kernel_code_entry_byte_offset
  entry.set(place + kEntryAt, entry.get<int64_t>(place + kEntryAt) - 0x1000000);
  EXPECT_THAT(error_of(entry), StartsWith(at(place, "kernel follow: entry at ")));
  ElfEdit reserved = good;
  reserved.set(place + 12, uint32_t{1});
  EXPECT_THAT(error_of(reserved), StartsWith(at(place, "kernel follow: kernel descriptor: ")));
}

// LLVM's AMDGPU User Guide, "Code Object V3 Kernel Descriptor" and "Code Object V3 Metadata".
TEST(HsaObjectBounds, DescriptorsThatContradictThemselves) {
  CUVETTE_NEED_KERNELS();
  const ElfEdit good(kernel_bytes("pointer_table.gfx908.v5"));
  const auto descriptor = good.get<Elf64_Sym>(good.symbol(SHT_SYMTAB, "follow.kd")).st_value;
  const size_t place = good.offset_of(descriptor);
  constexpr size_t kKernargSize = 8, kRsrc2 = 52;
  const auto rsrc2 = good.get<uint32_t>(place + kRsrc2);
  ElfEdit few = good;
  few.set(place + kRsrc2, rsrc2 & ~0x3eu);  // user_sgpr_count
  EXPECT_THAT(error_of(few), StartsWith(at(place, "kernel follow: user_sgpr_count is 0, but ")));
  ElfEdit ids = good;
  ids.set(place + kRsrc2, rsrc2 | 3u << 11);  // enable_vgpr_workitem_id
  EXPECT_EQ(error_of(ids),
            at(place, "kernel follow: enable_vgpr_workitem_id is 3, expected 0 to 2"));
  ElfEdit small = good;
  small.set(place + kKernargSize, uint32_t{4});
  constexpr size_t kNoteHead = sizeof(Elf64_Nhdr) + sizeof "AMDGPU" + 1;  // the name is padded
  const size_t note =
      good.get<Elf64_Shdr>(good.section(good.section_of(SHT_NOTE))).sh_offset + kNoteHead;
  EXPECT_THAT(error_of(small), StartsWith(at(note, "kernel follow: metadata says ")));
  EXPECT_THAT(error_of(small), HasSubstr("outside of the kernarg segment of 4 bytes"));
}

TEST(HsaObjectBounds, EntryInAnotherObject) {
  CUVETTE_NEED_KERNELS();
  // Two objects loaded one after the other: the second one's entry is that of the first.
  DeviceMemory memory;
  const auto machine = default_machine(Processor::Gfx908);
  const ElfEdit good(kernel_bytes("pointer_table.gfx908.v5"));
  const auto first = load_code_object(good.bytes(), "a.co", memory, machine);
  ASSERT_TRUE(first.ok());
  DeviceMemory twin;  // gives the same addresses
  ASSERT_TRUE(load_code_object(good.bytes(), "a.co", twin, machine).ok());
  const auto second = load_code_object(good.bytes(), "b.co", twin, machine);
  ASSERT_TRUE(second.ok());
  const auto distance = static_cast<int64_t>(second->base - first->base);
  ASSERT_GT(distance, 0);
  ElfEdit bad = good;
  const auto descriptor = good.get<Elf64_Sym>(good.symbol(SHT_SYMTAB, "follow.kd")).st_value;
  const size_t place = good.offset_of(descriptor);
  constexpr size_t kEntryAt = 16;
  bad.set(place + kEntryAt, bad.get<int64_t>(place + kEntryAt) - distance);
  const auto code = load_code_object(bad.bytes(), "b.co", memory, machine);
  ASSERT_FALSE(code.ok());
  EXPECT_THAT(code.error().str(), HasSubstr("is not executable"));
}

TEST(HsaObjectBounds, SectionsOfSymbols) {
  CUVETTE_NEED_KERNELS();
  const ElfEdit good(kernel_bytes("pointer_table.gfx908.v5"));
  const uint16_t sections = good.header().e_shnum;
  const struct {
    uint16_t section;
    const char* why;
  } cases[] = {{sections, ""},
               {0xfeff, ""},
               {0xff00, " (group memory that a linker has not placed)"},
               {0xff1f, " (reserved)"},
               {SHN_COMMON, " (common data that a linker has not placed)"},
               {SHN_XINDEX, " (extended numbering)"}};
  for (const uint32_t table : {uint32_t{SHT_SYMTAB}, uint32_t{SHT_DYNSYM}}) {
    for (const auto& c : cases) {
      ElfEdit bad = good;
      const size_t symbol = bad.symbol(table, "values");
      bad.set(symbol + offsetof(Elf64_Sym, st_shndx), c.section);
      EXPECT_EQ(error_of(bad),
                at(symbol, fmt::format("symbol 'values' of section {:#x}{}, expected one of the {} "
                                       "sections of the file or an absolute one (0xfff1)",
                                       c.section, c.why, sections)));
    }
  }
}

TEST(HsaObjectBounds, LinksOfSections) {
  CUVETTE_NEED_KERNELS();
  const size_t link = offsetof(Elf64_Shdr, sh_link);
  const ElfEdit good(kernel_bytes("pointer_table.gfx908.v5"));
  const size_t relocations = good.section(good.section_of(SHT_RELA));
  for (const uint32_t wrong : {uint32_t{0}, static_cast<uint32_t>(good.section_of(SHT_SYMTAB)),
                               uint32_t{1}, uint32_t{good.header().e_shnum}, 0xffffffffu}) {
    ElfEdit bad = good;
    bad.set(relocations + link, wrong);
    EXPECT_EQ(error_of(bad),
              at(relocations, fmt::format("relocations of the symbols of section {}, "
                                          "expected the dynamic symbol table",
                                          wrong)));
  }
  // Relative ones refer to no symbol, and need no table then.
  ElfEdit hidden(kernel_bytes("pointer_table_hidden.gfx908.v5"));
  hidden.set(hidden.section(hidden.section_of(SHT_RELA)) + link, uint32_t{0});
  EXPECT_EQ(error_of(hidden), "");

  ElfEdit names = good;
  const size_t table = names.section(names.section_of(SHT_DYNSYM));
  names.set(table + link, uint32_t{1});
  EXPECT_THAT(error_of(names), StartsWith(at(table, "the names of a symbol table in section 1")));
  ElfEdit odd = good;
  odd.set(relocations + offsetof(Elf64_Shdr, sh_size),
          good.get<Elf64_Shdr>(relocations).sh_size - 1);
  EXPECT_THAT(error_of(odd), HasSubstr("expected a multiple of 24"));
}

TEST(HsaObjectBounds, SegmentsAreToldByTheirHeader) {
  CUVETTE_NEED_KERNELS();
  const ElfEdit good(kernel_bytes("pointer_table.gfx908.v5"));
  size_t first = 0;  // the segment at offset 0 of the file
  for (size_t i = 0; i < good.header().e_phnum; ++i) {
    const auto p = good.get<Elf64_Phdr>(good.segment(i));
    if (p.p_type == PT_LOAD && p.p_offset == 0) first = good.segment(i);
  }
  ASSERT_NE(first, 0u);
  const struct {
    size_t field;
    uint64_t value;
    const char* what;
  } cases[] = {
      {offsetof(Elf64_Phdr, p_align), 3, "segment aligned to 0x3, expected a power of two"},
      {offsetof(Elf64_Phdr, p_vaddr), uint64_t{1} << 32, "segment at 0x100000000"},
      {offsetof(Elf64_Phdr, p_memsz), 1, "segment "},
      {offsetof(Elf64_Phdr, p_filesz), uint64_t{1} << 40, "truncated: segment "}};
  for (const auto& c : cases) {
    ElfEdit bad = good;
    bad.set(first + c.field, c.value);
    EXPECT_THAT(error_of(bad), StartsWith(at(first, c.what)));
  }
}

/// A symbol of a fixed address is at that address, not at one of the object.
TEST(HsaObjectBounds, AbsoluteSymbols) {
  CUVETTE_NEED_KERNELS();
  ElfEdit object(kernel_bytes("pointer_table.gfx908.v5"));
  const size_t symbol = object.symbol(SHT_SYMTAB, "values");
  object.set(symbol + offsetof(Elf64_Sym, st_value), uint64_t{0x7000});
  object.set(symbol + offsetof(Elf64_Sym, st_shndx), uint16_t{SHN_ABS});
  DeviceMemory memory;
  const auto code =
      load_code_object(object.bytes(), "x.co", memory, default_machine(Processor::Gfx908));
  ASSERT_TRUE(code.ok()) << code.error().str();
  for (const LoadedSymbol& s : code->symbols) {
    if (s.name == "values") {
      EXPECT_EQ(s.address, 0x7000u);
    }
  }
}

}  // namespace
}  // namespace cuvette::hsa
