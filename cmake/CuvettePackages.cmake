# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Debian packages by `cpack -G DEB` in a build tree where everything is built, and the source archive by `cpack --config
# CPackSourceConfig.cmake`. Components of the install rules: runtime (the program, shared libraries, the Python package,
# machine descriptions, kernels to begin with), doc (pages), dev (everything else).
set(CPACK_PACKAGE_VENDOR "The Cuvette authors")
set(CPACK_PACKAGE_CONTACT "The Cuvette authors <noreply@example.org>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL runtime dev doc)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME cuvette)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Program, shared libraries with C interfaces, machine descriptions and kernels.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# What `code:` with OpenCL C and relocatable objects runs, reports, sweeps, and the Python package.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS
  "clang-19, lld-19, python3, python3-distributed, python3-jsonschema, python3-numpy, python3-yaml, rocm-device-libs, slurm-client")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libcuvette-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DESCRIPTION
  "Headers, static libraries, CMake package, pkg-config files, SystemVerilog, examples and testbenches.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "cuvette (= ${PROJECT_VERSION}), libsystemc-dev, libfmt-dev, libyaml-cpp-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "verilator, llvm-19-dev, liblld-19-dev")
set(CPACK_DEBIAN_DOC_PACKAGE_NAME cuvette-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOC_DESCRIPTION "Tutorials, how-to pages and reference of Cuvette, in Markdown, with schemas.")

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME cuvette-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES "/\\.git/;/build/;/install/;__pycache__;\\.pyc$;/compile_commands\\.json$")
include(CPack)
