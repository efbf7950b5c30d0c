"""Every mutant is caught by the property meant for it, with the drawing of a plain `fuzz`; the
reference passes. The test tells how many cases each took."""
import concurrent.futures
import json
import unittest

import program

AT_ONCE = 2  # worlds; most of a run is waiting for processes to start and end


def mutants():
    done = program.run("list", "mutants", "--json", cwd="/")
    return json.loads(done.stdout)["mutants"]


def hunt(mutant):
    """What is wrong with how the mutant was caught, or None; and the cases that it took."""
    meant = mutant["caught_by"]
    # No library promises to be repeatable: that is a note, which ends no run. It is asked for by
    # name, so that a short run has it.
    is_note = meant == "repeatable"
    budget = ["--cases", "2000", "--property", meant] if is_note else ["--time", "40s"]
    with program.scratch() as folder:
        done, lines = program.fuzz(
            folder, "--backend", "mutant:" + mutant["name"], "--ranks", "1-5", "--seed", "11",
            "--deadline", "2s", "--max-findings", "1", *budget)
    cases = program.lines_of_type(lines, "case")
    caught = [place for place, case in enumerate(cases)
              if case.get("properties", {}).get(meant) in ("fail", "note")]
    if not caught:
        return f"{meant} did not fail:\n{done.stdout}{done.stderr}", len(cases)
    wanted = program.PASS if is_note else program.FINDING
    if done.returncode != wanted:
        return f"exit {done.returncode}:\n{done.stdout}{done.stderr}", len(cases)
    return None, caught[0] + 1


class Mutants(unittest.TestCase):
    def test_each_is_caught_by_its_property(self):
        everyone = mutants()
        self.assertGreaterEqual(len(everyone), 60)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            hunts = list(pool.map(hunt, everyone))
        for mutant, (trouble, cases) in zip(everyone, hunts):
            print(f"{cases:6} case{'' if cases == 1 else 's'}: {mutant['name']}")
            with self.subTest(mutant["name"]):
                self.assertIsNone(trouble)

    def test_reference_passes_everything(self):
        with program.scratch() as folder:
            done, lines = program.fuzz(folder, "--backend", "reference", "--ranks", "1-8",
                                       "--seed", "3", "--cases", "1500")
            self.assertEqual(done.returncode, program.PASS, done.stdout + done.stderr)
            summary = program.lines_of_type(lines, "summary")[0]
            self.assertEqual(summary["pass"], 1500)


if __name__ == "__main__":
    unittest.main()
