"""The lab holds on every backend that is here, and fails on a library that is wrong."""
import json
import unittest

import program


class Lab(unittest.TestCase):
    def lab(self, backend, *more):
        with program.scratch() as folder:
            return program.run("lab", "--backend", backend, *more, cwd=folder)

    def test_every_prediction_holds(self):
        for backend in ["reference", *program.usable_mpi()]:
            with self.subTest(backend):
                done = self.lab(backend, "--json")
                self.assertEqual(done.returncode, program.PASS, done.stdout + done.stderr)
                steps = json.loads(done.stdout)["steps"]
                self.assertEqual(len(steps), 9)
                saw = {p["what"]: p["got"] for s in steps for p in s["predictions"]}
                self.assertEqual(saw["all_reduce(sum) on both ranks"], "[4] [4]")
                self.assertEqual(saw["all_reduce(sum), then / 2"], "[2] [2]")
                self.assertEqual(saw["sum, then / 3"], "[3] [3] [3]")

    def test_a_library_that_averages_breaks_the_predictions(self):
        done = self.lab("mutant:averages")
        self.assertEqual(done.returncode, program.FINDING, done.stdout)
        self.assertIn("DID NOT HOLD", done.stdout)


if __name__ == "__main__":
    unittest.main()
