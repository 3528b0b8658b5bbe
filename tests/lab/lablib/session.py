# SPDX-License-Identifier: GPL-2.0-or-later
"""The guests of one worker on one kernel and CPU count, and the verdict on each test in them.

Tests run in one guest as long as it stays usable. A guest that dies, hangs, or is left in a state
that cannot be cleaned, is replaced by a new one for the tests that remain.
"""

import itertools
import os
import shutil
import time

from . import truth
from .errors import LabError
from .guest import Guest, GuestDied, default_env, job_script

GUEST_DIR = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "guest")
EXIT_SKIP = 77
EXIT_TIME_LIMIT = (124, 137)
# The guest ends a test at its time limit; one that is silent for this much longer hangs.
HANG_GRACE = int(os.environ.get("LAB_HANG_GRACE", "60"))
DOCTOR_LIMIT = 150
COLLECT_LIMIT = 120
SHOWN_LINES = 80
TRUTH_TEST = "doctor-truth"


class Result:
    """The result of one test: PASS, FAIL or SKIP, the reason, and what to show of it."""

    def __init__(self, verdict, test, seconds=0.0, reason="", detail=()):
        self.verdict = verdict
        self.test = test
        self.seconds = seconds
        self.cpu_seconds = 0.0
        self.reason = reason
        self.detail = list(detail)


class Setup:
    """What all sessions of a run share."""

    def __init__(self, options, truth_table, skips, env, stop):
        self.options = options
        self.truth = truth_table
        self.skips = skips
        self.env = env
        self.stop = stop
        self._guests = itertools.count()

    def guest_seed(self):
        """The seed for the tests of the next guest; with --fresh, each run has another one."""
        return self.options.seed + (next(self._guests) if self.options.fresh else 0)


class Session:
    """Runs the tests of `pool` until none is left, and passes each Result to `report`."""

    def __init__(self, setup, kernel, pool, facts, report):
        self._setup = setup
        self._kernel = kernel
        self._pool = pool
        self._facts = facts
        self._report = report
        # Of the current guest:
        self._number = 0
        self._running = None
        self._names = []
        self._seed = 0

    def run(self):
        while len(self._pool) or not self._facts.known:
            self._number = 0
            self._names = []
            self._seed = self._setup.guest_seed()
            with self._new_guest() as guest:
                try:
                    self._run_guest(guest)
                except GuestDied as death:
                    if not self._names:
                        self._fail_all(str(death), guest.console_tail())
                        return

    def _new_guest(self):
        return Guest(self._kernel, self._pool.cpus, stop=self._setup.stop,
                     steady=self._pool.steady,
                     from_snapshot=self._setup.options.snapshot)

    def _fail_all(self, reason, detail):
        for test in self._pool.take_all():
            self._report(Result("FAIL", test.name, 0, reason, detail))
            detail = ()
        if not self._facts.known:
            self._facts.set({}, reason)
            self._report(Result("FAIL", TRUTH_TEST, 0, reason, detail))

    def _run_guest(self, guest):
        with self._facts.asking() as first:
            self._start(guest, first)
            if first:
                self._ask_doctor(guest)
        self._pool.filter(self._may_run)
        self._follow(guest)
        if self._setup.options.collect:
            self._collect(guest)

    def _start(self, guest, first):
        options = self._setup.options
        # Text is wrapped where names and PIDs make a line too long; tests search for whole sentences.
        env = {**default_env(), "COLUMNS": "10000"}
        env.update(self._setup.env)
        env.update(LAB_KERNEL=self._kernel.name, LAB_RELEASE=self._kernel.release,
                   LAB_CPUS=str(self._pool.cpus), LAB_SEED=str(self._seed))
        if first:
            env["LAB_DOCTOR"] = "yes"
        if options.collect:
            env["LAB_COLLECT"] = options.collect
        driver = os.path.join(GUEST_DIR, "driver")
        guest.start(job_script(["/run/bin/busybox", "sh", driver], env, "/"))

    def _ask_doctor(self, guest):
        end = time.monotonic() + DOCTOR_LIMIT
        while not os.path.exists(guest.path("doctor.rc")):
            if guest.exit_code() is not None or time.monotonic() > end:
                raise GuestDied("the guest did not get through `fathom doctor`")
            guest.pause()
        errors = _lines(guest.path("doctor.err"))
        try:
            found = truth.read_doctor(guest.path("doctor.json"))
            tried = truth.read_doctor(guest.path("doctor-try.json"))
            complaints = list(dict.fromkeys(
                complaint for answers in (found, tried)
                for complaint in self._setup.truth.complaints(self._kernel.name, answers)))
            self._facts.set(found)
        except LabError as error:
            self._facts.set({}, str(error))
            complaints = [str(error)] + errors
        if self._setup.options.check_truth:
            self._report(Result("FAIL" if complaints else "PASS", TRUTH_TEST, 0,
                                complaints[0] if complaints else "", complaints[1:]))

    def _may_run(self, test):
        """Whether the kernel has what the test needs; if not, reports the result."""
        for feature in test.needs:
            reason = self._facts.error or self._setup.truth.complaint(
                feature, self._kernel.name, self._facts.found)
            if reason:
                self._report(Result("FAIL", test.name, 0, reason))
                return False
        for feature in test.needs:
            if not truth.is_there(self._facts.found[feature]):
                self._report(Result("SKIP", test.name, 0, f"kernel lacks {feature}"))
                return False
        return True

    def _hand_over(self, guest):
        """Give the guest its next test; False if there is none."""
        if self._setup.options.fresh and self._names:
            test = None
        else:
            test = self._pool.take()
        if test is None:
            open(guest.path("no-more"), "wb").close()
            return False
        self._running = test
        self._names.append(test.name)
        new = guest.path("test.new")
        with open(new, "w", encoding="utf-8") as sink:
            sink.write(f"{test.timeout} {test.path}\n")
        os.rename(new, guest.path(f"test-{self._number}"))
        return True

    def _follow(self, guest):
        """Pass on tests, and report each when the guest has finished it."""
        self._running = None
        seen = 0
        used = guest.cpu_seconds()
        while self._running or self._hand_over(guest):
            deadline = time.monotonic() + self._running.timeout + HANG_GRACE
            ended = []
            while not ended:
                self._await_result(guest, deadline)
                lines = _lines(guest.path("results"), whole=True)
                ended = [line.split()[2:] for line in lines[seen:] if line.startswith("end ")]
                seen = len(lines)
            code, seconds, state = ended[0]
            result = self._judge(guest, self._running, int(code), float(seconds))
            before, used = used, guest.cpu_seconds()
            result.cpu_seconds = max(used - before, 0)
            self._report(result)
            self._running = None
            self._number += 1
            if state == "unclean":
                return

    def _collect(self, guest):
        """Keep the directory that the guest copies for us before it ends."""
        end = time.monotonic() + COLLECT_LIMIT
        while guest.exit_code() is None and time.monotonic() < end:
            guest.pause()
        if guest.exit_code() is None or not os.path.exists(guest.path("collected")):
            raise LabError(f"no \"{self._setup.options.collect}\" from the guest")
        name = f"{self._pool.where.replace('/', '-')}-{os.path.basename(guest.control)}"
        shutil.move(guest.path("collected"),
                    os.path.join(self._setup.options.keep, "collected", name))

    def _await_result(self, guest, deadline):
        """Let the guest work for a moment; blame the running test if it died or hangs."""
        try:
            if guest.exit_code() is None:
                guest.pause()
            if time.monotonic() > deadline:
                raise GuestDied("the guest hangs")
        except GuestDied as death:
            self._blame(guest, str(death))
            raise

    def _blame(self, guest, reason):
        """Fail the test during which the guest died, with its output and the kernel's."""
        detail = _tail(_lines(guest.path(f"out/{self._number}")))
        self._report(self._failure(guest, self._running, 0, reason, detail))

    def _judge(self, guest, test, code, seconds):
        number = self._number
        output = _lines(guest.path(f"out/{number}"))
        problems = []
        detail = _tail(output)
        for name, problem in (("log", "the kernel complained"),
                              ("left", "left tracefs changed"),
                              ("procs", "left processes running")):
            lines = _lines(guest.path(f"{name}/{number}"))
            if lines:
                problems.append(problem)
                detail += [f"{problem}:"] + _tail(lines)
        if code in EXIT_TIME_LIMIT and seconds >= test.timeout:
            problems.insert(0, f"over its time limit of {test.timeout} s")
        elif code not in (0, EXIT_SKIP):
            problems.insert(0, f"exit code {code}")
        if not problems and code == EXIT_SKIP:
            reason = output[0] if output else "no reason given"
            if self._setup.skips.allow(self._kernel.name, test.name, reason):
                return Result("SKIP", test.name, seconds, reason)
            problems.append(f"unexpected skip: {reason}")
        if problems:
            return self._failure(guest, test, seconds, "; ".join(problems), detail)
        return Result("PASS", test.name, seconds, "", detail)

    def _failure(self, guest, test, seconds, reason, detail):
        """A failed test, with everything needed to understand it without a second run."""
        changed = _lines(guest.path(f"state/{self._number}"))
        detail = (["its output:"] + detail
                  + ["tracefs when it ended, where it differs from before:"]
                  + (_tail(changed) or ["(nothing)"])
                  + ["the console's tail:"] + guest.console_tail())
        before = self._names[:-1]
        if before:
            detail.append("before it in the same guest: " + " ".join(before))
        detail.append(f"seed {self._seed}; again: tests/lab/lab test "
                      f"-k {self._kernel.name} --seed {self._seed} --in-order "
                      + " ".join(before + [test.name]))
        kept = self._keep(guest, test)
        if kept:
            detail.append(f"kept: {kept}")
        return Result("FAIL", test.name, seconds, reason, detail)

    def _keep(self, guest, test):
        """Copy the files of a failed test, including recordings, to where they are kept."""
        if not self._setup.options.keep:
            return None
        target = os.path.join(self._setup.options.keep,
                              f"{self._pool.where.replace('/', '-')}-{test.name}")
        shutil.rmtree(target, ignore_errors=True)
        try:
            os.makedirs(target)
            for name, source in (("output", f"out/{self._number}"), ("console", "console"),
                                 ("kernel-log", f"log/{self._number}"),
                                 ("tracefs", f"state/{self._number}")):
                if os.path.exists(guest.path(source)):
                    shutil.copy(guest.path(source), os.path.join(target, name))
            if os.path.isdir(guest.path(f"files/{self._number}")):
                shutil.copytree(guest.path(f"files/{self._number}"),
                                os.path.join(target, "files"), symlinks=True)
        except (OSError, shutil.Error) as error:
            return f"nothing ({error})"
        return target


def _tail(lines):
    """The last SHOWN_LINES lines, with a note of how many there were before."""
    hidden = len(lines) - SHOWN_LINES
    return [f"({hidden} lines before)"] + lines[hidden:] if hidden > 0 else list(lines)


def _lines(path, whole=False):
    """The lines of a file, none if it does not exist; with `whole` only complete ones."""
    try:
        with open(path, encoding="utf-8", errors="replace") as source:
            text = source.read()
    except FileNotFoundError:
        return []
    if whole:
        text = text[:text.rfind("\n") + 1]
    return text.splitlines()
