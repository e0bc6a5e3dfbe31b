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
# Blocks whose tests are their own.
# cuvette_block_cell(<name> <prefix> <top> ...): as cuvette_cell; with CUVETTE_BLOCK_COVERAGE counters of coverage go to
# files of each simulation (docs/develop/verification_plan.md).
function(cuvette_block_cell name prefix top)
  cmake_parse_arguments(ARG "" "" "SOURCES;ARGS" ${ARGN})
  set(counters "")
  if(CUVETTE_BLOCK_COVERAGE)
    set(counters --coverage-line --coverage-user)
  endif()
  cuvette_cell(${name} ${prefix} ${top} SOURCES ${ARG_SOURCES} ARGS ${ARG_ARGS} ${counters})
  if(CUVETTE_BLOCK_COVERAGE)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/coverage)
    target_compile_definitions(cuvette_${name} INTERFACE CUVETTE_RTL_COVERAGE="${PROJECT_BINARY_DIR}/coverage")
  endif()
endfunction()
cuvette_block_cell(lds_rtl Vlds_rtl lds SOURCES ${lds_sources})
cuvette_block_cell(gds_rtl Vgds_rtl gds SOURCES ${gds_sources} ARGS ${gds_parameters})
cuvette_block_cell(spi_rtl Vspi_rtl spi SOURCES ${spi_sources} ARGS ${spi_parameters})
# Caches so small that lines come and go, with every parameter at several values.
cuvette_block_cell(cache_vector_l1_rtl Vcache_vector_l1_rtl cache SOURCES ${cache_sources}
  ARGS ${cache_args} -GRole=0 -GUpPorts=2 -GSets=4 -GWays=4 -GHitCycles=7 -GMisses=4)
cuvette_block_cell(cache_scalar_rtl Vcache_scalar_rtl cache SOURCES ${cache_sources}
  ARGS ${cache_args} -GRole=1 -GUpPorts=3 -GSets=2 -GWays=4 -GLineBytes=128 -GInterleaveBytes=128 -GHitCycles=4 -GMisses=8 -GTree=1)
cuvette_block_cell(cache_instruction_rtl Vcache_instruction_rtl cache SOURCES ${cache_sources}
  ARGS ${cache_args} -GRole=2 -GUpPorts=3 -GSets=8 -GWays=2 -GHitCycles=5 -GMisses=4)
cuvette_block_cell(cache_l2_rtl Vcache_l2_rtl cache SOURCES ${cache_sources}
  ARGS ${cache_args} -GRole=3 -GUpPorts=2 -GSets=4 -GWays=4 -GLineBytes=128 -GHitCycles=9 -GMisses=8 -GSlices=4 -GInterleaveBytes=256)
# A memory so small that blocks, rows and banks meet.
cuvette_block_cell(memory_rtl Vmemory_rtl memory SOURCES ${memory_sources}
  ARGS ${memory_args} -GPorts=2 -GInterleaveBytes=128 -GRequests=8 -GBanks=4 -GRowBytes=128 -GLatency=12 -GCyclesPerBlock=2
       -GActivateCycles=5 -GPrechargeCycles=3 -GActiveCycles=11 -GRecoveryCycles=8 -GOvertakes=2 -GBytes=16384 -GBase=64)
# A crossbar with so little that everything fills: few places, short links, fine interleaving.
cuvette_block_cell(crossbar_rtl Vcrossbar_rtl crossbar SOURCES ${crossbar_sources}
  ARGS ${crossbar_args} -GSources=5 -GSlices=4 -GInterleaveBytes=64 -GLatency=3 -GDepth=4)
# The others behind one port list.
cuvette_cell(fp_cells Vfp_cells fp_cells_tb SOURCES ${cell_packages} ${PROJECT_SOURCE_DIR}/tb/common/fp_cells_tb.sv)

# Peer of the test of the memory port's transactors.
foreach(module memory_ram memory_copy)
  set(sources ${contracts}/memory/rtl/memory_pkg.sv ${PROJECT_SOURCE_DIR}/tb/memory/${module}.sv)
  add_test(NAME lint_${module}
    COMMAND ${VERILATOR_BIN} --lint-only --assert ${verilator_args} ${common_waivers} ${sources} --top-module ${module})
  set_tests_properties(lint_${module} PROPERTIES LABELS smoke)
  cuvette_verilate_cell(cuvette_${module} V${module} ${module} SOURCES ${common_waivers} ${sources}
    ARGS ${verilator_args} ${strict_args})
endforeach()

# The same cells as synthesis gets them: elaborated and written as plain Verilog (docs/develop/synthesis.md).
set(synthesis ${PROJECT_SOURCE_DIR}/tools/synth)
set(plain_cells ${generated}/plain/fp_cells_tb.v)
file(GLOB plain_inputs CONFIGURE_DEPENDS ${synthesis}/*.py ${rtl}/common/*.sv)
add_custom_command(OUTPUT ${plain_cells}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}/plain
  COMMAND ${Python3_EXECUTABLE} ${synthesis}/synthesise.py --verilator ${VERILATOR_BIN}
          --generated ${generated} --generated ${PROJECT_BINARY_DIR}/generated/valu --generated ${transcendental_tables}
          --generated ${contracts} plain fp_cells_tb ${plain_cells}
  DEPENDS ${plain_inputs} ${PROJECT_SOURCE_DIR}/tb/common/fp_cells_tb.sv
  COMMENT "Cells of rtl/common as plain Verilog" VERBATIM)
cuvette_verilate_cell(cuvette_fp_cells_plain Vfp_cells fp_cells_tb SOURCES ${plain_cells}
  ARGS -O3 -Wno-lint -Wno-style -Wno-UNOPTFLAT --x-assign unique --x-initial unique)
