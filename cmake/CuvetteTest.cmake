# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Tests: GoogleTest programs, scripts, and other runs of programs. docs/develop/testing.md has folders and labels.
#
# Options of all of them: LABELS <labels...>, default unit; TIMEOUT <seconds>, default 1200: a hang, even on a busy
# machine; FIXTURES_SETUP, FIXTURES_REQUIRED, ENVIRONMENT and PASS_, FAIL_, SKIP_REGULAR_EXPRESSION as CMake has
# them. SYSTEMC: a program with SystemC threads; LeakSanitizer may take the stack of one, guard page included, for that
# of the program and then dies reading it, so that leaks are looked for everywhere else.
set(CUVETTE_TEST_PROPERTIES FIXTURES_SETUP FIXTURES_REQUIRED ENVIRONMENT
    PASS_REGULAR_EXPRESSION FAIL_REGULAR_EXPRESSION SKIP_REGULAR_EXPRESSION)

# Environment of tests that build programs as a user does: the compilers of this build and its compiler cache
# (OBJCACHE is Verilator's).
set(CUVETTE_CACHE_ENVIRONMENT "")
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(CUVETTE_CACHE_ENVIRONMENT CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
      CMAKE_C_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER} OBJCACHE=${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
set(CUVETTE_USER_ENVIRONMENT CXX=${CMAKE_CXX_COMPILER} CC=${CMAKE_C_COMPILER} ${CUVETTE_CACHE_ENVIRONMENT})

# cuvette_test_defaults(): the caller's ARG_ variables completed.
macro(cuvette_test_defaults)
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 1200)
  endif()
  if(CUVETTE_SANITIZE AND ARG_SYSTEMC)
    list(APPEND ARG_ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
  endif()
endmacro()

# cuvette_add_test(<name> <command...>): a test with the properties in the caller's ARG_ variables. A generator
# expression that is empty gives no argument.
function(cuvette_add_test name)
  add_test(NAME ${name} COMMAND ${ARGN} COMMAND_EXPAND_LISTS)
  foreach(property TIMEOUT LABELS ${CUVETTE_TEST_PROPERTIES})
    if(ARG_${property})
      set_property(TEST ${name} PROPERTY ${property} ${ARG_${property}})
    endif()
  endforeach()
endfunction()

# cuvette_command_test(<name> COMMAND <program> [<arguments...>] [<options>...])
function(cuvette_command_test name)
  cmake_parse_arguments(ARG "SYSTEMC" "TIMEOUT" "COMMAND;LABELS;${CUVETTE_TEST_PROPERTIES}" ${ARGN})
  cuvette_test_defaults()
  cuvette_add_test(${name} ${ARG_COMMAND})
endfunction()

# cuvette_script_test(<script> [NAME <test>] [ARGS <arguments...>] [<options>...])
#   runs a Python or shell script of this folder. The test has the script's name if NAME does not give one.
function(cuvette_script_test script)
  cmake_parse_arguments(ARG "SYSTEMC" "NAME;TIMEOUT" "ARGS;LABELS;${CUVETTE_TEST_PROPERTIES}" ${ARGN})
  cuvette_test_defaults()
  cmake_path(ABSOLUTE_PATH script BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  if(NOT ARG_NAME)
    cmake_path(GET script STEM ARG_NAME)
  endif()
  set(command ${script})
  if(script MATCHES "\\.py$")
    list(PREPEND command ${Python3_EXECUTABLE})
  endif()
  cuvette_add_test(${ARG_NAME} ${command} ${ARG_ARGS})
endfunction()

# cuvette_test(<name> LAYERS <layers...> [SOURCES <files>] [LINK <targets...>] [PER_PROCESS] [<options>...])
#   builds <name>.cpp, or SOURCES, with GoogleTest. SOURCES are of this folder or of tests/support, whose headers every
#   test sees; those of a folder are compiled as one. PER_PROCESS: one process per TEST (SystemC elaborates once).
#   The macro CUVETTE_SOURCE_DIR names the repository for data under tests/.
function(cuvette_test name)
  cmake_parse_arguments(ARG "PER_PROCESS;SYSTEMC" "TIMEOUT" "LAYERS;LABELS;SOURCES;LINK;${CUVETTE_TEST_PROPERTIES}" ${ARGN})
  if("cuvette_sc_main" IN_LIST ARG_LINK OR "cuvette::c" IN_LIST ARG_LINK)
    set(ARG_SYSTEMC ON)
  endif()
  cuvette_test_defaults()
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${name}.cpp)
  endif()
  set(sources "")
  foreach(source IN LISTS ARG_SOURCES)
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source} AND EXISTS ${PROJECT_SOURCE_DIR}/tests/support/${source})
      set(source ${PROJECT_SOURCE_DIR}/tests/support/${source})
    endif()
    list(APPEND sources ${source})
  endforeach()
  cuvette_unity(sources ${name} ${sources})
  add_executable(${name} ${sources})
  foreach(layer IN LISTS ARG_LAYERS)
    target_link_libraries(${name} PRIVATE cuvette::${layer})
  endforeach()
  target_link_libraries(${name} PRIVATE cuvette_test_support cuvette_warnings ${ARG_LINK} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    CUVETTE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CUVETTE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set(optimisation "")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # A test spends its time in the layers and in MPFR; compiling it is most of its cost, of one with a process for each
    # TEST nearly all.
    set(optimisation $<$<CONFIG:Release>:$<IF:$<BOOL:${ARG_PER_PROCESS}>,-O0,-O1>>)
    target_compile_options(${name} PRIVATE ${optimisation})
  endif()
  set(floats ${ARG_LINK})
  list(FILTER floats INCLUDE REGEX "^cuvette_strict_fp$")
  cuvette_precompile(${name} SOURCES ${sources} HEADERS gtest/gtest.h gmock/gmock.h OPTIONS ${optimisation}
    LINK GTest::gmock ${floats})
  if(ARG_PER_PROCESS)
    include(GoogleTest)
    set(properties LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
    if(ARG_ENVIRONMENT)
      list(APPEND properties ENVIRONMENT "${ARG_ENVIRONMENT}")
    endif()
    gtest_discover_tests(${name} PROPERTIES ${properties})
  else()
    cuvette_add_test(${name} ${name})
  endif()
endfunction()

# cuvette_nightly_vectors(<test> <vectors> <shards>)
#   runs a test with random vectors once more with many per operation and mode, in shards of whole cases.
function(cuvette_nightly_vectors test vectors shards)
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    cuvette_command_test(${test}_nightly_${shard} COMMAND ${test} LABELS nightly TIMEOUT 7200
      ENVIRONMENT CUVETTE_TEST_VECTORS=${vectors} GTEST_TOTAL_SHARDS=${shards} GTEST_SHARD_INDEX=${shard})
  endforeach()
endfunction()

# cuvette_nightly_whole(<test> [<VARIABLE=value>...])
#   runs a test once more with the whole of its lists (tests/support/test_vectors.h), and with more of what is random.
function(cuvette_nightly_whole test)
  cuvette_command_test(${test}_whole COMMAND ${test} LABELS nightly TIMEOUT 7200 ENVIRONMENT CUVETTE_WHOLE=1 ${ARGN})
endfunction()

# cuvette_absent_test(<test> <what is missing> [<labels of the test>...])
#   stands for a test whose tool is not there: it shows as skipped, with the reason (scripts/common.sh).
function(cuvette_absent_test name missing)
  set(labels unit ${ARGN})
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: no ${missing}")
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()

# cuvette_cxx17_headers(LAYER [EXCEPT HEADER...]): all headers of a layer whose users may have C++17 compile as that, each
# included by its name; but those that need Verilator's, or are no user's.
function(cuvette_cxx17_headers layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXCEPT")
  set(base ${PROJECT_SOURCE_DIR}/model)
  if(layer STREQUAL ip)
    set(base ${PROJECT_SOURCE_DIR})
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${base} ${base}/${layer}/*.h)
  list(REMOVE_ITEM headers ${arg_EXCEPT})
  list(TRANSFORM headers REPLACE "^.+$" "#include \"\\0\"")
  list(JOIN headers "\n" text)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${layer}_cxx17.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "${text}\nstatic_assert(__cplusplus < 202002L);\n" @ONLY)
  add_library(${layer}_cxx17 OBJECT ${source})
  set_target_properties(${layer}_cxx17 PROPERTIES CXX_STANDARD 17)
  target_link_libraries(${layer}_cxx17 PRIVATE cuvette::${layer})  # attributes of C++20 are warnings there
endfunction()
