# SPDX-License-Identifier: GPL-2.0-or-later
"""What each kernel is known to have (truth.tsv), what `fathom doctor` found, and which skips are
expected (skips.tsv).

A feature that the table promises and the program does not find is a failure, and so is the
reverse: otherwise a feature that stops being found would only turn tests into skips.
"""

import contextlib
import fnmatch
import json
import threading

from .errors import LabError

CELLS = ("yes", "no", "-")


def _rows(path):
    with open(path, encoding="utf-8") as source:
        for line in source:
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                yield line.split("\t")


class Truth:
    """The feature table: present[feature][kernel] is "yes", "no" or "-" (not checked)."""

    def __init__(self, path):
        self.path = path
        rows = _rows(path)
        names = next(rows)[1:]
        self.present = {}
        for feature, *cells in rows:
            if len(cells) != len(names) or any(cell not in CELLS for cell in cells):
                raise LabError(f"{path}: row of \"{feature}\" is not {len(names)} of yes, no, -")
            self.present[feature] = dict(zip(names, cells))

    def complaint(self, feature, kernel, found):
        """How `found` (feature id -> doctor's entry) contradicts the table, or None."""
        if feature not in self.present:
            return f"feature {feature} has no row in {self.path}: add it"
        want = self.present[feature].get(kernel, "-")
        entry = found.get(feature)
        if entry is None:
            return f"fathom doctor does not report feature {feature}"
        state = entry.get("state")
        if want == "yes" and not is_there(entry):
            return (f"feature {feature} should be on this kernel and was not found "
                    f"(doctor: {state}, {entry.get('why') or entry.get('how') or 'no reason'})")
        if want == "no" and state != "no":
            return (f"feature {feature} should not be on this kernel and doctor says {state} "
                    f"({entry.get('how') or 'no reason'})")
        return None

    def complaints(self, kernel, found):
        """Every contradiction between the whole table and what was found."""
        checked = [f for f, row in self.present.items() if row.get(kernel, "-") != "-"]
        return [c for c in (self.complaint(f, kernel, found) for f in checked) if c]


def is_there(entry):
    return entry.get("state") in ("yes", "limited")


def read_doctor(path):
    """doctor's JSON as feature id -> entry; LabError if it is malformed."""
    try:
        with open(path, encoding="utf-8", errors="replace") as source:
            return {entry["id"]: entry for entry in json.load(source)["features"]}
    except (ValueError, KeyError, TypeError) as error:
        raise LabError(f"fathom doctor --json printed something else: {error}") from error


class Facts:
    """What doctor found on one kernel, queried once by the first guest that is up."""

    def __init__(self):
        self.known = False
        self.found = {}
        self.error = None
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def asking(self):
        """True for the one who must ask; others wait here until the answer is known."""
        with self._lock:
            if not self.known:
                yield True
                return
        yield False

    def set(self, found, error=None):
        self.found = found
        self.error = error
        self.known = True


class ExpectedSkips:
    """The skips, other than for a missing feature, that are not failures."""

    def __init__(self, path):
        self._rows = []
        for row in _rows(path):
            if len(row) != 3:
                raise LabError(f"{path}: not three columns: {row}")
            self._rows.append(row)

    def allow(self, kernel, test, reason):
        return any(fnmatch.fnmatch(kernel, k) and t == test and reason.startswith(r)
                   for k, t, r in self._rows)
