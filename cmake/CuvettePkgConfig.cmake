# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# pkg-config files, from what the targets link: cuvette (the C interface), cuvette-cosim, and cuvette-<layer> for every
# static library of the machine. The tree can be moved: paths are relative to the file. The finalizer (LLVM, lld) and
# ip (Verilated blocks) are for find_package(cuvette) alone.

# cuvette_pkg_config(<name> DESCRIPTION <text> [LIBRARY <library>] [INCLUDE <folder below include>]
#                    [REQUIRES <modules...>] [FLAGS <compiler flags...>] [LIBS <linker flags...>])
function(cuvette_pkg_config name)
  cmake_parse_arguments(ARG "" "DESCRIPTION;LIBRARY;INCLUDE" "REQUIRES;FLAGS;LIBS" ${ARGN})
  set(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH to_prefix /${folder} /)
  string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
  list(JOIN ARG_REQUIRES " " requires)
  list(JOIN ARG_FLAGS " " flags)
  list(JOIN ARG_LIBS " " libs)
  if(ARG_LIBRARY)
    string(PREPEND libs "-L\${libdir} -l${ARG_LIBRARY} ")
  endif()
  set(include include)
  if(ARG_INCLUDE)
    set(include include/${ARG_INCLUDE})
  endif()
  set(file ${PROJECT_BINARY_DIR}/pkgconfig/${name}.pc)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [[
prefix=${pcfiledir}/@to_prefix@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@include@
machinedir=${prefix}/share/cuvette/config

Name: @name@
Description: @ARG_DESCRIPTION@
Version: @PROJECT_VERSION@
Requires: @requires@
Cflags: -I${includedir} @flags@
Libs: @libs@
]])
  install(FILES ${file} DESTINATION ${folder})
endfunction()

# The module that a linked target stands for, in `module`; empty for what has none.
function(cuvette_pkg_config_module target module)
  set(result "")
  if(target MATCHES "cuvette::systemc|cuvette_systemc")
    set(result systemc)
  elseif(target MATCHES "^cuvette::(.*)$")
    set(result cuvette-${CMAKE_MATCH_1})
  elseif(target STREQUAL "fmt::fmt")
    set(result fmt)
  elseif(target STREQUAL "yaml-cpp")
    set(result yaml-cpp)
  endif()
  set(${module} "${result}" PARENT_SCOPE)
endfunction()

# cuvette_layer_pkg_config(<layer>): the file of a layer, or of another static library cuvette_<layer>.
function(cuvette_layer_pkg_config layer)
  set(requires "")
  set(flags "")
  get_target_property(type cuvette_${layer} TYPE)
  set(property INTERFACE_LINK_LIBRARIES)
  set(library "")
  if(type STREQUAL "STATIC_LIBRARY")
    set(property LINK_LIBRARIES)
    set(library LIBRARY cuvette_${layer})
  endif()
  get_target_property(linked cuvette_${layer} ${property})
  foreach(target IN LISTS linked)
    cuvette_pkg_config_module("${target}" module)
    if(module)
      list(APPEND requires ${module})
    endif()
    if(module STREQUAL "systemc")
      list(APPEND flags -DSC_CPLUSPLUS=${CUVETTE_SC_CPLUSPLUS})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES requires)
  cuvette_pkg_config(cuvette-${layer} DESCRIPTION "Cuvette, layer ${layer}" ${library} INCLUDE cuvette
                     REQUIRES ${requires} FLAGS ${flags} LIBS -ldl)
endfunction()

cuvette_pkg_config(cuvette DESCRIPTION "Cuvette behind plain C, for drivers and firmware" LIBRARY cuvette)
cuvette_pkg_config(cuvette-cosim DESCRIPTION "Cuvette's golden reference behind plain C" LIBRARY cuvette_cosim
                   INCLUDE cuvette/ip/cosim)
get_property(layers GLOBAL PROPERTY CUVETTE_LAYERS)
list(REMOVE_ITEM layers run cli finalizer finalize_extension ip thunk)
foreach(layer IN LISTS layers ITEMS tlm)
  cuvette_layer_pkg_config(${layer})
endforeach()
