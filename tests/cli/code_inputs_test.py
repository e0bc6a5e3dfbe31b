#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Code as compilers leave it behind, through `code:` of dispatch files on every engine: offload bundles, programs with
bundles inside, relocatable objects, OpenCL C, and forms that are told with the command that makes a code object of
them. Which one it is, the content says: no file here has the name that belongs to it. Objects that lead outside of
themselves are refused with the place in the file.

Layouts: Clang Offload Bundler ("Bundled Binary File Layout"), HIP support of Clang (.hip_fatbin), ELF gABI. Which entry
of a bundle runs: docs/reference/decisions.md, D16.

code_inputs_test.py CUVETTE CLANG DEVICE_LIBRARIES SCRATCH WITH_FINALIZER
"""
import os
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, clang, libraries = sys.argv[1:4]
scratch = os.path.abspath(sys.argv[4])
with_finalizer = sys.argv[5] == "1"
runs = Runs(os.path.abspath(cuvette), scratch)
ENGINES = ["golden", "lt", "ca"]
CONFIG = {"golden": [], "hsail": [], "lt": ["--config", "small"], "ca": ["--config", "small"]}

# Work-item n stores VALUE + n.
KERNEL = """kernel void %s(global uint* out) { out[get_global_id(0)] = VALUE + get_global_id(0); }
"""


def tool(name):
    """The tool of LLVM that belongs to the compiler."""
    folder = os.path.dirname(os.path.realpath(clang))
    for candidate in [os.path.join(folder, name), name + "-19", name]:
        found = shutil.which(candidate)
        if found:
            return found
    return None


def do(*command):
    subprocess.run(command, check=True, capture_output=True)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def compile_kernel(value, target="gfx908", kernel="fill", linked=True, more=(), text=None):
    """The bytes of a code object, or of a relocatable one."""
    source = runs.write("source.txt", text or KERNEL % kernel)
    out = runs.path("compiled.out")
    do(clang, "-x", "cl", "-cl-std=CL2.0", "-O2", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}",
       "-mcode-object-version=5", f"--rocm-device-lib-path={libraries}", f"-DVALUE={value}", *more,
       *([] if linked else ["-c"]), source, "-o", out)
    return read(out)


def bundle(parts, alignment=4096):
    """An offload bundle of (name, code) by its layout."""
    header = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(parts))
    place = len(header) + sum(24 + len(name) for name, _ in parts)
    body = b""
    base = -(-place // alignment) * alignment
    for name, code in parts:
        body += bytes(-len(body) % alignment)
        header += struct.pack("<QQQ", base + len(body), len(code), len(name)) + name.encode()
        body += code
    return header + bytes(base - len(header)) + body


def dispatch(name, code, kernel="fill", value=None):
    expected = f"expect:\n- {{buffer: out, values: [{', '.join(str(value + n) for n in range(64))}]}}\n" if value else ""
    return runs.write(name, f"code: {os.path.basename(code)}\nkernel: {kernel}\ngrid: [64]\nworkgroup: [64]\nargs:\n"
                            f"- buffer: {{name: out, type: u32, count: 64}}\n{expected}")


def passes(what, code, value, kernel="fill", engines=tuple(ENGINES)):
    path = dispatch("passes.yaml", code, kernel, value)
    for engine in engines:
        runs.check(f"{what} on {engine}", 0, "0 differ", "run", path, "--engine", engine, *CONFIG[engine])


def refused(what, code, pattern, kernel="fill", engines=tuple(ENGINES), **options):
    """Status 2 and one line that a pattern begins."""
    path = dispatch("refused.yaml", code, kernel)
    for engine in engines:
        status, out, err = runs.run("run", path, "--engine", engine, *CONFIG[engine], **options)
        good = status == 2 and re.match(pattern, err) and err.count("\n") == 1
        runs.expect(good, f"{what} on {engine}: exit {status}, expected 2 and {pattern!r}:\n{out}{err}")


def place(code, offset=None):
    """The start of an error at a file, or at a byte of it."""
    at = "" if offset is None else re.escape(f":+{offset:#x}")
    return re.escape(os.path.join(scratch, code)) + at + ": error: "


def bundles():
    host = ("host-x86_64-unknown-linux--", b"")
    entry = "hipv4-amdgcn-amd-amdhsa--"
    plain = compile_kernel(100)
    exact = compile_kernel(200, "gfx908:sramecc+:xnack-")
    on = compile_kernel(300, "gfx908:xnack+")
    other = compile_kernel(400, "gfx90a")
    file = runs.write("bundle.hsail", bundle([host, (entry + "gfx90a", other), (entry + "gfx908", plain)]))
    passes("a bundle", file, 100)
    file = runs.write("bundle.hsail", bundle([host, (entry + "gfx908", plain), (entry + "gfx908:sramecc+:xnack-", exact),
                                              (entry + "gfx908:xnack+", on)]))
    passes("a bundle with the machine's own target", file, 200)
    refused("a bundle on the interpreter", file, place("bundle.hsail") + "a machine code object cannot be interpreted",
            engines=["hsail"])
    file = runs.write("bundle.hsail", bundle([host, (entry + "gfx90a", other), (entry + "gfx908:xnack+", on)]))
    refused("a bundle without the target", file, place("bundle.hsail", 0) +
            r"no code for gfx908:sramecc\+:xnack- in the offload bundle, there is: host-x86_64-unknown-linux-- \(empty\), "
            r"hipv4-amdgcn-amd-amdhsa--gfx90a, hipv4-amdgcn-amd-amdhsa--gfx908:xnack\+$")
    file = runs.write("bundle.hsail", bundle([host, (entry + "gfx908", plain)])[:6000])
    refused("half a bundle", file, re.escape(file) + r":\+0x[0-9a-f]+: error: truncated: ")
    file = runs.write("bundle.hsail", bundle([host, (entry + "gfx908", b"BC\xc0\xde1234")]))
    refused("bitcode in a bundle", file, place("bundle.hsail", 4096) + "LLVM bitcode, expected a code object: 'clang ")
    bundler = tool("clang-offload-bundler")
    if not runs.expect(bundler, "no clang-offload-bundler"):
        return
    inputs = [f"-input={runs.write(f'part{i}', code)}" for i, code in enumerate([b"", plain, exact])]
    targets = f"-targets=host-x86_64-unknown-linux,{entry}gfx908,{entry}gfx908:sramecc+:xnack-"
    out = runs.path("tool.cl")
    # Its rule against a plain entry beside one with features of the same processor.
    do(bundler, "-type=o", "-bundle-align=4096", targets.replace(f"{entry}gfx908,", f"{entry}gfx90a,"), *inputs,
       f"-output={out}")
    passes("a bundle of clang-offload-bundler", out, 200)
    try:
        do(bundler, "-type=o", "-compress", targets.replace(f"{entry}gfx908,", f"{entry}gfx90a,"), *inputs,
           f"-output={out}")
    except subprocess.CalledProcessError:
        return  # built without a compressor
    command = re.escape(f"clang-offload-bundler -unbundle -type=o -targets=hipv4-amdgcn-amd-amdhsa--TARGET -input={out}")
    refused("a compressed bundle", out, place("tool.cl", 0) + "a compressed offload bundle, .*" + command)
    # The command does what it says.
    do(bundler, "-unbundle", "-type=o", f"-targets={entry}gfx908:sramecc+:xnack-", f"-input={out}",
       f"-output={runs.path('unbundled')}")
    passes("what the command extracts", runs.path("unbundled"), 200)


def programs():
    """An executable and a shared object of this host with a .hip_fatbin section, as a linker makes it of two objects."""
    entry = "hipv4-amdgcn-amd-amdhsa--gfx908"
    host = ("host-x86_64-unknown-linux--", b"")
    parts = [bundle([host, (entry, compile_kernel(value, kernel=kernel))])
             for kernel, value in [("first", 500), ("second", 600)]]
    objects = []
    for i, part in enumerate(parts):
        blob = runs.write(f"fatbin{i}", part)
        source = runs.write(f"host{i}.s", f'.section .hip_fatbin,"a"\n.p2align 12\n.incbin "{blob}"\n.text\n.globl f{i}\n'
                                          f"f{i}:\nret\n")
        objects.append(runs.path(f"host{i}.o"))
        do(clang, "-c", source, "-o", objects[-1])
    main = runs.write("main.c", "int main(void) { return 0; }\n")
    one, two, shared = runs.path("one.yaml"), runs.path("two.brig"), runs.path("shared.cl")
    do(clang, main, objects[0], "-o", one)
    do(clang, main, *objects, "-o", two)
    do(clang, "-shared", *objects, "-o", shared)
    passes("a program", one, 500, "first")
    passes("an object of a program", objects[1], 600, "second", engines=["golden"])
    for file in [two, shared]:
        passes("a program of two parts, the first kernel", file, 500, "first")
        passes("a program of two parts, the second kernel", file, 600, "second", engines=["golden"])
    refused("a kernel that a program lacks", two, "[^ ]*refused.yaml:1:1: error: no kernel 'third', expected one of: "
            "first, second$", "third")
    # Two dispatches of one file share the program's memory.
    both = runs.write("both.yaml", "code: two.brig\nbuffers:\n  a: {type: u32, count: 64}\n  b: {type: u32, count: 64}\n"
                      "dispatches:\n- {kernel: first, grid: [64], workgroup: [64], args: [{ref: a}]}\n"
                      "- {kernel: second, grid: [64], workgroup: [64], args: [{ref: b}]}\n"
                      "expect:\n- {buffer: a, values: [500, 501]}\n- {buffer: b, values: [600, 601]}\n")
    runs.check("both kernels of a program", 0, "0 differ", "run", both)
    none = runs.path("none.co")
    do(clang, main, "-o", none)
    refused("a program without GPU code", none, place("none.co", 18) + r"ELF for machine 62, expected 224 \(AMDGPU\)")


def relocatables():
    file = runs.write("relocatable.hsail", compile_kernel(700, linked=False))
    if with_finalizer:
        passes("a relocatable object", file, 700)
        entry = ("hip-amdgcn-amd-amdhsa--gfx908", read(file))
        passes("a relocatable object in a bundle", runs.write("bundle", bundle([entry])), 700, engines=["golden"])
        text = "int other(int);\nkernel void fill(global uint* out) { out[0] = other(1); }\n"
        undefined = runs.write("undefined.o", compile_kernel(0, linked=False, text=text))
        refused("an undefined symbol", undefined, place("undefined.o") + "link: undefined (hidden )?symbol: other$")
        cut = runs.write("cut.o", read(file)[:800])
        refused("half a relocatable object", cut, place("cut.o") + "link: ", engines=["golden"])
    else:
        refused("a relocatable object", file, place("relocatable.hsail", 16) + "a relocatable object.*'ld.lld -shared ")
    refused("a relocatable object on the interpreter", file, place("relocatable.hsail") + "a machine code object",
            engines=["hsail"])


def opencl():
    text = (KERNEL % "fill").replace("VALUE", "800")
    file = runs.write("kernel.hsail", "// Comments may say module &m:1:1 too.\n" + text)
    environment = dict(os.environ, CUVETTE_CLANG=clang)
    for engine in ENGINES:
        status, out, err = runs.run("run", dispatch("passes.yaml", file, value=800), "--engine", engine, *CONFIG[engine],
                                    env=environment)
        runs.expect(status == 0 and "0 differ" in out, f"OpenCL C on {engine}: {status}, {out}{err}")
    for target in ["gfx900", "gfx906", "gfx90a", "gfx942"]:
        status, out, err = runs.run("run", dispatch("passes.yaml", file, value=800), "--target", target, env=environment)
        runs.expect(status == 0 and "0 differ" in out, f"OpenCL C for {target}: {status}, {out}{err}")
    # A D16 load keeps the other half where the machine has no sramecc (decisions.md D9), on every engine.
    d16 = runs.write("d16.cl", "kernel void fill(global uint* out) {\n  uint r = 0xabcd0000u;\n  out[get_global_id(0)] = 17;\n"
                     "  __asm__ volatile(\"s_waitcnt vmcnt(0)\\n global_load_short_d16 %0, %1, off\\n s_waitcnt vmcnt(0)\"\n"
                     "                   : \"+v\"(r) : \"v\"(out + get_global_id(0)) : \"memory\");\n"
                     "  out[get_global_id(0)] = r + get_global_id(0);\n}\n")
    for engine in ENGINES:
        for on, value in (("true", 17), ("false", 0xabcd0011)):
            status, out, err = runs.run("run", dispatch("passes.yaml", d16, value=value), "--engine", engine, "--config", "small",
                                        "--set", f"sramecc={on}", env=environment)
            runs.expect(status == 0 and "0 differ" in out, f"D16 load with sramecc {on} on {engine}: {status}, {out}{err}")
    if with_finalizer:
        hsail_features()
    attributes = ("#define SIZE 64\n__attribute__((reqd_work_group_size(SIZE, 1, 1)))\n__kernel void fill(__global uint* out)"
                  "\n{\n  out[get_global_id(0)] = 900 + get_global_id(0);\n}\n")
    status, out, err = runs.run("run", dispatch("passes.yaml", runs.write("k.brig", attributes), value=900), env=environment)
    runs.expect(status == 0, f"OpenCL C with attributes: {status}, {out}{err}")
    wrong = runs.write("wrong.cl", "kernel void fill(global uint* out) {\n  out[0] = missing;\n}\n")
    refused("an error of OpenCL C", wrong, re.escape(wrong) + ":2:12: error: use of undeclared identifier 'missing'$",
            env=environment)
    nobody = re.escape("'clang-19 -x cl -cl-std=CL2.0 -O2 -target amdgcn-amd-amdhsa -mcpu=gfx908:sramecc+:xnack- "
                       "-mcode-object-version=5 --rocm-device-lib-path=FOLDER ")
    refused("OpenCL C without a compiler", file, place("kernel.hsail") + "OpenCL C, and no clang with the target amdgcn is "
            "here: " + nobody, env={"PATH": runs.path("nowhere")})
    refused("OpenCL C with another program", file, place("kernel.hsail") + "OpenCL C, and CUVETTE_CLANG names /bin/false, "
            "which is no clang with the target amdgcn: " + nobody, env=dict(os.environ, CUVETTE_CLANG="/bin/false"))
    refused("OpenCL C on the interpreter", file, place("kernel.hsail") + "OpenCL C becomes machine code", engines=["hsail"])
    # HSAIL stays HSAIL.
    hsail = runs.write("kernel.cl", "// kernel void f()\nmodule &m:1:1:$full:$large:$default;\n"
                       "prog kernel &fill(kernarg_u64 %out)\n{\nld_kernarg_u64 $d0, [%out];\nworkitemabsid_u32 $s0, 0;\n"
                       "cvt_u64_u32 $d1, $s0;\nmad_u64 $d0, $d1, 4, $d0;\nadd_u32 $s0, $s0, 40;\nst_global_u32 $s0, [$d0];\n"
                       "};\n")
    passes("HSAIL", hsail, 40, "\"&fill\"", engines=["hsail"] + (["golden"] if with_finalizer else []))


def hsail_features():
    """HSAIL becomes code for the features of the machine, or of --target. Halves that change places are D16 loads without
    sramecc, which would lose one of them with it (decisions.md D9)."""
    halves = runs.write("halves.hsail", "module &m:1:1:$full:$large:$default;\n"
                        "prog kernel &fill(kernarg_u64 %out)\n{\nld_kernarg_u64 $d0, [%out];\nworkitemabsid_u32 $s0, 0;\n"
                        "cvt_u64_u32 $d1, $s0;\nmad_u64 $d0, $d1, 4, $d0;\nst_global_u32 0x50006, [$d0];\n"
                        "memfence_screl_agent;\nmemfence_scacq_agent;\n"
                        "ld_global_u16 $s1, [$d0];\nld_global_u16 $s2, [$d0+2];\nshl_u32 $s1, $s1, 16;\nor_b32 $s1, $s1, $s2;\n"
                        "add_u32 $s1, $s1, $s0;\nst_global_u32 $s1, [$d0];\n};\n")
    file = dispatch("passes.yaml", halves, "\"&fill\"", value=0x60005)
    for target in ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942"]:
        config = "small" if target == "gfx908" else f"small_{target}"
        for sramecc in [None] if target == "gfx900" else ["true", "false"]:
            for xnack in ["true", "false"]:
                features = [f"xnack={xnack}"] + ([f"sramecc={sramecc}"] if sramecc else [])
                settings = [word for feature in features for word in ("--set", feature)]
                for engine in ENGINES if features == ["xnack=true", "sramecc=false"] and target == "gfx90a" else ["golden"]:
                    status, out, err = runs.run("run", file, "--engine", engine, "--config", config, *settings)
                    runs.expect(status == 0 and "0 differ" in out, f"HSAIL, {target}, {features}, {engine}: {status}, {out}{err}")
                if target != "gfx908":
                    continue
                named = target + "".join(f":{name}{'+' if value == 'true' else '-'}"
                                         for name, value in (f.split("=") for f in reversed(features)))
                status, out, err = runs.run("run", file, "--target", named)
                runs.expect(status == 0 and "0 differ" in out, f"HSAIL for {named}: {status}, {out}{err}")
    # The object is the machine's and no other's.
    object_file = runs.path("halves.co")
    status, out, err = runs.run("finalize", halves, "--target", "gfx908:sramecc-", "-o", object_file)
    runs.expect(status == 0, f"finalize for gfx908:sramecc-: {status}, {out}{err}")
    status, out, err = runs.run("run", dispatch("passes.yaml", object_file, value=0x60005), "--config", "small")
    runs.expect(status == 2 and "sramecc" in err, f"sramecc- on a machine with it: {status}, {out}{err}")


def others():
    """Told with what makes a code object of them."""
    source = runs.write("source.cl", "kernel void fill(global uint* out) { out[0] = 1; }\n")
    compiled = [clang, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx908", "-nogpulib", source, "-o"]
    out = runs.path("other.hsail")
    co = re.escape(f"{out} -o {out}.co'") + " makes one$"
    for what, make, pattern in [
            ("bitcode", ["-c", "-emit-llvm"], "LLVM bitcode, expected a code object: 'clang -target amdgcn-amd-amdhsa "),
            ("IR", ["-S", "-emit-llvm"], "LLVM IR, expected a code object: 'clang -x ir -target amdgcn-amd-amdhsa "),
            ("assembly", ["-S"], "AMDGPU assembly, expected a code object: 'clang -x assembler -target amdgcn-amd-amdhsa ")]:
        do(*compiled, out, *make)
        refused(what, out, place("other.hsail") + pattern + "-mcpu=TARGET " + co, engines=["golden", "hsail"])
    archive = runs.write("other.hsail", b"!<arch>\nmore")
    refused("an archive", archive, place("other.hsail") + "an archive, expected one of its members: 'ar x ")
    refused("SPIR-V", runs.write("other.hsail", struct.pack("<IIII", 0x07230203, 0x10000, 0, 1)), place("other.hsail") +
            "SPIR-V, which is not supported")
    hip = '#include <hip/hip_runtime.h>\n__global__ void fill(unsigned* out) { out[0] = 1; }\n'
    refused("HIP", runs.write("other.hsail", hip), place("other.hsail") + "HIP source, expected a code object: 'clang -x hip ")
    packager = tool("clang-offload-packager")
    if packager:
        image = runs.write("image", compile_kernel(1))
        do(packager, "-o", out, f"--image=file={image},triple=amdgcn-amd-amdhsa,arch=gfx908,kind=hip")
        refused("a package", out, place("other.hsail") + "a package of clang-offload-packager, expected a code object: "
                "'clang-offload-packager ")
    refused("text that is nothing", runs.write("other.cl", "hello, world\n"), re.escape(runs.path("other.cl")) +
            ":1:1: error: not HSAIL text", engines=["hsail"])
    two = runs.write("two.yaml", "code: [other.cl, two.o]\ngrid: [64]\nworkgroup: [64]\n")
    runs.write("two.o", compile_kernel(1, linked=False))
    runs.check("machine code beside other code", 2, "two.o: error: machine code stands alone; only HSAIL modules are linked",
               "run", two)


def outside():
    """A relocation that was moved before the object, into a buffer of the dispatch: refused at its place in the file."""
    text = ("global int values[4] = {1, 2, 3, 4};\nglobal int* global pointers[3] = {&values[0], &values[2], &values[1]};\n"
            "kernel void follow(global int* out) { out[get_global_id(0)] = *pointers[get_global_id(0) & 1]; }\n")
    for visibility in ["default", "hidden"]:
        good = bytearray(compile_kernel(0, more=[f"-fvisibility={visibility}"], text=text))
        sections, count = struct.unpack_from("<Q", good, 40)[0], struct.unpack_from("<H", good, 60)[0]
        entry = 0
        for i in range(count):
            kind, offset, size = struct.unpack_from("<I", good, sections + 64 * i + 4) + \
                struct.unpack_from("<QQ", good, sections + 64 * i + 24)
            if kind == 4:
                entry = offset + size - 24
        runs.expect(entry, "no relocations")
        kernel = "code: {}\nkernel: follow\ngrid: [64]\nworkgroup: [64]\nbuffers:\n" \
                 "  guard: {{type: u64, count: 2048, init: {{fill: 85}}}}\n  out: {{type: s32, count: 64}}\n" \
                 "args: [{{ref: out}}]\nexpect:\n- {{buffer: out, values: [1, 3, 1, 3]}}\n"
        runs.write("good.co", bytes(good))
        struct.pack_into("<Q", good, entry, (1 << 64) - 0x22000)
        bad = runs.write("bad.co", bytes(good))
        for engine in ENGINES:
            runs.check(f"relocations on {engine}", 0, "0 differ", "run", runs.write("g.yaml", kernel.format("good.co")),
                       "--engine", engine, *CONFIG[engine])
            runs.check(f"a relocation outside on {engine}", 2,
                       f"^{re.escape(bad)}:\\+{entry:#x}: error: relocation at 0xfffffffffffde000 of the object: its place is "
                       "outside of the object's segments$", "run", runs.write("b.yaml", kernel.format("bad.co")),
                       "--engine", engine, *CONFIG[engine])


bundles()
programs()
relocatables()
opencl()
others()
outside()
runs.end(least=80)
