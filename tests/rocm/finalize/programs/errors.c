// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Every status that the specification has for the functions of the finalizer extension, and modules
// that nobody should believe. The folder with the modules is the argument.
#include <sys/mman.h>
#include <unistd.h>

#include "common.h"

static int wrong = 0, calls = 0;

#define EXPECT(status, call)                                                             \
  do {                                                                                   \
    const int found = (call);                                                            \
    ++calls;                                                                             \
    if (found != (int)(status)) {                                                        \
      ++wrong;                                                                           \
      printf("line %d: %s: %#x, expected %#x\n", __LINE__, #call, found, (int)(status)); \
    }                                                                                    \
  } while (0)

static const char* folder = ".";

static hsa_ext_module_t module(const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.brig", folder, name);
  return read_module(path);
}

static hsa_ext_program_t new_program(hsa_machine_model_t model, hsa_profile_t profile,
                                     hsa_default_float_rounding_mode_t rounding) {
  hsa_ext_program_t program = {0};
  EXPECT(HSA_STATUS_SUCCESS, hsa_ext_program_create(model, profile, rounding, NULL, &program));
  return program;
}

static hsa_ext_program_t usual_program(void) {
  return new_program(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE,
                     HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT);
}

static void creation(void) {
  const hsa_machine_model_t large = HSA_MACHINE_MODEL_LARGE;
  const hsa_profile_t base = HSA_PROFILE_BASE;
  const hsa_default_float_rounding_mode_t usual = HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT;
  hsa_ext_program_t program;
  const hsa_status_t bad = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  EXPECT(bad, hsa_ext_program_create((hsa_machine_model_t)2, base, usual, NULL, &program));
  EXPECT(bad, hsa_ext_program_create(large, (hsa_profile_t)2, usual, NULL, &program));
  EXPECT(bad,
         hsa_ext_program_create(large, base, (hsa_default_float_rounding_mode_t)3, NULL, &program));
  EXPECT(bad, hsa_ext_program_create(large, base, usual, NULL, NULL));
  program =
      new_program(HSA_MACHINE_MODEL_SMALL, HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  hsa_machine_model_t model;
  hsa_profile_t profile;
  hsa_default_float_rounding_mode_t rounding;
  EXPECT(0, hsa_ext_program_get_info(program, HSA_EXT_PROGRAM_INFO_MACHINE_MODEL, &model));
  EXPECT(0, hsa_ext_program_get_info(program, HSA_EXT_PROGRAM_INFO_PROFILE, &profile));
  EXPECT(0, hsa_ext_program_get_info(program, HSA_EXT_PROGRAM_INFO_DEFAULT_FLOAT_ROUNDING_MODE,
                                     &rounding));
  EXPECT(HSA_MACHINE_MODEL_SMALL, model);
  EXPECT(HSA_PROFILE_FULL, profile);
  EXPECT(HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, rounding);
  EXPECT(bad, hsa_ext_program_get_info(program, HSA_EXT_PROGRAM_INFO_PROFILE, NULL));
  EXPECT(bad, hsa_ext_program_get_info(program, (hsa_ext_program_info_t)3, &model));
  EXPECT(0, hsa_ext_program_destroy(program));

  const int none = HSA_EXT_STATUS_ERROR_INVALID_PROGRAM;
  const hsa_ext_program_t never = {0x123456789};
  EXPECT(none, hsa_ext_program_destroy(program));
  EXPECT(none, hsa_ext_program_destroy(never));
  EXPECT(none, hsa_ext_program_get_info(program, HSA_EXT_PROGRAM_INFO_PROFILE, &profile));
  EXPECT(none, hsa_ext_program_add_module(program, module("vector_scale")));
}

static hsa_status_t stop(hsa_ext_program_t program, hsa_ext_module_t added, void* data) {
  (void)program;
  *(hsa_ext_module_t*)data = added;
  return HSA_STATUS_INFO_BREAK;
}

static void modules(void) {
  hsa_ext_program_t program = usual_program();
  const int incompatible = HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE;
  EXPECT(incompatible, hsa_ext_program_add_module(program, module("small")));
  EXPECT(incompatible, hsa_ext_program_add_module(program, module("full")));
  EXPECT(incompatible, hsa_ext_program_add_module(program, module("zero")));
  hsa_ext_module_t first = module("vector_scale");
  EXPECT(0, hsa_ext_program_add_module(program, first));
  const int again = HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED;
  EXPECT(again, hsa_ext_program_add_module(program, first));
  EXPECT(again, hsa_ext_program_add_module(program, module("vector_scale")));
  EXPECT(0, hsa_ext_program_add_module(program, module("combine")));
  EXPECT(HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH,
         hsa_ext_program_add_module(program, module("other_combine")));

  hsa_ext_module_t seen = NULL;
  EXPECT(HSA_STATUS_INFO_BREAK, hsa_ext_program_iterate_modules(program, stop, &seen));
  EXPECT(1, seen == first);
  EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_ext_program_iterate_modules(program, NULL, NULL));
  EXPECT(0, hsa_ext_program_destroy(program));
  EXPECT(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM,
         hsa_ext_program_iterate_modules(program, stop, &seen));

  program =
      new_program(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO);
  EXPECT(0, hsa_ext_program_add_module(program, module("zero")));
  EXPECT(0, hsa_ext_program_add_module(program, module("limits")));
  EXPECT(0, hsa_ext_program_destroy(program));
}

// Bytes 16 to 23 of a module say how long it is.
static uint64_t length_of(hsa_ext_module_t the) {
  uint64_t bytes;
  memcpy(&bytes, (char*)the + 16, sizeof bytes);
  return bytes;
}

// Finalizes with the directives.
static int finalize(hsa_ext_program_t program, hsa_isa_t isa,
                    const hsa_ext_control_directives_t* directives) {
  hsa_code_object_t code_object;
  const int status = hsa_ext_program_finalize(program, isa, 0, *directives, NULL,
                                              HSA_CODE_OBJECT_TYPE_PROGRAM, &code_object);
  if (status == HSA_STATUS_SUCCESS) CHECK(hsa_code_object_destroy(code_object));
  return status;
}

static void bad_modules(hsa_isa_t isa) {
  hsa_ext_program_t program = usual_program();
  const int invalid = HSA_EXT_STATUS_ERROR_INVALID_MODULE;
  EXPECT(invalid, hsa_ext_program_add_module(program, NULL));
  EXPECT(invalid, hsa_ext_program_add_module(program, (hsa_ext_module_t)16));
  char text[256] = "this is no module";
  EXPECT(invalid, hsa_ext_program_add_module(program, (hsa_ext_module_t)text));

  // At the end of what is mapped: the header, or the length that it tells, does not fit.
  const size_t page = sysconf(_SC_PAGESIZE);
  char* pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(pages + page, page);
  hsa_ext_module_t good = module("combine");
  const uint64_t bytes = length_of(good);
  memcpy(pages + page - 12, good, 12);
  EXPECT(invalid, hsa_ext_program_add_module(program, (hsa_ext_module_t)(pages + page - 12)));
  memcpy(pages + page - 200, good, 200);
  EXPECT(invalid, hsa_ext_program_add_module(program, (hsa_ext_module_t)(pages + page - 200)));
  for (uint64_t lie = 0; lie < 64; ++lie) {
    uint64_t length = UINT64_MAX >> lie;
    if (length == bytes) continue;
    memcpy(pages, good, bytes);
    memcpy(pages + 16, &length, sizeof length);
    EXPECT(invalid, hsa_ext_program_add_module(program, (hsa_ext_module_t)pages));
  }

  // Every byte of a module changed in turn: it is taken or refused, and nothing else happens. Some
  // of those that are taken are finalized.
  hsa_ext_control_directives_t none;
  memset(&none, 0, sizeof none);
  int taken = 0, finalized = 0;
  good = module("vector_scale");
  const uint64_t length = length_of(good);
  for (uint64_t at = 0; at < length; ++at) {
    for (int change = 1; change < 256; change = change * 5 + 2) {
      memcpy(pages, good, length);
      pages[at] ^= change;
      hsa_ext_program_t one = {0};
      CHECK(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE,
                                   HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &one));
      int status = hsa_ext_program_add_module(one, (hsa_ext_module_t)pages);
      bool allowed = status == HSA_STATUS_SUCCESS ||
                     status == HSA_EXT_STATUS_ERROR_INVALID_MODULE ||
                     status == HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE;
      taken += status == HSA_STATUS_SUCCESS;
      if (status == HSA_STATUS_SUCCESS && taken % 20 == 0) {
        status = finalize(one, isa, &none);
        finalized += status == HSA_STATUS_SUCCESS;
        allowed =
            status == HSA_STATUS_SUCCESS || status == HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED;
      }
      if (!allowed) {
        ++wrong;
        printf("byte %d changed by %d: %#x\n", (int)at, change, status);
      }
      CHECK(hsa_ext_program_destroy(one));
    }
  }
  printf("%d bytes changed, %d changes allowed, %d programs finalized\n", (int)length, taken,
         finalized);
  EXPECT(0, hsa_ext_program_destroy(program));
}

static void finalization(hsa_isa_t isa) {
  hsa_ext_control_directives_t none;
  memset(&none, 0, sizeof none);
  hsa_code_object_t code_object;
  hsa_ext_program_t program = usual_program();
  const int failed = HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED;
  const hsa_code_object_type_t usual = HSA_CODE_OBJECT_TYPE_PROGRAM;
  EXPECT(failed, finalize(program, isa, &none));  // no module
  EXPECT(0, hsa_ext_program_add_module(program, module("reduce")));
  EXPECT(failed, finalize(program, isa, &none));  // &combine is not defined
  EXPECT(0, hsa_ext_program_add_module(program, module("combine")));
  EXPECT(0, finalize(program, isa, &none));

  EXPECT(HSA_STATUS_ERROR_INVALID_ISA, finalize(program, (hsa_isa_t){0}, &none));
  EXPECT(HSA_STATUS_ERROR_INVALID_ISA, finalize(program, (hsa_isa_t){0x123456789}, &none));
  const hsa_status_t bad = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  EXPECT(bad, hsa_ext_program_finalize(program, isa, -2, none, NULL, usual, &code_object));
  EXPECT(bad, hsa_ext_program_finalize(program, isa, 1, none, NULL, usual, &code_object));
  EXPECT(bad, hsa_ext_program_finalize(program, isa, 0, none, NULL, (hsa_code_object_type_t)1,
                                       &code_object));
  EXPECT(bad, hsa_ext_program_finalize(program, isa, 0, none, NULL, usual, NULL));
  EXPECT(bad,
         hsa_ext_program_finalize(program, isa, 0, none, "--code-object=3", usual, &code_object));
  EXPECT(0, hsa_ext_program_finalize(program, isa, 0, none, "-O2 --code-object=5", usual,
                                     &code_object));
  CHECK(hsa_code_object_destroy(code_object));
  EXPECT(0, hsa_ext_program_destroy(program));
  EXPECT(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, finalize(program, isa, &none));
}

static void directives(hsa_isa_t isa) {
  hsa_ext_control_directives_t d;
  hsa_ext_program_t program = usual_program();
  EXPECT(0, hsa_ext_program_add_module(program, module("limits")));
  const int bad = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const int mismatch = HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH;

#define DIRECTIVES(status, mask, ...) \
  memset(&d, 0, sizeof d);            \
  d.control_directives_mask = (mask); \
  __VA_ARGS__;                        \
  EXPECT(status, finalize(program, isa, &d))

  DIRECTIVES(bad, 1, );
  DIRECTIVES(bad, 1 << 10, );
  DIRECTIVES(bad, 0, d.reserved1 = 1);
  DIRECTIVES(bad, 0, d.reserved2[74] = 1);
  DIRECTIVES(bad, 0, d.required_dim = 1);  // not enabled
  DIRECTIVES(bad, 1 << 6, );               // enabled, and 0
  DIRECTIVES(bad, 1 << 6, d.required_dim = 4);
  DIRECTIVES(bad, 1 << 4, );
  DIRECTIVES(bad, 1 << 7, d.required_grid_size[0] = 64);
  DIRECTIVES(bad, 1 << 6 | 1 << 8,
             (d.required_dim = 1, d.required_workgroup_size = (hsa_dim3_t){64, 2, 1}));
  DIRECTIVES(bad, 1 << 5 | 1 << 8,
             (d.max_flat_workgroup_size = 63, d.required_workgroup_size = (hsa_dim3_t){64, 1, 1}));
  // The kernel says: at most 128, one dimension, 64 bytes.
  DIRECTIVES(0, 1 << 5, d.max_flat_workgroup_size = 128);
  DIRECTIVES(0, 1 << 5, d.max_flat_workgroup_size = 64);
  DIRECTIVES(mismatch, 1 << 5, d.max_flat_workgroup_size = 129);
  DIRECTIVES(0, 1 << 6, d.required_dim = 1);
  DIRECTIVES(mismatch, 1 << 6, d.required_dim = 2);
  DIRECTIVES(0, 1 << 3, d.max_dynamic_group_size = 64);
  DIRECTIVES(mismatch, 1 << 3, d.max_dynamic_group_size = 65);
  DIRECTIVES(mismatch, 1 << 8, d.required_workgroup_size = (hsa_dim3_t){64, 2, 1});
  DIRECTIVES(0, 1 << 8 | 1 << 9, d.required_workgroup_size = (hsa_dim3_t){64, 1, 1});
  EXPECT(0, hsa_ext_program_destroy(program));
}

static void small_model(hsa_agent_t agent, hsa_isa_t isa) {
  hsa_ext_control_directives_t none;
  memset(&none, 0, sizeof none);
  hsa_ext_program_t program = new_program(HSA_MACHINE_MODEL_SMALL, HSA_PROFILE_BASE,
                                          HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT);
  EXPECT(HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE,
         hsa_ext_program_add_module(program, module("combine")));
  EXPECT(0, hsa_ext_program_add_module(program, module("small")));
  hsa_code_object_t code_object;
  EXPECT(0, hsa_ext_program_finalize(program, isa, 0, none, NULL, HSA_CODE_OBJECT_TYPE_PROGRAM,
                                     &code_object));
  hsa_executable_t executable;
  CHECK(hsa_executable_create(HSA_PROFILE_BASE, HSA_EXECUTABLE_STATE_UNFROZEN, "", &executable));
  // The agent has the large machine model.
  EXPECT(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS,
         hsa_executable_load_code_object(executable, agent, code_object, ""));
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_code_object_destroy(code_object));
  EXPECT(0, hsa_ext_program_destroy(program));
}

int main(int argc, char** argv) {
  if (argc > 1) folder = argv[1];
  hsa_ext_program_t left_over = {0};
  for (int time = 0; time < 2; ++time) {
    CHECK(hsa_init());
    hsa_agent_t agent = kernel_agent();
    hsa_isa_t isa;
    CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_ISA, &isa));
    // Programs end with the runtime.
    if (time == 1) EXPECT(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, hsa_ext_program_destroy(left_over));
    left_over = usual_program();
    creation();
    modules();
    if (time == 0) bad_modules(isa);
    finalization(isa);
    directives(isa);
    small_model(agent, isa);
    CHECK(hsa_shut_down());
  }
  printf("%d calls, %d unlike the specification\n", calls, wrong);
  return wrong != 0;
}
