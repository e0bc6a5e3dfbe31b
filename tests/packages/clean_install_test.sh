#!/bin/sh
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
# clean_install_test.sh BUILD_DIR: makes the Debian packages of a finished build, installs them with their dependencies in
# a bookworm of its own (debootstrap, as root), and uses them there: a kernel on every engine and from Python; the
# testbench of examples/testbench by CMake, and by pkg-config. Without root or debootstrap it skips.
set -eu
build=$1
scratch=$build/tests/clean_install
root=$scratch/root
fail() {
  echo "FAILED: $1"
  exit 1
}
[ "$(id -u)" -eq 0 ] || { echo "skipped: not root"; exit 0; }
unshare -m true 2>/dev/null || { echo "skipped: no mounts"; exit 0; }
command -v debootstrap >/dev/null || { echo "skipped: no debootstrap (Debian package debootstrap)"; exit 0; }

rm -rf "$scratch"
mkdir -p "$scratch"
(cd "$build" && cpack -G DEB -B "$scratch/packages" >"$scratch/cpack.log" 2>&1) || fail "cpack"
for package in cuvette libcuvette-dev cuvette-doc; do
  [ "$(find "$scratch/packages" -maxdepth 1 -name "${package}_*.deb" | wc -l)" -eq 1 ] || fail "no package $package"
done
debootstrap --variant=minbase bookworm "$root" >"$scratch/debootstrap.log" 2>&1 || fail "debootstrap"
cp "$scratch"/packages/*.deb "$root/tmp"
# With /proc, where programs find their own place; the mount is gone with the process.
inside() {
  unshare -m sh -ec 'mount -t proc none "$1/proc" && exec chroot "$@"' sh "$root" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/tmp "$@"
}
apt() { inside apt-get -y -qq --no-install-recommends "$@" >>"$scratch/apt.log" 2>&1; }
apt update || fail "apt-get update"

# The program alone.
apt install $(cd "$root/tmp" && ls cuvette_*.deb | sed 's,^,/tmp/,') || fail "the package cuvette does not install"
cat >"$root/tmp/scale.hsail" <<'END'
module &scale_module:1:0:$full:$large:$default;

prog kernel &scale(kernarg_u64 %x, kernarg_u64 %y, kernarg_f32 %factor)
{
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d2, $s0;
  ld_kernarg_width(all)_u64 $d0, [%x];
  ld_kernarg_width(all)_u64 $d1, [%y];
  ld_kernarg_width(all)_f32 $s1, [%factor];
  mad_u64 $d0, $d2, 4, $d0;
  mad_u64 $d1, $d2, 4, $d1;
  ld_global_f32 $s2, [$d0];
  mul_f32 $s2, $s2, $s1;
  st_global_f32 $s2, [$d1];
  ret;
};
END
for engine in hsail golden lt ca; do
  inside cuvette run /usr/share/cuvette/dispatches/saxpy.yaml --engine $engine >"$scratch/out" 2>&1 &&
    grep -q ' elements compared, 0 differ' "$scratch/out" || { cat "$scratch/out"; fail "engine $engine"; }
done
inside cuvette finalize /tmp/scale.hsail --target gfx908 -o /tmp/scale.co || fail "finalize"

# The Python package, where Debian's python3 finds it by itself.
apt install python3-numpy || fail "python3-numpy does not install"
cat >"$root/tmp/scale.py" <<'END'
import cuvette
import numpy
with cuvette.Device('ca', 'small') as device:
    x = device.array(numpy.arange(256, dtype=numpy.float32))
    y = device.zeros(256)
    for code in ('/tmp/scale.hsail', '/tmp/scale.co'):
        y[:] = 0
        device.load(code)['scale'](256, 64, x, y, 3.0)
        assert (y == 3 * numpy.arange(256)).all(), y
print(cuvette.__file__)
END
[ "$(inside python3 /tmp/scale.py)" = /usr/lib/python3/dist-packages/cuvette/__init__.py ] || fail "the Python package"

# Packages that testbenches are built with.
apt install $(cd "$root/tmp" && ls libcuvette-dev_*.deb cuvette-doc_*.deb | sed 's,^,/tmp/,') g++ cmake ninja-build pkg-config ||
  fail "the other packages do not install"
[ -f "$root/usr/share/doc/cuvette/index.md" ] || fail "no pages"
inside cmake -S /usr/share/cuvette/examples/testbench -B /tmp/build -G Ninja -DCMAKE_BUILD_TYPE=Release >"$scratch/cmake.log" 2>&1 &&
  inside cmake --build /tmp/build >>"$scratch/cmake.log" 2>&1 || { tail -n 30 "$scratch/cmake.log"; fail "CMake"; }
inside sh -ec 'g++ -std=c++17 /usr/share/cuvette/examples/testbench/main.cpp $(pkg-config --cflags --libs cuvette-gpu) \
  -o /tmp/by_pkg_config' >"$scratch/pkg_config.log" 2>&1 || { tail -n 30 "$scratch/pkg_config.log"; fail "pkg-config"; }
for program in /tmp/build/testbench /tmp/by_pkg_config; do
  inside $program /usr/share/cuvette/config/small.yaml /tmp/scale.co >"$scratch/out" 2>&1 &&
    grep -q '^4096 elements, 0 wrong, ' "$scratch/out" || { cat "$scratch/out"; fail "$program"; }
done
rm -rf "$root"
echo "3 packages installed, 4 engines, Python, 2 testbenches"
