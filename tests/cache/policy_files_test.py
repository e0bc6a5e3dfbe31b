#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""Files that a policy takes (docs/howto/add_policy.md): its name is in the table of one source file, and no other
source of the model or of ip names it, but for the default of a configuration. The example of the page, put into a copy
of that one file, compiles and replaces as the page says.

policy_files_test.py SOURCE SCRATCH COMPILER INCLUDE_FOLDERS    separated by colons
"""
import pathlib
import re
import subprocess
import sys

source, scratch = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
compiler = sys.argv[3]
folders = [f"-I{f}" for f in sys.argv[4].split(":") if f]
# By the file of the table: files that name its first policy, the default of a configuration.
TABLES = {
    "model/cache/replacement.cpp": ["model/cache/cache.h", "model/machine/gpu_config.h"],
    "model/compute_unit/issue_order.cpp": ["model/compute_unit/compute_unit.h", "model/machine/gpu_config.h"],
    "model/spi/spi_model.cpp": ["model/spi/spi.h"],
}
OTHER_MEANING = {"random": ["model/run/initial_values.cpp"]}  # of values of buffers
failures = []
texts = {str(f.relative_to(source)): re.sub("//.*", "", f.read_text())
         for top in ("model", "ip") for f in (source / top).rglob("*") if f.suffix in (".h", ".cpp")}
allowed = {}  # files, by policy
for table, defaults in TABLES.items():
    rows = texts[table].split("kPolicies[] = {", 1)[1].split("};", 1)[0]
    names = re.findall(r'\{"(\w+)", make<', rows)
    for name in names:
        allowed.setdefault(name, set()).update([table], OTHER_MEANING.get(name, []))
    if len(names) < 2:
        failures.append(f"{table} has {len(names)} policies, expected at least 2")
    else:
        allowed[names[0]].update(defaults)
for name, files in allowed.items():
    for file in sorted(f for f, text in texts.items() if f'"{name}"' in text and f not in files):
        failures.append(f"{file} names the policy {name}")

page = (source / "docs/howto/add_policy.md").read_text()
steps = re.findall(r"^\| \d+ \| `([^`]+)` \|", page, re.MULTILINE)
if not 1 <= len(steps) <= 3:
    failures.append(f"the page has {len(steps)} files, expected at most 3: {steps}")
failures += [f"the page names {f}, which is not there" for f in steps if not (source / f).is_file()]
policy, row = re.findall(r"^```cpp\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
changed = (source / "model/cache/replacement.cpp").read_text()
changed = changed.replace("template <class Policy>", policy + "\ntemplate <class Policy>", 1)
changed = changed.replace("kPolicies[] = {\n", "kPolicies[] = {\n" + row, 1)
changed += """
int main() {
  auto made = cuvette::cache::make_replacement("fifo", {2, 3, 0});
  if (!made.ok()) return 1;
  for (const unsigned way : {0u, 1u, 2u, 0u, 1u}) {
    (*made)->touch(3);
    if ((*made)->victim(1) != way) return 2;
  }
  return (*made)->victim(0) == 0 ? 0 : 3;
}
"""
scratch.mkdir(parents=True, exist_ok=True)
(scratch / "replacement.cpp").write_text(changed)
program = scratch / "replacement"
built = subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", *folders,
                        str(scratch / "replacement.cpp"), "-o", str(program)],
                       capture_output=True, text=True, check=False)
if built.returncode != 0:
    failures.append("the example of the page does not compile:\n" + built.stderr)
elif (status := subprocess.run([program], check=False).returncode) != 0:
    failures.append(f"the example of the page: check {status} fails")
print(f"policies: {', '.join(sorted(allowed))}; files of a new one: {', '.join(steps)}")
for failure in failures:
    print("FAILED:", failure)
sys.exit(1 if failures else 0)
