#!/usr/bin/env python3
"""Runs the conformance data of this folder through a command. README.md describes the lines that it reads and writes."""
import argparse
import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent

# The keys of a result, by the kind of file. A case of kind captcha has one of the keys.
EXPECTED = {
    "candidates": ["candidates", "limit"],
    "verdicts": ["expect"],
    "upgrades": ["refused", "kept"],
    "regex": ["ok", "offset"],
    "backtracking": ["ok", "offset"],
    "policies": ["ok", "problems", "resolved"],
    "captcha": [],
}
# For kind captcha: a given key, and the expected key. The first row whose given key exists counts.
CAPTCHA = [
    ("of", "rule"),
    ("target", "state"),
    ("opens", "opens"),
    ("passMinutes", "cookie"),
    ("excuses", "excuses"),
    ("solved", "solved"),
]


class Broken(Exception):
    """The command does not follow the protocol."""


def expected_keys(kind, case):
    if kind != "captcha":
        return EXPECTED[kind]
    return [next(expected for given, expected in CAPTCHA if given in case)]


def cases(kinds):
    """Yields question and expected result of each case."""
    for kind in kinds:
        for path in sorted(FOLDER.glob(f"{kind}-*.json")):
            for group in json.loads(path.read_text("ascii")):
                shared = {key: value for key, value in group.items() if key not in ("description", "tests")}
                for case in group["tests"]:
                    keys = expected_keys(kind, case)
                    given = {key: value for key, value in case.items() if key != "description" and key not in keys}
                    yield {"kind": kind, **shared, **given}, {key: case[key] for key in keys if key in case}


def comparable(result, expected):
    """Removes what a result may have in addition: texts of problems, and keys of a policy that are not tested."""
    result = dict(result)
    if "problems" in result:
        places = [[problem.get(key) for key in ("kind", "path", "line")] for problem in result["problems"]]
        result["problems"] = sorted(places, key=json.dumps)
    if "resolved" in result:
        tested = expected.get("resolved", {})
        result["resolved"] = {key: value for key, value in result["resolved"].items() if key in tested}
    return {key: value for key, value in result.items() if value != {}}


def ask(command, question):
    try:
        command.stdin.write(json.dumps(question) + "\n")
        command.stdin.flush()
        line = command.stdout.readline()
    except BrokenPipeError:
        line = ""
    if not line:
        raise Broken(f"the command ended at {question['id']} with status {command.wait()}; expected a line with its result")
    try:
        result = json.loads(line)
    except ValueError:
        result = None
    if not isinstance(result, dict):
        raise Broken(f"the result of {question['id']} is not a JSON object: {json.dumps(line[:200])}")
    return result


def run(kinds, arguments):
    """Returns how many results are as expected, and how many differ."""
    passed = failed = 0
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as command:
        for question, expected in cases(kinds):
            result = ask(command, question)
            if comparable(result, expected) == comparable(expected, expected):
                passed += 1
            else:
                failed += 1
                print(f"{question['id']}: expected {json.dumps(expected)}, got {json.dumps(result)}")
        command.stdin.close()
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", action="append", choices=list(EXPECTED), help="kind of file; default: all kinds")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the command and its arguments, after --")
    options = parser.parse_args()
    try:
        passed, failed = run(options.kind or list(EXPECTED), options.command)
    except (Broken, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
