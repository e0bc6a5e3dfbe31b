# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of this folder: packages, configuring, building.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"

# Clones in different places share the compiler cache.
CCACHE_BASEDIR=$top
CCACHE_NOHASHDIR=1
export CCACHE_BASEDIR CCACHE_NOHASHDIR

say() { printf '\n== %s\n' "$*"; }

# install_packages [LISTS...]: what is missing of these files, else of scripts/packages.txt, with apt-get (root or sudo).
install_packages() {
  wanted=$(cat "${@:-scripts/packages.txt}" | grep -v '^#')
  missing=
  for package in $wanted; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  say "installing$missing"
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "error: not root and no sudo; install:$missing" >&2; exit 2; }
    as_root=sudo
  fi
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing \
    >/dev/null
}

# build PRESET [TARGETS...]: configures and builds, the tests too where no targets are given; prints the log only on
# failure.
build() {
  preset=$1
  shift
  [ $# -gt 0 ] || set -- all tests/all benches/all
  say "building preset $preset"
  mkdir -p "build/$preset"
  log="build/$preset/build.log"
  if ! { cmake --preset "$preset" && cmake --build --preset "$preset" --target "$@"; } \
    >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "error: building preset $preset failed; log in $log" >&2
    exit 1
  fi
}

# run_tests PRESET [CTEST ARGUMENTS...]: all but the nightly tests; with CI set, nothing may skip.
run_tests() {
  preset=$1
  shift
  out="build/$preset/tests.log"
  # With the output of tests that pass. (LastTest.log is written anew by tests that ask ctest for its list.)
  whole="$top/build/$preset/tests.xml"
  status=0
  # One more than CPUs, because some tests wait.
  ctest --test-dir "build/$preset" --output-on-failure --output-log "$out" --output-junit "$whole" \
    --test-output-size-passed 10000000 -j "$(($(nproc) + 1))" -LE nightly "$@" || status=$?
  # Whole tests as ctest counts them, and single ones within a test program that passes.
  skipped=$({ grep -h '(Skipped)' "$out"; grep -hE '^(.*<system-out>)?\[  SKIPPED \]' "$whole"; } | sort -u || true)
  if [ -n "${CI:-}" ] && [ -n "$skipped" ]; then
    printf '%s\n' "error: tests skipped; in this run every optional part has to be there" "$skipped" >&2
    [ "$status" -ne 0 ] || status=1
  fi
  return "$status"
}
