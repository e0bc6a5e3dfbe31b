# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# The blocks with the mutants of tests/mutants.csv in them, and what is around them, instead of cuvette::ip.
foreach(entry valu=valu matrix=matrix_core simd=simd vrf=vrf)
  string(REGEX MATCH "(.*)=(.*)" entry ${entry})
  add_library(cuvette_${CMAKE_MATCH_1}_mutant STATIC)
  cuvette_verilate(cuvette_${CMAKE_MATCH_1}_mutant V${CMAKE_MATCH_1}_mutant ${CMAKE_MATCH_2}
    OPT -O1 SOURCES ${rtl}/common/mutant_pkg.sv
    ARGS ${strict_args} +define+CUVETTE_MUTANTS)
endforeach()
foreach(entry IN LISTS matrix_archs)
  string(REGEX MATCH "(.*)=(.*)" entry ${entry})
  set(name matrix_${CMAKE_MATCH_1}_mutant)
  set(arch ${CMAKE_MATCH_2})
  add_library(cuvette_${name} STATIC)
  cuvette_verilate(cuvette_${name} V${name} matrix_core
    OPT -O1 RUNTIME cuvette_matrix_mutant SOURCES ${rtl}/common/mutant_pkg.sv
    ARGS ${strict_args} +define+CUVETTE_MUTANTS -GArch=${arch})
  list(APPEND mutant_builds cuvette_${name})
endforeach()
# Of what other targets have beside gfx908.
add_library(cuvette_valu_gfx942_mutant STATIC)
cuvette_verilate(cuvette_valu_gfx942_mutant Vvalu_gfx942_mutant valu OPT -O1 RUNTIME cuvette_valu_mutant
  SOURCES ${rtl}/common/mutant_pkg.sv
  ARGS ${strict_args} +define+CUVETTE_MUTANTS -GArch=2)
list(APPEND mutant_builds cuvette_valu_gfx942_mutant)
add_library(cuvette_ip_mutant STATIC
  ${common_sources}
  matrix_core/matrix_device_mutant.cpp
  simd/simd_device_mutant.cpp
  valu/valu_device_mutant.cpp
  vrf/vrf_device_mutant.cpp)
target_compile_definitions(cuvette_ip_mutant PUBLIC CUVETTE_MUTANTS)
target_include_directories(cuvette_ip_mutant PUBLIC ${PROJECT_BINARY_DIR}/layers/ip ${generated})
target_link_libraries(cuvette_ip_mutant PUBLIC cuvette::matrix_core cuvette::simd cuvette::valu
  cuvette::vrf
  PRIVATE cuvette_warnings cuvette_matrix_mutant cuvette_simd_mutant cuvette_valu_mutant
          cuvette_vrf_mutant ${mutant_builds} nlohmann_json::nlohmann_json)
