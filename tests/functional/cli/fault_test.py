"""A skipped or exchanged call is classified from outside, the right rank blamed, and healed."""
import unittest

import program


class Fault(unittest.TestCase):
    def inject(self, backend, *more):
        with program.scratch() as folder:
            done = program.run("fault", "--backend", backend, "--ranks", "2-4", "--seed", "3",
                               "--cases", "16", "--deadline", "4s", "--out", "out", *more,
                               cwd=folder, bound_s=250)
            self.assertEqual(done.returncode, program.PASS, done.stdout + done.stderr)
            return program.lines_of_type(program.history(folder), "case")

    def test_outcome_blame_and_recovery(self):
        for backend in ["reference", *program.usable_mpi()]:
            with self.subTest(backend):
                lines = self.inject(backend)
                self.assertEqual(len(lines), 16)
                self.assertTrue(all(line["recovered"] for line in lines))
                hangs = [line for line in lines if line["outcome"] == "hang"]
                self.assertTrue(hangs)
                for line in hangs:
                    culprit = line["case"]["faults"][0]["rank"]
                    self.assertIn(culprit, line["blame"], line["diagnosis"])
                    self.assertTrue(line["diagnosis"])
                self.assertTrue([line for line in hangs if line["proof"] == "proven"])

    def test_a_skipped_call_whose_successor_matches_shifts_the_data(self):
        wrong = [line for line in self.inject("reference") if line["outcome"] == "wrong"]
        self.assertTrue(wrong)


if __name__ == "__main__":
    unittest.main()
