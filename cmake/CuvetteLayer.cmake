# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# One CMake target per layer. A layer sees the headers of the layers it names and of nothing else: each
# layer has an include root of its own in the build tree holding one link, so an upward include does
# not compile.

# cuvette_layer(<name> SOURCES <files...> [USES <layers...>] [LINK <private targets...>]
#               [LINK_PUBLIC <targets...>] [PRECOMPILE <headers...>] [FLOAT] [UNITY])
#   defines cuvette_<name>, alias cuvette::<name>. FLOAT: the layer computes floating point.
#   PRECOMPILE: headers of libraries that are precompiled beside the standard library's (CuvettePrecompile.cmake).
#   UNITY: the sources of a folder are compiled as one (CuvetteUnity.cmake).
#   GENERATED <dir>: extra include root holding <name>/... generated files.
#   CONTRACT: <name>.contract.yaml describes the messages of the block (docs/reference/contracts.md); its C++ view is visible as
#   <name>/<name>_messages.h.
set(CUVETTE_CONTRACTS ${PROJECT_BINARY_DIR}/generated/contracts)
function(cuvette_layer name)
  cmake_parse_arguments(ARG "CONTRACT;FLOAT;UNITY" "GENERATED;DIRECTORY" "SOURCES;USES;LINK;LINK_PUBLIC;PRECOMPILE" ${ARGN})
  if(NOT ARG_DIRECTORY)
    set(ARG_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  set(root ${PROJECT_BINARY_DIR}/layers/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${ARG_DIRECTORY} ${root}/${name} SYMBOLIC)

  if(ARG_CONTRACT)
    file(GLOB descriptions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/model/*/*.contract.yaml)
    cuvette_generate(gen_contract.py ${CUVETTE_CONTRACTS} INPUTS ${descriptions} ARGS ${PROJECT_SOURCE_DIR} ${name})
    set_property(GLOBAL APPEND PROPERTY CUVETTE_CONTRACT_BLOCKS ${name})
  endif()

  if(ARG_SOURCES)
    set(compiled ${ARG_SOURCES})
    if(ARG_UNITY)
      cuvette_unity(compiled ${name} ${ARG_SOURCES})
    endif()
    add_library(cuvette_${name} STATIC ${compiled})
    set_target_properties(cuvette_${name} PROPERTIES
      CUVETTE_SOURCES "${ARG_SOURCES}" CUVETTE_BY_FOLDER ${ARG_UNITY})
    set(scope PUBLIC)
    target_link_libraries(cuvette_${name} PRIVATE $<BUILD_INTERFACE:cuvette_warnings>)
    set(libraries "")
    if(ARG_FLOAT)
      target_link_libraries(cuvette_${name} PRIVATE $<BUILD_INTERFACE:cuvette_strict_fp>)
      list(APPEND libraries cuvette_strict_fp)
    endif()
    foreach(entry systemc=cuvette_systemc fmt/=fmt::fmt llvm/=cuvette_llvm)
      string(REGEX MATCH "(.*)=(.*)" entry ${entry})
      set(library ${CMAKE_MATCH_2})
      if(ARG_PRECOMPILE MATCHES "(^|;)${CMAKE_MATCH_1}")
        list(APPEND libraries ${library})
      endif()
    endforeach()
    cuvette_precompile(cuvette_${name} SOURCES ${compiled} HEADERS ${ARG_PRECOMPILE} LINK ${libraries})
    target_compile_features(cuvette_${name} PUBLIC cxx_std_17)
  else()
    add_library(cuvette_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  set_property(GLOBAL APPEND PROPERTY CUVETTE_LAYERS ${name})
  add_library(cuvette::${name} ALIAS cuvette_${name})
  set_target_properties(cuvette_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(cuvette_${name} ${scope}
    $<BUILD_INTERFACE:${root}> $<INSTALL_INTERFACE:include/cuvette>)
  if(ARG_GENERATED)
    target_include_directories(cuvette_${name} ${scope} $<BUILD_INTERFACE:${ARG_GENERATED}>)
  endif()
  if(ARG_CONTRACT)
    target_include_directories(cuvette_${name} ${scope} $<BUILD_INTERFACE:${CUVETTE_CONTRACTS}/${name}/include>)
  endif()
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(cuvette_${name} ${scope} cuvette::${used})
  endforeach()
  if(ARG_LINK)
    target_link_libraries(cuvette_${name} PRIVATE ${ARG_LINK})
  endif()
  if(ARG_LINK_PUBLIC)
    target_link_libraries(cuvette_${name} ${scope} ${ARG_LINK_PUBLIC})
  endif()
endfunction()
