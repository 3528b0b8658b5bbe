# SPDX-License-Identifier: GPL-2.0-or-later
"""`lab test`: the whole matrix of kernels, CPU counts and tests, and its report."""

import os
import queue
import sys
import threading
import time

from . import kernels, testlist
from .errors import LabError
from .guest import Stopped, env_pairs
from .session import TRUTH_TEST, Result, Session, Setup
from .truth import ExpectedSkips, Truth

LAB_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT_DIR = os.path.dirname(os.path.dirname(LAB_DIR))
PROGRAM_PLACES = ("fathom", "src/fathom", "src/cli/fathom")


class Report:
    """Prints results as they come, and sums them up; used by several threads."""

    def __init__(self, verbose=False):
        self._lock = threading.Lock()
        self._all = []
        self._verbose = verbose

    def add(self, where, result):
        with self._lock:
            self._all.append((where, result))
            reason = f"  {result.reason}" if result.reason else ""
            print(f"{result.verdict}  {where:<9}  {result.test:<28}  {result.seconds:6.1f} s"
                  f"{reason}")
            if self._verbose or result.verdict == "FAIL":
                for line in result.detail:
                    print(f"      | {line}")
            sys.stdout.flush()

    def finish(self, seconds):
        """Print the summary; True if nothing failed and something passed."""
        chosen = {verdict: [(w, r) for w, r in self._all if r.verdict == verdict]
                  for verdict in ("PASS", "FAIL", "SKIP")}
        for verdict, title in (("SKIP", "skipped"), ("FAIL", "failed")):
            for where, result in chosen[verdict]:
                print(f"{title}: {where} {result.test}: {result.reason}")
        print(f"lab: {seconds:.0f} s")
        print(f"{len(chosen['PASS'])} passed, {len(chosen['FAIL'])} failed, "
              f"{len(chosen['SKIP'])} skipped", flush=True)
        return not chosen["FAIL"] and bool(chosen["PASS"])


def _program(build):
    for place in PROGRAM_PLACES:
        path = os.path.join(build, place)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    raise LabError(f"no program in the build directory \"{build}\"; build it first, or name "
                   "another one with --build")


def _sessions(tests, names):
    """(kernel name, CPU count, tests) for all that is to run, in the kernels' order."""
    found = []
    for name in names:
        here = [test for test in tests if name in test.kernels]
        for cpus in sorted({count for test in here for count in test.cpus}):
            found.append((name, cpus, [test for test in here if cpus in test.cpus]))
    return found


def _list(sessions):
    for name, cpus, tests in sessions:
        for test in tests:
            needs = "  needs " + " ".join(test.needs) if test.needs else ""
            print(f"{name}/{cpus}  {test.name}  limit {test.timeout} s{needs}")
    return 0


def _work(todo, setup_for, report, stop):
    """Thread: take sessions until there are none."""
    while not stop.is_set():
        try:
            name, cpus, tests, check_truth = todo.get_nowait()
        except queue.Empty:
            return
        where = f"{name}/{cpus}"
        try:
            Session(setup_for(check_truth), kernels.get(name), cpus, tests,
                    lambda result, where=where: report.add(where, result)).run()
        except Stopped:
            return
        except Exception as error:  # pylint: disable=broad-except
            # Whatever goes wrong in here must not look like tests that were never asked for.
            report.add(where, Result("FAIL", "lab", 0, f"{type(error).__name__}: {error}"))


def _run_all(jobs, work, stop):
    """Run `work` in so many threads; an interruption of this one ends them all."""
    threads = [threading.Thread(target=work) for _ in range(jobs)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)
    finally:
        stop.set()
        for thread in threads:
            if thread.ident:
                thread.join()


def test(args):
    """Run the lab tests that match, on the kernels asked for."""
    names = args.kernel or list(kernels.KERNELS)
    for name in names:
        if name not in kernels.KERNELS:
            raise LabError(f"no kernel \"{name}\"; there are {', '.join(kernels.KERNELS)}")
    build = os.path.abspath(args.build or os.path.join(ROOT_DIR, "build"))
    tests = testlist.load(os.path.abspath(args.tests), build, args.patterns)
    sessions = _sessions(tests, names)
    if args.list:
        return _list(sessions)
    with_truth = testlist.matches(TRUTH_TEST, args.patterns)
    if not sessions and with_truth:
        sessions = [(name, 2, []) for name in names]
    if not sessions:
        raise LabError("no test matches")
    env = {"FATHOM": _program(build), "LAB_BUILD": build,
           "LAB_TESTS": os.path.abspath(args.tests), "LAB_TRUTH": os.path.abspath(args.truth),
           "LAB_WORKLOADS": os.path.join(build, "tests", "workloads"), **env_pairs(args.env)}
    truth_table = Truth(args.truth)
    skips = ExpectedSkips(args.skips)
    for name in dict.fromkeys(session[0] for session in sessions):
        kernels.get(name)

    report = Report(args.verbose)
    stop = threading.Event()
    todo = queue.Queue()
    checked = set()
    # The longest first, so that none is left to run alone at the end.
    for name, cpus, here in sorted(sessions, key=lambda session: -len(session[2])):
        todo.put((name, cpus, here, with_truth and name not in checked))
        checked.add(name)
    begin = time.monotonic()

    def setup_for(check_truth):
        return Setup(truth_table, skips, env, check_truth, stop)

    _run_all(args.jobs, lambda: _work(todo, setup_for, report, stop), stop)
    return 0 if report.finish(time.monotonic() - begin) else 1
