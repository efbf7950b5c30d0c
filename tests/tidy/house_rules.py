"""Applies every rule of rules.py to the repository; prints what it breaks, as file:line."""

import pathlib
import sys

import rules

FILES_AT_LEAST = 50  # fewer would mean that the tree was not found, and nothing checked


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    tree = rules.read_tree(root)
    if len(tree.files) < FILES_AT_LEAST:
        print(f"only {len(tree.files)} files under {root}: is this the repository?")
        return 1
    complaints = rules.complaints_about(tree)
    for complaint in complaints:
        print(f"{complaint.path}:{complaint.line}: {complaint.text} [{complaint.rule}]")
    print(f"{len(tree.files)} files, {len(rules.RULES)} rules, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
