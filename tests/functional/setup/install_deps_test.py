"""ci/install-deps, with stand-ins for dpkg-query, apt-get, sudo: nothing is really installed."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "ci/install-deps"
NOBODY = 65534

# The installed packages are the lines of the file `installed`; the ones in `broken` never install.
DPKG_QUERY = """#!/bin/sh
while read -r package; do echo "$package ii"; done <"$HERE/installed"
"""
APT_GET = """#!/bin/bash
echo "$*" >>"$HERE/apt-calls"
[[ " $* " == *" install "* ]] || exit 0
packages=()
for word in "$@"; do
  [[ $word == -* || $word == *=* || $word == install ]] || packages+=("$word")
done
for package in "${packages[@]}"; do grep -qx "$package" "$HERE/broken" && exit 100; done
printf '%s\\n' "${packages[@]}" >>"$HERE/installed"
"""
NOTHING_TO_WAIT_FOR = "#!/bin/sh\n"


class InstallDeps(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="allprove-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        for name, text in (("dpkg-query", DPKG_QUERY), ("apt-get", APT_GET),
                           ("sleep", NOTHING_TO_WAIT_FOR), ("sudo", "#!/bin/sh\nexit 1\n")):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        listed = subprocess.run([SCRIPT, "--list"], capture_output=True, text=True, check=True)
        self.packages = listed.stdout.split()
        (self.folder / "broken").write_text("")
        self.install_all_but()

    def install_all_but(self, *missing):
        installed = [package for package in self.packages if package not in missing]
        (self.folder / "installed").write_text("\n".join(installed) + "\n")

    def run_it(self, user=None):
        environment = dict(os.environ, HERE=str(self.folder),
                           PATH=f"{self.folder}:{os.environ['PATH']}")
        environment.pop("ALLPROVE_INSTALL", None)
        return subprocess.run([SCRIPT], env=environment, capture_output=True, text=True,
                              timeout=50, user=user)

    def apt_calls(self):
        calls = self.folder / "apt-calls"
        return calls.read_text() if calls.exists() else ""

    def test_does_and_says_nothing_when_all_is_there(self):
        done = self.run_it()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.apt_calls(), "")

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_installs_only_what_is_missing_and_says_so(self):
        self.install_all_but("libfmt-dev", "mpich")
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("libfmt-dev mpich", done.stderr)
        self.assertIn("--no-install-recommends libfmt-dev mpich\n", self.apt_calls())
        self.assertEqual(self.run_it().stderr, "")

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_a_required_package_that_does_not_install_is_an_error(self):
        self.install_all_but("libfmt-dev")
        (self.folder / "broken").write_text("libfmt-dev\n")
        done = self.run_it()
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("apt-get install libfmt-dev", done.stderr)

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_an_optional_package_that_does_not_install_is_a_warning(self):
        self.install_all_but("libfmt-dev", "mpich", "openmpi-bin")
        (self.folder / "broken").write_text("mpich\n")
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("warning: could not install mpich;", done.stderr)
        installed = (self.folder / "installed").read_text().split()
        self.assertIn("libfmt-dev", installed)
        self.assertIn("openmpi-bin", installed)

    @unittest.skipIf(os.geteuid() != 0, "needs root, to become another user")
    def test_without_root_it_says_what_to_install(self):
        self.install_all_but("libfmt-dev", "mpich")
        done = self.run_it(user=NOBODY)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("apt-get install libfmt-dev\n", done.stderr)
        self.assertEqual(self.apt_calls(), "")

    @unittest.skipIf(os.geteuid() != 0, "needs root, to become another user")
    def test_without_root_a_missing_optional_package_is_no_error(self):
        self.install_all_but("mpich")
        done = self.run_it(user=NOBODY)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("built without: mpich", done.stderr)

    def test_an_unknown_option_is_bad_usage(self):
        done = subprocess.run([SCRIPT, "--lits"], capture_output=True, text=True, timeout=50)
        self.assertEqual(done.returncode, 64)


if __name__ == "__main__":
    unittest.main()
