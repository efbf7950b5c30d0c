"""A worker that goes wrong is an outcome or `unknown`, with the reason; never a hang or a pass."""
import unittest

import program

SHIM = program.BIN.parent / "tests" / "trouble.so"


class Trouble(unittest.TestCase):
    def run_with(self, trouble, backend="reference", cases=50, bound_s=150):
        with program.scratch() as folder:
            return program.fuzz(folder, "--backend", backend, "--ranks", "2", "--cases", cases,
                                "--deadline", "3s", "--env", f"LD_PRELOAD={SHIM}",
                                "--env", f"TROUBLE={trouble}", bound_s=bound_s)

    def test_a_world_that_cannot_be_had_is_our_own_failure_and_says_why(self):
        for trouble, mentions in [
                ("exits", "exited with code 3"), ("exits_well", "exited with code 0"),
                ("crashes", "signal 11"), ("complains", "a reason to be seen"),
                ("wrong_token", "refused"), ("garbage", "refused"),
        ]:
            with self.subTest(trouble):
                done, lines = self.run_with(trouble)
                self.assertEqual(done.returncode, program.OWN_FAILURE, done.stdout + done.stderr)
                self.assertIn(mentions, done.stdout + done.stderr)
                self.assertFalse([line for line in lines if line.get("verdict") == "pass"])

    def test_a_rank_that_never_connects_is_given_up(self):
        done, _ = self.run_with("never_connects")
        self.assertEqual(done.returncode, program.OWN_FAILURE, done.stdout + done.stderr)
        self.assertIn("of 2 ranks were ready within", done.stdout + done.stderr)

    def test_a_channel_lost_in_the_middle_of_a_run_is_unknown(self):
        for trouble in ("garbage_later", "closes_later"):
            with self.subTest(trouble):
                done, lines = self.run_with(trouble)
                self.assertEqual(done.returncode, program.OWN_FAILURE, done.stdout + done.stderr)
                summary = program.lines_of_type(lines, "summary")[0]
                self.assertGreater(summary["unknown"], 0)
                self.assertEqual((summary["pass"], summary["fail"]), (0, 0))

    def test_a_rank_that_calls_for_an_abort_and_is_not_ended_is_a_crash(self):
        if "mpich" not in program.usable_mpi():
            self.skipTest("needs MPICH, for PMI-1")
        done, lines = self.run_with("aborts_later", "mpich", cases=1)
        self.assertEqual(done.returncode, program.FINDING, done.stdout + done.stderr)
        finding = program.lines_of_type(lines, "finding")[0]
        self.assertEqual((finding["outcome"], finding["blame"]), ("crash", [1]))
        self.assertIn("rank 1 called for an abort with code 7", finding["summary"])

    def test_a_library_that_crashes_hangs_or_complains_in_a_call_is_a_finding(self):
        for mutant, outcome in [("crashes", "crash"), ("hangs_sometimes", "hang"),
                                ("errors", "error")]:
            with self.subTest(mutant), program.scratch() as folder:
                done, lines = program.fuzz(
                    folder, "--backend", "mutant:" + mutant, "--ranks", "1-3", "--seed", "2",
                    "--time", "60s", "--deadline", "2s", "--max-findings", "1", bound_s=200)
                self.assertEqual(done.returncode, program.FINDING, done.stdout + done.stderr)
                finding = program.lines_of_type(lines, "finding")[0]
                self.assertEqual(finding["outcome"], outcome)
                self.assertEqual(finding["property"], "completes")
                self.assertEqual(finding["steps"], 1, finding["summary"])


if __name__ == "__main__":
    unittest.main()
