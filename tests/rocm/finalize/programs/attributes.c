// SPDX-FileCopyrightText: The Cuvette authors
// SPDX-License-Identifier: Apache-2.0
// Queries about finalized code objects and executables: attributes, symbols of program and
// module linkage, a variable that the host defines; and the program's default rounding. Arguments:
// the folder with the modules; options of one more finalization.
#include "common.h"

static int wrong = 0, seen = 0;

#define EXPECT(value, found)                                                                 \
  do {                                                                                       \
    const uint64_t is = (uint64_t)(found);                                                   \
    ++seen;                                                                                  \
    if (is != (uint64_t)(value)) {                                                           \
      ++wrong;                                                                               \
      printf("line %d: %s: %#lx, expected %#lx\n", __LINE__, #found, is, (uint64_t)(value)); \
    }                                                                                        \
  } while (0)

static const char* folder = ".";
static hsa_agent_t agent;
static hsa_isa_t isa;
static hsa_queue_t* queue;

static hsa_ext_module_t module(const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.brig", folder, name);
  return read_module(path);
}

static hsa_code_object_t finalize(hsa_default_float_rounding_mode_t rounding, const char* options) {
  hsa_ext_program_t program;
  CHECK(
      hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE, rounding, NULL, &program));
  CHECK(hsa_ext_program_add_module(program, module("limits")));
  CHECK(hsa_ext_program_add_module(program, module("outside")));
  hsa_ext_control_directives_t none;
  memset(&none, 0, sizeof none);
  hsa_code_object_t code_object;
  CHECK(hsa_ext_program_finalize(program, isa, 0, none, options, HSA_CODE_OBJECT_TYPE_PROGRAM,
                                 &code_object));
  CHECK(hsa_ext_program_destroy(program));
  return code_object;
}

static void attributes(hsa_code_object_t code_object, const char* version) {
  char text[64];
  memset(text, 'x', sizeof text);
  CHECK(hsa_code_object_get_info(code_object, HSA_CODE_OBJECT_INFO_VERSION, text));
  EXPECT(0, strcmp(text, version));
  EXPECT(0, text[63]);
  hsa_code_object_type_t type = (hsa_code_object_type_t)9;
  CHECK(hsa_code_object_get_info(code_object, HSA_CODE_OBJECT_INFO_TYPE, &type));
  EXPECT(HSA_CODE_OBJECT_TYPE_PROGRAM, type);
  hsa_isa_t told;
  CHECK(hsa_code_object_get_info(code_object, HSA_CODE_OBJECT_INFO_ISA, &told));
  EXPECT(isa.handle, told.handle);
  hsa_machine_model_t model;
  CHECK(hsa_code_object_get_info(code_object, HSA_CODE_OBJECT_INFO_MACHINE_MODEL, &model));
  EXPECT(HSA_MACHINE_MODEL_LARGE, model);
  hsa_profile_t profile;
  CHECK(hsa_code_object_get_info(code_object, HSA_CODE_OBJECT_INFO_PROFILE, &profile));
  EXPECT(HSA_PROFILE_BASE, profile);
  hsa_default_float_rounding_mode_t rounding;
  CHECK(hsa_code_object_get_info(code_object, HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE,
                                 &rounding));
  EXPECT(HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO, rounding);
  EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT,
         hsa_code_object_get_info(code_object, HSA_CODE_OBJECT_INFO_TYPE, NULL));
  EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT,
         hsa_code_object_get_info(code_object, (hsa_code_object_info_t)6, text));
}

static hsa_status_t count_kernels(hsa_code_object_t code_object, hsa_code_symbol_t symbol,
                                  void* data) {
  (void)code_object;
  uint32_t length = 0;
  char name[128] = {0};
  hsa_symbol_kind_t kind;
  CHECK(hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_NAME_LENGTH, &length));
  CHECK(hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_NAME, name));
  CHECK(hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_TYPE, &kind));
  EXPECT(length, strlen(name));
  EXPECT('&', name[0]);
  if (kind == HSA_SYMBOL_KIND_KERNEL) {
    EXPECT(1, strcmp(name, "&limited") == 0 || strcmp(name, "&sum") == 0 ||
                  strcmp(name, "&double_outside") == 0);
    ++*(int*)data;
  }
  return HSA_STATUS_SUCCESS;
}

static uint32_t number(hsa_code_symbol_t symbol, hsa_code_symbol_info_t attribute) {
  uint32_t value = 12345;
  CHECK(hsa_code_symbol_get_info(symbol, attribute, &value));
  return value;
}

static void code_symbols(hsa_code_object_t code_object) {
  int kernels = 0;
  CHECK(hsa_code_object_iterate_symbols(code_object, count_kernels, &kernels));
  EXPECT(3, kernels);
  hsa_code_symbol_t symbol;
  EXPECT(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME,
         hsa_code_object_get_symbol(code_object, "&none", &symbol));
  CHECK(hsa_code_object_get_symbol(code_object, "&limited", &symbol));
  EXPECT(HSA_SYMBOL_KIND_KERNEL, number(symbol, HSA_CODE_SYMBOL_INFO_TYPE));
  EXPECT(8, number(symbol, HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE));
  EXPECT(0, number(symbol, HSA_CODE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE));
  CHECK(hsa_code_object_get_symbol_from_name(code_object, "&limits_module", "&sum", &symbol));
  EXPECT(16, number(symbol, HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE));
  EXPECT(16, number(symbol, HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT));
  EXPECT(0, number(symbol, HSA_CODE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE));
  EXPECT(0, number(symbol, HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION));
  bool dynamic = true;
  CHECK(hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK, &dynamic));
  EXPECT(0, dynamic);
  CHECK(hsa_code_object_get_symbol_from_name(code_object, "&limits_module", "&module_variable",
                                             &symbol));
  EXPECT(HSA_SYMBOL_KIND_VARIABLE, number(symbol, HSA_CODE_SYMBOL_INFO_TYPE));
}

static void run(hsa_executable_symbol_t symbol, const void* arguments, size_t bytes) {
  void* kernargs = allocate(agent_region(agent, HSA_REGION_GLOBAL_FLAG_KERNARG), bytes);
  memcpy(kernargs, arguments, bytes);
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  dispatch(queue, kernel_of(symbol), kernargs, 1, 1, done);
  wait_for(done);
  CHECK(hsa_signal_destroy(done));
  CHECK(hsa_memory_free(kernargs));
}

static void executable_symbols(hsa_code_object_t code_object, float rounded) {
  hsa_executable_t executable;
  CHECK(hsa_executable_create(HSA_PROFILE_BASE, HSA_EXECUTABLE_STATE_UNFROZEN, "", &executable));
  uint32_t* outside =
      allocate(agent_region(agent, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED), sizeof *outside);
  *outside = 21;
  CHECK(hsa_executable_agent_global_variable_define(executable, agent, "&outside", outside));
  CHECK(hsa_executable_load_code_object(executable, agent, code_object, ""));
  CHECK(hsa_executable_freeze(executable, ""));

  hsa_executable_symbol_t symbol;
  EXPECT(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME,
         hsa_executable_get_symbol(executable, NULL, "&none", agent, 0, &symbol));
  CHECK(hsa_executable_get_symbol(executable, "&limits_module", "&module_variable", agent, 0,
                                  &symbol));
  uint64_t address = 0;
  float one = 0;
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS,
                                       &address));
  CHECK(hsa_memory_copy(&one, (const void*)address, sizeof one));
  EXPECT(1, one == 1.0f);

  CHECK(hsa_executable_get_symbol(executable, NULL, "&double_outside", agent, 0, &symbol));
  const uint64_t unused = 0;
  run(symbol, &unused, sizeof unused);
  EXPECT(42, *outside);

  CHECK(hsa_executable_get_symbol(executable, "&limits_module", "&sum", agent, 0, &symbol));
  uint32_t length = 0;
  char name[16] = {0};
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name));
  EXPECT(4, length);
  EXPECT(0, strcmp(name, "&sum"));
  float* out = allocate(agent_region(agent, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED), sizeof *out);
  *out = 0;
  struct {
    float a, b, *out;
  } arguments = {1.0f, 0x1.8p-24f, out};
  run(symbol, &arguments, sizeof arguments);
  EXPECT(1, *out == rounded);
  CHECK(hsa_executable_destroy(executable));
  CHECK(hsa_memory_free(out));
  CHECK(hsa_memory_free(outside));
}

int main(int argc, char** argv) {
  if (argc > 1) folder = argv[1];
  CHECK(hsa_init());
  agent = kernel_agent();
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_ISA, &isa));
  CHECK(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX,
                         &queue));
  hsa_code_object_t code_object = finalize(HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO, NULL);
  attributes(code_object, "4");
  code_symbols(code_object);
  executable_symbols(code_object, 1.0f);
  CHECK(hsa_code_object_destroy(code_object));
  code_object = finalize(HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO, "--code-object=5");
  attributes(code_object, "5");
  CHECK(hsa_code_object_destroy(code_object));
  code_object = finalize(HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL);
  executable_symbols(code_object, 0x1.000002p0f);
  CHECK(hsa_code_object_destroy(code_object));
  if (argc > 2) {
    code_object = finalize(HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, argv[2]);
    executable_symbols(code_object, 0x1.000002p0f);
    CHECK(hsa_code_object_destroy(code_object));
  }
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_shut_down());
  printf("%d answers, %d unlike the specification\n", seen, wrong);
  return wrong != 0;
}
