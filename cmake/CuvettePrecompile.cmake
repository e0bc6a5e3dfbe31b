# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Precompiled headers of libraries: parsing them is half the cost of compiling most of our files. Only clang has them;
# gcc reads the same files without, so that no file can do without its own includes.
#
# The file is made from no file of ours and named relative to the build tree, so that it and what is compiled with it are
# the same in every clone, and the compiler's cache serves them all. The cache needs
# CCACHE_SLOPPINESS=pch_defines,time_macros (CMakePresets.json).
option(CUVETTE_PRECOMPILED_HEADERS "Precompile the headers of libraries (clang with Ninja)" ON)

set(CUVETTE_STANDARD_HEADERS algorithm array atomic bit bitset cmath condition_variable cstdint cstring deque
    filesystem fstream functional iostream limits map memory mutex numeric optional random set sstream stdexcept string
    string_view thread tuple unordered_map unordered_set utility variant vector)

# cuvette_precompile(<target> SOURCES <files...> [HEADERS <headers...>] [OPTIONS <options...>] [LINK <targets...>])
#   compiles the sources, which are all or some of those of the target, with the standard library and HEADERS
#   precompiled. OPTIONS and LINK are what of the target's options and libraries has a bearing on headers or on code.
function(cuvette_precompile target)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;OPTIONS;LINK" ${ARGN})
  if(NOT CUVETTE_PRECOMPILED_HEADERS OR NOT CMAKE_GENERATOR STREQUAL "Ninja"
     OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    list(APPEND ARG_OPTIONS ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
  endif()
  string(MD5 key "${ARG_HEADERS};${ARG_OPTIONS};${ARG_LINK}")
  string(SUBSTRING ${key} 0 8 key)
  set(headers cuvette_headers_${key})
  if(NOT TARGET ${headers})
    add_library(${headers} OBJECT /dev/null)
    set_source_files_properties(/dev/null PROPERTIES LANGUAGE CXX)
    set(included ${CUVETTE_STANDARD_HEADERS} ${ARG_HEADERS})
    list(TRANSFORM included PREPEND "SHELL:-include ")
    target_compile_options(${headers} PRIVATE ${ARG_OPTIONS}
      "SHELL:-x c++-header" "SHELL:-Xclang -fno-pch-timestamp" -fpch-instantiate-templates ${included})
    target_link_libraries(${headers} PRIVATE ${ARG_LINK})
    if(type STREQUAL "EXECUTABLE")
      set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    endif()
    # Of OBJECT_DEPENDS no generator expression is evaluated.
    set_target_properties(${headers} PROPERTIES
      CUVETTE_FILE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${headers}.dir/dev/null.o)
  endif()
  get_target_property(file ${headers} CUVETTE_FILE)
  file(RELATIVE_PATH near ${CMAKE_BINARY_DIR} ${file})
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${near}>")
  set_property(SOURCE ${ARG_SOURCES} APPEND PROPERTY OBJECT_DEPENDS ${file})
endfunction()
