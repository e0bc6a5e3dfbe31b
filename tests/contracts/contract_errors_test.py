#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""A wrong contract description is one error with file and line, and every block's page names its description.

usage: contract_errors_test.py SOURCE_DIR
"""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "tools/gen"))

import contract as description  # noqa: E402

GOOD = """block: toy
about: A block for this test.
uses: [used]
constants:
- {name: kPorts, pin: Ports, value: 4, meaning: ports}
enums:
- name: Kind
  pin: {type: kind_e, prefix: Kind}
  meaning: what is asked
  values:
  - {name: Load, value: 0}
  - {name: Store, value: 5}
messages:
- name: Request
  pin: request_t
  beats: 4
  meaning: asks
  fields:
  - {name: id, type: u32, class: exact, meaning: returned}
  - {name: beat, pins: only, type: u2, class: exact, meaning: which lanes}
  - {name: kind, type: Kind, class: exact, meaning: what}
  - {name: exec, type: lane_mask, class: exact, meaning: lanes}
  - {name: where, type: used.Place, class: exact, meaning: a message inside}
  - {name: data, type: "u32[kPorts][lanes]", class: exact, under: exec, if: kind == Store, meaning: values}
- name: Response
  pin: response_t
  answers: Request
  meaning: answers
  fields:
  - {name: id, type: u32, class: exact, meaning: of the request}
  - {name: when, type: u64, class: time, meaning: when}
  - {name: old, type: u16, class: exact, if: request.kind == Load && id, meaning: value}
channels:
- {name: request, message: Request, direction: in, depth: 4, domain: all, meaning: in}
- {name: response, message: Response, direction: out, count: kPorts, answers: request, domain: all, meaning: out}
"""
USED = """block: used
about: Another one.
messages:
- name: Place
  pin: place_t
  meaning: a place
  fields:
  - {name: row, type: u17, class: exact, meaning: row}
channels:
- {name: none, message: Place, direction: in, domain: all, meaning: nothing}
"""
# (what is replaced, by what, line of the error, words of the message)
WRONG = [
    ("type: u32, class: exact, meaning: returned", "type: u65, class: exact, meaning: returned", 19, "width 65 does not fit"),
    ("type: u32, class: exact, meaning: returned", "type: u0, class: exact, meaning: returned", 19, "width 0 does not fit"),
    ("type: u32, class: exact, meaning: returned", "type: i32, class: exact, meaning: returned", 19, "unknown type 'i32'"),
    ("type: u32, class: exact, meaning: returned", "type: u32, meaning: returned", 19, "class is 'None'"),
    ("type: u32, class: exact, meaning: returned", "type: u32, class: equal, meaning: returned", 19, "class is 'equal'"),
    ("type: u32, class: exact, meaning: returned", "type: u32, class: exact", 19, "a field needs 'meaning'"),
    ("type: u32, class: exact, meaning: returned", "type: u32, klass: exact, meaning: returned", 19, "unknown key 'klass'"),
    ("type: u32, class: exact, meaning: returned", "type: u32, type: u8, class: exact, meaning: returned", 19, "'type' stands twice"),
    ("name: kind, type: Kind", "name: id, type: Kind", 21, "duplicate field 'id'"),
    ("name: kind, type: Kind", "name: kind, pin: id, type: Kind", 21, "duplicate field 'id' on pins"),
    ("type: Kind, class", "type: Sort, class", 21, "unknown type 'Sort'"),
    ("used.Place", "used.Spot", 23, "unknown type 'used.Spot'"),
    ("used.Place", "other.Place", 23, "unknown type 'other.Place'"),
    ("u32[kPorts][lanes]", "u32[kDoors][lanes]", 24, "unknown constant 'kDoors'"),
    ("u32[kPorts][lanes]", "u32[lanes][kPorts]", 24, "'lanes' must be the last"),
    ("u32[kPorts][lanes]", "u32 4", 24, "cannot read type"),
    ("under: exec", "under: mask", 24, "names 'mask', which is no field of 'Request'"),
    ("under: exec", "under: where", 24, "is no mask"),
    ("if: kind == Store", "if: kind == Swap", 24, "'Swap' is no value of 'kind'"),
    ("if: kind == Store", "if: kind = Store", 24, "cannot read condition"),
    ("class: time", "class: time, if: id", 31, "a condition needs class exact"),
    ("  answers: Request\n", "", 31, "needs 'answers'"),
    ("  beats: 4\n", "", 21, "has lanes, and 'Request' no beats"),
    ("  beats: 4\n", "  beats: 3\n", 14, "'beats' is 3, expected 4"),
    ("  - {name: beat, pins: only, type: u2, class: exact, meaning: which lanes}\n", "", 14, "no field beat"),
    ("name: Response", "name: Request", 25, "duplicate message 'Request'"),
    ("value: 5", "value: 0", 7, "have one number"),
    ("message: Response", "message: Answer", 35, "unknown message 'Answer'"),
    ("direction: out", "direction: up", 35, "direction is 'up'"),
    ("answers: request", "answers: asked", 35, "answers 'asked', which is no channel"),
    ("depth: 4", "depth: 0", 34, "depth must be at least 1"),
    ("count: kPorts", "parameter: Ports", 35, "'parameter' needs 'count'"),
    ("name: response, message", "name: request, message", 35, "duplicate channel 'request'"),
    ("block: toy", "block: tool", 1, "block is 'tool', expected 'toy'"),
    ("uses: [used]", "uses: used", 1, "'uses' must be a list"),
    ("uses: [used]", "uses: [missing]", None, "cannot be read"),
    ("messages:\n", "messages: {\n", None, "error: "),
]


class Descriptions(unittest.TestCase):
    def load(self, toy):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("toy", toy), ("used", USED)):
                path = pathlib.Path(folder) / f"model/{name}/{name}.contract.yaml"
                path.parent.mkdir(parents=True)
                path.write_text(text, encoding="utf-8")
            return description.load(folder, "toy")

    def test_good(self):
        contract = self.load(GOOD)
        widths = [f.kind.pin_bits for f in contract.messages[0]["fields"]]
        self.assertEqual(widths, [32, 2, 3, 16, 17, 4 * 16 * 32])
        self.assertEqual(contract.messages[0].pin_bits, sum(widths))
        self.assertEqual(contract.channels[1].count, 4)

    def test_wrong(self):
        for old, new, line, words in WRONG:
            with self.subTest(new=new, words=words):
                self.assertIn(old, GOOD)
                with self.assertRaises(description.ContractError) as caught:
                    self.load(GOOD.replace(old, new, 1))
                text = str(caught.exception)
                self.assertIn(words, text)
                if line is not None:
                    self.assertTrue(text.startswith(f"model/toy/toy.contract.yaml:{line}: error: "), text)

    def test_blocks(self):
        paths = sorted(ROOT.glob("model/*/*.contract.yaml"))
        self.assertGreaterEqual(len(paths), 10)
        for path in paths:
            block = path.parent.name
            with self.subTest(block=block):
                description.load(ROOT, block)
                page = (ROOT / f"docs/reference/{block}.md").read_text(encoding="utf-8")
                self.assertTrue(f"../model/{block}/{block}.contract.yaml" in page, "the page does not name it")
                self.assertFalse("| field | bits |" in page, "the page has fields of its own")


if __name__ == "__main__":
    unittest.main()
