"""An interrupt ends a run within a second; a killed driver leaves nothing behind."""
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

import program

SETTLE_S = 5


def start(folder, *arguments):
    return subprocess.Popen(
        [str(program.PROGRAM), "fuzz", "--time", "60s", "--out", "out", *arguments], cwd=folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "TMPDIR": str(temporary(folder))})


def temporary(folder):
    """A /tmp of the run's own: what others leave in the real one is not its doing."""
    path = pathlib.Path(folder) / "tmp"
    path.mkdir(exist_ok=True)
    return path


def marked_processes(folder):
    """Processes that carry this test's mark in their environment or arguments."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if str(folder).encode() in words and state != "Z" and int(entry.name) != os.getpid():
            found.append(entry.name)
    return found


def files_left(folder):
    """Files in the run's own temporary folder, and in /dev/shm; the tests run this one alone."""
    return set(os.listdir(temporary(folder))) | set(os.listdir("/dev/shm"))


class Lifecycle(unittest.TestCase):
    def backends(self):
        return ["reference", *program.usable_mpi()]

    def test_interrupt_ends_the_run_with_a_summary(self):
        for backend in self.backends():
            with self.subTest(backend), program.scratch() as folder:
                run = start(folder, "--backend", backend, "--ranks", "4")
                time.sleep(3)
                run.send_signal(signal.SIGINT)
                began = time.monotonic()
                output, _ = run.communicate(timeout=30)
                # One second is the promise; the rest is for a loaded machine.
                self.assertLess(time.monotonic() - began, 5, output)
                self.assertEqual(run.returncode, 130, output)
                summary = program.lines_of_type(program.history(folder), "summary")
                self.assertEqual(len(summary), 1, output)
                self.assertGreater(summary[0]["pass"], 0, output)
                self.assertTrue(summary[0]["interrupted"])

    def test_a_killed_driver_leaves_no_process_and_no_file(self):
        rng = random.Random(4)
        for backend in self.backends():
            for sandbox in ("ns", "none"):
                with self.subTest(f"{backend}, {sandbox}"), program.scratch() as folder:
                    if sandbox == "ns" and os.geteuid() != 0:
                        continue  # sandbox_test covers what an unprivileged user may do
                    before = files_left(folder)
                    run = start(folder, "--backend", backend, "--ranks", "2-4", "--sandbox",
                                sandbox, "--env", f"TEST_MARK={folder}")
                    time.sleep(rng.uniform(0.05, 2.5))
                    run.kill()
                    run.communicate(timeout=30)
                    deadline = time.monotonic() + SETTLE_S
                    while time.monotonic() < deadline:
                        if not marked_processes(folder) and files_left(folder) <= before:
                            break
                        time.sleep(0.1)
                    self.assertEqual(marked_processes(folder), [])
                    self.assertEqual(files_left(folder) - before, set())


if __name__ == "__main__":
    unittest.main()
