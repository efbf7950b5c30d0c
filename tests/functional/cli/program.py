"""Runs the built program, with a bound on everything."""
import json
import os
import pathlib
import subprocess
import tempfile

BIN = pathlib.Path(os.environ["ALLPROVE_BIN"])
PROGRAM = BIN / "allprove"

PASS, FINDING, OWN_FAILURE, USAGE, NOTHING_CHECKED = 0, 1, 2, 64, 77


def run(*arguments, cwd, bound_s=120, env=None):
    """The finished process, with its output as text."""
    return subprocess.run(
        [str(PROGRAM), *map(str, arguments)], cwd=cwd, timeout=bound_s, text=True,
        capture_output=True, stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})})


def fuzz(folder, *arguments, **more):
    """A run of fuzz with its results in folder/out: the process and the lines of its history."""
    done = run("fuzz", "--out", "out", *arguments, cwd=folder, **more)
    return done, history(folder)


def history(folder):
    path = pathlib.Path(folder) / "out" / "history.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def whole_lines(folder):
    """As history(), of a run that goes on: its last line may be half written."""
    path = pathlib.Path(folder) / "out" / "history.jsonl"
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def lines_of_type(lines, kind):
    return [line for line in lines if line["type"] == kind]


def scratch():
    return tempfile.TemporaryDirectory(prefix="allprove-test-")


def usable_mpi():
    """The MPI backends of this build."""
    listed = json.loads((BIN / "backends.json").read_text())["backends"]
    return [b["name"] for b in listed if not b["why_not"] and b["name"] in ("openmpi", "mpich")]
