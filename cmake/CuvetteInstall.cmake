# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# The install tree, which needs nothing of the source tree: bin/cuvette, lib/libcuvette_<layer>.a, modules of our RTL in
# lib/cuvette/rtl and of the finalizer in lib/cuvette, include/cuvette/<layer>/*.h; in share/cuvette machine descriptions
# (config), SystemVerilog (rtl), examples, testbenches (tb) and kernels with dispatch files to begin with; pages and schemas in share/doc/cuvette; and
# the CMake package that find_package(cuvette) reads. The package exports cuvette::<layer>. Layers that need more than the
# machine itself does have an export of their own, which a user asks for by component: finalizer (LLVM and lld) and ip
# (lockstep). The layers run, thunk, finalize_extension and cli belong to the programs and stay out.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cuvette)

get_property(layers GLOBAL PROPERTY CUVETTE_LAYERS)
list(REMOVE_ITEM layers run cli thunk finalize_extension)
set(components "")
foreach(layer IN LISTS layers)
  set(export cuvetteTargets)
  set(targets cuvette_${layer})
  if(layer STREQUAL "finalizer")
    set(export cuvette_finalizer_targets)
    list(APPEND components finalizer)
  elseif(layer STREQUAL "ip")
    set(export cuvette_ip_targets)
    list(APPEND components ip)
  endif()
  install(TARGETS ${targets} EXPORT ${export})
  get_target_property(source_dir cuvette_${layer} SOURCE_DIR)
  foreach(root ${source_dir} ${PROJECT_BINARY_DIR}/generated/${layer}/${layer}
          ${CUVETTE_CONTRACTS}/${layer}/include/${layer})
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${root} ${root}/*.h)
    foreach(header IN LISTS headers)
      get_filename_component(folder ${layer}/${header} DIRECTORY)
      install(FILES ${root}/${header} DESTINATION include/cuvette/${folder})
    endforeach()
  endforeach()
endforeach()

install(EXPORT cuvetteTargets NAMESPACE cuvette:: DESTINATION ${package_dir})
foreach(component IN LISTS components)
  install(EXPORT cuvette_${component}_targets NAMESPACE cuvette:: DESTINATION ${package_dir})
endforeach()
set(CUVETTE_CONFIG_INSTALL_DIR share/cuvette/config)
set(CUVETTE_RTL_INSTALL_DIR share/cuvette/rtl)
# The register map: for drivers and firmware in C, for SystemVerilog, for people.
install(FILES ${PROJECT_BINARY_DIR}/generated/registers/cuvette_registers.h DESTINATION include)
install(FILES ${PROJECT_BINARY_DIR}/generated/registers/cuvette_registers_pkg.sv
        DESTINATION ${CUVETTE_RTL_INSTALL_DIR}/registers)
install(FILES ${PROJECT_BINARY_DIR}/generated/registers/registers_table.md
              ${PROJECT_BINARY_DIR}/generated/sdma/sdma_packets.md
              ${PROJECT_BINARY_DIR}/generated/counters/counters_table.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/cuvetteConfig.cmake.in ${PROJECT_BINARY_DIR}/cuvetteConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS CUVETTE_CONFIG_INSTALL_DIR CUVETTE_RTL_INSTALL_DIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cuvetteConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
# Contracts of every block, RTL of those that have it.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/rtl/ DESTINATION ${CUVETTE_RTL_INSTALL_DIR})
get_property(contracts GLOBAL PROPERTY CUVETTE_CONTRACT_BLOCKS)
foreach(block IN LISTS contracts)
  install(DIRECTORY ${CUVETTE_CONTRACTS}/${block}/rtl/ DESTINATION ${CUVETTE_RTL_INSTALL_DIR}/${block})
  install(FILES ${CUVETTE_CONTRACTS}/${block}/include/ip/dut_${block}.h DESTINATION include/cuvette/ip)
  install(FILES ${CUVETTE_CONTRACTS}/${block}/${block}_contract.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/contracts
          COMPONENT doc)
  install(FILES ${PROJECT_SOURCE_DIR}/model/${block}/${block}.contract.yaml DESTINATION share/cuvette/contracts)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc
        PATTERN "*.dot" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
# Links of pages to other files of the source tree lead to where these are installed.
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  file(GLOB_RECURSE pages \"\${folder}/*.md\")
  foreach(page IN LISTS pages)
    file(READ \"\${page}\" text)
    string(REGEX REPLACE \"\\\\]\\\\(\\\\.\\\\./\\\\.\\\\./model/[a-z_]+/\" \"](../../../cuvette/contracts/\" text \"\${text}\")
    string(REPLACE \"](../../CHANGELOG.md\" \"](../CHANGELOG.md\" text \"\${text}\")
    string(REPLACE \"](docs/\" \"](\" text \"\${text}\")
    file(WRITE \"\${page}\" \"\${text}\")
  endforeach()
" COMPONENT doc)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/tb DESTINATION share/cuvette)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tests/kernels ${PROJECT_SOURCE_DIR}/tests/dispatches DESTINATION share/cuvette
        COMPONENT runtime PATTERN CMakeLists.txt EXCLUDE)
# Files that users build devices with: cuvette_add_dut(), the ports and the operation codes.
if(CUVETTE_WITH_VERILATOR)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/CuvetteAddDut.cmake ${CMAKE_CURRENT_LIST_DIR}/CuvettePorts.cmake
                ${CMAKE_CURRENT_LIST_DIR}/cuvette_dut.cpp.in ${CMAKE_CURRENT_LIST_DIR}/cuvette_dut.map
          DESTINATION ${package_dir})
  install(FILES ${PROJECT_BINARY_DIR}/generated/ip/ip/matrix_row_pkg.sv
          DESTINATION ${CUVETTE_RTL_INSTALL_DIR}/matrix_core)
  install(FILES ${PROJECT_BINARY_DIR}/generated/ip/ip/simd_row_pkg.sv
          DESTINATION ${CUVETTE_RTL_INSTALL_DIR}/simd)
  install(FILES ${PROJECT_BINARY_DIR}/generated/valu/valu/valu_op_pkg.sv
                ${PROJECT_BINARY_DIR}/generated/fp/rtl/transcendental_table_pkg.sv
          DESTINATION ${CUVETTE_RTL_INSTALL_DIR}/valu)
  # Names of the sources of our RTL by block, waivers and packages first; each is in some folder of share/cuvette/rtl.
  get_property(rtl_blocks GLOBAL PROPERTY CUVETTE_RTL_BLOCKS)
  foreach(block IN LISTS rtl_blocks)
    get_property(names GLOBAL PROPERTY CUVETTE_RTL_SOURCES_${block})
    list(TRANSFORM names REPLACE "^.*/" "")
    list(JOIN names "\n" names)
    set(list ${PROJECT_BINARY_DIR}/generated/ip/${block}_sources.txt)
    file(CONFIGURE OUTPUT ${list} CONTENT "${names}" @ONLY)
    install(FILES ${list} DESTINATION ${CUVETTE_RTL_INSTALL_DIR}/${block})
  endforeach()
endif()
install(FILES ${PROJECT_BINARY_DIR}/cuvetteConfig.cmake
              ${PROJECT_BINARY_DIR}/cuvetteConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/CuvetteSystemC.cmake
        DESTINATION ${package_dir})
