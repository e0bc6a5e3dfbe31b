// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "hsail/matrix_table.h"
#include "hsail/validate_inst.h"

// Extensions of a module (HSAIL PRM 13.1) and the rules of cuvette:mfma (hsail_mfma.md).
namespace cuvette::hsail {

bool has_extension(const Module& module, std::string_view name) {
  for (const CodeEntry& e : module.code) {
    const auto* extension = std::get_if<Extension>(&e.body);
    if (extension != nullptr && extension->name == name) return true;
    if (e.kind == Kind::kVariable || e.kind == Kind::kFbarrier || is_executable(e.kind)) break;
  }
  return false;
}

ExtensionCheck::ExtensionCheck(const Module& module)
    : m_(module), core_(has_extension(module, "CORE")) {}

/// 13.1: without a version that of the module.
ExtensionCheck::Version ExtensionCheck::version_of(const CodeEntry& entry) const {
  const Extension& x = entry.as<Extension>();
  const ModuleHeader* header = m_.header();
  return entry.kind == Kind::kExtensionVersion || header == nullptr
             ? Version(x.major, x.minor)
             : Version(header->major, header->minor);
}

/// 13.1: a name that is given again has the same version.
Finding ExtensionCheck::other_version(const CodeEntry& entry) {
  for (; &m_.code[next_] != &entry; ++next_) {
    const CodeEntry& e = m_.code[next_];
    const auto* x = std::get_if<Extension>(&e.body);
    if (x == nullptr) continue;
    Mentions& same = mentions_[x->name];
    if (same.first == nullptr) {
      same.first = &e;
    } else if (same.other == nullptr && version_of(e) != version_of(*same.first)) {
      same.other = &e;
    }
  }
  const std::string& name = entry.as<Extension>().name;
  const auto found = mentions_.find(name);
  if (found == mentions_.end()) return {};
  const bool differs = version_of(*found->second.first) != version_of(entry);
  const CodeEntry* const before = differs ? found->second.first : found->second.other;
  if (before == nullptr) return {};
  return {Rule::kExtensionVersion,
          "extension \"" + name + "\" has another version at " + place_text(before->at), entry.at};
}

Finding ExtensionCheck::run(const CodeEntry& entry) {
  const Extension& x = entry.as<Extension>();
  const bool versioned = entry.kind == Kind::kExtensionVersion;
  const std::string quoted = "extension \"" + x.name + "\"";
  if (x.name.empty()) return {};
  if (x.name == "CORE") {
    return versioned ? Finding{Rule::kExtensionCore, quoted + " has no version", entry.at}
                     : Finding{};
  }
  if (core_) {
    return {Rule::kExtensionCore, quoted + " cannot stand beside extension \"CORE\"", entry.at};
  }
  if (const Finding f = other_version(entry)) return f;
  // The extensions named here are not offered, but modules of compilers carry them without using
  // them, so their versions do not count either.
  if (x.name == "amd:gcn" || x.name == "amd:mipmap") return {};
  // 13.1: whether an extension is there is the finalizer's to say.
  if (x.name != "IMAGE" && x.name != kMatrixExtension) {
    return Finding::of_machine(
        Rule::kExtensionName,
        quoted + " is not supported, expected CORE, IMAGE, amd:gcn, amd:mipmap or cuvette:mfma",
        entry.at);
  }
  const bool known = x.major == kHsailMajor && x.minor <= kHsailMinorMax;
  if (!versioned || known) return {};
  return Finding::of_machine(Rule::kExtensionVersion,
                             "version " + std::to_string(x.major) + ":" + std::to_string(x.minor) +
                                 " of " + quoted + " is not supported, expected 1:0, 1:1 or 1:2",
                             entry.at);
}

Finding check_matrix_block(const Module& module, const Executable& block) {
  Position first;
  bool any = false;
  for (CodeRef i = block.first_code_block_entry; i < block.next_module_entry; ++i) {
    const CodeEntry& e = module.code[i];
    if (e.kind == Kind::kControl &&
        e.as<Control>().control == ControlDirective::kRequireNoPartialWavefronts) {
      return {};
    }
    if (!any && is_instruction(e.kind) && is_matrix(e.as<Inst>().opcode)) {
      any = true;
      first = e.at;
    }
  }
  if (!any) return {};
  return {Rule::kMatrixWavefronts,
          "a code block with matrix instructions needs 'requirenopartialwavefronts'", first};
}

}  // namespace cuvette::hsail
