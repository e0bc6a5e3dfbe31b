#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD_DIR CODE_OBJECT|none: installs the build tree, builds copies of tb/bare_driver,
# tb/embedding and examples/c_driver from there alone and runs them on every engine; looks at what libcuvette shows and
# needs. Without a code object the driver is built, not run.
set -eu
build=$1
code=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$build/tests/consumer_testbenches
fail() {
  echo "FAILED: $1"
  exit 1
}

rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" > "$scratch/install.log" ||
  fail "cmake --install: build everything first"
mv "$scratch/prefix" "$scratch/moved"
prefix=$scratch/moved
library=$(find "$prefix" -name libcuvette.so)

ldd "$library" > "$scratch/needed"
! grep -iE 'llvm|lld|verilat' "$scratch/needed" || fail "the library needs one of these"
nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | grep -v '^CUVETTE_1' \
  > "$scratch/shown"
! grep -vE '^(cuvette_[a-z0-9_]*|sc_main)$' "$scratch/shown" || fail "the library shows these"
# Every function of the header is there, and the header is C99 and C++ alone.
grep -oE '^(int|uint32_t|const char\*) cuvette_[a-z_0-9]+\(' "$prefix/include/cuvette.h" |
  grep -oE 'cuvette_[a-z_0-9]+' | sort > "$scratch/declared"
grep '^cuvette_' "$scratch/shown" | sort | cmp - "$scratch/declared" || fail "header and library"
echo '#include <cuvette.h>' > "$scratch/header.c"
cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only "$scratch/header.c"
c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only -x c++ \
  "$scratch/header.c"

# Neither LLVM nor Verilator: looking for them is an error here.
for project in bare_driver embedding c_driver; do
  from=tb
  [ "$project" != c_driver ] || from=examples
  cp -r "$source/$from/$project" "$scratch/$project"
  cmake --no-warn-unused-cli -S "$scratch/$project" -B "$scratch/build_$project" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON -DCMAKE_DISABLE_FIND_PACKAGE_verilator=ON
  cmake --build "$scratch/build_$project"
done
for run in 'lt lt' 'lt dmi' 'lt no_byte_enables' 'ca lt' 'ca at' 'ca no_byte_enables'; do
  # shellcheck disable=SC2086
  "$scratch/build_embedding/embedding" $run "$prefix/share/cuvette/config/small.yaml" ||
    fail "embedding $run"
done
sum=$build/kernels/sum.gfx908.v5.co
if [ -f "$sum" ]; then
  "$scratch/build_c_driver/c_driver" lt small "$sum" || fail "c_driver"
fi
if [ "$code" = none ]; then
  echo "skipped: no code object without LLVM"
  exit 0
fi
for engine in lt ca golden; do
  "$scratch/build_bare_driver/bare_driver" $engine small "$code" "$scratch/$engine.log" || fail "$engine"
  # The machine description of the tree the library lies in.
  grep -q "^H .*\"$prefix/share/cuvette/config/small.yaml\"" "$scratch/$engine.log" ||
    fail "the machine description is not the installed one"
done
"$prefix/bin/cuvette" run --replay-host "$scratch/lt.log"
