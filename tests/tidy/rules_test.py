"""Each house rule complains about what it is there for, and leaves alone what is right."""

import unittest

import rules
from rules import File, Tree

HEADER = "// What lives here.\n#pragma once\n"
# Written in two parts, so that this file itself obeys the rule.
MACHINE_PATH = "/ho" + "me/somebody/allprove"

def with_includes(rows):
    return [(path, f"#include {bad}\n", f"#include {good}\n") for path, bad, good in rows]


# A file, what it may not include, what it may.
LAYERS = [
    ("framework/model/a.h", '"framework/run/b.h"', '"framework/base/b.h"'),
    ("framework/base/a.h", '"framework/model/b.h"', '<vector>'),
    ("framework/oracle/a.h", '"framework/run/b.h"', '"framework/model/b.h"'),
    ("framework/run/a.h", '"framework/search/b.h"', '"framework/run/launch/b.h"'),
    ("framework/run/worker/a.h", '"faults/classify.h"', '"faults/apply.h"'),
    ("framework/run/launch/a.h", '"framework/model/b.h"', '"framework/base/b.h"'),
    ("framework/search/a.h", '"framework/report/b.h"', '"framework/oracle/b.h"'),
    ("framework/report/a.h", '"properties/b.h"', '"framework/run/b.h"'),
    ("properties/a.h", '"framework/run/b.h"', '"framework/oracle/b.h"'),
    ("properties/a.h", '"faults/b.h"', '"properties/b.h"'),
    ("faults/a.h", '"backends/mpi/b.h"', '"framework/model/b.h"'),
    ("backends/mpi/a.h", '"backends/reference/b.h"', '"backends/mpi/b.h"'),
    ("backends/mpi/a.h", '"framework/run/b.h"', '"framework/run/worker/b.h"'),
    ("backends/reference/a.h", '"backends/mutant/b.h"', '"framework/oracle/b.h"'),
    ("backends/mutant/a.h", '"backends/mpi/b.h"', '"backends/reference/b.h"'),
    ("framework/report/a.h", '"cli/b.h"', '"framework/search/b.h"'),
    ("cli/a.h", '"backends/mpi/b.h"', '"properties/b.h"'),
    ("cli/a.h", '"tests/support/b.h"', '"cli/b.h"'),
]
LIBRARIES = [
    ("cli/a.h", "<rapidcheck.h>", "<CLI/CLI.hpp>"),
    ("framework/report/a.h", "<CLI/CLI.hpp>", "<string>"),
    ("framework/run/a.h", "<mpi.h>", "<map>"),
    ("framework/run/a.h", "<pmix_server.h>", "<poll.h>"),
]

# rule -> (a path, a text that breaks the rule once, a text that keeps it)
BAD_AND_GOOD = {
    rules.layers_include_downwards: with_includes(LAYERS),
    rules.libraries_stay_in_their_layer: with_includes(LIBRARIES),
    rules.includes_start_at_the_root: [
        ('cli/a.cpp', '#include "b.h"\n', '#include "cli/b.h"\n'),
    ],
    rules.own_header_comes_first: [
        ('cli/b.cpp', '#include <map>\n#include "cli/b.h"\n', '#include "cli/b.h"\n'),
        ('cli/b.cpp', 'int x;\n', '// Text.\n\n#include "cli/b.h"\n'),
    ],
    rules.headers_have_pragma_once: [
        ('cli/a.h', '// Text.\nint f();\n', HEADER),
    ],
    rules.files_open_with_a_comment: [
        ('cli/a.cpp', '#include <map>\n', '// What lives here.\n#include <map>\n'),
        ('cli/c.h', '#pragma once\n', '// What lives here.\n#pragma once\n'),
        ('cmake/A.cmake', 'include_guard()\n', '# What it does.\ninclude_guard()\n'),
        ('cli/a.cpp', '#include "cli/c.h"\n', '// The program.\n'),
        ('ci/a', '#!/bin/sh\necho\n', '#!/bin/sh\n# Says nothing.\necho\n'),
        ('tests/a.py', 'import os\n', '"""What lives here."""\n'),
    ],
    rules.files_are_short: [
        ('cli/a.cpp', "//\n" * (rules.LINES_MAX + 1), "//\n" * rules.LINES_MAX),
    ],
    rules.lines_are_short_and_clean: [
        ('cli/a.cpp', "// " + "x" * rules.COLUMNS_MAX + "\n", "// short\n"),
        ('cli/a.cpp', "//\ttab\n", "// no tab\n"),
        ('docs/a.md', "space at the end \n", "none\n"),
        ('docs/a.md', "no newline", "newline\n"),
    ],
    rules.no_path_of_one_machine: [
        ('docs/a.md', f"see {MACHINE_PATH}\n", "see $HOME/allprove and build/work/x\n"),
    ],
    rules.no_std_any: [
        ('cli/a.cpp', "std::any x;\n", "bool y = std::any_of(a, b, c);\n"),
    ],
    rules.links_resolve: [
        ('docs/a.md', "[b](b.md)\n", "[b](../cli/b.h#part), [c](https://x.org), `[d](d.md)`\n"),
    ],
    rules.scripts_are_executable: [
        ('ci/a', "#!/bin/sh\n", "just text\n"),
        ('ci/a.sh', "echo\n", "#\n"),
    ],
}


def complaints(rule, path, text, executable=False):
    tree = Tree([File(path, text, executable), File("cli/b.h", HEADER)])
    return [c for c in rules.complaints_about(tree, [rule]) if c.path == path]


class RulesTest(unittest.TestCase):
    def test_every_rule_can_fail(self):
        self.assertEqual(set(BAD_AND_GOOD), set(rules.RULES))
        for rule, examples in BAD_AND_GOOD.items():
            for path, bad, _ in examples:
                with self.subTest(rule=rule.__name__, path=path, text=bad[:60]):
                    self.assertEqual(len(complaints(rule, path, bad)), 1)

    def test_every_rule_can_pass(self):
        for rule, examples in BAD_AND_GOOD.items():
            for path, _, good in examples:
                executable = path.endswith(".sh")
                if executable:
                    good = "#!/bin/sh\n"
                with self.subTest(rule=rule.__name__, path=path, text=good[:60]):
                    self.assertEqual(complaints(rule, path, good, executable), [])

    def test_a_source_with_a_header_leaves_the_comment_to_the_header(self):
        rule = rules.files_open_with_a_comment
        self.assertEqual(complaints(rule, "cli/b.cpp", '#include "cli/b.h"\n'), [])
        self.assertEqual(complaints(rule, "tests/b_test.cpp", '#include "cli/b.h"\n'), [])
        self.assertEqual(len(complaints(rule, "tests/x_test.cpp", '#include "cli/b.h"\n')), 1)

    def test_an_executable_file_must_be_a_script(self):
        rule = rules.scripts_are_executable
        self.assertEqual(len(complaints(rule, "cli/a.cpp", "// text\n", executable=True)), 1)

    def test_every_layer_of_the_repository_has_an_include_rule(self):
        for folder in ("framework/base", "framework/run/worker", "properties", "faults",
                       "backends/mpi", "cli", "tests/unit"):
            self.assertIsNotNone(rules.layer_of(folder + "/a.h"))


if __name__ == "__main__":
    unittest.main()
