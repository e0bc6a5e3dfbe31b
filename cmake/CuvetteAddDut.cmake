# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Users' RTL as a plug-in (docs/howto/bring_your_rtl.md).
#
# cuvette_add_dut(<target> BLOCK <block> [ROLE l2|vector_l1|scalar_cache|instruction_cache] TOP_MODULE <module>
#                 SOURCES <files...> [NAME <name>] [PARAMETERS <NAME=N...>]
#                 [INCLUDE_DIRS <folders...>] [VERILATOR_ARGS <arguments...>]
#                 [OPERATIONS <mnemonics...>] [MODIFIERS sign omod clamp halves sdwa]
#                 [TARGETS gfx900|gfx906|gfx908|gfx90a|gfx942...] [STRAPS <NAME=N...>])
#   Verilates the module, which has the ports of docs/reference/<block>.md, and builds the shared module
#   <target>.so around it. The packages of the block, and those that they need, are compiled in front of SOURCES;
#   matrix_op_pkg and matrix_row_pkg with matrix_core, valu_op_pkg with valu.
#   BLOCK: command_processor, compute_unit, spi, simd, valu, vrf, lds, matrix_core, gds, cache, crossbar or memory. ROLE, of a cache: the one it is for; a machine
#   that gives it another refuses it. PARAMETERS: how many ports of a kind it has, as UpPorts=2 or ComputeUnits=4, where
#   the contract has them as parameters (at the head of <block>_if.sv); the module gets them as parameters of these
#   names. Not said: one, of a cache two, NearCaches three. OPERATIONS: the instructions the device executes; without it all of the block
#   (valu: of valu_ops.csv, with all modifiers); only valu, matrix_core and simd have any. MODIFIERS, of a valu: those
#   the device applies to them: sign (abs and neg), omod, clamp, halves (op_sel, op_sel_hi, neg_hi), sdwa (sub-dword
#   selects). TARGETS: a machine of any other refuses the device; without it, it is for all. The build fails with the
#   name of every port that is missing or has another width or direction than the contract says. STRAPS: inputs beyond
#   the contract, of up to 32 bits, with the numbers that they have from the start to the end.
#
# cuvette_add_rtl(<target> BLOCK <block> [ROLE <role>] [NAME <name>] [PARAMETERS <NAME=N...>] [TARGETS <targets...>]
#                 [STRAPS <NAME=N...>])
#   builds the shared module <target>.so of our own RTL of a block, for machines of other sizes than the program's own
#   builds have. BLOCK: valu, vrf, simd, matrix_core, lds, gds, cache, crossbar, memory or spi. PARAMETERS: those of the
#   module (<block>.sv), the others at their defaults; ROLE says what a cache is. STRAPS: all those of the module, if it
#   has any.
#
# cuvette_add_core_dut(<target> SOURCES <files...> LAYERS <layers...>)
#   builds the shared module <target>.so of a device in C++, whose cuvette_dut() comes from ip/core_dut.h, with the
#   libraries of these layers (the block's own) inside.
#
# cuvette_RTL_DIR: the installed SystemVerilog (a folder per block, common/).
set(cuvette_DUT_FILES_DIR ${CMAKE_CURRENT_LIST_DIR})

# Names of a contract's parameters, in its order.
function(cuvette_port_parameters variable block)
  file(STRINGS ${cuvette_RTL_DIR}/${block}/${block}_ports.txt names REGEX "^[a-z]+ [a-z0-9_]+ [0-9]+ [A-Za-z]+$")
  list(TRANSFORM names REPLACE "^.* ([A-Za-z]+)$" "\\1")
  list(REMOVE_DUPLICATES names)
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()

function(cuvette_add_dut target)
  cmake_parse_arguments(ARG "" "BLOCK;ROLE;TOP_MODULE;NAME"
                        "SOURCES;PARAMETERS;INCLUDE_DIRS;VERILATOR_ARGS;OPERATIONS;MODIFIERS;TARGETS;STRAPS" ${ARGN})
  foreach(argument BLOCK TOP_MODULE SOURCES)
    if(NOT ARG_${argument})
      message(FATAL_ERROR "cuvette_add_dut(${target}): ${argument} is missing")
    endif()
  endforeach()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cuvette_add_dut(${target}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  set(rtl ${cuvette_RTL_DIR})
  set(packages "")
  if(EXISTS ${rtl}/${ARG_BLOCK}/${ARG_BLOCK}_packages.txt)
    file(STRINGS ${rtl}/${ARG_BLOCK}/${ARG_BLOCK}_packages.txt blocks)
    foreach(block IN LISTS blocks)
      list(APPEND packages ${rtl}/${block}/${block}_pkg.sv)
    endforeach()
    if(ARG_BLOCK STREQUAL "valu")
      list(INSERT packages 0 ${rtl}/valu/valu_op_pkg.sv)
    elseif(ARG_BLOCK STREQUAL "matrix_core")
      list(INSERT packages 0 ${rtl}/vrf/vrf_pkg.sv)
      list(APPEND packages ${rtl}/matrix_core/matrix_op_pkg.sv ${rtl}/matrix_core/matrix_row_pkg.sv)
    endif()
  else()
    message(FATAL_ERROR "cuvette_add_dut(${target}): there is no block '${ARG_BLOCK}', expected "
                        "command_processor, compute_unit, spi, simd, valu, vrf, lds, matrix_core, gds, cache, crossbar or memory")
  endif()
  set(role nullptr)
  if(ARG_ROLE)
    if(NOT ARG_BLOCK STREQUAL "cache")
      message(FATAL_ERROR "cuvette_add_dut(${target}): ROLE goes with block cache")
    endif()
    if(NOT ARG_ROLE MATCHES "^(l2|vector_l1|scalar_cache|instruction_cache)$")
      message(FATAL_ERROR "cuvette_add_dut(${target}): unknown role '${ARG_ROLE}', "
                          "expected l2, vector_l1, scalar_cache or instruction_cache")
    endif()
    set(role "\"${ARG_ROLE}\"")
  endif()
  # The parameters of the contract in its order, each with its value.
  set(counts "")
  set(parameters "")
  set(verilog_parameters "")
  cuvette_port_parameters(names ${ARG_BLOCK})
  foreach(name IN LISTS names)
    set(count 1)
    if(ARG_BLOCK STREQUAL "cache")
      set(count 2)
    elseif(name STREQUAL "NearCaches")
      set(count 3)
    endif()
    foreach(given IN LISTS ARG_PARAMETERS)
      if(given MATCHES "^${name}=([1-9][0-9]*)$")
        set(count ${CMAKE_MATCH_1})
        list(REMOVE_ITEM ARG_PARAMETERS ${given})
      endif()
    endforeach()
    string(APPEND counts ", ${count}")
    list(APPEND parameters ${name}=${count})
    list(APPEND verilog_parameters -G${name}=${count})
  endforeach()
  if(ARG_PARAMETERS)
    message(FATAL_ERROR "cuvette_add_dut(${target}): PARAMETERS ${ARG_PARAMETERS}, expected NAME=N with the names of "
                        "block ${ARG_BLOCK}: ${names}")
  endif()
  list(JOIN parameters "," parameters)
  if(ARG_MODIFIERS AND NOT ARG_BLOCK STREQUAL "valu")
    message(FATAL_ERROR "cuvette_add_dut(${target}): MODIFIERS go with block valu")
  endif()
  if(ARG_OPERATIONS AND NOT ARG_BLOCK MATCHES "^(valu|matrix_core|simd)$")
    message(FATAL_ERROR "cuvette_add_dut(${target}): a ${ARG_BLOCK} has no OPERATIONS")
  endif()
  if(NOT ARG_NAME)
    set(ARG_NAME ${target})
  endif()
  if(NOT COMMAND verilate)
    find_package(verilator 5.006 REQUIRED)
  endif()

  set(modifiers 0)
  if(NOT ARG_OPERATIONS AND NOT ARG_MODIFIERS)
    set(ARG_MODIFIERS sign omod clamp halves sdwa)
  endif()
  foreach(modifier IN LISTS ARG_MODIFIERS)
    if(NOT modifier MATCHES "^(sign|omod|clamp|halves|sdwa)$")
      message(FATAL_ERROR "cuvette_add_dut(${target}): unknown modifier '${modifier}', "
                          "expected sign, omod, clamp, halves, sdwa")
    endif()
    string(TOUPPER ${modifier} upper)
    string(APPEND modifiers " | CUVETTE_DUT_${upper}")
  endforeach()
  set(operations "")
  foreach(operation IN LISTS ARG_OPERATIONS)
    string(APPEND operations "\"${operation}\", ")
  endforeach()

  set(targets "")
  foreach(isa IN LISTS ARG_TARGETS)
    if(NOT isa MATCHES "^gfx(900|906|908|90a|942)$")
      message(FATAL_ERROR "cuvette_add_dut(${target}): unknown target '${isa}', "
                          "expected gfx900, gfx906, gfx908, gfx90a or gfx942")
    endif()
    string(APPEND targets "\"${isa}\", ")
  endforeach()

  set(straps "")
  foreach(strap IN LISTS ARG_STRAPS)
    if(NOT strap MATCHES "^([A-Za-z_][A-Za-z0-9_]*)=([0-9]+)$")
      message(FATAL_ERROR "cuvette_add_dut(${target}): STRAPS ${strap}, expected NAME=N")
    endif()
    string(APPEND straps "    ${CMAKE_MATCH_1} = ${CMAKE_MATCH_2};\n")
  endforeach()
  list(JOIN ARG_STRAPS "," strap_list)

  string(MAKE_C_IDENTIFIER "V${target}" prefix)
  set(glue ${CMAKE_CURRENT_BINARY_DIR}/${target}_dut.cpp)
  configure_file(${cuvette_DUT_FILES_DIR}/cuvette_dut.cpp.in ${glue} @ONLY)
  add_library(${target} MODULE ${glue})
  list(APPEND packages ${ARG_SOURCES})
  list(REMOVE_DUPLICATES packages)
  verilate(${target} PREFIX ${prefix} TOP_MODULE ${ARG_TOP_MODULE} TRACE_FST
    SOURCES ${packages}
    INCLUDE_DIRS ${ARG_INCLUDE_DIRS}
    VERILATOR_ARGS --assert --x-assign unique --x-initial unique ${verilog_parameters} ${ARG_VERILATOR_ARGS}
    OPT_FAST -O2)
  # The glue says what $finish and fatal errors do.
  target_compile_definitions(${target} PRIVATE VL_TIME_CONTEXT VL_USER_FINISH VL_USER_FATAL)
  # Ports are compared before the glue is compiled: a name says more than a cast that fails, or does not.
  get_target_property(verilated ${target} SOURCES)
  list(FILTER verilated INCLUDE REGEX "/${prefix}\\.cpp$")
  string(REGEX REPLACE "\\.cpp$" ".h" header "${verilated}")
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${target}_ports.stamp)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DMODULE=${ARG_TOP_MODULE} "-DPARAMETERS=${parameters}" "-DSTRAPS=${strap_list}"
            -DCONTRACT=${rtl}/${ARG_BLOCK}/${ARG_BLOCK}_ports.txt -DSTAMP=${stamp}
            -P ${cuvette_DUT_FILES_DIR}/CuvettePorts.cmake
    DEPENDS ${verilated} ${rtl}/${ARG_BLOCK}/${ARG_BLOCK}_ports.txt
    COMMENT "Comparing the ports of ${ARG_TOP_MODULE} with the contract of block ${ARG_BLOCK}")
  set_source_files_properties(${glue} PROPERTIES OBJECT_DEPENDS ${stamp})
  target_include_directories(${target} PRIVATE ${cuvette_DUT_INCLUDE_DIR})
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_link_libraries(${target} PRIVATE z)  # waveforms
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${cuvette_DUT_FILES_DIR}/cuvette_dut.map -Wl,--no-undefined)
  set_target_properties(${target} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
endfunction()

function(cuvette_add_rtl target)
  cmake_parse_arguments(ARG "" "BLOCK;ROLE;NAME" "PARAMETERS;TARGETS;STRAPS" ${ARGN})
  set(rtl ${cuvette_RTL_DIR})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cuvette_add_rtl(${target}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_BLOCK OR NOT EXISTS ${rtl}/${ARG_BLOCK}/${ARG_BLOCK}_sources.txt)
    message(FATAL_ERROR "cuvette_add_rtl(${target}): there is no RTL of block '${ARG_BLOCK}', expected valu, vrf, simd, "
                        "matrix_core, lds, gds, cache, crossbar, memory or spi")
  endif()
  file(STRINGS ${rtl}/${ARG_BLOCK}/${ARG_BLOCK}_sources.txt names)
  set(sources "")
  foreach(name IN LISTS names)
    file(GLOB source ${rtl}/*/${name})
    list(APPEND sources ${source})
  endforeach()
  file(STRINGS ${rtl}/${ARG_BLOCK}/${ARG_BLOCK}.sv own REGEX "^ +parameter +int unsigned +[A-Za-z]+ ")
  list(TRANSFORM own REPLACE "^ +parameter +int unsigned +([A-Za-z]+) .*$" "\\1")
  cuvette_port_parameters(of_contract ${ARG_BLOCK})
  set(ports "")
  # Verilator 5.006 rolls the copies of messages that assertions look at into loops without their variable.
  set(arguments -fno-reloop -Wno-lint -Wno-style)
  if(ARG_BLOCK STREQUAL "cache")
    list(REMOVE_ITEM own Role)
    set(roles vector_l1 scalar_cache instruction_cache l2)
    list(FIND roles "${ARG_ROLE}" role)
    if(role EQUAL -1)
      message(FATAL_ERROR "cuvette_add_rtl(${target}): expected ROLE l2, vector_l1, scalar_cache or instruction_cache")
    endif()
    list(APPEND arguments -GRole=${role})
  endif()
  foreach(given IN LISTS ARG_PARAMETERS)
    string(REGEX MATCH "^([A-Za-z]+)=[0-9]+$" matched "${given}")
    if(NOT matched OR NOT CMAKE_MATCH_1 IN_LIST own)
      message(FATAL_ERROR "cuvette_add_rtl(${target}): PARAMETERS ${given}, expected NAME=N with a parameter of "
                          "${ARG_BLOCK}.sv: ${own}")
    endif()
    if(CMAKE_MATCH_1 IN_LIST of_contract)
      list(APPEND ports ${given})
    else()
      list(APPEND arguments -G${given})
    endif()
  endforeach()
  set(options "")
  foreach(option ROLE NAME)
    if(ARG_${option})
      list(APPEND options ${option} ${ARG_${option}})
    endif()
  endforeach()
  file(GLOB folders LIST_DIRECTORIES true ${rtl}/*)
  cuvette_add_dut(${target} BLOCK ${ARG_BLOCK} TOP_MODULE ${ARG_BLOCK} SOURCES ${sources} PARAMETERS ${ports}
    INCLUDE_DIRS ${folders} VERILATOR_ARGS ${arguments} TARGETS ${ARG_TARGETS} STRAPS ${ARG_STRAPS} ${options})
endfunction()

function(cuvette_add_core_dut target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LAYERS" ${ARGN})
  if(NOT ARG_SOURCES OR NOT ARG_LAYERS OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cuvette_add_core_dut(${target}): expected SOURCES and LAYERS alone")
  endif()
  add_library(${target} MODULE ${ARG_SOURCES})
  list(TRANSFORM ARG_LAYERS PREPEND cuvette::)
  target_link_libraries(${target} PRIVATE ${ARG_LAYERS})
  target_include_directories(${target} PRIVATE ${cuvette_DUT_INCLUDE_DIR})
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${cuvette_DUT_FILES_DIR}/cuvette_dut.map -Wl,--no-undefined)
  set_target_properties(${target} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON)
endfunction()
