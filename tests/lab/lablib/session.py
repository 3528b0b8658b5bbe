# SPDX-License-Identifier: GPL-2.0-or-later
"""One kernel with one CPU count: its guests, and the verdict on each test that runs in them.

Tests run in one guest as long as it stays usable. A guest that dies, hangs, or is left in a state
that cannot be cleaned, is replaced by a new one for the tests that remain.
"""

import os
import time

from . import truth
from .errors import LabError
from .guest import Guest, GuestDied, default_env, job_script

GUEST_DIR = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "guest")
EXIT_SKIP = 77
EXIT_TIME_LIMIT = (124, 137)
# The guest ends a test at its time limit; one that is silent for so much longer hangs.
HANG_GRACE = 60
DOCTOR_LIMIT = 150
SHOWN_LINES = 80
TRUTH_TEST = "doctor-truth"


class Result:
    """The verdict on one test: PASS, FAIL or SKIP, why, and what to show of it."""

    def __init__(self, verdict, test, seconds=0.0, reason="", detail=()):
        self.verdict = verdict
        self.test = test
        self.seconds = seconds
        self.reason = reason
        self.detail = list(detail)


class Setup:
    """What is the same for all sessions of a run."""

    def __init__(self, truth_table, skips, env, check_truth, stop):
        self.truth = truth_table
        self.skips = skips
        self.env = env
        self.check_truth = check_truth
        self.stop = stop


class Session:
    """Runs `tests` on `kernel` with `cpus` CPUs and hands each Result to `report`."""

    def __init__(self, setup, kernel, cpus, tests, report):
        self._setup = setup
        self._kernel = kernel
        self._cpus = cpus
        self._waiting = list(tests)
        self._report = report
        self._found = None
        self._doctor_error = None

    def run(self):
        while self._waiting or self._found is None:
            before = len(self._waiting)
            first = self._found is None
            with Guest(self._kernel, self._cpus, stop=self._setup.stop) as guest:
                try:
                    self._run_guest(guest, first)
                except GuestDied as death:
                    if len(self._waiting) == before:
                        self._fail_all(f"{death}", guest.console_tail())
                        return

    def _fail_all(self, reason, detail):
        for test in self._waiting:
            self._report(Result("FAIL", test.name, 0, reason, detail))
            detail = ()
        self._waiting = []
        if self._found is None:
            self._found = {}
            self._report(Result("FAIL", TRUTH_TEST, 0, reason, detail))

    def _run_guest(self, guest, first):
        env = default_env()
        env.update(self._setup.env)
        env.update(LAB_KERNEL=self._kernel.name, LAB_RELEASE=self._kernel.release,
                   LAB_CPUS=str(self._cpus))
        if first:
            env["LAB_DOCTOR"] = "yes"
        driver = os.path.join(GUEST_DIR, "driver")
        guest.start(job_script(["/run/bin/busybox", "sh", driver], env, "/"))
        if first:
            self._ask_doctor(guest)
            self._waiting = [test for test in self._waiting if self._may_run(test)]
        if self._waiting:
            self._hand_over(guest)
            self._follow(guest)

    def _ask_doctor(self, guest):
        end = time.monotonic() + DOCTOR_LIMIT
        while not os.path.exists(guest.path("doctor.rc")):
            if guest.exit_code() is not None or time.monotonic() > end:
                raise GuestDied("the guest did not get through `fathom doctor`")
            guest.pause()
        self._found = {}
        errors = _lines(guest.path("doctor.err"))
        try:
            with open(guest.path("doctor.json"), encoding="utf-8", errors="replace") as source:
                self._found = truth.parse_doctor(source.read())
            complaints = self._setup.truth.complaints(self._kernel.name, self._found)
        except LabError as error:
            self._doctor_error = str(error)
            complaints = [str(error)] + errors
        if self._setup.check_truth:
            self._report(Result("FAIL" if complaints else "PASS", TRUTH_TEST, 0,
                                complaints[0] if complaints else "", complaints[1:]))

    def _may_run(self, test):
        """Whether the kernel has what the test needs; if not, its result is reported."""
        for feature in test.needs:
            reason = self._doctor_error or self._setup.truth.complaint(
                feature, self._kernel.name, self._found)
            if reason:
                self._report(Result("FAIL", test.name, 0, reason))
                return False
        for feature in test.needs:
            if not truth.is_there(self._found[feature]):
                self._report(Result("SKIP", test.name, 0, f"kernel lacks {feature}"))
                return False
        return True

    def _hand_over(self, guest):
        new = guest.path("tests.new")
        with open(new, "w", encoding="utf-8") as sink:
            for number, test in enumerate(self._waiting):
                sink.write(f"{number} {test.timeout} {test.path}\n")
        os.rename(new, guest.path("tests"))

    def _follow(self, guest):
        """Report each test as the guest gets done with it."""
        tests = list(self._waiting)
        running = None
        seen = 0
        deadline = time.monotonic() + HANG_GRACE
        while True:
            death = None
            try:
                ended = guest.exit_code() is not None
            except GuestDied as error:
                death = error
            lines = _lines(guest.path("results"), whole=True)
            for line in lines[seen:]:
                what, *words = line.split()
                if what == "start":
                    running = int(words[0])
                    deadline = time.monotonic() + tests[running].timeout + HANG_GRACE
                elif what == "end":
                    self._waiting.remove(tests[running])
                    self._report(self._judge(guest, tests[running], *words))
                    running = None
                    deadline = time.monotonic() + HANG_GRACE
            seen = len(lines)
            if time.monotonic() > deadline:
                death = GuestDied("the guest hangs")
            if death:
                if running is not None:
                    self._blame(guest, tests[running], running, str(death))
                raise death
            if ended:
                return
            guest.pause()

    def _blame(self, guest, test, number, reason):
        """Fail the test during which the guest died, with what it and the kernel said."""
        self._waiting.remove(test)
        detail = _tail(_lines(guest.path(f"out/{number}"))) + ["the console's tail:"]
        self._report(Result("FAIL", test.name, 0, reason, detail + guest.console_tail()))

    def _judge(self, guest, test, number, code, seconds):
        output = _lines(guest.path(f"out/{number}"))
        code = int(code)
        problems = []
        detail = _tail(output)
        for name, problem in (("log", "the kernel complained"),
                              ("left", "left tracefs changed"),
                              ("procs", "left processes running")):
            lines = _lines(guest.path(f"{name}/{number}"))
            if lines:
                problems.append(problem)
                detail += [f"{problem}:"] + _tail(lines)
        if code in EXIT_TIME_LIMIT and float(seconds) >= test.timeout:
            problems.insert(0, f"over its time limit of {test.timeout} s")
        elif code not in (0, EXIT_SKIP):
            problems.insert(0, f"exit code {code}")
        if not problems and code == EXIT_SKIP:
            reason = output[0] if output else "no reason given"
            if self._setup.skips.allow(self._kernel.name, test.name, reason):
                return Result("SKIP", test.name, float(seconds), reason)
            problems.append(f"unexpected skip: {reason}")
        if problems:
            return Result("FAIL", test.name, float(seconds), "; ".join(problems), detail)
        return Result("PASS", test.name, float(seconds), "", detail)


def _tail(lines):
    """The last SHOWN_LINES lines, with a note of how many there were before."""
    hidden = len(lines) - SHOWN_LINES
    return [f"({hidden} lines before)"] + lines[hidden:] if hidden > 0 else list(lines)


def _lines(path, whole=False):
    """The lines of a file, none if it is not there; only finished ones if `whole`."""
    try:
        with open(path, encoding="utf-8", errors="replace") as source:
            text = source.read()
    except FileNotFoundError:
        return []
    if whole:
        text = text[:text.rfind("\n") + 1]
    return text.splitlines()
