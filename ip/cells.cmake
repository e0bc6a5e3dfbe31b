# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Cells of rtl/common and modules of tb/ for tests of their own.
# cuvette_cell(<name> <prefix> <top> SOURCES <files...> [ARGS <arguments...>])
#   A cell as cuvette_<name>.
function(cuvette_cell name prefix top)
  cmake_parse_arguments(ARG "" "" "SOURCES;ARGS" ${ARGN})
  cuvette_verilate_cell(cuvette_${name} ${prefix} ${top}
    SOURCES ${common_waivers} ${ARG_SOURCES} ARGS ${verilator_args} ${ARG_ARGS} ${strict_args})
endfunction()

foreach(cell fifo:Depth=4 arbiter:Requests=5 skid_buffer:Width=32)
  string(REGEX MATCH "(.*):(.*)" cell ${cell})
  set(cell ${CMAKE_MATCH_1})
  cuvette_cell(${cell}_cell V${cell}_cell ${cell} SOURCES ${rtl}/common/${cell}.sv ARGS -G${CMAKE_MATCH_2})
endforeach()
# A block whose test is its own.
cuvette_cell(lds_rtl Vlds_rtl lds SOURCES ${lds_sources})
# The others behind one port list.
cuvette_cell(fp_cells Vfp_cells fp_cells_tb SOURCES ${cell_packages} ${PROJECT_SOURCE_DIR}/tb/common/fp_cells_tb.sv)

# What the test of the memory port's transactors talks to.
foreach(module memory_ram memory_copy)
  set(sources ${contracts}/memory/rtl/memory_pkg.sv ${PROJECT_SOURCE_DIR}/tb/memory/${module}.sv)
  add_test(NAME lint_${module}
    COMMAND ${VERILATOR_BIN} --lint-only --assert ${verilator_args} ${common_waivers} ${sources} --top-module ${module})
  set_tests_properties(lint_${module} PROPERTIES LABELS smoke)
  cuvette_verilate_cell(cuvette_${module} V${module} ${module} SOURCES ${common_waivers} ${sources}
    ARGS ${verilator_args} ${strict_args})
endforeach()

# The same cells as synthesis gets them: elaborated and written as plain Verilog (docs/synthesis.md).
set(synthesis ${PROJECT_SOURCE_DIR}/tools/synth)
set(plain_cells ${generated}/plain/fp_cells_tb.v)
file(GLOB plain_inputs CONFIGURE_DEPENDS ${synthesis}/*.py ${rtl}/common/*.sv)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${plain_inputs}
             ${PROJECT_SOURCE_DIR}/tb/common/fp_cells_tb.sv)
file(MAKE_DIRECTORY ${generated}/plain)
execute_process(
  COMMAND ${Python3_EXECUTABLE} ${synthesis}/synthesise.py --verilator ${VERILATOR_BIN}
          --generated ${generated} --generated ${transcendental_tables} --generated ${contracts} plain fp_cells_tb ${plain_cells}
  COMMAND_ERROR_IS_FATAL ANY)
cuvette_verilate_cell(cuvette_fp_cells_plain Vfp_cells fp_cells_tb SOURCES ${plain_cells}
  ARGS -O3 -Wno-lint -Wno-style -Wno-UNOPTFLAT --x-assign unique --x-initial unique)
