#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Cuvette authors
# SPDX-License-Identifier: Apache-2.0
"""docs/reference/dispatch.schema.json and the program agree on what a dispatch file is.

dispatch_schema_test.py CUVETTE SOURCE_DIR SCRATCH
"""
import copy
import glob
import json
import os
import sys

import yaml
from jsonschema import Draft202012Validator

sys.dont_write_bytecode = True  # the source tree stays as it is

from program_runs import Runs  # noqa: E402

cuvette, source, scratch = sys.argv[1:4]
runs = Runs(cuvette, scratch)
expect = runs.expect
with open(os.path.join(source, "docs/reference/dispatch.schema.json")) as f:
    schema = json.load(f)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)

for path in sorted(glob.glob(os.path.join(source, "tests/dispatches/**/*.yaml"), recursive=True)) + [
        os.path.join(source, "tests/fuzz/corpus/dispatch/every_argument.yaml")]:
    with open(path) as f:
        errors = [e.message for e in validator.iter_errors(yaml.safe_load(f))]
    expect(errors == [], f"{path}: {errors}")

KERNEL = """module &m:1:0:$full:$large:$default;
prog kernel &k(kernarg_u64 %x, kernarg_u64 %s) { ret; };
"""
DECLARED = {"hsail": KERNEL.replace("prog kernel", "decl prog global_u32 &v;\ndecl prog readonly_u32 &w;\nprog kernel")}
BASE = {
    "code": {"hsail": KERNEL},
    "kernel": "&k",
    "grid": [64],
    "workgroup": [64],
    "buffers": {"x": {"type": "u32", "count": 8}},
    "args": [{"ref": "x"}, {"signal": {"name": "s", "value": 3}}],
    "expect": [{"buffer": "x", "values": [0, 0]}, {"signal": "s", "value": 3}],
}


def changed(**changes):
    """BASE with values at paths such as buffers__x__count; None removes."""
    out = copy.deepcopy(BASE)
    for path, value in changes.items():
        *way, last = [int(p) if p.isdigit() else p for p in path.split("__")]
        place = out
        for p in way:
            place = place[p]
        if value is None:
            del place[last]
        else:
            place[last] = value
    return out


def one_argument(argument):
    return changed(args=[argument, {"u64": 0}], expect=[])


def listed(dispatches, **more):
    return {**{k: v for k, v in BASE.items() if k in ("buffers",)}, "dispatches": dispatches, **more}


DISPATCH = {k: BASE[k] for k in ("kernel", "grid", "workgroup")} | {"args": [{"ref": "x"}, {"u64": 1}]}
CODED = DISPATCH | {"code": BASE["code"]}

ACCEPTED = {
    "base": BASE,
    "one kernel": changed(kernel=None),
    "nothing to look at": changed(expect=None, buffers__x__init="zero"),
    "sizes in quotes": changed(grid=["0x40"], workgroup=["64"], buffers__x__count="8"),
    "three dimensions": changed(grid=[64, 2, 2], workgroup=[8, 8, 1], group_bytes=16, stack_bytes=0),
    "fill": changed(buffers__x__init={"fill": 0}),
    "few values": changed(buffers__x__init={"values": [0, 0]}),
    "iota": changed(buffers__x__init={"iota": {}}, expect=[{"buffer": "x", "index": 1, "values": [1, "0x2"]}]),
    "random": changed(buffers__x__init={"random": {"seed": 1, "low": 0, "high": 0}}),
    "hex": changed(buffers__x__init={"hex": "00000000"}),
    "zero as a map": changed(buffers__x__init={"zero": 1}),
    "a float": changed(buffers__x={"type": "f32", "count": 2, "init": {"values": ["nan", "0x7fc00000"]}},
                       expect=[{"buffer": "x", "values": ["nan", "nan"], "ulp": 1}]),
    "absolute": changed(buffers__x__type="f32", expect=[{"buffer": "x", "values": [0.5], "abs": 1}]),
    "relative": changed(buffers__x__type="f32", expect=[{"buffer": "x", "values": [0], "rel": 0}]),
    "an offset": changed(args__0={"ref": "x", "offset": 4}),
    "an offset first": changed(args__0={"offset": 4, "ref": "x"}),
    "a buffer in place": changed(args__0={"buffer": {"name": "y", "type": "u8", "count": 1}}),
    "a memory type": changed(buffers__x__memory_type="fine_grained"),
    "a memory type in place": changed(args__0={"buffer": {"name": "y", "type": "u8", "count": 1,
                                                          "memory_type": "uncached"}}),
    "the usual memory type": changed(buffers__x__memory_type="coarse_grained"),
    "by value": one_argument({"bytes": "0011223344556677"}),
    "a negative signal": changed(args__1__signal__value=-3, expect__1__value="-3"),
    "a queue": one_argument({"queue": {"name": "q", "size": 64}}),
    "order": changed(order_dependent=True),
    "externals": changed(code=DECLARED, externals={"&v": "x", "&w": {"ref": "x"}}),
    "an external in the middle": changed(code=DECLARED, externals={"&v": {"ref": "x", "offset": "0x4"}}),
    "no externals": changed(externals={}),
    "a list": listed([DISPATCH], code=BASE["code"]),
    "a list that inherits": listed([CODED, DISPATCH]),
    "a list with externals": listed([DISPATCH, DISPATCH | {"externals": {"&w": "x"}}], code=DECLARED, externals={"&v": "x"}),
}
REJECTED = {
    "unknown key": changed(colour=1),
    "no code": changed(code=None),
    "no grid": changed(grid=None),
    "no workgroup": changed(workgroup=None),
    "code of two kinds": changed(code__file="x"),
    "no files": changed(code=[]),
    "an empty grid": changed(grid=[]),
    "four dimensions": changed(grid=[1, 1, 1, 1]),
    "a grid of 0": changed(grid=[0]),
    "a grid beyond 32 bits": changed(grid=[1 << 32]),
    "a negative work-group": changed(workgroup=[-1]),
    "a large work-group": changed(workgroup=[1025]),
    "a word for a size": changed(grid=["many"]),
    "group_bytes": changed(group_bytes=1 << 31),
    "stack_bytes": changed(stack_bytes=-1),
    "args": changed(args={"u32": 1}),
    "an unknown memory type": changed(buffers__x__memory_type="cached"),
    "a memory type of a signal": changed(args__1__signal__memory_type="uncached"),
    "an empty argument": changed(args__0={}),
    "an unknown argument": changed(args__0={"u24": 1}),
    "two arguments in one": changed(args__0={"ref": "x", "u32": 1}),
    "an offset of nothing": changed(args__0={"offset": 4}),
    "an offset of a number": changed(args__0={"u64": 1, "offset": 4}),
    "a list as a number": changed(args__0={"u64": [1]}),
    "odd hex digits": one_argument({"bytes": "001"}),
    "letters as hex": one_argument({"bytes": "0g"}),
    "much group memory": one_argument({"local": 65537}),
    "a negative place in group memory": one_argument({"group_offset": -1}),
    "a signal without name": changed(args__1={"signal": {"value": 1}}, expect=[]),
    "a signal with a size": changed(args__1__signal__size=1),
    "a large queue": one_argument({"queue": {"name": "q", "size": (1 << 20) + 1}}),
    "a function without &": one_argument({"function": "f"}),
    "a hidden argument of words": changed(args__0={"hidden": {"a": "b"}}),
    "hidden arguments as a list": changed(args__0={"hidden": [1]}),
    "an image without data": one_argument({"image": {"geometry": "1d", "order": "r", "type": "float", "width": 1}}),
    "an image of no geometry": one_argument(
        {"image": {"data": "x", "geometry": "4d", "order": "r", "type": "float", "width": 1}}),
    "an image of no order": one_argument(
        {"image": {"data": "x", "geometry": "1d", "order": "q", "type": "float", "width": 1}}),
    "an image of no type": one_argument(
        {"image": {"data": "x", "geometry": "1d", "order": "r", "type": "f32", "width": 1}}),
    "an image of no width": one_argument(
        {"image": {"data": "x", "geometry": "1d", "order": "r", "type": "float", "width": 0}}),
    "an image of no levels": one_argument(
        {"image": {"data": "x", "geometry": "1d", "order": "r", "type": "float", "width": 4, "levels": 0}}),
    "an image of many levels": one_argument(
        {"image": {"data": "x", "geometry": "1d", "order": "r", "type": "float", "width": 4, "levels": 16}}),
    "a sampler of two": one_argument({"sampler": {"coord": "normalized", "filter": "nearest"}}),
    "a sampler of no filter": one_argument(
        {"sampler": {"coord": "normalized", "filter": "cubic", "addressing": "repeat"}}),
    "buffers as a list": changed(buffers=[]),
    "a buffer without type": changed(buffers__x__type=None),
    "a buffer without count": changed(buffers__x__count=None),
    "a buffer of no type": changed(buffers__x__type="i32"),
    "an empty buffer": changed(buffers__x__count=0),
    "a buffer with a name in it": changed(buffers__x__name="x"),
    "an unknown init": changed(buffers__x__init={"ones": 1}),
    "a word as init": changed(buffers__x__init="one"),
    "two inits": changed(buffers__x__init={"fill": 1, "hex": "00"}),
    "iota with an end": changed(buffers__x__init={"iota": {"end": 1}}),
    "random without low": changed(buffers__x__init={"random": {"seed": 1, "high": 1}}),
    "values that are none": changed(buffers__x__init={"values": 1}),
    "expectation of nothing": changed(expect__0={}),
    "expectation of two kinds": changed(expect__1={"signal": "s", "value": 3, "buffer": "x"}),
    "signal without value": changed(expect__1={"signal": "s"}),
    "no values": changed(expect__0={"buffer": "x"}),
    "an empty list of values": changed(expect__0={"buffer": "x", "values": []}),
    "values and a file": changed(expect__0={"buffer": "x", "values": [0], "file": "x"}),
    "two tolerances": changed(buffers__x__type="f32", expect__0={"buffer": "x", "values": [0], "ulp": 1, "abs": 1}),
    "a negative tolerance": changed(buffers__x__type="f32", expect__0={"buffer": "x", "values": [0], "ulp": -1}),
    "a negative index": changed(expect__0={"buffer": "x", "values": [0], "index": -1}),
    "expect as a map": changed(expect={"buffer": "x"}),
    "dump as a list": changed(dump=["x"]),
    "dump to a list": changed(dump={"x": ["y"]}),
    "order as a number": changed(order_dependent=2),
    "no dispatches": listed([], code=BASE["code"]),
    "a list without code": listed([DISPATCH]),
    "a list that inherits too late": listed([DISPATCH, CODED]),
    "a list in a list": listed([DISPATCH | {"dispatches": []}], code=BASE["code"]),
    "buffers in a list": listed([DISPATCH | {"buffers": {}}], code=BASE["code"]),
    "a grid beside a list": listed([DISPATCH], code=BASE["code"], grid=[1]),
    "externals as a list": changed(code=DECLARED, externals=["x"]),
    "an external without &": changed(code=DECLARED, externals={"v": "x"}),
    "an external nowhere": changed(code=DECLARED, externals={"&v": {"offset": 4}}),
    "an external with a size": changed(code=DECLARED, externals={"&v": {"ref": "x", "bytes": 4}}),
    "an external at a number": changed(code=DECLARED, externals={"&v": ["x"]}),
    "an external before the buffer": changed(code=DECLARED, externals={"&v": {"ref": "x", "offset": -4}}),
    "externals without code": listed([CODED | {"code": DECLARED}], externals={"&v": "x"}),
    "no map": [BASE],
}
for cases, fits in ((ACCEPTED, True), (REJECTED, False)):
    for name, document in cases.items():
        file = runs.write("case.yaml", yaml.safe_dump(document, sort_keys=False))
        with open(file) as f:
            read = yaml.safe_load(f)
        expect(validator.is_valid(read) == fits, f"{name}: the schema {'refuses' if fits else 'takes'} it")
        status, out, err = runs.run("run", file, "--engine", "hsail")
        expect(status == (0 if fits else 2), f"{name}: exit {status}: {out}{err}")
        expect(fits or file in err, f"{name}: the message has no place: {err}")

runs.end()
