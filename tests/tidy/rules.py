"""The house rules that a machine can check: which layer may include which, and the form of files.

A rule is a function from one file and the whole tree to its complaints. RULES lists them all;
house_rules.py applies them to the repository, rules_test.py shows that each can fail.
"""

import collections
import dataclasses
import os
import pathlib
import re

LINES_MAX = 450
TEST_LINES_MAX = 600  # a list of examples needs no seam
COLUMNS_MAX = 100

CPP = (".h", ".cpp", ".c")
COMMENT_OF = {".h": "//", ".cpp": "//", ".c": "//", ".py": '"""', ".cmake": "#"}
SKIPPED_FOLDERS = {".git", "build", "allprove-results", "__pycache__", ".cache"}

# What each folder may include with quotes; the longest matching folder decides, and every folder
# may include itself. Arrows only point down.
BASE = "framework/base"
MODEL = "framework/model"
ORACLE = "framework/oracle"
RUN = "framework/run"
FOR_BACKENDS = ["framework/run/worker", "framework/run/protocol.h"]
MAY_INCLUDE = {
    BASE: [],
    MODEL: [BASE],
    ORACLE: [BASE, MODEL],
    RUN: [BASE, MODEL, ORACLE],
    "framework/run/launch": [BASE],
    # What a fault does to a rank's program is said by faults/, and done by the rank.
    "framework/run/worker": [BASE, MODEL, ORACLE, RUN, "faults/apply.h"],
    "framework/search": [BASE, MODEL, ORACLE],
    "framework/report": ["framework"],
    "properties": [BASE, MODEL, ORACLE],
    "faults": [BASE, MODEL, ORACLE],
    "backends": [BASE, MODEL, ORACLE, *FOR_BACKENDS],
    "backends/mutant": [BASE, MODEL, ORACLE, *FOR_BACKENDS, "backends/reference"],
    "cli": ["framework", "properties", "faults"],
    "tests": ["framework", "properties", "faults", "backends", "cli"],
    "ci": ["framework", "properties", "faults", "backends"],
}
# Libraries that stay behind one layer.
ONLY_IN = {
    "rapidcheck": ["framework/search", "tests"],
    "mpi.h": ["backends", "ci", "known", "tests"],
    "pmix": ["framework/run/launch"],
    "CLI/": ["cli"],
    "gtest/": ["tests"],
    "gmock/": ["tests"],
}


@dataclasses.dataclass
class File:
    """One text file: its path from the root with forward slashes, its text, its mode."""

    path: str
    text: str
    executable: bool = False

    def __post_init__(self):
        self.lines = self.text.splitlines()
        self.folder = os.path.dirname(self.path)
        self.suffix = pathlib.PurePosixPath(self.path).suffix

    @property
    def is_script(self):
        return self.text.startswith("#!")

    @property
    def is_code(self):
        return self.suffix in (*CPP, ".py", ".sh", ".cmake") or self.is_script or (
            self.path.endswith("CMakeLists.txt"))


class Tree:
    """All text files by path, and every folder that holds something."""

    def __init__(self, files):
        self.files = {file.path: file for file in files}
        self.folders = {"."}
        for path in self.files:
            self.folders.update(str(parent) for parent in pathlib.PurePosixPath(path).parents)

    def has(self, path):
        return path in self.files or path in self.folders


def read_tree(root):
    files = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders
                      if name not in SKIPPED_FOLDERS and not name.startswith("build-")]
        for name in names:
            path = pathlib.Path(folder, name)
            if path.is_symlink() or not path.is_file() or name == ".git":  # of a worktree
                continue
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue  # a picture
            files.append(File(path.relative_to(root).as_posix(), text, os.access(path, os.X_OK)))
    return Tree(files)


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def includes(file, opening):
    """(line number, name) of each #include that opens with `opening`: a quote or '<'."""
    pattern = re.compile(r"\s*#\s*include\s*" + opening + r'([^">]+)[">]')
    for number, line in enumerate(file.lines, 1):
        if match := pattern.match(line):
            yield number, match[1]


def layer_of(path):
    """The longest folder of MAY_INCLUDE that holds `path`; a backend's own folder counts."""
    held = [folder for folder in MAY_INCLUDE if inside(path, folder)]
    layer = max(held, key=len, default=None)
    return layer


def own_folder(path, layer):
    """What `path` may always include: its layer, but for a backend its own folder only."""
    parts = path.split("/")
    return "/".join(parts[:2]) if layer.startswith("backends") and len(parts) > 2 else layer


# ---- the rules


def layers_include_downwards(file, _tree):
    layer = layer_of(file.path) if file.suffix in CPP else None
    if layer is None:
        return
    allowed = [*MAY_INCLUDE[layer], own_folder(file.path, layer)]
    for number, name in includes(file, '"'):
        if not any(inside(name, folder) for folder in allowed):
            yield number, f"{layer} may not include {name}"


def libraries_stay_in_their_layer(file, _tree):
    if file.suffix not in CPP:
        return
    for number, name in includes(file, "<"):
        for library, folders in ONLY_IN.items():
            if name.startswith(library) and not any(inside(file.path, f) for f in folders):
                yield number, f"<{name}> belongs in {' or '.join(folders)} alone"


def includes_start_at_the_root(file, tree):
    if file.suffix not in CPP:
        return
    for number, name in includes(file, '"'):
        if not tree.has(name):
            yield number, f'"{name}" is no file of this tree, seen from its root'


def own_header_comes_first(file, tree):
    header = re.sub(r"\.cpp$", ".h", file.path)
    if file.suffix != ".cpp" or not tree.has(header):
        return
    for number, line in enumerate(file.lines, 1):
        if re.match(r"\s*#\s*include", line):
            if f'"{header}"' not in line:
                yield number, f'the first include must be "{header}"'
            return
    yield 1, f'does not include "{header}"'


def headers_have_pragma_once(file, _tree):
    if file.suffix == ".h" and "#pragma once" not in file.lines:
        yield 1, "no #pragma once"


def told_by_its_header(file, tree):
    """A source whose header says what lives here; a test that opens with its subject's header."""
    if file.suffix != ".cpp":
        return False
    subject = re.sub(r"_test\.cpp$", ".h", os.path.basename(file.path))
    return tree.has(re.sub(r"\.cpp$", ".h", file.path)) or (
        file.lines[0].startswith("#include ") and file.lines[0].endswith(f'/{subject}"'))


def files_open_with_a_comment(file, tree):
    comment = ("#", '"""') if file.is_script else COMMENT_OF.get(file.suffix)
    if comment is None or not file.lines or told_by_its_header(file, tree):
        return
    first = 1 if file.is_script else 0
    if len(file.lines) <= first or not file.lines[first].startswith(comment):
        yield first + 1, "a file opens with a comment that says what lives in it"


def files_are_short(file, _tree):
    limit = TEST_LINES_MAX if str(file.path).startswith("tests/") else LINES_MAX
    if file.is_code and len(file.lines) > limit:
        yield limit + 1, f"{len(file.lines)} lines, {limit} at most: look for the seam"


def lines_are_short_and_clean(file, _tree):
    for number, line in enumerate(file.lines, 1):
        if file.is_code and len(line) > COLUMNS_MAX:
            yield number, f"{len(line)} columns, {COLUMNS_MAX} at most"
        if "\t" in line:
            yield number, "a tab"
        if line != line.rstrip():
            yield number, "space at the end of the line"
    if file.text and not file.text.endswith("\n"):
        yield len(file.lines), "no end of line at the end of the file"


HOME_PATH = re.compile(r"(?<![\w./$}*-])/(?:home|root|Users|work)/\w")


def no_path_of_one_machine(file, _tree):
    for number, line in enumerate(file.lines, 1):
        if HOME_PATH.search(line):
            yield number, "an absolute path of somebody's machine"


def no_std_any(file, _tree):
    if file.suffix not in CPP:
        return
    for number, line in enumerate(file.lines, 1):
        if re.search(r"\bstd::any\b|#include\s*<any>", line):
            yield number, "std::any hides a type: name it"


def links_resolve(file, tree):
    if file.suffix != ".md":
        return
    fenced = False
    for number, line in enumerate(file.lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:|#", target):
                continue
            path = os.path.normpath(os.path.join(file.folder, target.split("#")[0]))
            if not tree.has(path):
                yield number, f"the link to {target} leads nowhere"


def scripts_are_executable(file, _tree):
    if file.is_script != file.executable:
        yield 1, ("starts with #! but is not executable" if file.is_script
                  else "is executable but does not start with #!")
    elif file.suffix == ".sh" and not file.is_script:
        yield 1, "a script starts with #!"


RULES = [
    layers_include_downwards,
    libraries_stay_in_their_layer,
    includes_start_at_the_root,
    own_header_comes_first,
    headers_have_pragma_once,
    files_open_with_a_comment,
    files_are_short,
    lines_are_short_and_clean,
    no_path_of_one_machine,
    no_std_any,
    links_resolve,
    scripts_are_executable,
]

Complaint = collections.namedtuple("Complaint", "path line rule text")


def complaints_about(tree, rules=None):
    found = []
    for file in tree.files.values():
        for rule in rules or RULES:
            found += [Complaint(file.path, line, rule.__name__, text)
                      for line, text in rule(file, tree)]
    return sorted(found)
