"""Follows docs/adding-an-opcode.md in a copy of the tree, and shows that a step that was left out does not compile.

    adding_an_opcode_test.py ROOT C++-COMPILER FOLDER-OF-GENERATED-HEADERS
"""
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from walkthrough import Walkthrough   # noqa: E402

ROOT, CXX, GENERATED = sys.argv[1:4]
FOLDERS = ("schema", "vm", "compiler", "tools/gen_docs", "tests/programs/model")
PAGE = "docs/adding-an-opcode.md"

# The verifier of ownership, at work on code with the new instruction.
ANALYSIS = r"""
#include <cstdio>
#include "vm/exec/frame_states.h"
using ptc::FrameStates, ptc::Instruction, ptc::Op, ptc::kTakeA, ptc::kTakeB;
int main() {
  const auto verdict = [](std::uint16_t source) {
    const std::vector<Instruction> code = {
        {Op::LoadNil, 0, 0, 0, 0}, {Op::IsSome, kTakeB, 1, source, 0}, {Op::Return, kTakeA, 1, 0, 0}};
    std::uint64_t work = 1000;
    FrameStates states;
    const auto failure = FrameStates::analyze(code, {3, 0, 0}, work, states);
    std::printf("%s\n", failure ? std::string(failure->reason).c_str() : "good");
  };
  verdict(0);
  verdict(2);
}
"""


class AddedOpcode(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.page = Walkthrough(ROOT, PAGE, self.folder.name + "/tree", FOLDERS, CXX, GENERATED)

    def test_a_row_without_a_handler_does_not_compile(self):
        self.page.follow(1)
        for loop in ((), ("-DPTC_DISPATCH_SWITCH=1",)):
            complaint = self.page.compile("vm/exec/interpreter.cpp", "-fsyntax-only", *loop)
            self.assertIn("op_IsSome", complaint)

    def test_with_all_steps_it_compiles_and_is_verified(self):
        self.page.follow()
        for path in ("vm/exec/interpreter.cpp", "vm/exec/verifier.cpp", "compiler/analyze/direct_ops.cpp"):
            self.assertEqual(self.page.compile(path), "")
        (self.page.tree / "analysis.cpp").write_text(ANALYSIS)
        program = self.page.tree / "analysis"
        states = self.page.tree / "vm/exec/frame_states.cpp"
        self.assertEqual(self.page.compile("analysis.cpp", "-o", program, states), "")
        said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, "good\nreads a register that holds no value\n")
        self.assertIn("| `IsSome` | Dst | Src | - | goes on | Operands |", self.page.reference("opcodes.md"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
