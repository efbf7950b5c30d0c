"""./allprove and ci/build: built when needed, silent when not, safe when several run at once.

They run in a copy of the scripts around a toy project, whose program is a shell script, so that
nothing of the real tree is built or touched.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
NOBODY = 65534
PROGRAM = '#!/bin/sh\necho "version %s:" "$@"\nexit 7\n'
TOY_PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES NONE)
file(GLOB sources CONFIGURE_DEPENDS cli/*.sh)
add_custom_command(OUTPUT bin/allprove COMMAND cp ${sources} bin/allprove
                   DEPENDS ${sources} VERBATIM)
add_custom_target(all_of_it ALL DEPENDS bin/allprove)
"""


class AllproveScript(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="allprove test "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        self.tree = self.folder / "the tree"
        for name in ("ci", "cmake", "framework", "properties", "faults", "backends", "cli"):
            (self.tree / name).mkdir(parents=True)
        for name in ("allprove", "ci/build", "ci/install-deps", "CMakePresets.json"):
            shutil.copy(SOURCE / name, self.tree / name)
        (self.tree / "CMakeLists.txt").write_text(TOY_PROJECT)
        self.write_program(1)
        self.stamp = self.tree / "build/release/.up-to-date"

    def write_program(self, version):
        program = self.tree / "cli/main.sh"
        program.write_text(PROGRAM % version)
        program.chmod(0o755)

    def run_it(self, *arguments, script=None, user=None, path=None):
        environment = dict(os.environ, ALLPROVE_INSTALL="no")
        environment.pop("ALLPROVE_PRESET", None)
        if path:
            environment["PATH"] = path
        return subprocess.run(
            [script or self.tree / "allprove", *arguments],
            cwd="/", env=environment, capture_output=True, text=True, timeout=50, user=user)

    def expect_run(self, done, version, *arguments):
        self.assertEqual(done.stdout, " ".join([f"version {version}:", *arguments]) + "\n", done)
        self.assertEqual(done.returncode, 7, done)

    def test_builds_then_runs_with_arguments_and_exit_code(self):
        done = self.run_it("fuzz", "two words", "*")
        self.expect_run(done, 1, "fuzz", "two words", "*")
        self.assertIn("building", done.stderr)

    def test_is_silent_and_builds_nothing_when_up_to_date(self):
        self.run_it()
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "cmake").write_text("#!/bin/sh\nexit 1\n")
        (tools / "cmake").chmod(0o755)
        done = self.run_it("again", path=f"{tools}:{os.environ['PATH']}")
        self.expect_run(done, 1, "again")
        self.assertEqual(done.stderr, "")

    def test_builds_again_after_a_change_an_addition_and_a_deletion(self):
        self.run_it()
        self.write_program(2)
        self.expect_run(self.run_it(), 2)
        before = self.stamp.read_text()
        extra = self.tree / "framework/extra.h"
        extra.write_text("// new\n")
        self.expect_run(self.run_it(), 2)
        self.assertIn("framework/extra.h", self.stamp.read_text())
        extra.unlink()
        self.expect_run(self.run_it(), 2)
        self.assertEqual(self.stamp.read_text(), before)

    def test_builds_again_when_a_file_goes_back_in_time(self):
        self.run_it()
        self.write_program(2)
        os.utime(self.tree / "cli/main.sh", (1, 1))
        before = self.stamp.read_text()
        self.run_it()
        self.assertNotEqual(self.stamp.read_text(), before)

    def test_the_program_learns_by_which_script_it_was_called(self):
        (self.tree / "cli/main.sh").write_text('#!/bin/sh\necho "$ALLPROVE_COMMAND"\n')
        self.assertEqual(self.run_it().stdout.strip(), str(self.tree / "allprove"))

    def test_works_through_a_symbolic_link(self):
        link = self.folder / "a link"
        link.symlink_to(self.tree / "allprove")
        self.expect_run(self.run_it("x", script=link), 1, "x")

    def test_works_after_the_tree_was_moved(self):
        self.run_it()
        moved = self.folder / "moved"
        self.tree.rename(moved)
        self.tree = moved
        self.write_program(2)
        self.expect_run(self.run_it(), 2)

    def test_a_failing_build_exits_2_and_shows_the_log(self):
        (self.tree / "CMakeLists.txt").write_text('message(FATAL_ERROR "planted")\n')
        done = self.run_it()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("planted", done.stderr)
        self.assertIn("build/release/build.log", done.stderr)
        self.assertEqual(self.run_it().returncode, 2)  # a failure is not remembered as done

    def test_several_at_once_build_one_time(self):
        self.write_program(3)
        count = self.folder / "builds"
        with open(self.tree / "CMakeLists.txt", "a", encoding="utf-8") as project:
            project.write(f'file(APPEND "{count}" "x")\n')
        environment = dict(os.environ, ALLPROVE_INSTALL="no")
        runs = [subprocess.Popen([self.tree / "allprove"], env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                for _ in range(4)]
        for run in runs:
            self.assertEqual(run.communicate(timeout=50)[0].strip(), "version 3:")
            self.assertEqual(run.returncode, 7)
        self.assertEqual(count.read_text(), "x")

    def test_a_user_who_cannot_write_runs_what_is_built(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to become another user")
        self.run_it()
        done = self.run_it("x", user=NOBODY)
        self.expect_run(done, 1, "x")
        self.assertEqual(done.stderr, "")
        self.write_program(2)
        done = self.run_it("x", user=NOBODY)
        self.expect_run(done, 1, "x")
        self.assertIn("cannot be written", done.stderr)
        shutil.rmtree(self.tree / "build")
        self.assertEqual(self.run_it("x", user=NOBODY).returncode, 2)

    def test_what_is_no_preset_is_refused_and_leaves_nothing(self):
        for word in ("--help", "nonsense", "base", "../release"):
            with self.subTest(word=word):
                done = self.run_it(word, script=self.tree / "ci/build")
                self.assertEqual(done.returncode, 64, done.stderr)
                self.assertIn("asan-ubsan ci dev release tsan", done.stderr)
                self.assertFalse((self.tree / "build").exists())

    def test_takes_another_preset_from_the_environment(self):
        os.environ["ALLPROVE_PRESET"] = "dev"
        self.addCleanup(os.environ.pop, "ALLPROVE_PRESET")
        (self.tree / "tests").mkdir()
        done = subprocess.run([self.tree / "allprove"], capture_output=True, text=True, timeout=50,
                              env=dict(os.environ, ALLPROVE_INSTALL="no"))
        self.expect_run(done, 1)
        self.assertTrue((self.tree / "build/dev/bin/allprove").exists())
        self.assertFalse((self.tree / "build/release").exists())


if __name__ == "__main__":
    unittest.main()
