# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# One CMake target per layer. A layer sees the headers of the layers it names and of nothing else: each
# layer has an include root of its own in the build tree holding one link, so an upward include does
# not compile.

# cuvette_layer(<name> SOURCES <files...> [USES <layers...>] [LINK <private targets...>]
#               [LINK_PUBLIC <targets...>] [FLOAT])
#   defines cuvette_<name>, alias cuvette::<name>. FLOAT: the layer computes floating point.
#   GENERATED <dir>: extra include root holding <name>/... generated files.
#   CONTRACT: <name>.contract.yaml describes the messages of the block (docs/contracts.md); its C++ view is visible as
#   <name>/<name>_messages.h.
set(CUVETTE_CONTRACTS ${PROJECT_BINARY_DIR}/generated/contracts)
function(cuvette_layer name)
  cmake_parse_arguments(ARG "CONTRACT;FLOAT" "GENERATED;DIRECTORY" "SOURCES;USES;LINK;LINK_PUBLIC" ${ARGN})
  if(NOT ARG_DIRECTORY)
    set(ARG_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  set(root ${PROJECT_BINARY_DIR}/layers/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${ARG_DIRECTORY} ${root}/${name} SYMBOLIC)

  if(ARG_CONTRACT)
    file(GLOB descriptions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/model/*/*.contract.yaml)
    cuvette_generate(gen_contract.py ${CUVETTE_CONTRACTS} INPUTS ${descriptions} ARGS ${PROJECT_SOURCE_DIR} ${name})
    set_property(GLOBAL APPEND PROPERTY CUVETTE_CONTRACT_BLOCKS ${name})
  endif()

  if(ARG_SOURCES)
    add_library(cuvette_${name} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(cuvette_${name} PRIVATE $<BUILD_INTERFACE:cuvette_warnings>)
    if(ARG_FLOAT)
      target_link_libraries(cuvette_${name} PRIVATE $<BUILD_INTERFACE:cuvette_strict_fp>)
    endif()
    target_compile_features(cuvette_${name} PUBLIC cxx_std_17)
  else()
    add_library(cuvette_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  set_property(GLOBAL APPEND PROPERTY CUVETTE_LAYERS ${name})
  add_library(cuvette::${name} ALIAS cuvette_${name})
  set_target_properties(cuvette_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(cuvette_${name} ${scope}
    $<BUILD_INTERFACE:${root}> $<INSTALL_INTERFACE:include/cuvette>)
  if(ARG_GENERATED)
    target_include_directories(cuvette_${name} ${scope} $<BUILD_INTERFACE:${ARG_GENERATED}>)
  endif()
  if(ARG_CONTRACT)
    target_include_directories(cuvette_${name} ${scope} $<BUILD_INTERFACE:${CUVETTE_CONTRACTS}/${name}/include>)
  endif()
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(cuvette_${name} ${scope} cuvette::${used})
  endforeach()
  if(ARG_LINK)
    target_link_libraries(cuvette_${name} PRIVATE ${ARG_LINK})
  endif()
  if(ARG_LINK_PUBLIC)
    target_link_libraries(cuvette_${name} ${scope} ${ARG_LINK_PUBLIC})
  endif()
endfunction()

# cuvette_test(<name> LAYERS <layers...> [LABELS smoke|unit|cosim|random|nightly ...] [SOURCES <files>]
#              [LINK <targets...>] [PER_PROCESS])
#   builds tests/<name>.cpp with GoogleTest. PER_PROCESS: one process per TEST (SystemC elaborates once).
#   The macro CUVETTE_SOURCE_DIR names the repository for data under tests/.
function(cuvette_test name)
  cmake_parse_arguments(ARG "PER_PROCESS" "TIMEOUT" "LAYERS;LABELS;SOURCES;LINK" ${ARGN})
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${name}.cpp)
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 1200)  # a hang; the machine may be busy
  endif()
  add_executable(${name} ${ARG_SOURCES})
  foreach(layer IN LISTS ARG_LAYERS)
    target_link_libraries(${name} PRIVATE cuvette::${layer})
  endforeach()
  target_link_libraries(${name} PRIVATE cuvette_warnings ${ARG_LINK} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    CUVETTE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CUVETTE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # What a test spends its time in are the layers and MPFR; compiling it is most of its cost.
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  set(properties TIMEOUT ${ARG_TIMEOUT})
  if(CUVETTE_SANITIZE AND ("cuvette_sc_main" IN_LIST ARG_LINK OR "cuvette::c" IN_LIST ARG_LINK))
    # LeakSanitizer may take the stack of a SystemC thread, guard page included, for that of the
    # program and then dies reading it. Leaks are looked for everywhere else.
    list(APPEND properties ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
  endif()
  if(ARG_PER_PROCESS)
    include(GoogleTest)
    gtest_discover_tests(${name} PROPERTIES LABELS "${ARG_LABELS}" ${properties})
  else()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ${properties})
    set_property(TEST ${name} PROPERTY LABELS ${ARG_LABELS})
  endif()
endfunction()

# cuvette_absent_test(<test> <what is missing>)
#   stands for a test whose tool is not there: it shows as skipped, with the reason (scripts/common.sh).
function(cuvette_absent_test name missing)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: no ${missing}")
  set_tests_properties(${name} PROPERTIES LABELS unit SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()
