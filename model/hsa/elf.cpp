// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/elf.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bits.h"
#include "hsa/file_error.h"

namespace cuvette::hsa {
namespace {

constexpr uint16_t kTypeRelocatable = 1;
constexpr uint16_t kTypeShared = 3;
constexpr uint32_t kSegmentNote = 4;
constexpr uint32_t kSectionSymbols = 2;
constexpr uint32_t kSectionStrings = 3;
constexpr uint32_t kSectionRela = 4;
constexpr uint32_t kSectionNote = 7;
constexpr uint32_t kSectionRel = 9;
constexpr uint32_t kSectionDynamicSymbols = 11;
constexpr uint64_t kSectionAlloc = 2;
constexpr size_t kHeaderBytes = 64;
constexpr size_t kSegmentBytes = 56;
constexpr size_t kSectionBytes = 64;
constexpr size_t kSymbolBytes = 24;
constexpr size_t kRelaBytes = 24;
constexpr uint64_t kMaxNameBytes = 1 << 16;
// Tables that overlap each other must not multiply memory.
constexpr uint64_t kMaxAllNames = 64 << 20;
constexpr size_t kMaxNotes = 65536;
// Section numbers that mean something else (ELF gABI, "Special Section Indexes"; LLVM AMDGPU User
// Guide, "Symbols").
constexpr uint16_t kFirstReserved = 0xff00;
constexpr uint16_t kGroupMemory = 0xff00;  // SHN_AMDGPU_LDS
constexpr uint16_t kCommon = 0xfff2;
constexpr uint16_t kExtended = 0xffff;

struct Section {
  uint64_t entry = 0;  // offset of its header in the file
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t link = 0;
  uint64_t entry_bytes = 0;
};

class Parser {
 public:
  Parser(const uint8_t* data, size_t bytes, const std::string& file)
      : data_(data), size_(bytes), file_(file) {}

  base::Result<ElfFile> run() {
    using Step = base::Status (Parser::*)();
    constexpr Step kSteps[] = {&Parser::header,  &Parser::segments,    &Parser::sections,
                               &Parser::symbols, &Parser::relocations, &Parser::notes};
    for (Step step : kSteps) {
      if (auto status = (this->*step)(); !status) return status.error();
    }
    return std::move(out_);
  }

 private:
  base::Error error(uint64_t offset, const std::string& what) const {
    return error_in_file(file_, offset, what);
  }
  bool inside(uint64_t offset, uint64_t bytes) const {
    return bytes <= size_ && offset <= size_ - bytes;
  }
  base::Error truncated(uint64_t offset, uint64_t bytes, const char* what) const {
    return error(offset, fmt::format("truncated: {} takes {} bytes, the file has {}", what, bytes,
                                     size_ > offset ? size_ - offset : 0));
  }
  /// Little-endian field; the caller has checked that it is inside.
  template <class T>
  T get(uint64_t offset) const {
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) value |= uint64_t{data_[offset + i]} << (8 * i);
    return static_cast<T>(value);
  }

  base::Status header();
  base::Status segments();
  base::Status sections();
  base::Status symbols();
  base::Status relocations();
  base::Status notes();
  base::Status notes_in(uint64_t offset, uint64_t bytes);
  base::Status table(const Section& section, size_t entry_bytes, const char* what) const;
  base::Status read_symbols(const Section& section, std::vector<ElfSymbol>* to);
  base::Status check_section(const ElfSymbol& symbol) const;
  base::Status check_relocation_symbols(const Section& section) const;
  base::Result<std::string> name_at(const Section& strings, uint64_t index);

  const uint8_t* data_;
  size_t size_;
  const std::string& file_;
  ElfFile out_;
  std::vector<Section> sections_;
  uint64_t names_ = 0;
};

base::Status Parser::header() {
  constexpr uint8_t kMagic[4] = {0x7f, 'E', 'L', 'F'};
  if (size_ < 4 || !std::equal(kMagic, kMagic + 4, data_)) {
    return error(0, "not an ELF file, expected the bytes 7f 45 4c 46");
  }
  if (!inside(0, kHeaderBytes)) return truncated(0, kHeaderBytes, "the ELF header");
  if (data_[4] != 2 || data_[5] != 1) {
    return error(4, fmt::format("ELF class {} and byte order {}, expected 2 (64-bit) and 1 "
                                "(little-endian)",
                                data_[4], data_[5]));
  }
  const auto machine = get<uint16_t>(18);
  if (machine != kElfMachineAmdgpu) {
    return error(
        18, fmt::format("ELF for machine {}, expected {} (AMDGPU)", machine, kElfMachineAmdgpu));
  }
  out_.os_abi = data_[7];
  out_.abi_version = data_[8];
  if (out_.os_abi != kElfOsAbiAmdgpuHsa) {
    return error(
        7, fmt::format("ELF OS ABI {}, expected {} (AMDGPU HSA)", out_.os_abi, kElfOsAbiAmdgpuHsa));
  }
  out_.type = get<uint16_t>(16);
  if (out_.type != kTypeShared) {
    const std::string command =
        out_.type == kTypeRelocatable
            ? fmt::format(": 'ld.lld -shared {} -o {}.co' makes one", file_, file_)
            : "";
    return error(16, fmt::format("ELF type {}, expected {} (a linked shared object){}", out_.type,
                                 kTypeShared, command));
  }
  out_.flags = get<uint32_t>(48);
  return {};
}

base::Status Parser::segments() {
  const auto offset = get<uint64_t>(32);
  const auto entry = get<uint16_t>(54);
  const auto count = get<uint16_t>(56);
  if (count == 0) return error(56, "no program headers, expected at least one segment to load");
  if (entry != kSegmentBytes) {
    return error(54, fmt::format("program headers of {} bytes, expected {}", entry, kSegmentBytes));
  }
  if (!inside(offset, count * kSegmentBytes)) {
    return truncated(offset, count * kSegmentBytes, "the program header table");
  }
  for (size_t i = 0; i < count; ++i) {
    const uint64_t at = offset + i * kSegmentBytes;
    ElfSegment s;
    s.entry = at;
    s.type = get<uint32_t>(at);
    s.flags = get<uint32_t>(at + 4);
    s.offset = get<uint64_t>(at + 8);
    s.vaddr = get<uint64_t>(at + 16);
    s.file_bytes = get<uint64_t>(at + 32);
    s.memory_bytes = get<uint64_t>(at + 40);
    s.alignment = get<uint64_t>(at + 48);
    if (s.type == kElfLoadSegment || s.type == kSegmentNote) {
      if (!inside(s.offset, s.file_bytes)) {
        return error(at, fmt::format("truncated: segment {} is {:#x} bytes at {:#x}, the file has "
                                     "{:#x}",
                                     i, s.file_bytes, s.offset, size_));
      }
      if (s.type == kElfLoadSegment && s.file_bytes > s.memory_bytes) {
        return error(at, fmt::format("segment {} has {} bytes in the file and {} in memory", i,
                                     s.file_bytes, s.memory_bytes));
      }
    }
    out_.segments.push_back(s);
  }
  return {};
}

base::Status Parser::sections() {
  const auto offset = get<uint64_t>(40);
  const auto entry = get<uint16_t>(58);
  const auto count = get<uint16_t>(60);
  if (count == 0) return error(60, "no section table, expected one with the dynamic symbols");
  if (entry != kSectionBytes) {
    return error(58, fmt::format("section headers of {} bytes, expected {}", entry, kSectionBytes));
  }
  if (!inside(offset, count * kSectionBytes)) {
    return truncated(offset, count * kSectionBytes, "the section table");
  }
  for (size_t i = 0; i < count; ++i) {
    const uint64_t at = offset + i * kSectionBytes;
    Section s;
    s.entry = at;
    s.type = get<uint32_t>(at + 4);
    s.flags = get<uint64_t>(at + 8);
    s.offset = get<uint64_t>(at + 24);
    s.bytes = get<uint64_t>(at + 32);
    s.link = get<uint32_t>(at + 40);
    s.entry_bytes = get<uint64_t>(at + 56);
    sections_.push_back(s);
  }
  return {};
}

base::Status Parser::table(const Section& section, size_t entry_bytes, const char* what) const {
  if (section.entry_bytes != entry_bytes) {
    return error(section.entry, fmt::format("{} entries of {} bytes, expected {}", what,
                                            section.entry_bytes, entry_bytes));
  }
  if (!inside(section.offset, section.bytes)) {
    return truncated(section.offset, section.bytes, what);
  }
  if (section.bytes % entry_bytes != 0) {
    return error(section.entry, fmt::format("{} of {} bytes, expected a multiple of {}", what,
                                            section.bytes, entry_bytes));
  }
  return {};
}

base::Result<std::string> Parser::name_at(const Section& strings, uint64_t index) {
  if (index >= strings.bytes) {
    return error(strings.offset,
                 fmt::format("name at {} of a string table of {} bytes", index, strings.bytes));
  }
  const uint64_t start = strings.offset + index;
  const uint64_t limit = std::min(strings.bytes - index, kMaxNameBytes);
  const void* end = std::memchr(data_ + start, 0, limit);
  if (end == nullptr) {
    return error(start, fmt::format("name without an end, expected a zero byte within {}", limit));
  }
  std::string name(reinterpret_cast<const char*>(data_ + start));
  names_ += name.size();
  if (names_ > kMaxAllNames) return error(start, "more than 64 MiB of names");
  return name;
}

base::Status Parser::read_symbols(const Section& section, std::vector<ElfSymbol>* to) {
  if (auto status = table(section, kSymbolBytes, "the symbol table"); !status) return status;
  if (section.link >= sections_.size()) {
    return error(section.entry, fmt::format("symbol table with string section {} of {}",
                                            section.link, sections_.size()));
  }
  const Section& strings = sections_[section.link];
  if (strings.type != kSectionStrings) {
    return error(section.entry,
                 fmt::format("the names of a symbol table in section {} of type {}, expected a "
                             "string table (3)",
                             section.link, strings.type));
  }
  if (!inside(strings.offset, strings.bytes)) {
    return truncated(strings.offset, strings.bytes, "the string table");
  }
  for (uint64_t at = section.offset; at + kSymbolBytes <= section.offset + section.bytes;
       at += kSymbolBytes) {
    ElfSymbol s;
    auto name = name_at(strings, get<uint32_t>(at));
    if (!name) return name.error();
    s.name = std::move(*name);
    s.type = data_[at + 4] & 15;
    s.binding = data_[at + 4] >> 4;
    s.section = get<uint16_t>(at + 6);
    s.value = get<uint64_t>(at + 8);
    s.bytes = get<uint64_t>(at + 16);
    s.entry = at;
    if (auto status = check_section(s); !status) return status;
    to->push_back(std::move(s));
  }
  return {};
}

/// The section says how the value is meant, so one that is not there leaves it without meaning.
base::Status Parser::check_section(const ElfSymbol& s) const {
  if (s.section == kElfAbsoluteSection ||
      s.section < std::min<size_t>(sections_.size(), kFirstReserved))
    return {};
  const char* why = s.section < kFirstReserved  ? ""
                    : s.section == kGroupMemory ? " (group memory that a linker has not placed)"
                    : s.section == kCommon      ? " (common data that a linker has not placed)"
                    : s.section == kExtended    ? " (extended numbering)"
                                                : " (reserved)";
  return error(s.entry, fmt::format("symbol '{}' of section {:#x}{}, expected one of the {} "
                                    "sections of the file or an absolute one ({:#x})",
                                    s.name, s.section, why, sections_.size(), kElfAbsoluteSection));
}

base::Status Parser::symbols() {
  bool dynamic = false;
  bool full = false;
  for (const Section& s : sections_) {
    if (s.type != kSectionSymbols && s.type != kSectionDynamicSymbols) continue;
    bool& seen = s.type == kSectionSymbols ? full : dynamic;
    if (seen) return error(s.entry, "a second symbol table, expected one of each kind");
    seen = true;
    auto* to = s.type == kSectionSymbols ? &out_.symbols : &out_.dynamic_symbols;
    if (auto status = read_symbols(s, to); !status) return status;
  }
  if (!dynamic) {
    constexpr uint64_t kSectionTableAt = 40;  // e_shoff
    return error(kSectionTableAt, "no dynamic symbol table");
  }
  if (!full) out_.symbols = out_.dynamic_symbols;
  return {};
}

/// sh_link of relocations is the symbol table that they count in (ELF gABI, "Special Sections").
base::Status Parser::check_relocation_symbols(const Section& s) const {
  if (s.link != 0 && s.link < sections_.size() &&
      sections_[s.link].type == kSectionDynamicSymbols) {
    return {};
  }
  // 0: they refer to no symbol.
  bool symbols = s.link != 0;
  for (uint64_t at = s.offset; at < s.offset + s.bytes; at += kRelaBytes) {
    symbols = symbols || get<uint32_t>(at + 12) != 0;
  }
  if (!symbols) return {};
  return error(s.entry,
               fmt::format("relocations of the symbols of section {}, expected the dynamic symbol "
                           "table",
                           s.link));
}

base::Status Parser::relocations() {
  for (const Section& s : sections_) {
    if ((s.flags & kSectionAlloc) == 0) continue;  // for linkers, not for loaders
    if (s.type == kSectionRel) {
      return error(s.entry, "relocations without addend, expected the form with addend");
    }
    if (s.type != kSectionRela) continue;
    if (auto status = table(s, kRelaBytes, "a relocation table"); !status) return status;
    if (auto status = check_relocation_symbols(s); !status) return status;
    if (out_.relocations.size() > (size_ - s.bytes) / kRelaBytes) {
      return error(s.entry, "relocation tables overlap each other");
    }
    for (uint64_t at = s.offset; at + kRelaBytes <= s.offset + s.bytes; at += kRelaBytes) {
      ElfRelocation r;
      r.entry = at;
      r.offset = get<uint64_t>(at);
      r.type = get<uint32_t>(at + 8);
      r.symbol = get<uint32_t>(at + 12);
      r.addend = get<int64_t>(at + 16);
      if (r.symbol >= out_.dynamic_symbols.size()) {
        return error(at, fmt::format("relocation with symbol {} of {}", r.symbol,
                                     out_.dynamic_symbols.size()));
      }
      out_.relocations.push_back(r);
    }
  }
  return {};
}

base::Status Parser::notes_in(uint64_t offset, uint64_t bytes) {
  const uint64_t end = offset + bytes;
  while (end - offset >= 12) {
    const auto name_bytes = get<uint32_t>(offset);
    const auto description_bytes = get<uint32_t>(offset + 4);
    const uint64_t name = offset + 12;
    // Name and description are padded to 4 bytes each; 32-bit sizes cannot overflow 64-bit sums.
    const uint64_t description = name + base::align_up(name_bytes, 4);
    if (description + description_bytes > end || name_bytes > kMaxNameBytes) {
      return error(offset, fmt::format("note of {} and {} bytes, {} are left of its table",
                                       name_bytes, description_bytes, end - name));
    }
    ElfNote note;
    note.owner.assign(reinterpret_cast<const char*>(data_ + name), name_bytes);
    note.owner.erase(std::find(note.owner.begin(), note.owner.end(), '\0'), note.owner.end());
    note.type = get<uint32_t>(offset + 8);
    note.offset = description;
    note.bytes = description_bytes;
    if (out_.notes.size() == kMaxNotes) return error(offset, "more than 65536 notes");
    out_.notes.push_back(std::move(note));
    offset = std::min(end, description + base::align_up(description_bytes, 4));
  }
  return {};
}

base::Status Parser::notes() {
  bool from_segments = false;
  for (const ElfSegment& s : out_.segments) {
    if (s.type != kSegmentNote) continue;
    from_segments = true;
    if (auto status = notes_in(s.offset, s.file_bytes); !status) return status;
  }
  if (from_segments) return {};
  for (const Section& s : sections_) {
    if (s.type != kSectionNote) continue;
    if (!inside(s.offset, s.bytes)) return truncated(s.offset, s.bytes, "a note section");
    if (auto status = notes_in(s.offset, s.bytes); !status) return status;
  }
  return {};
}

}  // namespace

const ElfSegment* ElfFile::segment_with(uint64_t address, uint64_t bytes) const {
  for (const ElfSegment& s : segments) {
    if (s.type != kElfLoadSegment || s.memory_bytes == 0 || address < s.vaddr) continue;
    const uint64_t offset = address - s.vaddr;
    if (bytes <= s.memory_bytes && offset <= s.memory_bytes - bytes) return &s;
  }
  return nullptr;
}

base::Result<ElfFile> parse_elf(const uint8_t* data, size_t bytes, const std::string& file) {
  return Parser(data, bytes, file).run();
}

}  // namespace cuvette::hsa
