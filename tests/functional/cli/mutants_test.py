"""Every mutant is caught by the property meant for it, and shrunk; the reference passes."""
import json
import unittest

import program


def mutants():
    done = program.run("list", "mutants", "--json", cwd="/")
    return json.loads(done.stdout)["mutants"]


class Mutants(unittest.TestCase):
    def test_each_is_caught_by_its_property(self):
        self.assertGreater(len(mutants()), 20)
        for mutant in mutants():
            with self.subTest(mutant["name"]), program.scratch() as folder:
                meant = mutant["caught_by"]
                done, lines = program.fuzz(
                    folder, "--backend", "mutant:" + mutant["name"], "--ranks", "1-5", "--seed",
                    "11", "--time", "40s", "--deadline", "2s", "--max-findings", "1",
                    "--property", meant)
                findings = program.lines_of_type(lines, "finding")
                if meant == "repeatable":  # no library promises it: a note
                    notes = [line for line in program.lines_of_type(lines, "case")
                             if line["verdict"] == "note"]
                    self.assertTrue(notes, done.stdout)
                    continue
                self.assertEqual(done.returncode, program.FINDING, done.stdout + done.stderr)
                self.assertEqual([f["property"] for f in findings], [meant], done.stdout)

    def test_reference_passes_everything(self):
        with program.scratch() as folder:
            done, lines = program.fuzz(folder, "--backend", "reference", "--ranks", "1-8",
                                       "--seed", "3", "--cases", "1500")
            self.assertEqual(done.returncode, program.PASS, done.stdout + done.stderr)
            summary = program.lines_of_type(lines, "summary")[0]
            self.assertEqual(summary["pass"], 1500)


if __name__ == "__main__":
    unittest.main()
