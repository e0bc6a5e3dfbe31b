# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Models of RTL by Verilator, which runs when the program is built. The caller has its arguments for every model in
# verilator_args and a block's files in <block>_sources.

# The runtime of Verilator, in one configuration for every model, so that all may meet in one program.
function(cuvette_verilator_runtime target)
  set(parts verilated verilated_dpi verilated_fst_c verilated_threads)
  if(CUVETTE_RTL_COVERAGE OR CUVETTE_BLOCK_COVERAGE)
    list(APPEND parts verilated_cov)
  endif()
  list(TRANSFORM parts PREPEND ${VERILATOR_ROOT}/include/)
  list(TRANSFORM parts APPEND .cpp)
  add_library(${target} STATIC ${parts})
  target_include_directories(${target} SYSTEM PUBLIC
    $<BUILD_INTERFACE:${VERILATOR_ROOT}/include> $<BUILD_INTERFACE:${VERILATOR_ROOT}/include/vltstd>)
  target_compile_definitions(${target} PUBLIC VL_TIME_CONTEXT)
  target_compile_options(${target} PRIVATE -O2 -w)
  target_link_libraries(${target} PUBLIC z ${VERILATOR_MT_CFLAGS})
  cuvette_verilator_switches(${target})
endfunction()

# What the runtime and all models are compiled with.
function(cuvette_verilator_switches target)
  set(coverage 0)
  if(CUVETTE_RTL_COVERAGE OR CUVETTE_BLOCK_COVERAGE)
    set(coverage 1)
  endif()
  target_compile_definitions(${target} PRIVATE
    VM_COVERAGE=${coverage} VM_SC=0 VM_TRACE=1 VM_TRACE_VCD=0 VM_TRACE_FST=1)
endfunction()

# The files and -I options with paths from the current folder: what Verilator writes into its models is then the same in
# every clone, and so is what the compiler's cache keeps.
function(cuvette_near_paths out)
  set(near "")
  foreach(item IN LISTS ARGN)
    string(REGEX MATCH "^-I" option "${item}")
    string(REGEX REPLACE "^-I" "" path "${item}")
    if(IS_ABSOLUTE "${path}")
      file(RELATIVE_PATH path ${CMAKE_CURRENT_SOURCE_DIR} ${path})
    endif()
    list(APPEND near ${option}${path})
  endforeach()
  set(${out} ${near} PARENT_SCOPE)
endfunction()

# cuvette_verilated(<target> <prefix> <top> OPT <flag> SOURCES <files...> ARGS <arguments...>)
#   a static library with the model of a module as class <prefix>. What runs once is compiled without optimisation, as
#   Verilator's own makefiles do.
function(cuvette_verilated target prefix top)
  cmake_parse_arguments(ARG "" "OPT" "SOURCES;ARGS" ${ARGN})
  cuvette_near_paths(sources ${ARG_SOURCES})
  cuvette_near_paths(arguments ${ARG_ARGS})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target})
  set(units ${folder}/${prefix}.fast.cpp ${folder}/${prefix}.slow.cpp)
  set(tool ${PROJECT_SOURCE_DIR}/tools/verilate.py)
  set(compiler gcc)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(compiler clang)
  endif()
  add_custom_command(OUTPUT ${units} ${folder}/${prefix}.h
    COMMAND ${Python3_EXECUTABLE} ${tool} ${VERILATOR_BIN} ${prefix} ${folder} --compiler ${compiler} --top ${top}
            ${arguments} ${sources}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    DEPENDS ${tool} ${ARG_SOURCES}
    DEPFILE ${folder}/${prefix}.d
    COMMENT "Verilator: ${prefix}" VERBATIM)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${units})
  list(GET units 0 fast)
  list(GET units 1 slow)
  set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS "${ARG_OPT};-w")
  set_source_files_properties(${slow} PROPERTIES COMPILE_OPTIONS "-O0;-w")
  target_include_directories(${target} SYSTEM PUBLIC $<BUILD_INTERFACE:${folder}>)
  target_link_libraries(${target} PUBLIC cuvette_verilator)
  cuvette_verilator_switches(${target})
endfunction()

# cuvette_verilate(<target> <prefix> <block> OPT <flag> ARGS <arguments...>)
#   A block of the program.
function(cuvette_verilate target prefix block)
  cmake_parse_arguments(ARG "" "OPT" "ARGS" ${ARGN})
  if(CUVETTE_RTL_OPT)
    set(ARG_OPT ${CUVETTE_RTL_OPT})
  endif()
  cuvette_verilated(${target} ${prefix} ${block} OPT ${ARG_OPT}
    SOURCES ${${block}_sources} ARGS ${verilator_args} ${ARG_ARGS})
endfunction()

# cuvette_verilate_cell(<target> <prefix> <top> SOURCES <files...> ARGS <arguments...>)
#   Something small for a test of its own.
function(cuvette_verilate_cell target prefix top)
  cmake_parse_arguments(ARG "" "" "SOURCES;ARGS" ${ARGN})
  cuvette_verilated(${target} ${prefix} ${top} OPT -O1 SOURCES ${ARG_SOURCES} ARGS ${ARG_ARGS})
  set_target_properties(${target} PROPERTIES
    VERILATED_PREFIX ${prefix} VERILATED_TOP ${top} VERILATED_SOURCES "${ARG_SOURCES}" VERILATED_ARGS "${ARG_ARGS}")
endfunction()
