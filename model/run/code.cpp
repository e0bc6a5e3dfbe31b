// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/code.h"

#include <cstring>
#include <set>

#include <fmt/format.h>

#include "base/file.h"
#include "hsa/code_container.h"
#include "hsa/elf.h"
#include "hsa/file_error.h"
#include "hsa/small_model.h"
#include "hsail/brig.h"
#include "hsail/external.h"
#include "hsail/link.h"
#include "run/foreign_code.h"
#include "run/opencl_compiler.h"
#ifdef CUVETTE_WITH_FINALIZER
#include "run/finalizer_module.h"
#endif

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;

CodeKind kind_of(const std::vector<uint8_t>& bytes) {
  const auto starts = [&](const char* magic, size_t size) {
    return bytes.size() >= size && std::memcmp(bytes.data(), magic, size) == 0;
  };
  if (hsail::is_brig(bytes.data(), bytes.size())) return CodeKind::Brig;
  if (hsa::is_code_container(bytes.data(), bytes.size())) return CodeKind::Container;
  if (starts("\x7f"
             "ELF",
             4))
    return hsa::is_relocatable(bytes.data(), bytes.size()) ? CodeKind::Relocatable
                                                           : CodeKind::CodeObject;
  return is_opencl(bytes) ? CodeKind::OpenCl : CodeKind::HsailText;
}

/// Linked by the lld of this build.
Result<std::vector<uint8_t>> link(const std::vector<uint8_t>& object, const std::string& file,
                                  bool has_externals) {
#ifdef CUVETTE_WITH_FINALIZER
  const auto module = load_finalizer();
  if (!module) return module.error();
  return (*module)->link_relocatable(object, file, has_externals);
#else
  (void)object, (void)has_externals;
  constexpr uint64_t kElfTypeAt = 16;
  return hsa::error_in_file(
      file, kElfTypeAt,
      fmt::format("a relocatable object, expected a linked one, and this build has no lld: "
                  "'ld.lld -shared {} -o {}.co' makes one",
                  file, file));
#endif
}

Result<std::vector<MachineObject>> objects_in_container(const CodeFile& file,
                                                        const hsa::TargetId& target,
                                                        bool has_externals) {
  const auto entries = hsa::entries_for(file.bytes.data(), file.bytes.size(), file.path, target);
  if (!entries) return entries.error();
  std::vector<MachineObject> out;
  for (const hsa::BundleEntry& entry : *entries) {
    const auto first = file.bytes.begin() + static_cast<ptrdiff_t>(entry.offset);
    MachineObject object{fmt::format("{} ({})", file.path, entry.id),
                         {first, first + static_cast<ptrdiff_t>(entry.bytes)}};
    if (const std::string form = foreign_form(object.bytes, object.name); !form.empty()) {
      return hsa::error_in_file(file.path, entry.offset, form);
    }
    if (hsa::is_code_container(object.bytes.data(), object.bytes.size())) {
      return hsa::error_in_file(file.path, entry.offset,
                                "an offload bundle inside of another, expected a code object");
    }
    if (hsa::is_relocatable(object.bytes.data(), object.bytes.size())) {
      auto linked = link(object.bytes, object.name, has_externals);
      if (!linked) return linked.error();
      object.bytes = std::move(*linked);
      object.name += " (linked)";  // its offsets are not those of the file
    }
    out.push_back(std::move(object));
  }
  return out;
}

/// Objects of a file that is no HSAIL.
Result<std::vector<MachineObject>> objects_of(const CodeFile& file, const hsa::TargetId& target,
                                              bool has_externals) {
  if (file.kind == CodeKind::Container) return objects_in_container(file, target, has_externals);
  Result<std::vector<uint8_t>> bytes = file.bytes;
  std::string name = file.path;
  if (file.kind == CodeKind::Relocatable) {
    bytes = link(file.bytes, file.path, has_externals);
    name += " (linked)";
  } else if (file.kind == CodeKind::OpenCl) {
    bytes = compile_opencl(file.path, target);
    name += " (compiled)";
  }
  if (!bytes) return bytes.error();
  return std::vector<MachineObject>{{std::move(name), std::move(*bytes)}};
}

}  // namespace

Result<std::vector<CodeFile>> read_code(const Code& code) {
  std::vector<CodeFile> out;
  if (code.inline_hsail) {
    const std::string& text = *code.inline_hsail;
    out.push_back(
        {code.where.str() + " (inline)", CodeKind::HsailText, {text.begin(), text.end()}});
    return out;
  }
  for (const auto& path : code.files) {
    auto bytes = base::read_binary(path);
    if (!bytes) return bytes.error();
    const CodeKind kind = kind_of(*bytes);
    if (!is_hsail(kind) && code.files.size() > 1) {
      return Error("machine code stands alone; only HSAIL modules are linked together",
                   {.file = path});
    }
    if (kind == CodeKind::HsailText) {
      if (const std::string form = foreign_form(*bytes, path); !form.empty()) {
        return Error(form, {.file = path});
      }
    }
    out.push_back({path, kind, std::move(*bytes)});
  }
  return out;
}

bool is_small_model(const Code& code) {
  Code first = code;
  if (first.files.size() > 1) first.files.resize(1);
  const auto files = read_code(first);
  if (!files || files->empty()) return false;
  const CodeFile& file = files->front();
  if (is_hsail(file.kind)) {
    return hsail::peek_machine_model(file.bytes.data(), file.bytes.size()) ==
           hsail::MachineModel::kSmall;
  }
  if (file.kind != CodeKind::CodeObject) return false;
  const auto elf = hsa::parse_elf(file.bytes.data(), file.bytes.size(), file.path);
  return elf.ok() && hsa::is_small_model(*elf, file.bytes.data());
}

std::string load_key(const Code& code, const hsa::ExternalVariables& externals) {
  std::string key = code.inline_hsail.value_or("");
  for (const auto& file : code.files) key += file + '\n';
  for (const auto& [name, external] : externals) {
    key += fmt::format("{} {:#x} {}\n", name, external.address, external.bytes);
  }
  return key;
}

Result<std::vector<MachineObject>> code_objects_for(const std::vector<CodeFile>& files,
                                                    const hsa::TargetId& target,
                                                    const hsa::ExternalVariables& externals) {
  if (files.size() == 1 && !is_hsail(files[0].kind)) {
    auto objects = objects_of(files[0], target, !externals.empty());
    if (!objects) return objects.error();
    std::set<std::string> all;
    for (MachineObject& object : *objects) {
      const auto defined = hsa::define_externals(object.bytes, object.name, externals);
      if (!defined) return defined.error();
      all.insert(defined->begin(), defined->end());
    }
    for (const auto& [name, external] : externals) {
      if (all.count(name) != 0) continue;
      return Error(
          fmt::format("{} has no undefined symbol for external variable '{}'", files[0].path, name),
          external.where);
    }
    return objects;
  }
#ifdef CUVETTE_WITH_FINALIZER
  std::vector<hsail::Module> modules;
  for (const auto& file : files) {
    auto module = hsail::load_module(file.bytes.data(), file.bytes.size(), file.path);
    if (!module) return module.error();
    modules.push_back(std::move(*module));
  }
  std::vector<const hsail::Module*> linked;
  linked.reserve(modules.size());
  for (const auto& module : modules) linked.push_back(&module);
  auto program = hsail::link(linked);
  if (!program) return program.error();
  // Here the places of the declarations are known.
  if (auto placed = hsail::place_externals(*program, externals); !placed) return placed.error();
  finalizer::Options options;
  options.target = target.str();
  const auto module = load_finalizer();
  if (!module) return module.error();
  auto object = (*module)->finalize(linked, options);
  if (!object) return object.error();
  // A variable that the code does not refer to is no symbol of the object.
  const auto defined = hsa::define_externals(*object, files[0].path, externals);
  if (!defined) return defined.error();
  return std::vector<MachineObject>{{files[0].path, std::move(*object)}};
#else
  return Error(fmt::format("not built: HSAIL needs the finalizer (LLVM) to become {} code",
                           hsa::facts(target.processor).name),
               {.file = files.empty() ? "" : files[0].path});
#endif
}

}  // namespace cuvette::run
