# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# SystemC under one name: the target cuvette_systemc. A CMake package first, pkg-config second.
add_library(cuvette_systemc INTERFACE)
find_package(SystemCLanguage CONFIG QUIET)
if(SystemCLanguage_FOUND)
  target_link_libraries(cuvette_systemc INTERFACE SystemC::systemc)
else()
  pkg_check_modules(SystemC REQUIRED IMPORTED_TARGET GLOBAL systemc)
  target_link_libraries(cuvette_systemc INTERFACE PkgConfig::SystemC)
endif()

# The library carries the C++ standard it was built with in a symbol name (sc_api_version_..._cxx201703L);
# a translation unit of another standard does not link. Find the tag by trying, newest first.
if(NOT DEFINED CUVETTE_SC_CPLUSPLUS)
  set(probe ${CMAKE_BINARY_DIR}/systemc_probe.cpp)
  file(WRITE ${probe} "#include <systemc>\nint sc_main(int, char**) { return 0; }\n")
  get_target_property(probe_libs cuvette_systemc INTERFACE_LINK_LIBRARIES)
  foreach(tag 202002L 201703L 201402L 201103L)
    try_compile(probe_ok ${CMAKE_BINARY_DIR}/systemc_probe_${tag} ${probe}
                COMPILE_DEFINITIONS -DSC_CPLUSPLUS=${tag} LINK_LIBRARIES ${probe_libs}
                CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
    if(probe_ok)
      set(CUVETTE_SC_CPLUSPLUS ${tag} CACHE INTERNAL "C++ standard tag of the SystemC library")
      break()
    endif()
  endforeach()
  if(NOT CUVETTE_SC_CPLUSPLUS)
    message(FATAL_ERROR "no C++ standard tag links against the SystemC library found")
  endif()
endif()
message(STATUS "Cuvette: SystemC with SC_CPLUSPLUS=${CUVETTE_SC_CPLUSPLUS}")
target_compile_definitions(cuvette_systemc INTERFACE SC_CPLUSPLUS=${CUVETTE_SC_CPLUSPLUS})
