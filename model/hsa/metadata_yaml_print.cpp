// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cctype>

#include <fmt/format.h>

#include "base/bits.h"
#include "hsa/metadata.h"

// The YAML note of code object v2, written.
namespace cuvette::hsa {
namespace {

/// "hidden_global_offset_x" to "HiddenGlobalOffsetX".
std::string camel_case(const std::string& snake) {
  if (snake == "hidden_multigrid_sync_arg") return "HiddenMultiGridSyncArg";
  std::string out;
  bool upper = true;
  for (char c : snake) {
    if (c != '_') out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'') out += c;
    out += c;
  }
  return out + "'";
}

/// Alignment with which an argument behind `end` comes to lie at `offset`; 0 for none. The
/// alignment of its size is preferred.
uint64_t alignment_of(const KernelArg& arg, uint64_t end) {
  const uint64_t natural = std::bit_floor(std::clamp<uint64_t>(arg.size, 1, 16));
  if (base::align_up(end, natural) == arg.offset) return natural;
  for (uint64_t a = 1; a <= 256; a *= 2) {
    if (base::align_up(end, a) == arg.offset) return a;
  }
  return 0;
}

class Printer {
 public:
  base::Result<std::string> module(const Metadata& metadata) {
    out_ = "---\nVersion:         [ 1, 0 ]\n";
    if (!metadata.printf.empty()) {
      out_ += "Printf:\n";
      for (const std::string& line : metadata.printf) out_ += fmt::format("  - {}\n", quoted(line));
    }
    out_ += "Kernels:\n";
    for (const KernelMetadata& k : metadata.kernels) {
      if (auto status = kernel(k); !status) return status.error();
    }
    return out_ + "...\n";
  }

 private:
  base::Status kernel(const KernelMetadata& k) {
    out_ += fmt::format("  - Name:            {}\n", quoted(k.name));
    out_ += fmt::format("    SymbolName:      {}\n", quoted(k.name + "@kd"));
    const uint64_t* const group = k.reqd_workgroup_size;
    if (group[0] != 0 || group[1] != 0 || group[2] != 0) {
      out_ += fmt::format("    Attrs:\n      ReqdWorkGroupSize: [ {}, {}, {} ]\n", group[0],
                          group[1], group[2]);
    }
    if (!k.args.empty()) out_ += "    Args:\n";
    uint64_t end = 0;
    for (const KernelArg& a : k.args) {
      const uint64_t alignment = alignment_of(a, end);
      if (alignment == 0) {
        return base::Error(fmt::format(
            "kernel {}: no alignment puts argument {} of {} bytes from {} to {}, as code object v2 "
            "has to say it",
            k.name, a.name, a.size, end, a.offset));
      }
      argument(a, alignment);
      end = a.offset + a.size;
    }
    out_ += "    CodeProps:\n";
    const auto property = [this](const char* name, uint64_t value) {
      out_ += fmt::format("      {}: {}\n", name, value);
    };
    property("KernargSegmentSize", k.kernarg_bytes);
    property("GroupSegmentFixedSize", k.group_bytes);
    property("PrivateSegmentFixedSize", k.private_bytes);
    property("KernargSegmentAlign", k.kernarg_alignment);
    property("WavefrontSize", k.wavefront_size);
    property("NumSGPRs", k.sgpr_count);
    property("NumVGPRs", k.vgpr_count);
    property("MaxFlatWorkGroupSize", k.max_flat_workgroup_size);
    if (k.uses_dynamic_stack) out_ += "      IsDynamicCallStack: true\n";
    return {};
  }

  void argument(const KernelArg& a, uint64_t alignment) {
    out_ += fmt::format("      - Size:            {}\n        Align:           {}\n", a.size,
                        alignment);
    out_ += fmt::format("        ValueKind:       {}\n", camel_case(a.kind_name));
    const auto named = [this](const char* key, const std::string& value) {
      if (!value.empty()) out_ += fmt::format("        {}: {}\n", key, value);
    };
    if (!a.name.empty()) named("Name", quoted(a.name));
    if (!a.type_name.empty()) named("TypeName", quoted(a.type_name));
    named("AddrSpaceQual", camel_case(a.address_space));
    named("AccQual", camel_case(a.access));
    if (a.pointee_align != 0) named("PointeeAlign", std::to_string(a.pointee_align));
    if (a.is_const) named("IsConst", "true");
  }

  std::string out_;
};

}  // namespace

base::Result<std::string> print_metadata_yaml(const Metadata& metadata) {
  return Printer().module(metadata);
}

}  // namespace cuvette::hsa
