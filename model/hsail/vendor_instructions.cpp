// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/vendor_instructions.h"

#include <algorithm>
#include <iterator>

#include "hsail/gcn_table.h"
#include "hsail/matrix_table.h"
#include "hsail/mipmap_table.h"
#include "hsail/validate_inst.h"

namespace cuvette::hsail {

namespace {

constexpr std::string_view kGcn = kGcnExtension;
constexpr std::string_view kMipmap = kMipmapExtension;

/// In the order of their opcodes, from the first one of vendors on: those of HSAILasm, the
/// reference assembler of HSAIL-Tools.
constexpr VendorInst kInstructions[] = {
    {"amd_gcn_madu", kGcn},
    {"amd_gcn_mads", kGcn},
    {"amd_gcn_max3", kGcn},
    {"amd_gcn_min3", kGcn},
    {"amd_gcn_med3", kGcn},
    {"amd_gcn_fldexp", kGcn},
    {"amd_gcn_frexp_exp", kGcn},
    {"amd_gcn_frexp_mant", kGcn},
    {"amd_gcn_trig_preop", kGcn},
    {"amd_gcn_bfm", kGcn},
    {"amd_gcn_ld", kGcn},
    {"amd_gcn_st", kGcn},
    {"amd_gcn_atomic", kGcn},
    {"amd_gcn_atomicNoRet", kGcn},
    {"amd_gcn_sleep", kGcn},
    {"amd_gcn_priority", kGcn},
    {"amd_gcn_region_alloc", kGcn},
    {"amd_gcn_msad", kGcn},
    {"amd_gcn_qsad", kGcn},
    {"amd_gcn_mqsad", kGcn},
    {"amd_gcn_mqsad4", kGcn},
    {"amd_gcn_sadw", kGcn},
    {"amd_gcn_sadd", kGcn},
    {"amd_gcn_atomic_consume", kGcn},
    {"amd_gcn_atomic_append", kGcn},
    {"amd_gcn_b4xchg", kGcn},
    {"amd_gcn_b32xchg", kGcn},
    {"amd_gcn_max", kGcn},
    {"amd_gcn_min", kGcn},
    {"amd_gcn_divrelaxed", kGcn},
    {"amd_gcn_divrelaxednarrow", kGcn},
    {"amd_mipmap_rdimagelod", kMipmap},
    {"amd_mipmap_rdimagegrad", kMipmap},
    {"amd_mipmap_ldimagemip", kMipmap},
    {"amd_mipmap_stimagemip", kMipmap},
    {"amd_mipmap_queryimage", kMipmap},
};
constexpr std::string_view kVendor = "amd_";

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

}  // namespace

const VendorInst* find_vendor_inst(Opcode opcode) {
  const auto number = static_cast<unsigned>(opcode);
  if (number < kFirstVendorOpcode) return nullptr;
  const unsigned index = number - kFirstVendorOpcode;
  return index < std::size(kInstructions) ? &kInstructions[index] : nullptr;
}

const VendorInst* find_vendor_inst(std::string_view mnemonic) {
  const VendorInst* longest = nullptr;
  for (const VendorInst& v : kInstructions) {
    for (const std::string_view name : {v.name, v.name.substr(kVendor.size())}) {
      if (!begins(mnemonic, name)) continue;
      const std::string_view rest = mnemonic.substr(name.size());
      if (!rest.empty() && rest[0] != '_') continue;
      if (longest == nullptr || v.name.size() > longest->name.size()) longest = &v;
    }
  }
  return longest;
}

Opcode find_vendor_opcode(const VendorInst& inst) {
  return static_cast<Opcode>(kFirstVendorOpcode + (&inst - kInstructions));
}

std::string_view vendor_extension(std::string_view mnemonic) {
  if (begins(mnemonic, "amd_gcn_") || begins(mnemonic, "gcn_")) return kGcn;
  if (begins(mnemonic, "amd_mipmap_") || begins(mnemonic, "mipmap_")) return kMipmap;
  return {};
}

std::string vendor_problem(const Module& module, const VendorInst& inst, std::string_view written) {
  const bool declared = has_extension(module, inst.extension);
  const bool old = !begins(written, kVendor);
  std::string text = "'" + std::string(written) + "'";
  if (old) {
    text += " is an old spelling, expected '" + std::string(kVendor) + std::string(written) + "'";
  }
  if (declared) return old ? text : "";
  return text + (old ? ", and" : " needs") + " 'extension \"" + std::string(inst.extension) +
         "\";' before the first module statement";
}

Rule vendor_rule(std::string_view extension) {
  return extension == kGcn ? Rule::kGcnExtension : Rule::kMipmapExtension;
}

std::string unknown_extensions(const Module& module, std::string_view vendor) {
  std::string text;
  for (const CodeEntry& e : module.code) {
    const auto* const x = std::get_if<Extension>(&e.body);
    if (x == nullptr || x->name.empty() || x->name == "CORE" || x->name == "IMAGE" ||
        x->name == kGcn || x->name == kMipmap || x->name == kMatrixExtension ||
        !begins(x->name, vendor)) {
      continue;
    }
    const std::string quoted = "\"" + x->name + "\"";
    if (text.find(quoted) == std::string::npos) text += (text.empty() ? "" : ", ") + quoted;
  }
  return text;
}

}  // namespace cuvette::hsail
