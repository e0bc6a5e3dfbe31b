# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Models of RTL by Verilator. The caller has its arguments for every model in verilator_args and a block's files in
# <block>_sources.

# One configuration of the Verilator runtime for every model, so that all may meet in one program.
function(cuvette_verilator_runtime target)
  set_target_properties(${target} PROPERTIES VERILATOR_TRACE ON VERILATOR_TRACE_FST ON SYSTEM ON)
  target_compile_definitions(${target} PUBLIC VL_TIME_CONTEXT)
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

# cuvette_verilate(<target> <prefix> <block> OPT <flag> [RUNTIME <build>] [SOURCES <extra files>] ARGS <arguments...>)
#   RUNTIME: a build whose copy of the Verilator runtime is taken instead of one more.
function(cuvette_verilate target prefix block)
  cmake_parse_arguments(ARG "" "OPT;RUNTIME" "SOURCES;ARGS" ${ARGN})
  set(opt_slow -O1)
  if(CUVETTE_RTL_OPT)
    set(ARG_OPT ${CUVETTE_RTL_OPT})
    set(opt_slow ${CUVETTE_RTL_OPT})
  endif()
  cuvette_near_paths(sources ${ARG_SOURCES} ${${block}_sources})
  cuvette_near_paths(arguments ${verilator_args} ${ARG_ARGS})
  verilate(${target} PREFIX ${prefix} TOP_MODULE ${block} SOURCES ${sources} VERILATOR_ARGS ${arguments}
    OPT_FAST ${ARG_OPT} OPT_SLOW ${opt_slow} OPT_GLOBAL -O2)
  # Two files for the compiler instead of four per package: a small one costs a second for the runtime's headers.
  get_target_property(all ${target} SOURCES)
  set(files ${all})
  list(FILTER files INCLUDE REGEX "/${prefix}[^/]*\\.cpp$")
  set_source_files_properties(${files} PROPERTIES HEADER_FILE_ONLY ON)
  foreach(kind fast slow)
    set(part ${files})
    set(flag ${ARG_OPT})
    if(kind STREQUAL "slow")
      list(FILTER part INCLUDE REGEX "__(Slow|Syms)\\.cpp$")
      set(flag ${opt_slow})
    else()
      list(FILTER part EXCLUDE REGEX "__(Slow|Syms)\\.cpp$")
    endif()
    set(text "")
    foreach(file IN LISTS part)
      get_filename_component(file ${file} NAME)
      string(APPEND text "#include \"${file}\"\n")
    endforeach()
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/${prefix}.${kind}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
    set_source_files_properties(${unit} PROPERTIES COMPILE_OPTIONS "${flag};-w")
    list(APPEND all ${unit})
  endforeach()
  if(ARG_RUNTIME)
    list(FILTER all EXCLUDE REGEX "/include/verilated[^/]*\\.cpp$")
    target_link_libraries(${target} PUBLIC ${ARG_RUNTIME})
  endif()
  set_target_properties(${target} PROPERTIES SOURCES "${all}")
  cuvette_verilator_runtime(${target})
endfunction()

# cuvette_verilate_cell(<target> <prefix> <top> SOURCES <files...> ARGS <arguments...>)
#   Something small for a test of its own.
function(cuvette_verilate_cell target prefix top)
  cmake_parse_arguments(ARG "" "" "SOURCES;ARGS" ${ARGN})
  add_library(${target} STATIC)
  cuvette_near_paths(sources ${ARG_SOURCES})
  cuvette_near_paths(arguments ${ARG_ARGS})
  verilate(${target} PREFIX ${prefix} TOP_MODULE ${top} SOURCES ${sources} VERILATOR_ARGS ${arguments}
    OPT_FAST -O1 OPT_SLOW -O1 OPT_GLOBAL -O2)
  set_target_properties(${target} PROPERTIES
    VERILATED_PREFIX ${prefix} VERILATED_TOP ${top} VERILATED_SOURCES "${ARG_SOURCES}" VERILATED_ARGS "${ARG_ARGS}")
  cuvette_verilator_runtime(${target})
endfunction()
