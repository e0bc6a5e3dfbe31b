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
for file in config/small.yaml rtl/cache/cache_pkg.sv examples/user_valu/user_valu.sv tb/bare_driver/main.c dispatches/saxpy.yaml; do
  [ -f "$prefix/share/cuvette/$file" ] || fail "no $file in the install tree"
done
for file in index.md reference/command_line.md reference/dispatch.md reference/dispatch.schema.json \
            reference/statistics.schema.json; do
  [ -f "$prefix/share/doc/cuvette/$file" ] || fail "no page $file in the install tree"
done

# Links of the installed pages lead to installed files.
find "$prefix/share/doc/cuvette" -name '*.md' -exec "$source/../../tools/lint/pages" {} + >"$scratch/links" || true
! grep 'leads nowhere' "$scratch/links" || fail "links of the installed pages"

# The installed program alone, in a folder of its own: its descriptions come from its own tree, and where these are missing
# the source tree's are not taken for them. With the right to do so, both trees are hidden from it.
alone=$(mktemp -d)
trap 'rm -rf "$alone"' EXIT
mkdir "$alone/bin" "$alone/share"
cp "$prefix/bin/cuvette" "$alone/bin"
cp -r "$prefix/share/cuvette" "$alone/share"
in_private() { "$@"; }
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
  in_private() { unshare -m sh -c 'mount -t tmpfs none "$1" && mount -t tmpfs none "$2" && shift 2 && cd / && exec "$@"' \
    sh "$build" "$repository" "$@"; }
fi
cuvette() { in_private "$alone/bin/cuvette" "$@"; }
cuvette run "$alone/share/cuvette/dispatches/saxpy.yaml" --engine hsail >"$scratch/out" 2>&1 &&
  grep -q "elements compared, 0 differ" "$scratch/out" || { cat "$scratch/out"; fail "the installed program alone"; }
echo '{"id":1,"target":"gfx908","code":["7e000280"],"read":["v0"]}' | cuvette probe --engine tlm >"$scratch/out" 2>&1 &&
  grep -q '"status":"ok"' "$scratch/out" || { cat "$scratch/out"; fail "the installed probe alone"; }
rm -r "$alone/share/cuvette/config"
! cuvette run "$alone/share/cuvette/dispatches/saxpy.yaml" --engine golden >"$scratch/out" 2>&1 || fail "a description from elsewhere"
grep -q "unknown machine description 'mi100', looked in: $alone/share/cuvette/config" "$scratch/out" ||
  { cat "$scratch/out"; fail "an installed program without descriptions"; }

# A user needs neither LLVM nor Verilator: looking for them is an error here.
cmake --no-warn-unused-cli -S "$source" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_LLD=ON -DCMAKE_DISABLE_FIND_PACKAGE_verilator=ON
cmake --build "$scratch/build"
! readelf -d "$scratch/build/consumer" | grep -i llvm || fail "the program needs LLVM"
"$scratch/build/consumer"
"$scratch/build/blocks"
