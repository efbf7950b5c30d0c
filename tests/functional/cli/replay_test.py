"""A finding comes back by its reproduce line, and replay says when it does not."""
import json
import pathlib
import unittest

import program


def shrunk(finding):
    return finding["ranks"], finding["steps"]


class Replay(unittest.TestCase):
    def setUp(self):
        self.scratch = program.scratch()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def find(self, mutant, *more):
        done, lines = program.fuzz(self.folder, "--backend", "mutant:" + mutant, "--ranks", "1-5",
                                   "--seed", "5", "--time", "40s", "--max-findings", "1", *more)
        self.assertEqual(done.returncode, program.FINDING, done.stdout + done.stderr)
        return program.lines_of_type(lines, "finding")[0]

    def test_a_dropped_rank_is_shrunk_to_three_ranks_one_call_and_one_element(self):
        finding = self.find("drops_last_rank")
        self.assertEqual(shrunk(finding), (3, 1))
        self.assertEqual(finding["case"]["program"][0]["count"], 1)
        self.assertEqual(finding["reproduced"], {"hits": 5, "tries": 5})
        self.assertEqual(finding["reproduce"], f"{program.PROGRAM} replay {finding['file']}")
        again = program.run("replay", finding["file"], cwd=self.folder)
        self.assertEqual(again.returncode, program.FINDING, again.stdout)
        self.assertIn("reproduced: 5 of 5", again.stdout)

    def test_the_reproduce_line_can_be_typed_where_the_run_was_started(self):
        where = self.folder / "here"
        where.mkdir()
        for out, expected in [("some where/out", "'some where/out/"),
                              (where / "out", "out/"), ("../elsewhere", "/")]:
            with self.subTest(out=out):
                done = program.run(
                    "fuzz", "--backend", "mutant:drops_last_rank", "--ranks", "3", "--seed", "5",
                    "--cases", "60", "--max-findings", "1", "--out", out, cwd=where)
                line = [l.strip() for l in done.stdout.splitlines() if " replay " in l][0]
                self.assertIn(" replay " + expected, line)
                again = program.subprocess.run(["sh", "-c", line + " --tries 1"], cwd=where,
                                               capture_output=True, text=True, timeout=60)
                self.assertEqual(again.returncode, program.FINDING, again.stdout + again.stderr)

    def test_the_script_at_the_root_is_named_as_it_was_called(self):
        script = self.folder / "allprove"
        script.symlink_to(program.PROGRAM)
        for folder, expected in [(self.folder, "./allprove replay"),
                                 (self.folder / "below", f"{script} replay")]:
            folder.mkdir(exist_ok=True)
            done = program.run(
                "fuzz", "--backend", "mutant:drops_last_rank", "--ranks", "3", "--seed", "5",
                "--cases", "60", "--max-findings", "1", cwd=folder,
                env={"ALLPROVE_COMMAND": str(script)})
            self.assertIn(expected, done.stdout)

    def test_a_replay_writes_its_results_where_it_is_told_to(self):
        finding = self.find("drops_last_rank")
        done = program.run("replay", finding["file"], "--tries", "3", "--out", "again",
                           "--no-known", "--history", "full", cwd=self.folder)
        self.assertEqual(done.returncode, program.FINDING, done.stdout + done.stderr)
        lines = [json.loads(l) for l in
                 (self.folder / "again" / "history.jsonl").read_text().splitlines()]
        self.assertEqual([line["type"] for line in lines],
                         ["run", "case", "case", "case", "finding", "summary"])
        self.assertEqual(lines[0]["command"], "replay")
        self.assertEqual(lines[1]["case"], finding["case"])
        self.assertEqual(lines[-2]["reproduced"], {"hits": 3, "tries": 3})
        self.assertEqual(lines[-1]["fail"], 3)

    def test_a_mended_library_no_longer_reproduces(self):
        finding = self.find("drops_last_rank")
        done = program.run("replay", finding["file"], "--backend", "reference", "--tries", "3",
                           cwd=self.folder)
        self.assertEqual(done.returncode, program.PASS, done.stdout)
        self.assertIn("0 of 3", done.stdout)

    def test_a_case_that_fails_in_another_way_is_not_mended(self):
        file = self.folder / self.find("drops_last_rank")["file"]
        as_found = json.loads(file.read_text())
        file.write_text(json.dumps({**as_found, "outcome": "crash"}))
        done = program.run("replay", file, "--tries", "2", cwd=self.folder)
        self.assertEqual(done.returncode, program.FINDING, done.stdout + done.stderr)
        self.assertIn("does not reproduce: 0 of 2; fails in another way: 2 of 2", done.stdout)

    def test_a_failure_that_needs_a_history_keeps_it(self):
        finding = self.find("wrong_after_100")
        self.assertEqual(finding["steps"], 1)
        self.assertGreater(finding["repeats"], 1)
        again = program.run("replay", finding["file"], "--tries", "2", cwd=self.folder)
        self.assertEqual(again.returncode, program.FINDING, again.stdout)

    def test_a_failure_that_comes_at_random_is_shrunk_and_comes_back_all_the_same(self):
        finding = self.find("at_random")
        self.assertEqual(shrunk(finding), (1, 1), finding["summary"])
        self.assertEqual(finding["case"]["program"][0]["count"], 1)
        again = program.run("replay", finding["file"], cwd=self.folder)
        self.assertEqual(again.returncode, program.FINDING, again.stdout)
        self.assertRegex(again.stdout, "reproduced: [45] of 5")

    def test_what_was_once_found_in_the_reference_is_mended(self):
        corpus = sorted((pathlib.Path(__file__).parents[2] / "corpus").glob("reference-*.json"))
        self.assertTrue(corpus)
        for file in corpus:
            with self.subTest(file.name):
                done = program.run("replay", file, "--tries", "2", "--deadline", "5s",
                                   cwd=self.folder)
                self.assertEqual(done.returncode, program.PASS, done.stdout + done.stderr)

    def test_the_same_seed_gives_the_same_cases(self):
        cases = []
        for name in ("one", "two"):
            done = program.run("fuzz", "--backend", "reference", "--ranks", "1-4", "--cases", "200",
                               "--seed", "9", "--history", "full", "--out", name, cwd=self.folder)
            self.assertEqual(done.returncode, program.PASS, done.stderr)
            lines = (self.folder / name / "history.jsonl").read_text().splitlines()
            cases.append([json.loads(l)["case"] for l in lines if '"type":"case"' in l])
        self.assertEqual(len(cases[0]), 200)
        self.assertEqual(cases[0], cases[1])
        algorithms = {step.get("algorithm", {}).get("name") for case in cases[0]
                      for step in case["program"]}
        self.assertLessEqual({"gather_then_broadcast", "recursive_doubling"}, algorithms)


if __name__ == "__main__":
    unittest.main()
