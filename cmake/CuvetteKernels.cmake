# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# OpenCL C kernels compiled to code objects at build time, for tests. The compilers and AMD's device
# libraries are optional: without them CUVETTE_OPENCL_KERNELS is OFF and tests that need objects say so.
find_program(CUVETTE_CLANG NAMES clang-19)
find_program(CUVETTE_CLANG_OLD NAMES clang-15)  # writes code object v2 and v3
find_path(CUVETTE_DEVICE_LIBS opencl.bc
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode /usr/lib/amdgcn/bitcode /opt/rocm/amdgcn/bitcode
  DOC "Folder of the ROCm device libraries")
if(CUVETTE_CLANG AND CUVETTE_DEVICE_LIBS)
  set(CUVETTE_OPENCL_KERNELS ON)
else()
  set(CUVETTE_OPENCL_KERNELS OFF)
  message(STATUS "Cuvette: no OpenCL kernels (clang-19: ${CUVETTE_CLANG}, device libraries: ${CUVETTE_DEVICE_LIBS})")
endif()
if(CUVETTE_OPENCL_KERNELS AND CUVETTE_CLANG_OLD)
  set(CUVETTE_OPENCL_KERNELS_OLD ON)
else()
  set(CUVETTE_OPENCL_KERNELS_OLD OFF)
endif()

# Device libraries older than gfx942 name its configuration 940: a folder of links gives it the new name.
set(CUVETTE_DEVICE_LIB_LINKS ${PROJECT_BINARY_DIR}/device_libs)
if(CUVETTE_OPENCL_KERNELS)
  file(MAKE_DIRECTORY ${CUVETTE_DEVICE_LIB_LINKS})
  file(GLOB device_libs ${CUVETTE_DEVICE_LIBS}/*.bc)
  foreach(lib IN LISTS device_libs)
    get_filename_component(file ${lib} NAME)
    file(CREATE_LINK ${lib} ${CUVETTE_DEVICE_LIB_LINKS}/${file} SYMBOLIC)
  endforeach()
  if(NOT EXISTS ${CUVETTE_DEVICE_LIBS}/oclc_isa_version_942.bc)
    file(CREATE_LINK ${CUVETTE_DEVICE_LIBS}/oclc_isa_version_940.bc
         ${CUVETTE_DEVICE_LIB_LINKS}/oclc_isa_version_942.bc SYMBOLIC)
  endif()
endif()

# cuvette_assembled_kernel(<name> [<target> [<flag>...]])
#   assembles tests/kernels/<name>.s for gfx908, or the target, with clang's flags, into ${PROJECT_BINARY_DIR}/kernels, as part of the target
#   cuvette_kernels. CODE: the object. Needs CUVETTE_CLANG.
function(cuvette_assembled_kernel name)
  set(folder ${PROJECT_BINARY_DIR}/kernels)
  file(MAKE_DIRECTORY ${folder})
  set(flags ${ARGN})
  set(target gfx908)
  if(flags)
    list(POP_FRONT flags target)
  endif()
  set(source ${PROJECT_SOURCE_DIR}/tests/kernels/${name}.s)
  set(code ${folder}/${name}.${target}.co)
  add_custom_command(OUTPUT ${code}
    COMMAND ${CUVETTE_CLANG} -x assembler -target amdgcn-amd-amdhsa -mcpu=${target} -mcode-object-version=5
            ${flags} ${source} -o ${code}
    DEPENDS ${source} VERBATIM COMMENT "Assembling ${name} for ${target}")
  add_custom_target(cuvette_${name}_${target}_kernel ALL DEPENDS ${code})
  add_dependencies(cuvette_kernels cuvette_${name}_${target}_kernel)
  set(CODE ${code} PARENT_SCOPE)
endfunction()

# cuvette_opencl_kernel(<source.cl> TARGETS <gfx908[:xnack-]...> CODE_OBJECTS <2|3|4|5...> [FLAGS <...>]
#                       [SUFFIX <text appended to the source's name>])
#   builds ${PROJECT_BINARY_DIR}/kernels/<source>.<target>.v<N>.co for every combination (features of a
#   target id without their colons: gfx908:xnack- gives saxpy.gfx908xnack-.v5.co), as part of the target
#   cuvette_kernels. 2 and 3 are compiled by clang-15, the others by clang-19. Does nothing when the compiler
#   is not there.
add_custom_target(cuvette_kernels)
function(cuvette_opencl_kernel source)
  cmake_parse_arguments(ARG "" "SUFFIX" "TARGETS;CODE_OBJECTS;FLAGS" ${ARGN})
  get_filename_component(name ${source} NAME_WE)
  string(APPEND name "${ARG_SUFFIX}")
  get_filename_component(source ${source} ABSOLUTE)
  set(folder ${PROJECT_BINARY_DIR}/kernels)
  file(MAKE_DIRECTORY ${folder})
  set(outputs "")
  foreach(version IN LISTS ARG_CODE_OBJECTS)
    if(version LESS 4)
      set(compiler ${CUVETTE_CLANG_OLD})
      set(available ${CUVETTE_OPENCL_KERNELS_OLD})
    else()
      set(compiler ${CUVETTE_CLANG})
      set(available ${CUVETTE_OPENCL_KERNELS})
    endif()
    if(NOT available)
      continue()
    endif()
    foreach(target IN LISTS ARG_TARGETS)
      string(REPLACE ":" "" plain ${target})
      set(output ${folder}/${name}.${plain}.v${version}.co)
      add_custom_command(OUTPUT ${output}
        COMMAND ${compiler} -x cl -cl-std=CL2.0 -O2 -target amdgcn-amd-amdhsa -mcpu=${target}
                -mcode-object-version=${version} --rocm-device-lib-path=${CUVETTE_DEVICE_LIB_LINKS}
                ${ARG_FLAGS} ${source} -o ${output}
        DEPENDS ${source} VERBATIM
        COMMENT "OpenCL ${name} for ${target}, code object v${version}")
      list(APPEND outputs ${output})
    endforeach()
  endforeach()
  if(outputs)
    string(MAKE_C_IDENTIFIER "cuvette_kernel_${name}_${ARG_TARGETS}_${ARG_CODE_OBJECTS}" unique)
    add_custom_target(${unique} DEPENDS ${outputs})
    add_dependencies(cuvette_kernels ${unique})
  endif()
endfunction()
