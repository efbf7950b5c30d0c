"""What befalls a world from outside: once, so that it never comes back."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

import program

STAT_PARENT = 1  # fields of /proc/<pid>/stat behind the name


def processes_of(driver):
    """The driver's children, and theirs: {pid: (parent, name, slot of a rank or None)}."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name, rest = (entry / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            environment = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        slots = [word.split(b"=")[1] for word in environment if word.startswith(b"ALLPROVE_SLOT=")]
        found[int(entry.name)] = (int(rest.split()[STAT_PARENT]), name,
                                  int(slots[0]) if slots else None)
    family = {driver}
    for _ in range(4):
        family |= {pid for pid, (parent, _, _) in found.items() if parent in family}
    return {pid: found[pid] for pid in family & found.keys() if pid != driver}


class Outside(unittest.TestCase):
    def befall(self, folder, choose, number, *arguments):
        """A run of fuzz in whose world one process, once chosen, gets a signal."""
        run = subprocess.Popen(
            [str(program.PROGRAM), "fuzz", "--backend", "reference", "--ranks", "3", "--seed", "4",
             "--out", "out", "--deadline", "2s", *arguments], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        deadline = time.monotonic() + 60
        chosen = None
        while chosen is None and time.monotonic() < deadline:
            time.sleep(0.05)
            if program.lines_of_type(program.whole_lines(folder), "case"):
                chosen = choose(run.pid, processes_of(run.pid))
        if chosen is not None:
            os.kill(chosen, number)
        output, _ = run.communicate(timeout=120)
        self.assertIsNotNone(chosen, output)
        return run, output, program.history(folder)

    def befall_rank(self, folder, number):
        return self.befall(
            folder, lambda _, family: next((pid for pid, (_, _, slot) in family.items()
                                            if slot == 1), None),
            number, "--time", "60s", "--max-findings", "1")

    def test_a_rank_killed_once_is_a_finding_that_stands_as_it_was_found(self):
        with program.scratch() as folder:
            run, output, lines = self.befall_rank(folder, signal.SIGKILL)
            self.assertEqual(run.returncode, program.FINDING, output)
            finding = program.lines_of_type(lines, "finding")[0]
            self.assertEqual((finding["outcome"], finding["blame"]), ("crash", [1]), output)
            self.assertEqual(finding["reproduced"]["hits"], 0)
            self.assertLess(finding["reproduced"]["tries"], 8)
            self.assertTrue(finding["before"])

    def test_a_rank_stopped_once_is_named_and_not_those_that_wait_for_it(self):
        with program.scratch() as folder:
            run, output, lines = self.befall_rank(folder, signal.SIGSTOP)
            self.assertEqual(run.returncode, program.FINDING, output)
            finding = program.lines_of_type(lines, "finding")[0]
            self.assertEqual((finding["outcome"], finding["blame"]), ("hang", [1]), output)
            self.assertIn("rank 1 is stopped", finding["summary"])

    def test_a_killed_spawner_is_our_own_failure(self):
        def spawner(driver, family):
            return next((pid for pid, (parent, name, _) in family.items()
                         if name.startswith("allprove-spawn") and parent == driver), None)

        def init(driver, family):
            outer = spawner(driver, family)
            return next((pid for pid, (parent, _, slot) in family.items()
                         if parent == outer and slot is None), None)

        chosen = {"none": [spawner]}
        if os.geteuid() == 0:
            chosen["ns"] = [spawner, init]
        for sandbox, choices in chosen.items():
            for choose in choices:
                with self.subTest(f"{sandbox}, {choose.__name__}"), program.scratch() as folder:
                    run, output, lines = self.befall(folder, choose, signal.SIGKILL, "--time", "4s",
                                                     "--sandbox", sandbox)
                    self.assertEqual(run.returncode, program.OWN_FAILURE, output)
                    self.assertEqual(program.lines_of_type(lines, "finding"), [])
                    summary = program.lines_of_type(lines, "summary")[0]
                    self.assertEqual((summary["unknown"], summary["fail"]), (1, 0), output)


if __name__ == "__main__":
    unittest.main()
