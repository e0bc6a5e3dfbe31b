// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "run/code.h"

#include <cstring>

#include <fmt/format.h>

#include "base/file.h"
#ifdef CUVETTE_WITH_FINALIZER
#include "finalizer/finalize.h"
#endif
#include "hsa/elf.h"
#include "hsa/small_model.h"
#include "hsail/brig.h"
#include "hsail/external.h"
#include "hsail/link.h"

namespace cuvette::run {
namespace {

using base::Error;
using base::Result;

CodeKind kind_of(const std::vector<uint8_t>& bytes) {
  const auto starts = [&](const char* magic, size_t size) {
    return bytes.size() >= size && std::memcmp(bytes.data(), magic, size) == 0;
  };
  if (hsail::is_brig(bytes.data(), bytes.size())) return CodeKind::Brig;
  if (starts("\x7f"
             "ELF",
             4))
    return CodeKind::CodeObject;
  return CodeKind::HsailText;
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
    if (kind == CodeKind::CodeObject && code.files.size() > 1) {
      return Error("a code object stands alone; only HSAIL modules are linked together",
                   {.file = path});
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
  if (file.kind != CodeKind::CodeObject) {
    return hsail::peek_machine_model(file.bytes.data(), file.bytes.size()) ==
           hsail::MachineModel::kSmall;
  }
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

Result<std::vector<uint8_t>> code_object_for(const std::vector<CodeFile>& files,
                                             const std::string& target,
                                             const hsa::ExternalVariables& externals) {
  if (files.size() == 1 && files[0].kind == CodeKind::CodeObject) {
    std::vector<uint8_t> object = files[0].bytes;
    const auto defined = hsa::define_externals(object, files[0].path, externals);
    if (!defined) return defined.error();
    for (const auto& [name, external] : externals) {
      if (defined->count(name) != 0) continue;
      return Error(
          fmt::format("{} has no undefined symbol for external variable '{}'", files[0].path, name),
          external.where);
    }
    return object;
  }
#ifdef CUVETTE_WITH_FINALIZER
  std::vector<hsail::Module> modules;
  for (const auto& file : files) {
    auto module = hsail::load_module(file.bytes.data(), file.bytes.size(), file.path);
    if (!module) return module.error();
    modules.push_back(std::move(*module));
  }
  std::vector<const hsail::Module*> linked;
  for (const auto& module : modules) linked.push_back(&module);
  auto program = hsail::link(linked);
  if (!program) return program.error();
  // Here the places of the declarations are known.
  if (auto placed = hsail::place_externals(*program, externals); !placed) return placed.error();
  finalizer::Options options;
  options.target = target;
  auto object = finalizer::finalize(linked, options);
  if (!object) return object.error();
  // What the code does not refer to is no symbol of the object.
  const auto defined = hsa::define_externals(*object, files[0].path, externals);
  if (!defined) return defined.error();
  return object;
#else
  return Error(fmt::format("not built: HSAIL needs the finalizer (LLVM) to become {} code", target),
               {.file = files.empty() ? "" : files[0].path});
#endif
}

}  // namespace cuvette::run
