# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0

# cuvette_generate(<script> <output dir> [INPUTS <files...>] [ARGS <arguments...>])
#   runs tools/gen/<script> ARGS <output dir> now, at configure time, because what is installed is listed then.
#   Configures again when a script or an input changes.
function(cuvette_generate script output)
  cmake_parse_arguments(ARG "" "" "INPUTS;ARGS" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/tools/gen)
  file(GLOB scripts CONFIGURE_DEPENDS ${folder}/*.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${scripts} ${ARG_INPUTS})
  execute_process(
    COMMAND ${Python3_EXECUTABLE} ${folder}/${script} ${ARG_ARGS} ${output}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
