#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""tools/mutate.py: copies by hand, every error by name, what a run removes, and the repository's own tables.

usage: mutate_test.py SOURCE_DIR"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
TOOL = SOURCE / "tools" / "mutate.py"
ADD = "int add(int a, int b) {\n  return a +\n         b;  // sum\n}\nint one() { return 1; }\n"
FIFO = "  assign full_o  = count_q == 3'd4;\n  assign empty_o = count_q == 3'd0;\n"


class Mutate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        for name, text in (("src/add.cpp", ADD), ("src/fifo.sv", FIFO)):
            (self.top / name).parent.mkdir(exist_ok=True)
            (self.top / name).write_text(text)

    def run_tool(self, rows, *flags, out="out"):
        with open(self.top / "t.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "file", "change", "edit"])
            writer.writerows([number, name, "", edit] for number, name, edit in rows)
        return subprocess.run([sys.executable, TOOL, "--source", self.top, *flags, self.top / "t.csv", self.top / out],
                              capture_output=True, text=True, check=False)

    def copy(self, rows, name):
        result = self.run_tool(rows)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return (self.top / "out" / name).read_text()

    def refused(self, rows, message):
        result = self.run_tool(rows)
        self.assertEqual(result.returncode, 1)
        self.assertIn(message, result.stderr)
        self.assertFalse((self.top / "out").exists())

    def test_cpp_with_other_white_space(self):
        text = self.copy([(7, "src/add.cpp", "return [-a + b-]{+a - b+};")], "src/add.cpp")
        want = '#include "selected_mutant.h"\n#line 1 "src/add.cpp"\n' + ADD.replace(
            "a +\n         b", "(::cuvette::mutant_is(7) ? (a - b) : (a +\n         b))")
        self.assertEqual(text, want)

    def test_systemverilog(self):
        text = self.copy([(3, "src/fifo.sv", "full_o = count_q == [-3'd4-]{+3'd3+}")], "src/fifo.sv")
        self.assertEqual(text, FIFO.replace(
            "3'd4", "((mutant_pkg::cuvette_selected_mutant() == 32'd3) ? (3'd3) : (3'd4))"))

    def test_two_of_one_expression_and_one_inside(self):
        text = self.copy([(1, "src/add.cpp", "return [-a + b-]{+a+};"), (2, "src/add.cpp", "return [-a + b-]{+b+};"),
                          (3, "src/add.cpp", "a + [-b-]{+0+};")], "src/add.cpp")
        self.assertIn("return (::cuvette::mutant_is(1) ? (a) : ((::cuvette::mutant_is(2) ? (b) : (a +\n"
                      "         (::cuvette::mutant_is(3) ? (0) : (b))))));", text)

    def test_two_places_of_one(self):
        text = self.copy([(5, "src/fifo.sv", "[-3'd4-]{+3'd0+}; assign empty_o = count_q == [-3'd0-]{+3'd4+}")],
                         "src/fifo.sv")
        self.assertEqual(text.count("== 32'd5) ?"), 2)
        self.assertIn("? (3'd4) : (3'd0))", text)

    def test_words_are_whole(self):
        self.refused([(1, "src/add.cpp", "[-dd(int a-]{+x+}")], "anchor not found")
        self.refused([(1, "src/add.cpp", "[-int ad-]{+x+}")], "anchor not found")
        self.refused([(1, "src/add.cpp", "[-inta-]{+x+}")], "anchor not found")

    def test_errors_by_name(self):
        name = "t.csv:2: mutant 9: src/add.cpp: "
        self.refused([(9, "src/add.cpp", "return [-c-]{+a+}")], name + "anchor not found: return c")
        self.refused([(9, "src/add.cpp", "[-int-]{+long+}")], name + "anchor is there 4 times: int")
        self.refused([(9, "src/add.cpp", "return a")], name + "no [-right-]{+wrong+} in its edit")
        self.refused([(9, "src/add.cpp", "return [-1-]{+ 1 +};")], name + "its edit changes nothing")
        self.refused([(9, "src/add.cpp", "return [-1-]{++};")], name + "an empty expression in its edit")
        self.refused([(9, "src/sub.cpp", "[-1-]{+0+}")], "t.csv:2: mutant 9: src/sub.cpp: no such source file")
        self.refused([(9, "t.csv", "[-1-]{+0+}")], "t.csv:2: mutant 9: t.csv: no such source file")
        self.refused([("x", "src/add.cpp", "return [-1-]{+0+};")], "t.csv:2: mutant x: src/add.cpp: its id is no number")
        self.refused([(9, "src/add.cpp", "return [-1-]{+0+};"), (9, "src/add.cpp", "return [-1-]{+2+};")],
                     "t.csv:3: mutant 9: src/add.cpp: its id is there twice")
        self.refused([(8, "src/add.cpp", "[-return a-]{+a+} + b"), (9, "src/add.cpp", "return [-a + b-]{+a+};")],
                     "t.csv:3: mutant 9: src/add.cpp: its expression overlaps that of mutant 8")

    def test_no_column(self):
        (self.top / "t.csv").write_text("id,file\n")
        result = subprocess.run([sys.executable, TOOL, self.top / "t.csv", self.top / "out"], capture_output=True,
                                text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("t.csv:1: no column edit", result.stderr)

    def test_unchanged_copies_stay_others_go(self):
        rows = [(1, "src/add.cpp", "return [-1-]{+0+};"), (2, "src/fifo.sv", "[-3'd4-]{+3'd3+}")]
        self.copy(rows, "src/add.cpp")
        before = (self.top / "out/src/add.cpp").stat().st_mtime_ns
        self.copy(rows[:1], "src/add.cpp")
        self.assertEqual((self.top / "out/src/add.cpp").stat().st_mtime_ns, before)
        self.assertFalse((self.top / "out/src/fifo.sv").exists())

    def test_list(self):
        result = self.run_tool([(1, "src/fifo.sv", ""), (2, "src/add.cpp", ""), (3, "src/add.cpp", "")], "--list")
        self.assertEqual(result.stdout, "src/add.cpp\nsrc/fifo.sv\n")

    def test_tables_of_the_repository(self):
        tables = sorted((SOURCE / "tests" / "mutants").glob("*.csv"))
        self.assertGreaterEqual(len(tables), 3)
        for table in tables:
            done = subprocess.run([sys.executable, TOOL, table, self.top / table.stem], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), table.name)


if __name__ == "__main__":
    unittest.main()
