// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsa/code_object.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/bits.h"
#include "hsa/amdgpu_elf.h"
#include "hsa/dispatch.h"
#include "hsa/elf.h"
#include "hsa/file_error.h"
#include "hsa/kernel_code.h"
#include "hsa/kernel_descriptor.h"
#include "hsa/metadata.h"
#include "hsa/object_handles.h"
#include "hsa/relocation.h"
#include "hsa/small_model.h"
#include "hsa/symbol_names.h"

namespace cuvette::hsa {
namespace {

using namespace amdgpu_elf;

// Offsets of fields of the ELF header.
constexpr uint64_t kSegmentTableAt = 32;
constexpr uint64_t kSegmentCountAt = 56;
constexpr uint32_t kFlagExecute = 1;
constexpr uint32_t kFlagWrite = 2;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxImageBytes = uint64_t{4} << 30;
constexpr uint64_t kMaxSegmentAlignment = 2 << 20;
constexpr size_t kMaxLoadSegments = 64;
constexpr uint8_t kSymbolObject = 1;
constexpr uint8_t kSymbolFunction = 2;

/// Kernel descriptors of v3 and later are named like the kernel with this ending.
bool has_suffix(const std::string& symbol) {
  return symbol.size() > 3 && symbol.compare(symbol.size() - 3, 3, ".kd") == 0;
}

class Loader {
 public:
  Loader(const uint8_t* data, size_t bytes, const std::string& file, DeviceMemory& memory,
         const TargetId& machine)
      : data_(data), bytes_(bytes), file_(file), memory_(memory), machine_(machine) {}

  base::Result<LoadedCode> run() {
    auto elf = parse_elf(data_, bytes_, file_);
    if (!elf) return elf.error();
    elf_ = std::move(*elf);
    using Step = base::Status (Loader::*)();
    constexpr Step kSteps[] = {&Loader::check_target, &Loader::read_metadata,
                               &Loader::place,        &Loader::check_symbols,
                               &Loader::relocate,     &Loader::read_kernels,
                               &Loader::read_symbols, &Loader::make_handles};
    out_.file = file_;
    for (Step step : kSteps) {
      if (auto status = (this->*step)(); !status) {
        // Give back what was placed; the failure that counts is the first.
        if (block_ != 0) (void)memory_.free(block_);
        return status.error();
      }
    }
    return std::move(out_);
  }

 private:
  base::Error error(uint64_t offset, const std::string& what) const {
    return error_in_file(file_, offset, what);
  }
  /// At what the symbol names in the file, or at its entry where that is nothing.
  base::Error error(const ElfSymbol& symbol, const std::string& what) const {
    const ElfSegment* s = elf_.segment_with(symbol.value, 0);
    const bool in_file = s != nullptr && symbol.value - s->vaddr < s->file_bytes;
    return error(in_file ? s->offset + (symbol.value - s->vaddr) : symbol.entry, what);
  }
  const ElfNote* note(const char* owner, uint32_t type) const {
    for (const ElfNote& n : elf_.notes) {
      if (n.owner == owner && n.type == type) return &n;
    }
    return nullptr;
  }
  uint32_t word(uint64_t offset) const {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= uint32_t{data_[offset + i]} << (8 * i);
    return value;
  }

  base::Status check_target();
  base::Result<TargetId> target_v2() const;
  base::Status read_metadata();
  base::Status check_symbols();
  base::Status place();
  bool is_kernel(const ElfSymbol& function) const;
  void name_code();
  base::Status relocate();
  base::Status read_kernels();
  base::Result<KernelInfo> read_kernel(const ElfSymbol& symbol, const std::string& name) const;
  bool executable(uint64_t address, uint64_t bytes) const;
  base::Status apply_metadata(const KernelMetadata& metadata, KernelInfo* kernel) const;
  base::Status read_symbols();
  base::Status make_handles();

  const uint8_t* data_;
  size_t bytes_;
  const std::string& file_;
  DeviceMemory& memory_;
  TargetId machine_;
  ElfFile elf_;
  Metadata metadata_;
  uint64_t metadata_at_ = 0;  // its place in the file
  uint64_t block_ = 0;
  LoadedCode out_;
};

base::Result<TargetId> Loader::target_v2() const {
  const ElfNote* version = note("AMD", kNoteCodeObjectVersion);
  if (version == nullptr || version->bytes < 8) {
    return error(version == nullptr ? kSegmentTableAt : version->offset,
                 "code object v2 without its version note");
  }
  if (word(version->offset) != 2) {
    return error(version->offset,
                 fmt::format("code object version {}, expected 2", word(version->offset)));
  }
  const ElfNote* isa = note("AMD", kNoteIsaVersion);
  if (isa == nullptr || isa->bytes < 16) {
    return error(isa == nullptr ? kSegmentTableAt : isa->offset,
                 "code object v2 without its ISA version note");
  }
  // Two 16-bit name sizes come first.
  auto target =
      target_from_isa_version(word(isa->offset + 4), word(isa->offset + 8), word(isa->offset + 12));
  if (!target) return error(isa->offset + 4, target.error().what);
  return target;
}

base::Status Loader::check_target() {
  constexpr uint8_t kLastAbiVersion = 4;
  constexpr uint64_t kAbiVersionAt = 8;
  constexpr uint64_t kFlagsAt = 48;
  if (elf_.abi_version > kLastAbiVersion) {
    return error(kAbiVersionAt,
                 fmt::format("ELF ABI version {}, expected 0 (code object v2) to {} (v6)",
                             elf_.abi_version, kLastAbiVersion));
  }
  out_.code_object = elf_.abi_version + 2u;
  auto target =
      out_.code_object == 2 ? target_v2() : target_from_flags(elf_.flags, elf_.abi_version);
  if (!target) {
    return out_.code_object == 2 ? target.error() : error(kFlagsAt, target.error().what);
  }
  out_.target = *target;
  out_.small_model = is_small_model(elf_, data_);
  if (!compatible(out_.target, machine_)) {
    return error(kFlagsAt,
                 fmt::format("code for {}, expected {}", out_.target.str(), machine_.str()));
  }
  return {};
}

base::Status Loader::read_metadata() {
  const bool v2 = out_.code_object == 2;
  const ElfNote* n = v2 ? note("AMD", kNoteMetadataV2) : note("AMDGPU", kNoteMetadata);
  if (n == nullptr) return {};  // assembler code may do without
  auto metadata = v2 ? parse_metadata_yaml(
                           std::string(reinterpret_cast<const char*>(data_ + n->offset), n->bytes),
                           file_, n->offset)
                     : parse_metadata_msgpack(data_ + n->offset, n->bytes, file_, n->offset);
  if (!metadata) return metadata.error();
  metadata_ = std::move(*metadata);
  metadata_at_ = n->offset;
  out_.printf = metadata_.printf;
  return {};
}

/// Checks that symbols define bytes of a segment: others would be another object's memory.
base::Status Loader::check_symbols() {
  for (const ElfSymbol& s : elf_.symbols) {
    const bool named =
        s.type == kSymbolObject || s.type == kSymbolFunction || s.type == kSymbolKernel;
    if (!named || s.section == 0 || s.section == kElfAbsoluteSection) continue;
    if (elf_.segment_with(s.value, s.bytes) != nullptr) continue;
    return error(s.entry,
                 fmt::format("symbol '{}' at {:#x}, {:#x} bytes, is outside of the object's "
                             "segments",
                             s.name, s.value, s.bytes));
  }
  return {};
}

base::Status Loader::place() {
  uint64_t low = std::numeric_limits<uint64_t>::max();
  uint64_t high = 0;
  uint64_t alignment = kPage;
  std::vector<const ElfSegment*> loads;
  for (const ElfSegment& s : elf_.segments) {
    if (s.type != kElfLoadSegment || s.memory_bytes == 0) continue;
    loads.push_back(&s);
    const bool bad_alignment = s.alignment > kMaxSegmentAlignment ||
                               (s.alignment > 1 && !base::is_power_of_two(s.alignment));
    if (bad_alignment) {
      return error(s.entry,
                   fmt::format("segment aligned to {:#x}, expected a power of two up to 2 MiB",
                               s.alignment));
    }
    if (s.vaddr >= kMaxImageBytes || s.memory_bytes > kMaxImageBytes - s.vaddr) {
      return error(s.entry, fmt::format("segment at {:#x}, {:#x} bytes, expected it below 4 GiB",
                                        s.vaddr, s.memory_bytes));
    }
    alignment = std::max(alignment, s.alignment);
    low = std::min(low, s.vaddr);
    high = std::max(high, s.vaddr + s.memory_bytes);
  }
  if (loads.empty() || loads.size() > kMaxLoadSegments) {
    return error(kSegmentCountAt, fmt::format("{} segments to load, expected 1 to {}", loads.size(),
                                              kMaxLoadSegments));
  }
  low = low / alignment * alignment;  // keeps every segment's own alignment
  DeviceMemory::Options options;
  options.alignment = alignment;
  options.name = "code of " + file_;
  if (out_.small_model) options.place = Place::Below4Gib;
  auto block = memory_.reserve(base::align_up(high, kPage) - low, options);
  if (!block) return error(kSegmentTableAt, block.error().what);
  block_ = *block;
  out_.base = block_ - low;
  out_.block = block_;
  out_.bytes = base::align_up(high, kPage) - low;

  for (const ElfSegment* s : loads) {
    const bool writable = (s->flags & kFlagWrite) != 0;
    Access access = writable ? Access::ReadWrite : Access::Read;
    if ((s->flags & kFlagExecute) != 0) access = access | Access::Execute;
    // Whole pages for what is only read: instruction and scalar fetches run past the end. Exact
    // bytes for what is written.
    const uint64_t first = writable ? s->vaddr : s->vaddr / kPage * kPage;
    const uint64_t end = s->vaddr + s->memory_bytes;
    const uint64_t last = writable ? end : base::align_up(end, kPage);
    if (auto status = memory_.map_part(block_, first - low, last - first, access); !status) {
      return error(s->entry, "segment: " + status.error().what);
    }
    if (auto r = memory_.poke(out_.base + s->vaddr, data_ + s->offset, s->file_bytes); !r) {
      return error(s->entry, "segment: " + r.str());
    }
  }
  name_code();
  return {};
}

/// A function with a kernel descriptor.
bool Loader::is_kernel(const ElfSymbol& function) const {
  return function.type == kSymbolKernel ||
         std::any_of(elf_.symbols.begin(), elf_.symbols.end(), [&](const ElfSymbol& s) {
           return has_suffix(s.name) && s.name.compare(0, s.name.size() - 3, function.name) == 0;
         });
}

/// Functions end where their symbols do. A kernel whose symbol has no size ends where the next
/// function begins or the segment ends, and so does code without any symbol: where the file says,
/// not where the page ends.
void Loader::name_code() {
  std::vector<CodeRange> code;
  for (const ElfSegment& segment : elf_.segments) {
    if (segment.type != kElfLoadSegment || (segment.flags & kFlagExecute) == 0) continue;
    const uint64_t begin = out_.base + segment.vaddr, end = begin + segment.memory_bytes;
    std::map<uint64_t, CodeRange> functions;
    for (const ElfSymbol& s : elf_.symbols) {
      const bool function = s.type == kSymbolFunction || s.type == kSymbolKernel;
      const uint64_t at = out_.base + s.value;
      if (!function || s.section == 0 || at - begin >= segment.memory_bytes) continue;
      if (s.bytes == 0 && !is_kernel(s)) continue;
      CodeRange& range = functions[at];
      if (range.name.empty()) range = {at, at, s.name};
      range.end = std::max(range.end, at + std::min(s.bytes, end - at));
    }
    if (functions.empty() && begin != end) functions[begin] = {begin, end, file_};
    for (auto it = functions.begin(); it != functions.end(); ++it) {
      CodeRange& range = it->second;
      const auto next = std::next(it);
      if (range.end == range.begin) range.end = next == functions.end() ? end : next->first;
      code.push_back(std::move(range));
    }
  }
  memory_.space().code().add(std::move(code));
}

base::Status Loader::relocate() {
  auto status = apply_relocations(elf_, out_.base, memory_);
  if (!status) return error(status.error().where.offset, status.error().what);
  return {};
}

/// True for an address in the object's own code: executable memory beside it is another's.
bool Loader::executable(uint64_t address, uint64_t bytes) const {
  const ElfSegment* s = elf_.segment_with(address, bytes);
  return s != nullptr && (s->flags & kFlagExecute) != 0;
}

base::Result<KernelInfo> Loader::read_kernel(const ElfSymbol& symbol,
                                             const std::string& name) const {
  const uint64_t address = out_.base + symbol.value;
  const uint64_t bytes = out_.code_object == 2 ? sizeof(AmdKernelCode) : sizeof(KernelDescriptor);
  if (symbol.section == kElfAbsoluteSection || elf_.segment_with(symbol.value, bytes) == nullptr) {
    return error(symbol.entry, fmt::format("kernel {}: its descriptor at {:#x}, {} bytes, is "
                                           "outside of the object's segments",
                                           name, symbol.value, bytes));
  }
  auto decode = [&]() -> base::Result<KernelInfo> {
    if (out_.code_object == 2) {
      AmdKernelCode code;
      if (auto r = memory_.read_value(address, &code); !r) return base::Error(r.str());
      return decode_kernel_code(code, address, out_.target);
    }
    KernelDescriptor descriptor;
    if (auto r = memory_.read_value(address, &descriptor); !r) return base::Error(r.str());
    return decode_kernel_descriptor(descriptor, address, out_.target);
  };
  auto kernel = decode();
  if (!kernel) return error(symbol, fmt::format("kernel {}: {}", name, kernel.error().what));
  if (auto layout = initial_layout(*kernel); !layout) {
    return error(symbol, fmt::format("kernel {}: {}", name, layout.error().what));
  }
  kernel->name = name;
  kernel->code_object = out_.code_object;
  constexpr uint64_t kInstructionBytes = 4;
  if (!executable(kernel->entry - out_.base, kInstructionBytes)) {
    return error(symbol, fmt::format("kernel {}: entry at {:#x} of the object is not executable",
                                     name, kernel->entry - out_.base));
  }
  return kernel;
}

base::Status Loader::apply_metadata(const KernelMetadata& m, KernelInfo* kernel) const {
  auto wrong = [&](const char* field, uint64_t value, const std::string& expected) {
    return error(metadata_at_, fmt::format("kernel {}: metadata says {} {}, expected {}",
                                           kernel->name, field, value, expected));
  };
  if (m.wavefront_size != 0 && m.wavefront_size != 64) {
    return wrong("wavefront size", m.wavefront_size, "64");
  }
  if (m.kernarg_bytes > std::numeric_limits<uint32_t>::max()) {
    return wrong("kernarg segment size", m.kernarg_bytes, "less than 4 GiB");
  }
  if (m.kernarg_alignment != 0 &&
      (!base::is_power_of_two(m.kernarg_alignment) || m.kernarg_alignment > 65536)) {
    return wrong("kernarg alignment", m.kernarg_alignment, "a power of two up to 65536");
  }
  // Descriptors of older compilers leave the size at 0.
  if (kernel->kernarg_bytes == 0) kernel->kernarg_bytes = static_cast<uint32_t>(m.kernarg_bytes);
  for (const KernelArg& arg : m.args) {
    if (arg.size > kernel->kernarg_bytes || arg.offset > kernel->kernarg_bytes - arg.size) {
      return error(
          metadata_at_,
          fmt::format("kernel {}: metadata says {} argument at {}, {} bytes, outside of "
                      "the kernarg segment of {} bytes",
                      kernel->name, arg.kind_name, arg.offset, arg.size, kernel->kernarg_bytes));
    }
  }
  kernel->kernarg_alignment =
      std::max(kernel->kernarg_alignment, static_cast<uint32_t>(m.kernarg_alignment));
  kernel->dynamic_stack = kernel->dynamic_stack || m.uses_dynamic_stack;
  constexpr uint64_t kMaxItems = 1024;  // work-items of a group on gfx9
  if (m.max_flat_workgroup_size > kMaxItems) {
    return wrong("max_flat_workgroup_size", m.max_flat_workgroup_size, "at most 1024");
  }
  LaunchLimits& limits = kernel->limits;
  limits.max_flat_workgroup = m.max_flat_workgroup_size;
  limits.whole_workgroups = m.uniform_workgroup_size != 0;
  for (size_t i = 0; i < 3; ++i) {
    if (m.reqd_workgroup_size[i] > kMaxItems) {
      return wrong("reqd_workgroup_size", m.reqd_workgroup_size[i], "at most 1024");
    }
    limits.required_workgroup[i] = m.reqd_workgroup_size[i];
  }
  kernel->args = m.args;
  kernel->has_metadata = true;
  return {};
}

base::Status Loader::read_kernels() {
  // v2: the symbol is the amd_kernel_code_t and named like the kernel. Later: the descriptor,
  // name.kd.
  const bool v2 = out_.code_object == 2;
  std::map<std::string, const ElfSymbol*> found;
  std::map<std::string, const ElfSymbol*> functions;
  // A variable of a program may be called like a descriptor.
  const auto is_variable = [this](const std::string& symbol) {
    return is_aside(symbol) &&
           std::none_of(metadata_.kernels.begin(), metadata_.kernels.end(),
                        [&](const KernelMetadata& m) { return m.symbol == symbol; });
  };
  for (const ElfSymbol& s : elf_.symbols) {
    if (s.section == 0 || is_variable(s.name)) continue;
    if (v2 ? s.type == kSymbolKernel : has_suffix(s.name) && s.type == kSymbolObject) {
      found.emplace(v2 ? s.name : s.name.substr(0, s.name.size() - 3), &s);
    }
    if (s.type == kSymbolFunction || s.type == kSymbolKernel) functions.emplace(s.name, &s);
  }
  std::map<std::string, const KernelMetadata*> described;
  for (const KernelMetadata& m : metadata_.kernels) {
    if (!v2 && !has_suffix(m.symbol)) {
      return error(
          metadata_at_,
          fmt::format("metadata names kernel symbol {}, expected a name ending in .kd", m.symbol));
    }
    const std::string name = v2 ? m.symbol : m.symbol.substr(0, m.symbol.size() - 3);
    if (!described.emplace(name, &m).second) {
      return error(metadata_at_, fmt::format("metadata describes kernel {} twice", name));
    }
    if (found.count(name) == 0) {
      return error(metadata_at_,
                   fmt::format("metadata names kernel symbol {}, which the object does not define",
                               m.symbol));
    }
  }
  auto limits = read_limits_notes(elf_, data_);
  if (!limits) return error(limits.error().where.offset, limits.error().what);
  for (const auto& [name, symbol] : found) {
    auto kernel = read_kernel(*symbol, name);
    if (!kernel) return kernel.error();
    auto function = functions.find(name);
    if (function != functions.end() && function->second->section != kElfAbsoluteSection) {
      kernel->code_end = out_.base + function->second->value + function->second->bytes;
    }
    auto metadata = described.find(name);
    if (metadata != described.end()) {
      if (auto status = apply_metadata(*metadata->second, &*kernel); !status) return status;
    }
    // The note says all limits, the metadata those that it has keys for.
    if (const auto own = limits->find(name); own != limits->end()) kernel->limits = own->second;
    out_.kernels.push_back(std::move(*kernel));
  }
  return {};
}

base::Status Loader::read_symbols() {
  for (const ElfSymbol& s : elf_.symbols) {
    const bool named =
        s.type == kSymbolObject || s.type == kSymbolFunction || s.type == kSymbolKernel;
    if (!named || s.section == 0) continue;
    const uint64_t base = s.section == kElfAbsoluteSection ? 0 : out_.base;
    out_.symbols.push_back({s.name, base + s.value, s.bytes, s.type == kSymbolFunction});
  }
  std::sort(out_.symbols.begin(), out_.symbols.end(), [](const auto& a, const auto& b) {
    return std::tie(a.name, a.address) < std::tie(b.name, b.address);
  });
  return {};
}

base::Status Loader::make_handles() {
  for (const LoadedSymbol& s : out_.symbols) {
    if (s.name != kHandleList) continue;
    auto status = create_handles(memory_, s.address, s.bytes, out_.base, out_.bytes);
    if (status) continue;
    const auto entry = std::find_if(elf_.symbols.begin(), elf_.symbols.end(), [&](const auto& e) {
      return e.name == s.name && out_.base + e.value == s.address;
    });
    return entry == elf_.symbols.end() ? error(kSegmentTableAt, status.error().what)
                                       : error(*entry, status.error().what);
  }
  return {};
}

}  // namespace

base::Result<const KernelInfo*> LoadedCode::find(const std::string& name) const {
  std::string wanted = name;
  if (!wanted.empty() && wanted.front() == '&') wanted.erase(0, 1);
  std::vector<std::string> names;
  for (const KernelInfo& kernel : kernels) {
    if (kernel.name == wanted || hsail_name(kernel.name) == "&" + wanted) return &kernel;
    names.push_back(kernel.name);
  }
  if (has_suffix(wanted)) wanted.resize(wanted.size() - 3);
  for (const KernelInfo& kernel : kernels) {
    if (kernel.name == wanted) return &kernel;
  }
  if (wanted.empty() && kernels.size() == 1) return &kernels.front();
  base::Error e(
      kernels.empty() ? "no kernel in this code object"
      : wanted.empty()
          ? fmt::format("{} kernels in this code object and none was named, expected "
                        "one of: {}",
                        kernels.size(), fmt::join(names, ", "))
          : fmt::format("no kernel '{}', expected one of: {}", wanted, fmt::join(names, ", ")));
  e.where.file = file;
  return e;
}

base::Result<LoadedCode> load_code_object(const uint8_t* data, size_t bytes,
                                          const std::string& file, DeviceMemory& memory,
                                          const TargetId& machine, const LinkObject& link) {
  if (is_code_container(data, bytes)) {
    const auto entries = entries_for(data, bytes, file, machine);
    if (!entries) return entries.error();
    const BundleEntry& entry = entries->front();
    const auto wrong = [&file](uint64_t offset, const std::string& what) {
      return error_in_file(file, offset, what);
    };
    if (entries->size() > 1) {
      return wrong((*entries)[1].offset, fmt::format("{} code objects for {}, expected one",
                                                     entries->size(), machine.str()));
    }
    if (is_code_container(data + entry.offset, entry.bytes)) {
      return wrong(entry.offset, "an offload bundle inside of another, expected a code object");
    }
    auto code = load_code_object(data + entry.offset, entry.bytes, file, memory, machine, link);
    if (code) return code;
    base::Error e = code.error();
    if (e.where.binary && e.where.file == file) e.where.offset += entry.offset;
    return e;
  }
  if (link && is_relocatable(data, bytes)) {
    auto linked = link({data, data + bytes}, file);
    if (!linked) return linked.error();
    const std::string name = file + " (linked)";  // its offsets are not those of the file
    return Loader(linked->data(), linked->size(), name, memory, machine).run();
  }
  return Loader(data, bytes, file, memory, machine).run();
}

}  // namespace cuvette::hsa
