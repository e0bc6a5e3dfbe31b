#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_DIR: installs the build tree, builds the project beside this script from the install
# tree alone, runs it. $CXX is the compiler.
set -eu
build=$1
source=$(cd "$(dirname "$0")" && pwd)
scratch=$build/tests/consumer
prefix=$scratch/prefix
fail() {
  echo "FAILED: $1"
  exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$prefix" > "$scratch/install.log" ||
  fail "cmake --install: build everything first"
package=$(dirname "$(find "$prefix" -name cuvetteConfig.cmake)")

# An install tree can be moved, and what it was made from can go.
repository=$(cd "$source/../.." && pwd)
for place in "$build" "$repository"; do
  ! grep -rlF "$place" "$package" "$prefix/include" || fail "the install tree names $place"
done
mv "$prefix" "$scratch/moved"
prefix=$scratch/moved

# A user needs neither LLVM nor Verilator: looking for them is an error here.
cmake --no-warn-unused-cli -S "$source" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_LLD=ON -DCMAKE_DISABLE_FIND_PACKAGE_verilator=ON
cmake --build "$scratch/build"
! readelf -d "$scratch/build/consumer" | grep -i llvm || fail "the program needs LLVM"
"$scratch/build/consumer"
