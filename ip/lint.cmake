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
foreach(cell fifo arbiter skid_buffer ram_2r2w)
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
        ram_2r2w:Words:3 ram_2r2w:Bytes:0)
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
