# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# HSAIL on the interpreter and, finalized, on the golden machine.
add_library(engines STATIC engines.cpp ${PROJECT_SOURCE_DIR}/tests/support/small_text.cpp)
target_link_libraries(engines PRIVATE cuvette_warnings
                      PUBLIC cuvette::finalizer cuvette::golden cuvette::hsail cuvette_test_support GTest::gtest)
cuvette_test(engines_test LAYERS finalizer golden hsail LINK engines cuvette_strict_fp)
cuvette_test(retire_kernel_test LAYERS finalizer golden hsail LINK fmt::fmt)
cuvette_test(engines_memory_test LAYERS finalizer golden hsail LINK engines)
cuvette_test(engines_call_test LAYERS finalizer golden hsail LINK engines)
cuvette_test(engines_lanes_test LAYERS finalizer golden hsail LINK engines)
cuvette_nightly_whole(engines_lanes_test)
cuvette_test(engines_small_test LAYERS finalizer golden hsail LINK engines)
cuvette_test(engines_rules_test LAYERS finalizer golden hsail LINK engines FIXTURES_SETUP hsail_language)
cuvette_test(engines_special_test LAYERS finalizer golden hsail LINK engines cuvette_strict_fp)
cuvette_test(engines_flush_test LAYERS finalizer golden hsail fp LINK engines PkgConfig::MPFR)
cuvette_test(engines_image_test LAYERS finalizer golden hsail LINK engines cuvette_strict_fp)
cuvette_nightly_whole(engines_image_test)
cuvette_test(engines_matrix_test LAYERS finalizer golden hsail LINK engines LABELS random)
cuvette_nightly_whole(engines_matrix_test)
cuvette_test(engines_gcn_test LAYERS finalizer golden hsail LINK engines LABELS random
  SOURCES engines_gcn_test.cpp engines_gcn_memory_test.cpp engines_mipmap_test.cpp)
cuvette_nightly_whole(engines_gcn_test CUVETTE_TEST_OPERANDS=10000)
cuvette_test(engines_packed_test LAYERS finalizer golden hsail LINK engines cuvette_strict_fp LABELS random
  SOURCES engines_packed_test.cpp hsail_packed_cases.cpp hsail_packed_numbers.cpp)
cuvette_nightly_whole(engines_packed_test)
cuvette_test(engines_random_test LAYERS finalizer golden hsail LINK engines LABELS random
  SOURCES engines_random_test.cpp hsail_forms.cpp)
cuvette_nightly_whole(engines_random_test)
# Random kernels: 30, nightly 20,000.
cuvette_test(engines_kernels_test LAYERS finalizer golden hsail LINK engines LABELS random
  SOURCES engines_kernels_test.cpp hsail_forms.cpp hsail_kernels.cpp hsail_kernels_reduce.cpp)
cuvette_nightly_whole(engines_kernels_test)
foreach(shard RANGE 3)
  math(EXPR first "${shard} * 5000 + 1")
  cuvette_command_test(engines_kernels_nightly_${shard}
    COMMAND engines_kernels_test --gtest_filter=EnginesKernels.RandomOnesAgree
    LABELS nightly TIMEOUT 7200 ENVIRONMENT CUVETTE_TEST_KERNELS=5000 CUVETTE_TEST_FIRST_KERNEL=${first})
endforeach()

# The same programs in the small machine model.
foreach(test engines_test engines_memory_test engines_call_test engines_rules_test engines_special_test)
  cuvette_command_test(${test}_small COMMAND ${test} ENVIRONMENT CUVETTE_MACHINE_MODEL=small
    FAIL_REGULAR_EXPRESSION "FAILED" "small machine model: 0 of")
endforeach()
