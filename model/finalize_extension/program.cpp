// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#include "finalize_extension/program.h"

#include <algorithm>
#include <utility>

#include "finalize_extension/directives.h"
#include "finalize_extension/module_memory.h"
#include "finalizer/finalize.h"
#include "hsail/brig.h"
#include "hsail/link.h"
#include "hsail/validator.h"

namespace cuvette::finalize_extension {

namespace {

Answer answer(int status, std::string why) {
  return {status, std::move(why)};
}

/// Rules about what several modules say of one name (hsail/rules.h).
bool is_about_symbols(const base::Error& error) {
  return error.id == "declaration-mismatch" || error.id == "definition-repeated";
}

/// Rules about control directives that do not agree.
bool is_about_directives(const base::Error& error) {
  return error.id == "control-conflict" || error.id == "control-kernel";
}

Answer failed(const base::Error& error) {
  return answer(is_about_directives(error) ? HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH
                                           : HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED,
                error.str());
}

hsail::Round rounding_of(hsa_default_float_rounding_mode_t mode) {
  switch (mode) {
    case HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO:
      return hsail::Round::kFloatZero;
    case HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR:
      return hsail::Round::kFloatNear;
    default:
      return hsail::Round::kFloatDefault;
  }
}

const char* text(hsail::Round mode) {
  return mode == hsail::Round::kFloatZero   ? "zero"
         : mode == hsail::Round::kFloatNear ? "near"
                                            : "default";
}

}  // namespace

Answer Program::check_header(const hsail::Module& module) const {
  const hsail::ModuleHeader& header = *module.header();
  const auto differs = [&](const std::string& what, const std::string& own,
                           const std::string& program) {
    return answer(
        HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE,
        what + " of module '" + header.name + "' is " + own + ", of the program " + program);
  };
  const bool small = header.machine_model == hsail::MachineModel::kSmall;
  if (small != (settings_.machine_model == HSA_MACHINE_MODEL_SMALL)) {
    return differs("the machine model", small ? "small" : "large", small ? "large" : "small");
  }
  const bool base = header.profile == hsail::Profile::kBase;
  if (base != (settings_.profile == HSA_PROFILE_BASE)) {
    return differs("the profile", base ? "base" : "full", base ? "full" : "base");
  }
  const hsail::Round rounding = rounding_of(settings_.rounding);
  if (header.default_round != hsail::Round::kFloatDefault && header.default_round != rounding) {
    return differs("the default rounding", text(header.default_round), text(rounding));
  }
  return {};
}

std::vector<const hsail::Module*> Program::all_modules() const {
  std::vector<const hsail::Module*> all;
  all.reserve(members_.size() + 1);
  for (const Member& member : members_) all.push_back(&member.module);
  return all;
}

Answer Program::add(hsa_ext_module_t address) {
  const std::lock_guard lock(mutex_);
  const auto is_included = [&](const Member& member) { return member.address == address; };
  if (std::any_of(members_.begin(), members_.end(), is_included)) {
    return answer(HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED,
                  "the module at this address is part of the program");
  }
  const auto bytes = copy_module(address);
  if (!bytes) return answer(HSA_EXT_STATUS_ERROR_INVALID_MODULE, bytes.error().what);
  const std::string file = "module " + std::to_string(members_.size() + 1);
  hsail::Outcome outcome =
      hsail::parse_module(bytes->data(), bytes->size(), file, hsail::Rules::kLanguage);
  if (!outcome.ok()) {
    return answer(HSA_EXT_STATUS_ERROR_INVALID_MODULE, outcome.errors.front().str());
  }
  Member member{address, std::move(outcome.module)};
  if (Answer refused = check_header(member.module); refused.status != HSA_STATUS_SUCCESS) {
    return refused;
  }
  const std::string& name = member.module.header()->name;
  for (const Member& other : members_) {
    if (other.module.header()->name != name) continue;
    return answer(HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED,
                  "a module '" + name + "' is part of the program");
  }
  std::vector<const hsail::Module*> all = all_modules();
  all.push_back(&member.module);
  if (const auto linked = hsail::link(all); !linked && is_about_symbols(linked.error())) {
    return answer(HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH, linked.error().str());
  }
  members_.push_back(std::move(member));
  return {};
}

std::vector<hsa_ext_module_t> Program::modules() const {
  const std::lock_guard lock(mutex_);
  std::vector<hsa_ext_module_t> all;
  all.reserve(members_.size());
  for (const Member& member : members_) all.push_back(member.address);
  return all;
}

Answer Program::finalize(const Request& request, std::vector<uint8_t>* object) const {
  const std::lock_guard lock(mutex_);
  if (members_.empty()) {
    return answer(HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED, "the program has no module");
  }
  if (std::string why = malformed(request.directives); !why.empty()) {
    return answer(HSA_STATUS_ERROR_INVALID_ARGUMENT, std::move(why));
  }
  for (const Member& member : members_) {
    const hsail::Verdict verdict = hsail::check(member.module);
    if (!verdict.machine.empty()) return failed(verdict.machine.front());
  }
  auto linked = hsail::link(all_modules());
  if (!linked) return failed(linked.error());
  for (hsail::CodeEntry& entry : linked->code) {
    auto* header = std::get_if<hsail::ModuleHeader>(&entry.body);
    if (header != nullptr) header->default_round = rounding_of(settings_.rounding);
  }
  const auto program = with_directives(*linked, request.directives);
  if (!program) {
    return answer(HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH, program.error().str());
  }
  finalizer::Options options;
  options.target = request.target;
  options.code_object_version = request.code_object_version;
  options.spelling = finalizer::Spelling::kHsail;
  auto finalized = finalizer::finalize(*program, options);
  if (!finalized) return failed(finalized.error());
  *object = std::move(*finalized);
  return {};
}

}  // namespace cuvette::finalize_extension
