// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/code_container.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include <elf.h>
#include <fmt/format.h>

#include "hsa/file_error.h"

namespace cuvette::hsa {
namespace {

constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr std::string_view kHipSection = ".hip_fatbin";
constexpr std::string_view kPackagerSection = ".llvm.offloading";
constexpr uint64_t kMaxIdBytes = 4096;
constexpr uint64_t kMaxEntries = 4096;  // of all bundles of a file

class Reader {
 public:
  Reader(const uint8_t* data, size_t bytes, const std::string& file)
      : data_(data), size_(bytes), file_(file) {}

  bool starts(uint64_t offset, std::string_view magic) const {
    return inside(offset, magic.size()) &&
           std::memcmp(data_ + offset, magic.data(), magic.size()) == 0;
  }
  bool inside(uint64_t offset, uint64_t bytes) const {
    return bytes <= size_ && offset <= size_ - bytes;
  }
  base::Error error(uint64_t offset, const std::string& what) const {
    return error_in_file(file_, offset, what);
  }

  struct Range {
    uint64_t offset = 0;
    uint64_t bytes = 0;
  };
  std::optional<Range> section(std::string_view name) const;
  base::Result<std::vector<Bundle>> bundles_in(const Range& range) const;

  /// Error with the command that extracts code which is not read here.
  base::Error compressed(uint64_t offset, bool in_section) const {
    const std::string bundle = in_section ? file_ + ".hipfb" : file_;
    const std::string dump = in_section
                                 ? fmt::format("llvm-objcopy --dump-section {}={} {} /dev/null && ",
                                               kHipSection, bundle, file_)
                                 : "";
    return error(
        offset, fmt::format("a compressed offload bundle, expected a plain one or its code object: "
                            "{}clang-offload-bundler -unbundle -type=o "
                            "-targets=hipv4-amdgcn-amd-amdhsa--TARGET -input={} -output={}.co",
                            dump, bundle, file_));
  }
  base::Error packed(uint64_t offset) const {
    return error(
        offset,
        fmt::format("code in {}, expected a code object: llvm-objcopy --dump-section {}={}.pack "
                    "{} /dev/null && clang-offload-packager {}.pack "
                    "--image=file={}.co,arch=TARGET",
                    kPackagerSection, kPackagerSection, file_, file_, file_, file_));
  }

 private:
  /// Little-endian; the caller has checked that it is inside.
  uint64_t word(uint64_t offset) const {
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) value |= uint64_t{data_[offset + i]} << (8 * i);
    return value;
  }
  base::Result<Bundle> bundle_at(uint64_t start, uint64_t end, uint64_t& entries,
                                 uint64_t& last) const;

  const uint8_t* data_;
  size_t size_;
  const std::string& file_;
};

template <class T>
T copy_of(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Null where the file is no 64-bit little-endian ELF file, or of this machine.
std::optional<Elf64_Ehdr> foreign_header(const uint8_t* data, size_t bytes) {
  if (bytes < sizeof(Elf64_Ehdr) || std::memcmp(data, ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (data[EI_CLASS] != ELFCLASS64 || data[EI_DATA] != ELFDATA2LSB) return std::nullopt;
  const auto header = copy_of<Elf64_Ehdr>(data);
  if (header.e_machine == EM_AMDGPU) return std::nullopt;
  return header;
}

std::optional<Reader::Range> Reader::section(std::string_view name) const {
  const auto header = foreign_header(data_, size_);
  if (!header || header->e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
  if (header->e_shstrndx >= header->e_shnum ||
      !inside(header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr))) {
    return std::nullopt;
  }
  const auto at = [&](size_t index) {
    return copy_of<Elf64_Shdr>(data_ + header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names = at(header->e_shstrndx);
  if (!inside(names.sh_offset, names.sh_size)) return std::nullopt;
  for (size_t i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr s = at(i);
    if (s.sh_type == SHT_NOBITS || s.sh_name >= names.sh_size) continue;
    // The name and its end.
    if (names.sh_size - s.sh_name <= name.size()) continue;
    const uint8_t* text = data_ + names.sh_offset + s.sh_name;
    if (std::memcmp(text, name.data(), name.size()) != 0 || text[name.size()] != 0) continue;
    return Range{s.sh_offset, s.sh_size};
  }
  return std::nullopt;
}

/// `last`: the end of what the bundle has, which is at most `end`.
base::Result<Bundle> Reader::bundle_at(uint64_t start, uint64_t end, uint64_t& entries,
                                       uint64_t& last) const {
  uint64_t at = start + kBundleMagic.size();
  const auto need = [&](uint64_t bytes) { return bytes <= end - at; };
  const auto cut = [&](const char* what) {
    return error(at, fmt::format("truncated: {} of an offload bundle is beyond its end", what));
  };
  if (!need(8)) return cut("the number of entries");
  const uint64_t count = word(at);
  if (count > kMaxEntries - entries) {
    return error(at, fmt::format("{} entries of an offload bundle, expected at most {} in a file",
                                 count, kMaxEntries));
  }
  entries += count;
  at += 8;
  Bundle bundle;
  bundle.offset = start;
  last = at;
  for (uint64_t i = 0; i < count; ++i) {
    if (!need(24)) return cut("an entry");
    BundleEntry entry;
    const uint64_t offset = word(at);
    entry.bytes = word(at + 8);
    const uint64_t id_bytes = word(at + 16);
    if (id_bytes > kMaxIdBytes || id_bytes + 24 > end - at) return cut("the name of an entry");
    entry.id.assign(reinterpret_cast<const char*>(data_ + at + 24), id_bytes);
    if (entry.bytes > end - start || offset > end - start - entry.bytes) {
      return error(at, fmt::format("truncated: entry {} is {:#x} bytes at {:#x} of a bundle that "
                                   "has {:#x}",
                                   entry.id, entry.bytes, offset, end - start));
    }
    entry.offset = start + offset;
    at += 24 + id_bytes;
    last = std::max({last, at, entry.offset + entry.bytes});
    bundle.entries.push_back(std::move(entry));
  }
  return bundle;
}

/// A linker puts the bundles of several objects one behind the other, with padding between them.
base::Result<std::vector<Bundle>> Reader::bundles_in(const Range& range) const {
  std::vector<Bundle> out;
  uint64_t entries = 0;
  const uint64_t end = range.offset + range.bytes;
  const bool in_section = range.offset != 0;
  for (uint64_t at = range.offset; at < end;) {
    if (starts(at, kCompressedMagic)) return compressed(at, in_section);
    if (end - at < kBundleMagic.size() || !starts(at, kBundleMagic)) {
      if (data_[at] != 0) {
        return error(at,
                     "neither an offload bundle nor padding, expected __CLANG_OFFLOAD_BUNDLE__");
      }
      ++at;
      continue;
    }
    uint64_t last = 0;
    auto bundle = bundle_at(at, end, entries, last);
    if (!bundle) return bundle.error();
    at = std::max(last, at + kBundleMagic.size());
    out.push_back(std::move(*bundle));
  }
  if (out.empty()) return error(range.offset, "no offload bundle in the section");
  return out;
}

/// The target of "KIND-amdgcn-amd-amdhsa-[ENVIRONMENT]-gfx908:xnack-"; none for hosts, other
/// devices and unknown processors.
std::optional<TargetId> target_of(const std::string& id) {
  constexpr std::string_view kTriple = "-amdgcn-amd-amdhsa";
  const size_t kind = id.find('-');
  if (kind == std::string::npos || id.compare(0, kind, "host") == 0) return std::nullopt;
  if (id.compare(kind, kTriple.size(), kTriple) != 0) return std::nullopt;
  const size_t processor = id.find("-gfx", kind + kTriple.size());
  if (processor == std::string::npos) return std::nullopt;
  auto target = parse_target(id.substr(processor + 1));
  if (!target) return std::nullopt;
  return *target;
}

unsigned fixed_features(const TargetId& t) {
  const auto fixed = [](Feature f) { return f == Feature::On || f == Feature::Off; };
  return unsigned{fixed(t.sramecc)} + unsigned{fixed(t.xnack)};
}

base::Error none_for(const std::vector<Bundle>& bundles, const std::string& file,
                     const TargetId& machine) {
  std::vector<std::string> names;
  for (const Bundle& bundle : bundles) {
    for (const BundleEntry& entry : bundle.entries) {
      const std::string name = entry.bytes == 0 ? entry.id + " (empty)" : entry.id;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return error_in_file(file, bundles.front().offset,
                       fmt::format("no code for {} in the offload bundle, there is: {}",
                                   machine.str(), list.empty() ? "nothing" : list));
}

/// Null: none.
base::Result<const BundleEntry*> best_entry(const Bundle& bundle, const std::string& file,
                                            const TargetId& machine) {
  const BundleEntry* best = nullptr;
  bool twice = false;
  unsigned most = 0;
  std::string other;
  for (const BundleEntry& entry : bundle.entries) {
    const auto target = target_of(entry.id);
    if (!target || entry.bytes == 0 || !compatible(*target, machine)) continue;
    const unsigned fixed = fixed_features(*target);
    if (best != nullptr && fixed < most) continue;
    twice = best != nullptr && fixed == most;
    if (twice) {
      other = entry.id;
      continue;
    }
    best = &entry;
    most = fixed;
  }
  if (!twice) return best;
  return error_in_file(
      file, bundle.offset,
      fmt::format("two code objects for {}, expected one: {}, {}", machine.str(), best->id, other));
}

}  // namespace

bool is_code_container(const uint8_t* data, size_t bytes) {
  const std::string none;
  const Reader reader(data, bytes, none);
  return reader.starts(0, kBundleMagic) || reader.starts(0, kCompressedMagic) ||
         reader.section(kHipSection) || reader.section(kPackagerSection);
}

base::Result<std::vector<Bundle>> read_bundles(const uint8_t* data, size_t bytes,
                                               const std::string& file) {
  const Reader reader(data, bytes, file);
  if (reader.starts(0, kBundleMagic) || reader.starts(0, kCompressedMagic)) {
    return reader.bundles_in({0, bytes});
  }
  if (const auto section = reader.section(kHipSection)) {
    if (!reader.inside(section->offset, section->bytes)) {
      return reader.error(section->offset, fmt::format("truncated: section {} has {:#x} bytes",
                                                       kHipSection, section->bytes));
    }
    return reader.bundles_in(*section);
  }
  if (const auto section = reader.section(kPackagerSection)) return reader.packed(section->offset);
  return reader.error(0, "no offload bundle");
}

base::Result<BundleEntry> entry_for(const Bundle& bundle, const std::string& file,
                                    const TargetId& machine) {
  auto best = best_entry(bundle, file, machine);
  if (!best) return best.error();
  if (*best == nullptr) return none_for({bundle}, file, machine);
  return **best;
}

base::Result<std::vector<BundleEntry>> entries_for(const uint8_t* data, size_t bytes,
                                                   const std::string& file,
                                                   const TargetId& machine) {
  auto bundles = read_bundles(data, bytes, file);
  if (!bundles) return bundles.error();
  std::vector<BundleEntry> out;
  for (const Bundle& bundle : *bundles) {
    auto best = best_entry(bundle, file, machine);
    if (!best) return best.error();
    if (*best != nullptr) out.push_back(**best);
  }
  if (out.empty()) return none_for(*bundles, file, machine);
  return out;
}

bool is_relocatable(const uint8_t* data, size_t bytes) {
  if (bytes < sizeof(Elf64_Ehdr) || std::memcmp(data, ELFMAG, SELFMAG) != 0) return false;
  if (data[EI_CLASS] != ELFCLASS64 || data[EI_DATA] != ELFDATA2LSB) return false;
  const auto header = copy_of<Elf64_Ehdr>(data);
  return header.e_machine == EM_AMDGPU && header.e_type == ET_REL;
}

}  // namespace cuvette::hsa
