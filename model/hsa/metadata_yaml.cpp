// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/bits.h"
#include "base/yaml.h"
#include "hsa/metadata.h"

// The YAML note of code object v2. Its errors carry line and column inside the note.
namespace cuvette::hsa {
namespace {

using base::Status;
using base::Yaml;

constexpr uint64_t kMaxBytes = std::numeric_limits<uint32_t>::max();

/// "HiddenGlobalOffsetX" to "hidden_global_offset_x".
std::string snake_case(const std::string& camel) {
  if (camel == "HiddenMultiGridSyncArg") return "hidden_multigrid_sync_arg";
  std::string out;
  for (char c : camel) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (upper && !out.empty()) out += '_';
    out += upper ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
  }
  return out;
}

Status text(const Yaml& map, const char* key, std::string* out) {
  auto node = map.get(key);
  if (!node) return {};
  auto value = node->text();
  if (!value) return value.error();
  *out = std::move(*value);
  return {};
}

Status number(const Yaml& map, const char* key, uint64_t* out) {
  auto node = map.get(key);
  if (!node) return {};
  auto value = node->unsigned_in(0, kMaxBytes);
  if (!value) return value.error();
  *out = *value;
  return {};
}

Status boolean(const Yaml& map, const char* key, bool* out) {
  auto node = map.get(key);
  if (!node) return {};
  auto value = node->boolean();
  if (!value) return value.error();
  *out = *value;
  return {};
}

Status numbers(const Yaml& map, const char* key, uint64_t* out, size_t count) {
  auto node = map.get(key);
  if (!node) return {};
  if (!node->is_sequence() || node->size() != count) {
    return node->error(fmt::format("{}: expected {} numbers", key, count));
  }
  for (size_t i = 0; i < count; ++i) {
    auto value = node->at(i).unsigned_in(0, kMaxBytes);
    if (!value) return value.error();
    out[i] = *value;
  }
  return {};
}

/// The entries of an optional sequence of maps.
base::Result<std::vector<Yaml>> maps(const Yaml& map, const char* key) {
  std::vector<Yaml> out;
  auto node = map.get(key);
  if (!node) return out;
  if (!node->is_sequence()) return node->error(fmt::format("{}: expected a sequence", key));
  for (size_t i = 0; i < node->size(); ++i) {
    if (!node->at(i).is_map()) return node->at(i).error(fmt::format("{}: expected maps", key));
    out.push_back(node->at(i));
  }
  return out;
}

Status first_failure(std::initializer_list<Status> all) {
  for (const Status& s : all) {
    if (!s) return s;
  }
  return {};
}

Status read_arg(const Yaml& map, uint64_t* end, KernelArg* arg) {
  uint64_t alignment = 1;
  std::string kind;
  auto status = first_failure(
      {text(map, "Name", &arg->name), text(map, "TypeName", &arg->type_name),
       text(map, "ValueKind", &kind), number(map, "Size", &arg->size),
       number(map, "Align", &alignment), text(map, "AddrSpaceQual", &arg->address_space),
       text(map, "AccQual", &arg->access), number(map, "PointeeAlign", &arg->pointee_align),
       boolean(map, "IsConst", &arg->is_const)});
  if (!status) return status;
  if (kind.empty()) return map.error("argument without ValueKind");
  if (!base::is_power_of_two(alignment)) return map.error("Align: expected a power of two");
  arg->kind_name = snake_case(kind);
  arg->kind = arg_kind(arg->kind_name);
  arg->address_space = snake_case(arg->address_space);
  arg->access = arg->access == "Default" ? "" : snake_case(arg->access);
  arg->offset = base::align_up(*end, alignment);
  *end = arg->offset + arg->size;
  return {};
}

Status read_kernel(const Yaml& map, KernelMetadata* k) {
  auto status = first_failure({text(map, "Name", &k->name), text(map, "SymbolName", &k->symbol)});
  if (!status) return status;
  if (k->name.empty()) return map.error("kernel without Name");
  k->symbol = k->name;
  if (auto attributes = map.get("Attrs")) {
    if (!attributes->is_map()) return attributes->error("Attrs: expected a map");
    status = numbers(*attributes, "ReqdWorkGroupSize", k->reqd_workgroup_size, 3);
    if (!status) return status;
  }
  if (auto properties = map.get("CodeProps")) {
    const Yaml& p = *properties;
    if (!p.is_map()) return p.error("CodeProps: expected a map");
    status =
        first_failure({number(p, "KernargSegmentSize", &k->kernarg_bytes),
                       number(p, "GroupSegmentFixedSize", &k->group_bytes),
                       number(p, "PrivateSegmentFixedSize", &k->private_bytes),
                       number(p, "KernargSegmentAlign", &k->kernarg_alignment),
                       number(p, "WavefrontSize", &k->wavefront_size),
                       number(p, "NumSGPRs", &k->sgpr_count), number(p, "NumVGPRs", &k->vgpr_count),
                       number(p, "MaxFlatWorkGroupSize", &k->max_flat_workgroup_size),
                       boolean(p, "IsDynamicCallStack", &k->uses_dynamic_stack)});
    if (!status) return status;
  }
  auto args = maps(map, "Args");
  if (!args) return args.error();
  uint64_t end = 0;
  for (const Yaml& entry : *args) {
    KernelArg arg;
    if (status = read_arg(entry, &end, &arg); !status) return status;
    k->args.push_back(std::move(arg));
  }
  return {};
}

Status read_module(const Yaml& root, Metadata* out) {
  if (!root.is_map()) return root.error("metadata: expected a map");
  if (auto status = numbers(root, "Version", out->version, 2); !status) return status;
  if (auto lines = root.get("Printf")) {
    if (!lines->is_sequence()) return lines->error("Printf: expected a sequence");
    for (size_t i = 0; i < lines->size(); ++i) {
      auto line = lines->at(i).text();
      if (!line) return line.error();
      out->printf.push_back(std::move(*line));
    }
  }
  auto kernels = maps(root, "Kernels");
  if (!kernels) return kernels.error();
  for (const Yaml& entry : *kernels) {
    KernelMetadata kernel;
    if (auto status = read_kernel(entry, &kernel); !status) return status;
    out->kernels.push_back(std::move(kernel));
  }
  return {};
}

}  // namespace

base::Result<Metadata> parse_metadata_yaml(const std::string& note, const std::string& file,
                                           uint64_t file_offset) {
  // Location tells lines or an offset, not both: the note's own lines go with a name that says
  // where it is.
  const std::string place = fmt::format("{}:+{:#x} (metadata note)", file, file_offset);
  auto root = Yaml::parse(note.substr(0, note.find('\0')), place);
  if (!root) return root.error();
  Metadata out;
  if (auto status = read_module(*root, &out); !status) return status.error();
  return out;
}

}  // namespace cuvette::hsa
