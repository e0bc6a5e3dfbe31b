// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/brig_elf.h"

#include <cstring>
#include <string_view>

#include "hsail/rules.h"

namespace cuvette::hsail {

namespace {

/// Byte offsets and sizes of the two classes (System V ABI).
struct ElfClass {
  size_t word;  ///< of addresses, offsets and sizes
  size_t header_bytes;
  size_t shoff_at, flags_at, shentsize_at;
  size_t section_bytes, symbol_bytes;
  uint16_t machine;
};
constexpr ElfClass kElf32{4, 52, 32, 36, 46, 40, 16, kElfMachineHsail32};
constexpr ElfClass kElf64{8, 64, 40, 48, 58, 64, 24, kElfMachineHsail64};

constexpr size_t kMostSections = 65535;

uint64_t get(const uint8_t* p, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= uint64_t{p[i]} << (8 * i);
  return value;
}

void put(std::vector<uint8_t>* out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out->push_back(static_cast<uint8_t>(value >> (8 * i)));
}

struct Section {
  uint32_t name, type, flags;
  uint64_t offset, size;
  uint32_t link;
  uint64_t align, entry;
};

void put_section(std::vector<uint8_t>* out, const ElfClass& c, const Section& s) {
  put(out, s.name, 4);
  put(out, s.type, 4);
  put(out, s.flags, c.word);
  put(out, 0, c.word);  // address
  put(out, s.offset, c.word);
  put(out, s.size, c.word);
  put(out, s.link, 4);
  put(out, 0, 4);  // info
  put(out, s.align, c.word);
  put(out, s.entry, c.word);
}

void align(std::vector<uint8_t>* out, size_t n) {
  out->resize((out->size() + n - 1) / n * n);
}

size_t append(std::vector<uint8_t>* out, std::string_view bytes, size_t alignment) {
  align(out, alignment);
  const size_t at = out->size();
  out->insert(out->end(), bytes.begin(), bytes.end());
  return at;
}

}  // namespace

bool is_elf(const uint8_t* data, size_t size) {
  return size >= 4 && std::memcmp(data,
                                  "\x7f"
                                  "ELF",
                                  4) == 0;
}

base::Result<BrigSpan> find_brig_section(const uint8_t* data, size_t size,
                                         const std::string& file) {
  const auto error = [&](uint64_t offset, const std::string& what) {
    return rule_error({Rule::kBrigElf, what}, {.file = file, .offset = offset});
  };
  constexpr size_t kIdentBytes = 16;
  if (!is_elf(data, size) || size < kIdentBytes) return error(0, "not an ELF file");
  if ((data[4] != 1 && data[4] != 2) || data[5] != 1) {
    return error(4, "expected a little-endian ELF32 or ELF64 file");
  }
  const ElfClass& c = data[4] == 1 ? kElf32 : kElf64;
  if (size < c.header_bytes) return error(size, "the ELF header is cut off");
  const uint64_t table = get(data + c.shoff_at, c.word);
  const size_t entry = get(data + c.shentsize_at, 2);
  const size_t count = get(data + c.shentsize_at + 2, 2);
  const size_t names = get(data + c.shentsize_at + 4, 2);
  if (entry < c.section_bytes || table > size || count * entry > size - table || count == 0) {
    return error(c.shoff_at, "the ELF section table lies outside the file");
  }
  struct View {
    uint64_t name, offset, size;
  };
  const auto section = [&](size_t i) {
    const uint8_t* p = data + table + i * entry;
    return View{get(p, 4), get(p + 8 + 2 * c.word, c.word), get(p + 8 + 3 * c.word, c.word)};
  };
  if (names >= count) return error(c.shentsize_at + 4, "the ELF file has no section names");
  const View strings = section(names);
  if (strings.offset > size || strings.size > size - strings.offset) {
    return error(table + names * entry, "the ELF section names lie outside the file");
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + strings.offset, strings.size);
  for (size_t i = 1; i < count && i < kMostSections; ++i) {
    const View s = section(i);
    if (s.name >= text.size()) continue;
    const std::string_view name = text.substr(s.name, text.find('\0', s.name) - s.name);
    if (name != ".brig" && name != "hsa_brig") continue;
    if (s.offset > size || s.size > size - s.offset) {
      return error(table + i * entry, "the section .brig lies outside the file");
    }
    return BrigSpan{static_cast<size_t>(s.offset), static_cast<size_t>(s.size)};
  }
  return error(table, "the ELF file has no section .brig");
}

std::vector<uint8_t> wrap_elf(const std::vector<uint8_t>& brig, bool wide) {
  using namespace std::string_view_literals;
  constexpr uint32_t kProgbits = 1;
  constexpr uint32_t kSymtab = 2;
  constexpr uint32_t kStrtab = 3;
  constexpr uint32_t kStringsFlag = 0x20;
  constexpr size_t kSections = 5;
  const ElfClass& c = wide ? kElf64 : kElf32;

  std::vector<uint8_t> out(c.header_bytes);
  const size_t brig_at =
      append(&out, {reinterpret_cast<const char*>(brig.data()), brig.size()}, 16);
  const auto strings = "\0__BRIG__\0"sv;
  const size_t strings_at = append(&out, strings, 1);
  align(&out, 8);
  const size_t symbols_at = out.size();
  out.resize(out.size() + c.symbol_bytes);
  put(&out, 1, 4);  // name
  constexpr uint8_t kLocalObject = 1;
  if (wide) {
    put(&out, kLocalObject, 2);  // info, other
    put(&out, 1, 2);             // section
    put(&out, 0, 8);             // value
    put(&out, brig.size(), 8);
  } else {
    put(&out, 0, 4);
    put(&out, brig.size(), 4);
    put(&out, kLocalObject, 2);
    put(&out, 1, 2);
  }
  const auto names = "\0.brig\0.strtab\0.symtab\0.shstrtab\0"sv;
  const size_t names_at = append(&out, names, 1);
  align(&out, 4);
  const size_t table_at = out.size();
  put_section(&out, c, {});
  put_section(&out, c, {1, kProgbits, 0, brig_at, brig.size(), 0, 16, 0});
  put_section(&out, c, {7, kStrtab, kStringsFlag, strings_at, strings.size(), 0, 1, 0});
  put_section(&out, c, {15, kSymtab, 0, symbols_at, 2 * c.symbol_bytes, 2, 8, c.symbol_bytes});
  put_section(&out, c, {23, kStrtab, kStringsFlag, names_at, names.size(), 0, 1, 0});

  std::vector<uint8_t> head = {0x7f, 'E', 'L', 'F', static_cast<uint8_t>(wide ? 2 : 1), 1, 1};
  head.resize(16);
  put(&head, 1, 2);  // relocatable
  put(&head, c.machine, 2);
  put(&head, 1, 4);       // version
  put(&head, 0, c.word);  // entry
  put(&head, 0, c.word);  // program headers
  put(&head, table_at, c.word);
  put(&head, 1, 4);  // flags
  put(&head, c.header_bytes, 2);
  put(&head, 0, 4);  // program header size and count
  put(&head, c.section_bytes, 2);
  put(&head, kSections, 2);
  put(&head, kSections - 1, 2);
  std::memcpy(out.data(), head.data(), head.size());
  return out;
}

}  // namespace cuvette::hsail
