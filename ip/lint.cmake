# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Every module as a top of its own.
function(cuvette_lint name module folder)
  add_test(NAME lint_${name}
    COMMAND ${VERILATOR_BIN} --lint-only --assert ${verilator_args} ${common_waivers} ${ARGN}
            ${rtl}/${folder}/${module}.sv --top-module ${module})
  set_tests_properties(lint_${name} PROPERTIES LABELS smoke)
endfunction()
foreach(module IN LISTS valu_modules)
  cuvette_lint(${module} ${module} valu ${rtl}/valu/valu_waivers.vlt ${valu_packages})
endforeach()
foreach(entry IN LISTS valu_archs)
  string(REGEX MATCH "(.*)=(.*)" entry ${entry})
  foreach(module IN LISTS valu_arch_modules)
    cuvette_lint(${module}_${CMAKE_MATCH_1} ${module} valu ${rtl}/valu/valu_waivers.vlt ${valu_packages}
                 -GArch=${CMAKE_MATCH_2})
  endforeach()
endforeach()
foreach(module IN LISTS matrix_core_modules)
  cuvette_lint(${module} ${module} matrix_core ${rtl}/matrix_core/matrix_core_waivers.vlt
               ${matrix_packages})
endforeach()
foreach(entry IN LISTS matrix_archs)
  string(REGEX MATCH "(.*)=(.*)" entry ${entry})
  set(target ${CMAKE_MATCH_1})
  set(arch ${CMAKE_MATCH_2})
  foreach(module IN LISTS matrix_core_modules)
    if(NOT module MATCHES "_(double|fused)$")  # have no parameter
      cuvette_lint(${module}_${target} ${module} matrix_core ${rtl}/matrix_core/matrix_core_waivers.vlt
                   ${matrix_packages} -GArch=${arch})
    endif()
  endforeach()
endforeach()
foreach(module IN LISTS vrf_modules)
  cuvette_lint(${module} ${module} vrf ${rtl}/vrf/vrf_waivers.vlt ${contracts}/vrf/rtl/vrf_pkg.sv)
endforeach()
cuvette_lint(vrf_unified vrf vrf ${rtl}/vrf/vrf_waivers.vlt ${contracts}/vrf/rtl/vrf_pkg.sv
             -GRows=512 -GAccRows=0)
foreach(module IN LISTS simd_modules)
  cuvette_lint(${module} ${module} simd ${simd_waivers} ${valu_packages} ${simd_packages})
endforeach()
foreach(module IN LISTS lds_modules)
  cuvette_lint(${module} ${module} lds ${rtl}/lds/lds_waivers.vlt ${lds_packages})
endforeach()
foreach(module IN LISTS gds_modules)
  cuvette_lint(${module} ${module} gds ${gds_waivers} ${gds_packages})
endforeach()
foreach(module gds gds_intake gds_reply)
  cuvette_lint(${module}_4 ${module} gds ${gds_waivers} ${gds_packages} -GComputeUnits=4)
endforeach()
foreach(module IN LISTS spi_modules)
  cuvette_lint(${module} ${module} spi ${spi_args} ${spi_waivers} ${spi_packages})
endforeach()
foreach(module spi spi_choose spi_order spi_place)
  cuvette_lint(${module}_4 ${module} spi ${spi_args} ${spi_waivers} ${spi_packages} -GComputeUnits=4)
endforeach()
foreach(module IN LISTS cache_modules)
  cuvette_lint(${module} ${module} cache ${cache_waivers} ${cache_packages})
endforeach()
foreach(role 0 1 2 3)
  cuvette_lint(cache_role_${role} cache cache ${cache_waivers} ${cache_packages} -GRole=${role} -GTree=1 -GLineBytes=128
               -GInterleaveBytes=256 -GSlices=4 -GUpPorts=4)
endforeach()
foreach(module IN LISTS memory_modules)
  cuvette_lint(${module} ${module} memory ${memory_args} ${memory_waivers} ${memory_packages})
endforeach()
cuvette_lint(memory_ports memory memory ${memory_args} ${memory_waivers} ${memory_packages} -GPorts=32 -GBytes=0)
cuvette_lint(memory_small memory memory ${memory_args} ${memory_waivers} ${memory_packages} -GPorts=2 -GBytes=16384 -GBase=64
             -GInterleaveBytes=64 -GRequests=2 -GBanks=2 -GRowBytes=128)
foreach(module IN LISTS crossbar_modules)
  cuvette_lint(${module} ${module} crossbar ${crossbar_args} ${crossbar_packages})
endforeach()
foreach(module crossbar crossbar_slice crossbar_source)
  cuvette_lint(${module}_least ${module} crossbar ${crossbar_args} ${crossbar_packages} -GLatency=2 -GDepth=2)
endforeach()
cuvette_lint(crossbar_build crossbar crossbar ${crossbar_parameters} ${crossbar_packages})
cuvette_lint(refused_crossbar_Sources crossbar crossbar ${crossbar_args} ${crossbar_packages} -Wno-lint -GSources=65 -GDepth=2)
set_tests_properties(lint_refused_crossbar_Sources PROPERTIES PASS_REGULAR_EXPRESSION "crossbar: Sources is 65, expected 1 to 64")
cuvette_lint(crossbar_one crossbar crossbar ${crossbar_args} ${crossbar_packages} -GSources=1 -GSlices=1)
foreach(cell fifo arbiter skid_buffer ram_1r1w ram_2r2w)
  cuvette_lint(${cell} ${cell} common)
endforeach()
set(cells lzc fp16_fma fp32_round fp32_fma fp64_fma exact_dot fp_dot fused_dot int8_dot)
foreach(cell IN LISTS cells)
  cuvette_lint(${cell} ${cell} common ${cell_packages})
endforeach()
cuvette_lint(pipe_ctrl pipe_ctrl common)
# A parameter outside its range does not elaborate, and the message says so.
foreach(entry lzc:Width:65 lzc:Width:1 fp32_round:SigWidth:25 fp32_round:SigWidth:65
        fp_dot:Terms:3 fp_dot:Terms:8 int8_dot:Terms:0 int8_dot:Terms:17 fifo:Width:0
        fifo:Depth:3 arbiter:Requests:0 arbiter:Requests:65 skid_buffer:Width:0
        ram_1r1w:Words:3 ram_1r1w:Lanes:0 ram_2r2w:Words:3 ram_2r2w:Bytes:0)
  string(REGEX MATCH "(.*):(.*):(.*)" entry ${entry})
  set(name refused_${CMAKE_MATCH_1}_${CMAKE_MATCH_3})
  set(expected "${CMAKE_MATCH_1}: ${CMAKE_MATCH_2} is ${CMAKE_MATCH_3}, expected")
  cuvette_lint(${name} ${CMAKE_MATCH_1} common ${cell_packages} -Wno-lint
               -G${CMAKE_MATCH_2}=${CMAKE_MATCH_3})
  set_tests_properties(lint_${name} PROPERTIES PASS_REGULAR_EXPRESSION "${expected}")
endforeach()

foreach(module IN LISTS matrix_core_modules)
  if(NOT module MATCHES "_(double|fused)$")
    cuvette_lint(refused_${module} ${module} matrix_core ${matrix_packages} -Wno-lint -GArch=7)
    set_tests_properties(lint_refused_${module} PROPERTIES
      PASS_REGULAR_EXPRESSION "${module}: Arch is 7, expected 0 to ")
  endif()
endforeach()

foreach(module IN LISTS valu_arch_modules)
  cuvette_lint(refused_${module} ${module} valu ${valu_packages} -Wno-lint -GArch=7)
  set_tests_properties(lint_refused_${module} PROPERTIES
    PASS_REGULAR_EXPRESSION "${module}: Arch is 7, expected 0 to ")
endforeach()

cuvette_lint(refused_lds_answer lds_answer lds ${lds_packages} -Wno-lint -GLatency=63)
set_tests_properties(lint_refused_lds_answer PROPERTIES PASS_REGULAR_EXPRESSION "lds_answer: Latency is 63, expected 64 to ")
cuvette_lint(refused_gds gds gds ${gds_packages} -Wno-lint -GComputeUnits=65)
set_tests_properties(lint_refused_gds PROPERTIES PASS_REGULAR_EXPRESSION "gds: ComputeUnits is 65, expected 1 to 64")
foreach(entry spi:ComputeUnits:17 cache:Role:4 cache:Sets:3 cache:Ways:3 cache:LineBytes:32 cache:HitCycles:3 cache:Slices:3
        cache:InterleaveBytes:32 cache_intake:UpPorts:17 cache_misses:Misses:2 memory:Ports:3 memory:Bytes:96
        memory_map:InterleaveBytes:32 memory_map:Banks:3 memory_map:RowBytes:64 memory_queue:Requests:3
        memory_banks:ActivateCycles:0 memory_banks:PrechargeCycles:1024 memory_banks:ActiveCycles:0
        memory_banks:RecoveryCycles:0 memory_banks:Overtakes:0 memory_schedule:CyclesPerBlock:1 memory_channel:Latency:3
        memory_answers:Delay:0 crossbar:Slices:3 crossbar_map:InterleaveBytes:96 crossbar_queue:Depth:3
        crossbar_source:Latency:1)
  string(REGEX MATCH "(.*):(.*):(.*)" entry ${entry})
  set(module ${CMAKE_MATCH_1})
  set(parameter ${CMAKE_MATCH_2})
  set(value ${CMAKE_MATCH_3})
  string(REGEX MATCH "^[a-z]+" block ${module})
  cuvette_lint(refused_${module}_${parameter} ${module} ${block} ${${block}_args} ${${block}_packages} -Wno-lint -G${parameter}=${value})
  set_tests_properties(lint_refused_${module}_${parameter} PROPERTIES
    PASS_REGULAR_EXPRESSION "${module}: ${parameter} is ${value}, expected")
endforeach()
