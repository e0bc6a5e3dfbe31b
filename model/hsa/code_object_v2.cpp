// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/code_object_v2.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include <elf.h>
#include <fmt/format.h>

#include "base/bits.h"
#include "hsa/amdgpu_elf.h"
#include "hsa/elf.h"
#include "hsa/file_error.h"
#include "hsa/kernel_code.h"
#include "hsa/launch_limits.h"
#include "hsa/small_model.h"

namespace cuvette::hsa {
namespace {

using namespace amdgpu_elf;

void append(std::vector<uint8_t>& out, const void* data, size_t bytes) {
  const size_t at = out.size();
  out.resize(at + bytes);
  std::memcpy(out.data() + at, data, bytes);
}
void pad(std::vector<uint8_t>& out) {
  out.resize(base::align_up(out.size(), 4));
}
void append_note(std::vector<uint8_t>& out, uint32_t type, const std::vector<uint8_t>& content) {
  const char owner[] = "AMD";
  const uint32_t head[] = {sizeof owner, static_cast<uint32_t>(content.size()), type};
  append(out, head, sizeof head);
  append(out, owner, sizeof owner);
  append(out, content.data(), content.size());
  pad(out);
}

class Rewriter {
 public:
  Rewriter(const std::vector<uint8_t>& object, const std::string& file)
      : bytes_(object), file_(file) {}

  base::Result<std::vector<uint8_t>> run() {
    auto elf = parse_elf(bytes_.data(), bytes_.size(), file_);
    if (!elf) return elf.error();
    elf_ = std::move(*elf);
    if (elf_.abi_version != kAbiVersionV4) {
      return error(8, fmt::format("ELF ABI version {}, expected {} (code object v4)",
                                  elf_.abi_version, kAbiVersionV4));
    }
    auto target = target_from_flags(elf_.flags, elf_.abi_version);
    if (!target) return error(48, target.error().what);
    target_ = *target;
    if (target_.processor != Processor::Gfx900 && target_.processor != Processor::Gfx906) {
      return error(48, fmt::format("code object v2 has no {}, expected gfx900 or gfx906",
                                   facts(target_.processor).name));
    }
    if (auto status = read_metadata(); !status) return status.error();
    for (const KernelMetadata& kernel : metadata_.kernels) {
      if (auto status = place_object(kernel); !status) return status.error();
    }
    patch_symbols();
    if (auto status = write_notes(); !status) return status.error();
    auto header = get<Elf64_Ehdr>(0);
    header.e_ident[EI_ABIVERSION] = 0;
    const uint32_t xnack = target_.xnack == Feature::On ? 0x100 : 0;
    header.e_flags = facts(target_.processor).elf_mach | xnack;
    put(0, header);
    return std::move(bytes_);
  }

 private:
  base::Error error(uint64_t offset, const std::string& what) const {
    return error_in_file(file_, offset, what);
  }
  template <class T>
  T get(uint64_t offset) const {
    T value;
    std::memcpy(&value, &bytes_[offset], sizeof value);
    return value;
  }
  template <class T>
  void put(uint64_t offset, const T& value) {
    std::memcpy(&bytes_[offset], &value, sizeof value);
  }

  base::Status read_metadata() {
    for (const ElfNote& n : elf_.notes) {
      if (n.owner != "AMDGPU" || n.type != kNoteMetadata) continue;
      auto metadata = parse_metadata_msgpack(&bytes_[n.offset], n.bytes, file_, n.offset);
      if (!metadata) return metadata.error();
      metadata_ = std::move(*metadata);
      return {};
    }
    return error(0, "no metadata note");
  }

  /// Offset of [vaddr, vaddr + count) in the file.
  std::optional<uint64_t> offset_of(uint64_t vaddr, uint64_t count) const {
    for (const ElfSegment& s : elf_.segments) {
      if (s.type != PT_LOAD || vaddr < s.vaddr) continue;
      const uint64_t at = vaddr - s.vaddr;
      if (at <= s.file_bytes && count <= s.file_bytes - at) return s.offset + at;
    }
    return std::nullopt;
  }

  base::Status place_object(const KernelMetadata& kernel) {
    const auto symbol = std::find_if(elf_.symbols.begin(), elf_.symbols.end(), [&](const auto& s) {
      return s.name == kernel.symbol && s.type == STT_OBJECT;
    });
    if (symbol == elf_.symbols.end()) {
      return error(0, fmt::format("no kernel descriptor {}", kernel.symbol));
    }
    const auto descriptor_at = offset_of(symbol->value, sizeof(KernelDescriptor));
    if (!descriptor_at) return error(0, fmt::format("{} is not in the file", kernel.symbol));
    const auto descriptor = get<KernelDescriptor>(*descriptor_at);
    const uint64_t code =
        symbol->value + static_cast<uint64_t>(descriptor.kernel_code_entry_byte_offset);
    const auto room = offset_of(code - kKernelCodeRoom, kKernelCodeRoom);
    const auto is_zero = [this](uint64_t at) {
      return std::all_of(&bytes_[at], &bytes_[at] + kKernelCodeRoom,
                         [](uint8_t b) { return b == 0; });
    };
    if (!room || code % kKernelCodeRoom != 0 || !is_zero(*room)) {
      return error(*descriptor_at,
                   fmt::format("kernel {}: no {} free bytes before its code at {:#x}", kernel.name,
                               kKernelCodeRoom, code));
    }
    AmdKernelCode object = encode_kernel_code(descriptor, kernel, target_);
    if (is_small_model(elf_, bytes_.data())) {
      object.kernel_code_properties &= ~(1u << kPropertyIsPtr64);
    }
    put(*room, object);
    codes_[kernel.name] = code;
    return {};
  }

  /// In both symbol tables: kernels begin with their object and have a type of their own.
  void patch_symbols() {
    for_sections([this](Elf64_Shdr& section) {
      if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) return;
      const auto header = get<Elf64_Ehdr>(0);
      const auto strings =
          get<Elf64_Shdr>(header.e_shoff + uint64_t{section.sh_link} * sizeof(Elf64_Shdr));
      for (uint64_t at = section.sh_offset; at < section.sh_offset + section.sh_size;
           at += sizeof(Elf64_Sym)) {
        auto symbol = get<Elf64_Sym>(at);
        const char* const name =
            reinterpret_cast<const char*>(&bytes_[strings.sh_offset + symbol.st_name]);
        const auto kernel = codes_.find(name);
        if (kernel == codes_.end() || symbol.st_value != kernel->second) continue;
        symbol.st_value -= kKernelCodeRoom;
        symbol.st_size += kKernelCodeRoom;
        symbol.st_info = ELF64_ST_INFO(ELF64_ST_BIND(symbol.st_info), kSymbolKernel);
        put(at, symbol);
      }
    });
  }

  base::Result<std::vector<uint8_t>> notes() const {
    const ProcessorFacts& processor = facts(target_.processor);
    std::vector<uint8_t> out;
    std::vector<uint8_t> content;
    const uint32_t version[] = {2, 1};
    append(content, version, sizeof version);
    append_note(out, kNoteCodeObjectVersion, content);

    content.clear();
    const char vendor[] = "AMD", architecture[] = "AMDGPU";
    const uint16_t sizes[] = {sizeof vendor, sizeof architecture};
    const uint32_t numbers[] = {processor.isa_major, processor.isa_minor, isa_stepping(target_)};
    append(content, sizes, sizeof sizes);
    append(content, numbers, sizeof numbers);
    append(content, vendor, sizeof vendor);
    append(content, architecture, sizeof architecture);
    append_note(out, kNoteIsaVersion, content);

    const auto text = print_metadata_yaml(metadata_);
    if (!text) return text.error();
    content.assign(text->begin(), text->end());
    append_note(out, kNoteMetadataV2, content);

    const auto limits = read_limits_notes(elf_, bytes_.data());
    if (!limits) return limits.error();
    for (const auto& [kernel, limit] : *limits) {
      const std::string note = limits_note(kernel, limit);
      append(out, note.data(), note.size());
    }
    return out;
  }

  base::Status write_notes() {
    const auto content = notes();
    if (!content) return content.error();
    pad(bytes_);
    const uint64_t begin = bytes_.size();
    append(bytes_, content->data(), content->size());
    // All notes are in the first table of the segments, whatever number of them there was, and in
    // every one of the sections: ROCr refuses empty ones.
    for_sections([&](Elf64_Shdr& section) {
      if (section.sh_type != SHT_NOTE) return;
      std::fill_n(bytes_.begin() + static_cast<int64_t>(section.sh_offset), section.sh_size, 0);
      section.sh_offset = begin;
      section.sh_size = content->size();
      section.sh_addr = 0;  // not loaded
      section.sh_flags = 0;
    });
    uint64_t left = content->size();
    const auto header = get<Elf64_Ehdr>(0);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      const uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
      auto segment = get<Elf64_Phdr>(at);
      if (segment.p_type != PT_NOTE) continue;
      segment.p_offset = begin;
      segment.p_filesz = std::exchange(left, 0);
      segment.p_vaddr = segment.p_paddr = segment.p_memsz = 0;
      put(at, segment);
    }
    return {};
  }

  /// Calls f(header) and writes the header back.
  template <class F>
  void for_sections(F f) {
    const auto header = get<Elf64_Ehdr>(0);
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      const uint64_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
      auto section = get<Elf64_Shdr>(at);
      f(section);
      put(at, section);
    }
  }

  std::vector<uint8_t> bytes_;
  const std::string& file_;
  ElfFile elf_;
  TargetId target_;
  Metadata metadata_;
  std::map<std::string, uint64_t> codes_;  // virtual address of the first instruction
};

}  // namespace

base::Result<std::vector<uint8_t>> to_code_object_v2(const std::vector<uint8_t>& object,
                                                     const std::string& file) {
  return Rewriter(object, file).run();
}

}  // namespace cuvette::hsa
