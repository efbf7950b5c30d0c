"""Bad input gives one clear line and exit code 64, and nothing half-written."""
import json
import os
import pathlib
import unittest

import program


class BadInput(unittest.TestCase):
    def setUp(self):
        self.scratch = program.scratch()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def expect_usage(self, *arguments, mentions):
        done = program.run(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, program.USAGE, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(mentions, done.stderr)
        self.assertEqual(sorted(self.folder.glob("**/history.jsonl")), [])

    def test_options_that_make_no_sense(self):
        for arguments, mentions in [
                (("fuzz", "--backend", "nothing"), "nothing"),
                (("fuzz", "--backend", "reference:bug"), "takes no"),
                (("fuzz", "--ranks", "0"), "--ranks"),
                (("fuzz", "--ranks", "3-2"), "--ranks"),
                (("fuzz", "--ranks", "two"), "--ranks"),
                (("fuzz", "--cases", "0"), "--cases"),
                (("fuzz", "--cases", "-1"), "cases"),
                (("fuzz", "--time", "soon"), "--time"),
                (("fuzz", "--deadline", "0s"), "--deadline"),
                (("fuzz", "--op", "plus"), "plus"),
                (("fuzz", "--op", "band", "--dtype", "float32"), "--op"),
                (("fuzz", "--dtype", "int33"), "int33"),
                (("fuzz", "--collective", "all-reduce"), "all-reduce"),
                (("fuzz", "--property", "truth"), "truth"),
                (("fuzz", "--env", "NOEQUALS"), "--env"),
                (("fuzz", "--history", "some"), "--history"),
                (("fuzz", "--launcher", "magic"), "--launcher"),
                (("fuzz", "--sandbox", "box"), "--sandbox"),
                (("fuzz", "--backend", "reference", "--launcher", "mpirun"), "--launcher"),
                (("fuzz", "--no-such-option"), "no-such-option"),
                (("fuzz", "--seed", "18446744073709551616"), "--seed"),
                (("fuzz", "--cases", "99999999999999999999"), "--cases"),
                (("fuzz", "--max-findings", "1e3"), "--max-findings"),
                (("fuzz", "--time", "nan"), "--time"),
                (("fuzz", "--backend", "mutant:nosuch"), "averages"),
                (("fuzz", "--fault", "skip"), "allprove fault"),
                (("fault", "--max-findings", "3"), "--max-findings"),
                (("fault", "--history", "some"), "--history"),
                (("fault", "--property", "truth"), "truth"),
                (("fault", "--cases", "0"), "--cases"),
                (("fault", "--fault", "kill"), "reorder"),
                (("replay", "absent.json", "--history", "some"), "--history"),
                (("replay", "absent.json", "--ranks", "2"), "--ranks"),
                (("list", "nonsense"), "nonsense"),
                (("replay", "absent.json"), "absent.json"),
                (("bake",), "bake"),
        ]:
            with self.subTest(arguments=arguments):
                self.expect_usage(*arguments, mentions=mentions)

    def test_a_results_folder_that_cannot_be_written(self):
        (self.folder / "file").write_text("in the way")
        done = program.run("fuzz", "--backend", "reference", "--cases", "1", "--out", "file/out",
                           cwd=self.folder)
        self.assertEqual(done.returncode, program.USAGE, done.stderr)
        self.assertIn("--out", done.stderr)

    def test_malformed_findings(self):
        good = {"schema": 1, "property": "matches_reference", "target": {"name": "reference"},
                "case": {"ranks": 1, "program": [{"kind": "call"}]}}
        text = json.dumps(good)
        for name, content in [
                ("empty", ""), ("truncated", text[:len(text) // 2]), ("list", "[]"),
                ("binary", "\0\1\2"), ("other schema", text.replace('"schema": 1', '"schema": 9')),
                ("no case", json.dumps({**good, "case": None})),
                ("unknown field", text.replace('"kind"', '"kid"')),
                ("unknown name", text.replace('"call"', '"dance"')),
                ("too many ranks", text.replace('"ranks": 1', '"ranks": 1000000')),
                ("negative", text.replace('"ranks": 1', '"ranks": -1')),
                ("other ranks before", json.dumps(
                    {**good, "before": [{"ranks": 2, "program": []}]})),
        ]:
            with self.subTest(name):
                (self.folder / "f.json").write_text(content)
                done = program.run("replay", "f.json", cwd=self.folder)
                self.assertEqual(done.returncode, program.USAGE, done.stdout + done.stderr)
                self.assertIn("f.json", done.stderr)

    def test_a_full_disk(self):
        if not os.path.exists("/dev/full") or os.geteuid() != 0:
            self.skipTest("needs root, to mount a small file system")
        disk = self.folder / "disk"
        disk.mkdir()
        script = (f"mount -t tmpfs -o size=64k small {disk} && cd {disk} && "
                  f"{program.PROGRAM} fuzz --backend reference --ranks 2 --cases 20000 "
                  "--history full --out out; code=$?; "
                  "tail -c 1 out/history.jsonl | od -An -c; exit $code")
        done = program.subprocess.run(["unshare", "-m", "sh", "-c", script], text=True,
                                      capture_output=True, timeout=120)
        self.assertEqual(done.returncode, program.OWN_FAILURE, done.stdout + done.stderr)
        self.assertIn("No space left", done.stderr)
        self.assertTrue(done.stdout.strip().endswith("\\n"), "a half-written line: " + done.stdout)


if __name__ == "__main__":
    unittest.main()
