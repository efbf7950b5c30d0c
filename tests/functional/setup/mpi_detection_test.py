"""cmake/AllproveMpi.cmake: which MPIs a build finds, told by their compiler wrappers.

The wrappers are stand-ins that speak like Open MPI's, MPICH's and others', around an mpi.h of one
line; a toy project builds a worker with each.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
MPI_H = "#pragma once\ninline int MPI_Init(int*, char***) { return 0; }\n"
MAIN = '#include <mpi.h>\nint main(int c, char** v) { return MPI_Init(&c, &v); }\n'
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "{source}/cmake")
include(AllproveBuild)
include(AllproveMpi)
allprove_mpi_worker(openmpi MPICXX mpicxx.one LIBRARY "Open MPI" GET "get one" SOURCES main.cpp)
allprove_mpi_worker(mpich MPICXX mpicxx.two SOURCES main.cpp)
allprove_mpi_worker(absent MPICXX mpicxx.absent GET "get \\"it\\"" SOURCES main.cpp)
allprove_mpi_worker(broken MPICXX mpicxx.broken SOURCES main.cpp)
allprove_mpi_extra_workers(SOURCES main.cpp)
allprove_write_backends()
"""


class MpiDetection(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="allprove-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(source=SOURCE))
        (self.folder / "main.cpp").write_text(MAIN)
        (self.folder / "include").mkdir()
        (self.folder / "include/mpi.h").write_text(MPI_H)
        include = self.folder / "include"
        # The C++ bindings and the distribution's own flags must not reach us.
        self.wrapper("one", f'case $1 in --showme:compile) echo "-I{include}";; '
                            '--showme:link) echo "-L/usr/lib -lmpi_cxx -lm";; *) exit 1;; esac')
        self.wrapper("two", f'case $1 in -compile_info|-link_info) echo "g++ -Wl,-z,relro -flto '
                            f'-O2 -I{include} -lmpichcxx -lm";; *) exit 1;; esac')
        (self.folder / "mpirun").write_text("#!/bin/sh\n")
        self.wrapper("three", f'case $1 in -show) echo "icpc -I {include} -lmpicxx";; '
                              '*) exit 1;; esac')
        self.wrapper("broken", 'echo "-I/nowhere"')

    def wrapper(self, name, body):
        path = self.folder / f"mpicxx.{name}"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def configure(self, *options):
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        return subprocess.run(
            ["cmake", "-G", "Ninja", "-S", self.folder, "-B", self.folder / "build", *options],
            env=environment, capture_output=True, text=True, timeout=100)

    def backends(self):
        text = (self.folder / "build/bin/backends.json").read_text()
        return {backend["name"]: backend for backend in json.loads(text)["backends"]}

    def test_builds_a_worker_for_each_mpi_and_records_what_is_missing(self):
        done = self.configure(f"-DALLPROVE_MPI_EXTRA=own={self.folder}/mpicxx.three")
        self.assertEqual(done.returncode, 0, done.stderr)
        subprocess.run(["ninja", "-C", self.folder / "build"], check=True, timeout=100,
                       stdout=subprocess.DEVNULL)
        backends = self.backends()
        families = {"openmpi": "openmpi", "mpich": "mpich", "own": "mpich"}
        for name, family in families.items():
            self.assertEqual(backends[name]["family"], family)
            self.assertEqual(backends[name]["extra"], name == "own")
            worker = self.folder / "build/bin" / backends[name]["worker"]
            self.assertEqual(subprocess.run([worker], timeout=50).returncode, 0)
        for name, reason in (("absent", "was not found"), ("broken", "does not build")):
            self.assertEqual(backends[name]["worker"], "")
            self.assertIn(reason, backends[name]["why_not"])
            self.assertIn(f"backend {name}: left out", done.stdout)
        self.assertEqual(backends["own"]["mpirun"], f"{self.folder}/mpirun")
        self.assertEqual(backends["absent"]["get"], 'get "it"')

    def test_a_wrapper_that_got_mended_is_found_the_next_time(self):
        self.configure()
        self.assertEqual(self.backends()["broken"]["worker"], "")
        self.wrapper("broken", f'echo "-I{self.folder}/include"')
        self.configure()
        self.assertNotEqual(self.backends()["broken"]["worker"], "")

    def test_can_leave_out_every_mpi(self):
        self.configure("-DALLPROVE_MPI=OFF")
        self.assertFalse(any(backend["worker"] for backend in self.backends().values()))

    def test_a_malformed_extra_mpi_fails_configure(self):
        done = self.configure("-DALLPROVE_MPI_EXTRA=mpicxx")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("is not name=/path/to/mpicxx", done.stderr)


if __name__ == "__main__":
    unittest.main()
