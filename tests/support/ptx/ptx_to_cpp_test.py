#!/usr/bin/env python3
"""The translator refuses what it does not know, with the line and the name; ptx_operations_test.cpp runs what it does know."""

import sys
import tempfile
import unittest
from pathlib import Path
from subprocess import run

HERE = Path(__file__).parent

KERNEL = """
.version 7.0
.target sm_75
.address_size 64
%s
.visible .entry only(.param .u64 out, .param .align 8 .b8 args[24])
{
	.reg .pred %%p<9>;
	.reg .b16 %%rs<9>;
	.reg .b32 %%r<9>;
	.reg .f32 %%f<9>;
	.reg .b64 %%rd<9>;
	%s
	ret;
}
"""


def translate(body, before="", names=("75",)):
    """Exit status, the text on stderr, the translation."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "some.ptx"), Path(folder, "some.cpp")
        source.write_text(KERNEL % (before, body))
        done = run([sys.executable, "-B", HERE / "ptx_to_cpp.py", output, "table"] + [f"{name}={source}" for name in names],
                   capture_output=True, text=True)
        return done.returncode, done.stderr, output.read_text() if output.exists() else ""


class Refusals(unittest.TestCase):
    def refused(self, body, text, before=""):
        status, stderr, translation = translate(body, before)
        self.assertEqual(status, 1, stderr)
        self.assertIn(text, stderr)
        self.assertEqual(translation, "")

    def test_instructions(self):
        for name in ("frobnicate.b32 %r1, %r2", "cvt.rz.f16.f32 %rs1, %f1", "add.cc.u32 %r1, %r2, %r3", "mul.rn.ftz.f32 %f1, %f2, %f3",
                     "prmt.b32.f4e %r1, %r2, %r3, %r4", "ex2.approx.f32 %f1, %f2", "mad.rn.f32 %f1, %f2, %f3, %f4",
                     "call (%r1), some, (%r2)", "ld.volatile.global.u32 %r1, [%rd1]", "cvt.rn.f32.f32 %f1, %f2"):
            self.refused(name + ";", f"the instruction '{name.split(' ')[0]}' is not known")

    def test_the_line_is_told(self):
        self.refused("add.u32 %r1, %r2, %r3;\n\tsad.u32 %r1, %r2, %r3, %r4;", "some.ptx:14: only: the instruction 'sad.u32'")

    def test_results_that_may_be_fused(self):
        for name in ("mul.f32 %f1, %f2, %f3", "add.f32 %f1, %f2, %f3", "sub.f32 %f1, %f2, %f3"):
            self.refused(name + ";", f"'{name.split(' ')[0]}' without .rn")

    def test_threads_that_meet(self):
        for name in ("bar.sync 0", "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1", "vote.sync.any.pred %p1, %p2, -1", "atom.global.add.u32 %r1, [%rd1], 1",
                     "red.global.add.u32 [%rd1], 1"):
            self.refused(name + ";", f"the instruction '{name.split(' ')[0]}' is not known")
        self.refused("ld.shared.u32 %r1, [%rd1];", "the instruction 'ld.shared.u32' is not known")
        self.refused("", ".shared .align 4 .b8 room[64]", ".shared .align 4 .b8 room[64];")

    def test_types(self):
        self.refused("add.u32 %r1, %rs1, %r2;", "'%rs1' of type b16 as b32")
        self.refused("add.u64 %r1, %rd1, %rd2;", "'%r1' of type b32 gets b64")
        self.refused("add.u32 %r1, %r2, %q1;", "'%q1' is no register")
        self.refused("mov.u32 %r1, %laneid;", "'%laneid' is no register")

    def test_parameters(self):
        for place in ("args+24", "args+20", "args+4", "args+-8"):
            self.refused(f"ld.param.u64 %rd1, [{place}];", "8 bytes at ")
        self.refused("st.param.u32 [args], %r1;", "the instruction 'st.param.u32' is not known")

    def test_functions(self):
        self.refused("", "is no kernel", ".func some() { ret; }")


class Translations(unittest.TestCase):
    def test_a_kernel_of_two_architectures_is_written_once(self):
        status, stderr, translation = translate("mov.u32 %r1, 1;", names=("75", "90"))
        self.assertEqual(status, 0, stderr)
        self.assertEqual(translation.count("void only_"), 1)
        self.assertIn('{75, "only", only_75', translation)
        self.assertIn('{90, "only", only_75', translation)

    def test_comments_and_hints_change_nothing(self):
        plain = translate("ld.global.u32 %r1, [%rd1];")[2]
        self.assertEqual(translate("ld.global.nc.L1::no_allocate.u32 %r1, [%rd1]; // said")[2], plain)
        self.assertEqual(translate('.pragma "nounroll"; /* ; { */ ld.global.ca.u32 %r1, [%rd1];')[2], plain)

    def test_parameters_are_laid_out_as_a_struct(self):
        translation = translate("ld.param.u32 %r1, [args+20];")[2]
        self.assertIn("(parameters + 8ULL) + 0x14ULL", translation)
        self.assertIn(", 32, 0},", translation)


if __name__ == "__main__":
    unittest.main()
