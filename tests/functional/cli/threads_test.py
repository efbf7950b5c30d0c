"""Programs of several threads, on the libraries that take them."""
import pathlib
import unittest

import program


class Threads(unittest.TestCase):
    def setUp(self):
        self.scratch = program.scratch()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def fuzz(self, backend, *arguments):
        return program.fuzz(self.folder, "--backend", backend, "--ranks", "2-3", "--cases", "40",
                            "--collective", "broadcast,gather,all_to_all", "--seed", "4",
                            "--history", "full", *arguments)

    def test_threads_call_on_communicators_of_their_own(self):
        for backend in program.usable_mpi():
            with self.subTest(backend):
                done, lines = self.fuzz(backend, "--threads", "3")
                self.assertEqual(done.returncode, program.PASS, done.stdout + done.stderr)
                cases = program.lines_of_type(lines, "case")
                ran = [line for line in cases if line["verdict"] != "skip"]
                self.assertEqual({line["verdict"] for line in ran} - {"pass", "note"}, set())
                for reason in lines[-1]["skip_reasons"]:
                    self.assertIn("on intercommunicators", reason)
                threads = {step.get("thread", 0)
                           for line in ran for step in line["case"]["program"]}
                self.assertEqual(threads, {0, 1, 2})
            self.tearDown()
            self.setUp()

    def test_a_library_that_has_one_thread_skips_them(self):
        _, lines = self.fuzz("reference", "--threads", "2")
        skipped = lines[-1]["skip_reasons"]
        self.assertIn("the reference has one thread", skipped)

    def test_a_number_of_threads_is_bounded(self):
        done, _ = self.fuzz("reference", "--threads", "5")
        self.assertEqual(done.returncode, program.USAGE)


if __name__ == "__main__":
    unittest.main()
