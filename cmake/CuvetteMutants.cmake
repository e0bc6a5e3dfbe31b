# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Variants of libraries and tests with errors put in on purpose, mutants (docs/develop/testing.md). The sources have none:
# tools/mutate.py puts those of a table into copies.

# Folder of the copies of a table, each under its path in the repository.
function(cuvette_mutant_copies variable table)
  set(${variable} ${PROJECT_BINARY_DIR}/mutants/${table} PARENT_SCOPE)
endfunction()

# cuvette_mutate(<table>)
#   makes the copies that tests/mutants/<table>.csv asks for, now, because Verilator reads its sources now, and whenever
#   table or sources change. A mutant whose anchor does not fit is left out of them, because CMake configures again when
#   Verilator has, which must not fail; it fails the build of cuvette_mutants_<table> by name, on which every program
#   with such copies depends.
function(cuvette_mutate table)
  set(csv ${PROJECT_SOURCE_DIR}/tests/mutants/${table}.csv)
  set(tool ${PROJECT_SOURCE_DIR}/tools/mutate.py)
  cuvette_mutant_copies(copies ${table})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${csv} ${tool})
  execute_process(COMMAND ${Python3_EXECUTABLE} ${tool} --list ${csv}
    OUTPUT_VARIABLE names OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${Python3_EXECUTABLE} ${tool} --keep-going ${csv} ${copies} COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" names "${names}")
  set_property(GLOBAL PROPERTY CUVETTE_MUTATED_${table} "${names}")
  list(TRANSFORM names PREPEND ${copies}/ OUTPUT_VARIABLE outputs)
  list(TRANSFORM names PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE inputs)
  add_custom_command(OUTPUT ${outputs}
    COMMAND ${Python3_EXECUTABLE} ${tool} --keep-going ${csv} ${copies}
    DEPENDS ${tool} ${csv} ${inputs}
    COMMENT "Mutants of tests/mutants/${table}.csv")
  set(fits ${CMAKE_CURRENT_BINARY_DIR}/${table}.fits)
  add_custom_command(OUTPUT ${fits}
    COMMAND ${Python3_EXECUTABLE} ${tool} ${csv} ${copies}
    COMMAND ${CMAKE_COMMAND} -E touch ${fits}
    DEPENDS ${tool} ${csv} ${inputs} ${outputs}
    COMMENT "Mutants of tests/mutants/${table}.csv fit their sources")
  add_custom_target(cuvette_mutants_${table} DEPENDS ${outputs} ${fits})
endfunction()

# cuvette_mutated(<variable> <table> <files...>)
#   the files, those with mutants of the table as their copies.
function(cuvette_mutated variable table)
  get_property(names GLOBAL PROPERTY CUVETTE_MUTATED_${table})
  cuvette_mutant_copies(copies ${table})
  set(files "")
  foreach(file IN LISTS ARGN)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    if(name IN_LIST names)
      set(file ${copies}/${name})
    endif()
    list(APPEND files ${file})
  endforeach()
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# Arguments for Verilator that put mutated modules in front of all others.
function(cuvette_mutant_modules variable table)
  get_property(names GLOBAL PROPERTY CUVETTE_MUTATED_${table})
  cuvette_mutant_copies(copies ${table})
  set(folders "")
  foreach(name IN LISTS names)
    cmake_path(GET name EXTENSION LAST_ONLY kind)
    cmake_path(GET name PARENT_PATH folder)
    if(kind STREQUAL ".sv")
      list(APPEND folders -I${copies}/${folder})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${variable} "${folders}" PARENT_SCOPE)
endfunction()

# cuvette_mutant_headers(<target> <scope> <table> [<folder>])
#   puts mutated headers in front of all others: those below a folder of the repository, model if not named.
function(cuvette_mutant_headers target scope table)
  cuvette_mutant_copies(copies ${table})
  if(ARGC GREATER 3)
    set(root ${copies}/${ARGV3})
  else()
    set(root ${copies}/model)
  endif()
  target_include_directories(${target} BEFORE ${scope} ${root} ${PROJECT_SOURCE_DIR}/tests/mutants)
  add_dependencies(${target} cuvette_mutants_${table})
endfunction()

# cuvette_mutant_layer(<name> <table>)
#   cuvette_<name>_mutant: the sources of layer <name> with the mutants of a table, the mutants of the layers it uses if
#   they have any. The environment selects one.
function(cuvette_mutant_layer name table)
  foreach(property SOURCES SOURCE_DIR INCLUDE_DIRECTORIES LINK_LIBRARIES)
    get_target_property(${property} cuvette_${name} ${property})
  endforeach()
  get_property(names GLOBAL PROPERTY CUVETTE_MUTATED_${table})
  cuvette_mutant_copies(copies ${table})
  set(mutated "")
  foreach(source IN LISTS SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${SOURCE_DIR} NORMALIZE)
    cuvette_mutated(copy ${table} ${source})
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${source} built)
    if(built)
      # It includes sources by their paths (model/wave/CMakeLists.txt).
      file(READ ${source} text)
      foreach(mutant IN LISTS names)
        string(REPLACE "${PROJECT_SOURCE_DIR}/${mutant}" "${copies}/${mutant}" text "${text}")
      endforeach()
      cmake_path(GET source FILENAME file)
      set(copy ${CMAKE_CURRENT_BINARY_DIR}/${name}/${file})
      file(CONFIGURE OUTPUT ${copy} CONTENT "${text}" @ONLY)
    endif()
    get_source_file_property(options ${source} TARGET_DIRECTORY cuvette_${name} COMPILE_OPTIONS)
    if(options)
      set_source_files_properties(${copy} PROPERTIES COMPILE_OPTIONS "${options}")
    endif()
    list(APPEND mutated ${copy})
  endforeach()
  get_property(layers GLOBAL PROPERTY CUVETTE_LAYERS)
  foreach(used IN LISTS layers)
    if(TARGET cuvette_${used}_mutant)
      list(TRANSFORM LINK_LIBRARIES REPLACE "^cuvette::${used}$" cuvette_${used}_mutant)
    endif()
  endforeach()
  add_library(cuvette_${name}_mutant STATIC EXCLUDE_FROM_ALL ${mutated})
  target_include_directories(cuvette_${name}_mutant PUBLIC ${INCLUDE_DIRECTORIES})
  cuvette_mutant_headers(cuvette_${name}_mutant PUBLIC ${table})
  target_link_libraries(cuvette_${name}_mutant PUBLIC ${LINK_LIBRARIES} cuvette_mutant_environment)
endfunction()

# cuvette_mutant_cell(<cell> <table>)
#   cuvette_<cell>_mutant: what cuvette_verilate_cell made of cuvette_<cell>, with the mutants of a table.
function(cuvette_mutant_cell cell table)
  foreach(property PREFIX TOP SOURCES ARGS)
    get_target_property(${property} cuvette_${cell} VERILATED_${property})
  endforeach()
  cuvette_mutant_modules(modules ${table})
  cuvette_mutated(SOURCES ${table} ${PROJECT_SOURCE_DIR}/tests/mutants/mutant_pkg.sv ${SOURCES})
  cuvette_verilate_cell(cuvette_${cell}_mutant ${PREFIX} ${TOP} SOURCES ${SOURCES} ARGS ${modules} ${ARGS})
endfunction()

# cuvette_mutant_test(<test> TABLE <table> [ROOTS <folders...>] [MUTATED <files...>] LIBRARIES <expression>)
#   <test>_mutant: the sources of a test on the mutant libraries in place of those that the expression matches, with one
#   group for the name. The test includes mutated headers below ROOTS, model if not named; MUTATED: sources of a library,
#   named below the repository, that are compiled with the test, mutated.
function(cuvette_mutant_test test)
  cmake_parse_arguments(ARG "" "LIBRARIES;TABLE" "ROOTS;MUTATED" ${ARGN})
  if(NOT ARG_ROOTS)
    set(ARG_ROOTS model)
  endif()
  foreach(property SOURCES LINK_LIBRARIES COMPILE_DEFINITIONS INCLUDE_DIRECTORIES)
    get_target_property(${property} ${test} ${property})
    if(NOT ${property})
      set(${property} "")
    endif()
  endforeach()
  list(TRANSFORM LINK_LIBRARIES REPLACE "${ARG_LIBRARIES}" "cuvette_\\1_mutant")
  list(TRANSFORM ARG_MUTATED PREPEND ${PROJECT_SOURCE_DIR}/)
  if(ARG_MUTATED)
    cuvette_mutated(ARG_MUTATED ${ARG_TABLE} ${ARG_MUTATED})
  endif()
  add_executable(${test}_mutant ${SOURCES} ${ARG_MUTATED})
  target_link_libraries(${test}_mutant PRIVATE ${LINK_LIBRARIES} cuvette_mutant_environment)
  target_compile_definitions(${test}_mutant PRIVATE ${COMPILE_DEFINITIONS})
  target_include_directories(${test}_mutant PRIVATE ${INCLUDE_DIRECTORIES})
  foreach(root IN LISTS ARG_ROOTS)
    cuvette_mutant_headers(${test}_mutant PRIVATE ${ARG_TABLE} ${root})
  endforeach()
endfunction()

# cuvette_mutant_objects(<test> TABLE <table> SOURCES <files>)
#   <test>_mutant: the objects of a test with mutated sources, named below model/, before its libraries, of which nothing
#   else is compiled again. Headers with mutants: list all sources that include them.
function(cuvette_mutant_objects test)
  cmake_parse_arguments(ARG "" "TABLE" "SOURCES" ${ARGN})
  list(TRANSFORM ARG_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/model/)
  cuvette_mutated(sources ${ARG_TABLE} ${ARG_SOURCES})
  get_target_property(libraries ${test} LINK_LIBRARIES)
  add_executable(${test}_mutant ${sources} $<TARGET_OBJECTS:${test}>)
  target_link_libraries(${test}_mutant PRIVATE ${libraries} cuvette_mutant_environment)
  target_compile_options(${test}_mutant PRIVATE -O1)
  cuvette_mutant_headers(${test}_mutant PRIVATE ${ARG_TABLE})
endfunction()
