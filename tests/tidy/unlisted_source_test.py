"""A source or test that no CMakeLists.txt lists fails configure: code that nobody builds rots."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
STRAYS = ["framework/base/stray.cpp", "properties/stray.cpp", "tests/unit/model/stray_test.cpp"]


class UnlistedSource(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="allprove-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = self.folder / "tree"
        shutil.copytree(SOURCE, self.tree, ignore=shutil.ignore_patterns(
            "build", "build-*", ".git", "allprove-results", "__pycache__"))

    def configure(self):
        return subprocess.run(
            ["cmake", "--preset", "ci", "-DALLPROVE_MPI=OFF"], cwd=self.tree,
            capture_output=True, text=True, timeout=100)

    def test_a_stray_file_fails_configure_by_name(self):
        for stray in STRAYS:
            (self.tree / stray).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / stray).write_text("// Nobody lists this.\n")
        done = self.configure()
        self.assertNotEqual(done.returncode, 0)
        for stray in STRAYS:
            self.assertIn(stray, done.stderr)
            (self.tree / stray).unlink()
        done = self.configure()
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
