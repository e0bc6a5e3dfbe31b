# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Users of an install tree: testbenches, devices, drivers. Instrumented libraries ask for an instrumented user.
set(folder ${PROJECT_SOURCE_DIR}/tests)
set(bare_driver ${PROJECT_BINARY_DIR}/tests/bare_driver)
# The bare driver on every engine, and from an install tree.
if(CUVETTE_WITH_LLVM)
  cuvette_script_test(bare_driver_test.sh SYSTEMC FIXTURES_SETUP bare_driver
    ARGS $<TARGET_FILE:bare_driver> $<TARGET_FILE:cuvette> ${folder}/kernels/saxpy.hsail
         $<TARGET_FILE:small_text_tool> ${bare_driver})
endif()
if(CUVETTE_SANITIZE OR CUVETTE_COVERAGE)
  return()
endif()
cuvette_script_test(${folder}/consumer/run.sh NAME consumer_test
  ARGS ${PROJECT_BINARY_DIR} ENVIRONMENT ${CUVETTE_USER_ENVIRONMENT})
if(CUVETTE_WITH_LLVM)
  cuvette_script_test(${folder}/consumer_testbenches/run.sh NAME consumer_testbenches_test
    ARGS ${PROJECT_BINARY_DIR} ${bare_driver}/saxpy.co ENVIRONMENT ${CUVETTE_USER_ENVIRONMENT} FIXTURES_REQUIRED bare_driver)
else()
  cuvette_script_test(${folder}/consumer_testbenches/run.sh NAME consumer_testbenches_test
    ARGS ${PROJECT_BINARY_DIR} none ENVIRONMENT ${CUVETTE_USER_ENVIRONMENT})
endif()

# Users' devices. The first makes the install tree of all.
if(NOT CUVETTE_WITH_VERILATOR OR NOT CUVETTE_WITH_LLVM)
  return()
endif()
cuvette_script_test(user_valu_test.sh ARGS ${PROJECT_BINARY_DIR} LABELS cosim ENVIRONMENT ${CUVETTE_USER_ENVIRONMENT}
  FIXTURES_SETUP user_valu)
set(user_devices user_device_faults_test)
if(NOT CUVETTE_RTL_COVERAGE)
  list(APPEND user_devices user_matrix_core_test user_lds_test user_l2_test user_spi_test our_rtl_test)
  if(CUVETTE_OPENCL_KERNELS)
    list(APPEND user_devices user_gds_test)
  else()
    cuvette_absent_test(user_gds_test "clang-19 with AMD's device libraries" cosim)
  endif()
  set(user_matrix_core_test_modules $<TARGET_FILE:matrix_core_dut> $<TARGET_FILE:simd_dut> $<TARGET_FILE:vrf_dut>)
endif()
foreach(test IN LISTS user_devices)
  cuvette_script_test(${test}.sh ARGS ${PROJECT_BINARY_DIR} ${${test}_modules} LABELS cosim ENVIRONMENT ${CUVETTE_USER_ENVIRONMENT}
    FIXTURES_REQUIRED user_valu)
endforeach()
