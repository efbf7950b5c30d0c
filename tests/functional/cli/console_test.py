"""What a person sees: each finding once, errors of the library, and no silence when it is lost."""
import resource
import subprocess
import unittest

import program

FUZZ = ("fuzz", "--backend", "reference", "--ranks", "2", "--cases", "20")


class Console(unittest.TestCase):
    def test_output_that_cannot_be_written_is_not_silent(self):
        for command in (("list",), ("list", "--json"), ("doctor",), ("--help",), FUZZ,
                        ("lab", "--backend", "reference")):
            with self.subTest(command=command), program.scratch() as folder, \
                    open("/dev/full", "w") as full:
                done = subprocess.run([str(program.PROGRAM), *command], cwd=folder, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=120)
                self.assertEqual(done.returncode, program.OWN_FAILURE, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn("stdout", done.stderr)

    def test_too_few_files_are_named_as_the_reason(self):
        for limit in (8, 12, 16, 20):
            with self.subTest(limit=limit), program.scratch() as folder:
                done = subprocess.run(
                    [str(program.PROGRAM), "fuzz", "--backend", "reference", "--ranks", "8",
                     "--cases", "5"], cwd=folder, timeout=120,
                    capture_output=True, text=True,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
                self.assertEqual(done.returncode, program.OWN_FAILURE, done.stdout + done.stderr)
                self.assertIn(f"the limit is {limit}; raise it", done.stderr)

    def test_each_finding_is_told_once_with_the_cases_it_shows_in(self):
        with program.scratch() as folder:
            done, lines = program.fuzz(folder, "--backend", "mutant:averages", "--ranks", "2-3",
                                       "--seed", "4", "--cases", "300")
            findings = [l for l in program.lines_of_type(lines, "finding") if not l["known"]]
            told = [l for l in done.stdout.splitlines() if l.startswith("FINDING")]
            self.assertEqual(len(told), len(findings), done.stdout)
            self.assertNotIn(" fails: ", done.stdout)
            summary = program.lines_of_type(lines, "summary")[0]
            self.assertEqual(sum(summary["shown_by"].values()), summary["fail"])
            self.assertEqual({"out/" + file for file in summary["shown_by"]},
                             {finding["file"] for finding in findings})
            for file, count in summary["shown_by"].items():
                self.assertIn(f"{file} shows in {count} case", done.stdout)
            self.assertNotRegex(done.stdout, r"\b1 (findings|cases)\b")

    def test_a_backend_named_twice_runs_once(self):
        with program.scratch() as folder:
            _, lines = program.fuzz(folder, "--backend", "reference,reference", "--backend",
                                    "reference", "--ranks", "2", "--cases", "5")
            self.assertEqual(program.lines_of_type(lines, "summary")[0]["cases"], 5)

    def test_errors_of_the_library_are_told_with_the_ranks_that_got_them(self):
        with program.scratch() as folder:
            done = program.run("fault", "--backend", "mutant:refuses_in_place", "--ranks", "2",
                               "--collective", "all_gather", "--seed", "1", "--cases", "20",
                               "--deadline", "2s", "--out", "out", cwd=folder)
            cases = program.lines_of_type(program.history(folder), "case")
            errors = [error for case in cases for error in case["errors"]]
            self.assertTrue(errors, done.stdout)
            for error in errors:
                self.assertIn(f"error {error['code']}: {error['message'][:100]}", done.stdout)

    def test_the_lab_tells_of_each_step_as_soon_as_it_is_done(self):
        with program.scratch() as folder:
            with subprocess.Popen([str(program.PROGRAM), "lab", "--backend", "reference"],
                                  cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True) as lab:
                for line in lab.stdout:
                    if line.startswith("1-3."):
                        break
                lab.terminate()
                rest, _ = lab.communicate(timeout=120)
                self.assertNotIn("Question 4", rest)

    def test_options_that_mean_nothing_are_not_offered(self):
        for command, offered in [("fuzz", {"--max-findings"}), ("fault", {"--fault"}),
                                 ("replay", set())]:
            text = program.run(command, "--help", cwd="/").stdout
            shown = {option for option in ("--fault", "--max-findings") if option in text}
            self.assertEqual(shown, offered, text)
            for option in ("--backend", "--out", "--no-known", "--history", "--deadline"):
                self.assertIn(option, text)


if __name__ == "__main__":
    unittest.main()
