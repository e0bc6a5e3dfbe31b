// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// A code object taken apart by <elf.h>, apart from the parser under test, with the places of its
// fields in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <elf.h>
#include <gtest/gtest.h>

namespace cuvette::hsa {

class ElfEdit {
 public:
  explicit ElfEdit(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}

  const std::vector<uint8_t>& bytes() const { return bytes_; }
  template <class T>
  T get(size_t at) const {
    T value{};
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  template <class T>
  void set(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  Elf64_Ehdr header() const { return get<Elf64_Ehdr>(0); }
  size_t segment(size_t index) const { return header().e_phoff + index * sizeof(Elf64_Phdr); }
  size_t section(size_t index) const { return header().e_shoff + index * sizeof(Elf64_Shdr); }
  /// The index of the first section of a type.
  size_t section_of(uint32_t type) const {
    for (size_t i = 0; i < header().e_shnum; ++i) {
      if (get<Elf64_Shdr>(section(i)).sh_type == type) return i;
    }
    ADD_FAILURE() << "no section of type " << type;
    return 0;
  }
  /// The place of entry `index` of the first section of a type, from its end where negative.
  size_t entry(uint32_t type, ptrdiff_t index) const {
    const auto s = get<Elf64_Shdr>(section(section_of(type)));
    const auto count = static_cast<ptrdiff_t>(s.sh_size / s.sh_entsize);
    return s.sh_offset + s.sh_entsize * static_cast<size_t>(index < 0 ? count + index : index);
  }
  /// The entry of a symbol in the table of a type.
  size_t symbol(uint32_t type, const std::string& name) const {
    const auto s = get<Elf64_Shdr>(section(section_of(type)));
    const auto strings = get<Elf64_Shdr>(section(s.sh_link));
    for (size_t at = s.sh_offset; at < s.sh_offset + s.sh_size; at += s.sh_entsize) {
      const size_t text = strings.sh_offset + get<Elf64_Sym>(at).st_name;
      if (name == reinterpret_cast<const char*>(bytes_.data() + text)) return at;
    }
    ADD_FAILURE() << "no symbol " << name;
    return 0;
  }
  /// The offset in the file of an address.
  size_t offset_of(uint64_t address) const {
    for (size_t i = 0; i < header().e_phnum; ++i) {
      const auto p = get<Elf64_Phdr>(segment(i));
      if (p.p_type != PT_LOAD || address < p.p_vaddr) continue;
      if (address - p.p_vaddr < p.p_filesz) return p.p_offset + (address - p.p_vaddr);
    }
    ADD_FAILURE() << "no bytes at " << address;
    return 0;
  }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace cuvette::hsa
