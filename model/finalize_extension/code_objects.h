// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define AMD_INTERNAL_BUILD  // the header's includes have no folder then
#include <hsa/hsa_api_trace.h>

/// Queries of HSA 1.0 programs about finalized code objects. The runtime knows the
/// answers for code objects of the first format alone; in later ones kernels are symbols with ".kd"
/// behind, and nothing says machine model, profile and rounding.
namespace cuvette::finalize_extension {

/// The attributes of a code object that a program was finalized to.
struct Finalized {
  hsa_isa_t isa{};
  hsa_code_object_type_t type = HSA_CODE_OBJECT_TYPE_PROGRAM;
  hsa_machine_model_t machine_model = HSA_MACHINE_MODEL_LARGE;
  hsa_profile_t profile = HSA_PROFILE_FULL;
  hsa_default_float_rounding_mode_t rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT;
};

/// Until it is destroyed.
void remember(hsa_code_object_t code_object, const Finalized& facts);
void forget_all();

/// Puts functions in front of the runtime's own. Names that begin with "&" mean symbols of HSAIL:
///
/// - hsa_code_object_get_info answers for remembered code objects, hsa_code_object_destroy forgets;
/// - hsa_executable_load_code_object takes no remembered code object of another machine model than
///   the agent's: INCOMPATIBLE_ARGUMENTS;
/// - the functions that find symbols by name find kernels by the name in HSAIL, and variables of
///   program allocation whatever the agent;
/// - the functions that tell names tell those, and walks over symbols leave out the finalizer's
/// own.
void wrap(CoreApiTable& core);

}  // namespace cuvette::finalize_extension
