# SPDX-License-Identifier: GPL-2.0-or-later
"""`lab test`: the whole matrix of kernels, CPU counts and tests, and its report."""

import os
import random
import sys
import threading
import time

from . import kernels, load, testlist
from .errors import LabError
from .guest import Stopped, env_pairs
from .pool import Pool, make_plan
from .session import TRUTH_TEST, Result, Session, Setup
from .truth import ExpectedSkips, Facts, Truth

LAB_DIR = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT_DIR = os.path.dirname(os.path.dirname(LAB_DIR))
TEST_DIRS = [os.path.join(LAB_DIR, "tests"), os.path.join(ROOT_DIR, "tests", "security")]
PROGRAM_PLACES = ("fathom", "src/fathom", "src/cli/fathom")
SLOWEST = 10


class Report:
    """Prints results as they arrive, and sums them up; used by several threads."""

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

    def _print_times(self):
        by_place = {}
        for where, result in self._all:
            by_place[where] = by_place.get(where, 0) + result.seconds
        for where, seconds in sorted(by_place.items(), key=lambda item: -item[1]):
            count = sum(1 for place, _ in self._all if place == where)
            print(f"time: {where:<9}  {seconds:7.1f} s in {count} tests")
        slowest = sorted(self._all, key=lambda item: -item[1].seconds)[:SLOWEST]
        for where, result in slowest:
            print(f"slowest: {result.seconds:6.1f} s  {where} {result.test}")

    def write_times(self, path):
        """Keep a line for each result: seconds, where, test, verdict, CPU seconds of the host.

        The CPU time hardly depends on what else the host does, so that it can be compared between runs.
        """
        with open(path, "w", encoding="utf-8") as sink:
            for where, result in sorted(self._all, key=lambda item: -item[1].seconds):
                sink.write(f"{result.seconds:.1f}\t{where}\t{result.test}\t{result.verdict}"
                           f"\t{result.cpu_seconds:.1f}\n")

    def finish(self, seconds):
        """Print the summary; True if nothing failed and something passed."""
        self._print_times()
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


def _list(plan):
    for pool in plan.pools:
        for test in sorted(pool.take_all(), key=lambda test: test.name):
            needs = "  needs " + " ".join(test.needs) if test.needs else ""
            print(f"{pool.where}  {test.name}  limit {test.timeout} s{needs}")
    return 0


def _work(plan, setup, facts, report):
    """Thread: serve pools until all are done."""
    while not setup.stop.is_set():
        pool = plan.next_pool()
        if pool is None:
            return
        try:
            Session(setup, kernels.get(pool.kernel), pool, facts[pool.kernel],
                    lambda result, where=pool.where: report.add(where, result)).run()
        except Stopped:
            return
        except Exception as error:  # pylint: disable=broad-except
            # No failure in here may look like tests that were never requested.
            report.add(pool.where, Result("FAIL", "lab", 0, f"{type(error).__name__}: {error}"))
        finally:
            plan.release(pool)


def _run_all(jobs, work, stop):
    """Run `work` in several threads; an interruption of this one ends them all."""
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


def _test_dirs(args):
    return [os.path.abspath(path) for path in args.tests or TEST_DIRS]


def _make_plan(args, build):
    names = args.kernel or list(kernels.KERNELS)
    for name in names:
        if name not in kernels.KERNELS:
            raise LabError(f"no kernel \"{name}\"; there are {', '.join(kernels.KERNELS)}")
    args.check_truth = not args.patterns or TRUTH_TEST in args.patterns
    patterns = [pattern for pattern in args.patterns if pattern != TRUTH_TEST]
    tests = []
    if patterns or not args.patterns:
        tests = testlist.load(_test_dirs(args), build, patterns)
    if args.portion:
        tests = testlist.portion(tests, args.portion)
    for one in tests:
        one.choose_kernels(args)
        one.timeout = args.timeout or one.timeout
    plan = make_plan(tests, names, args)
    if not plan.pools and args.check_truth:
        plan.pools = [Pool(name, 2, []) for name in names]
    if not plan.pools:
        raise LabError("no test matches")
    return plan


def _setup(args, build):
    env = {"FATHOM": _program(build), "LAB_BUILD": build,
           "LAB_TESTS": _test_dirs(args)[0], "LAB_TRUTH": os.path.abspath(args.truth),
           "LAB_WORKLOADS": os.path.join(build, "tests", "workloads"), **env_pairs(args.env)}
    args.keep = os.path.abspath(args.keep or os.path.join(build, "lab"))
    os.makedirs(args.keep, exist_ok=True)
    if args.collect:
        args.collect = os.path.abspath(args.collect)
        os.makedirs(os.path.join(args.keep, "collected"), exist_ok=True)
    return Setup(args, Truth(args.truth), ExpectedSkips(args.skips), env, threading.Event())


def test(args):
    """Run the lab tests that match, on the selected kernels."""
    if args.seed is None:
        args.seed = random.SystemRandom().randrange(1 << 32)
    build = os.path.abspath(args.build or os.path.join(ROOT_DIR, "build"))
    plan = _make_plan(args, build)
    if args.list:
        return _list(plan)
    setup = _setup(args, build)
    for name in dict.fromkeys(pool.kernel for pool in plan.pools):
        kernels.get(name)
    facts = {pool.kernel: Facts() for pool in plan.pools}
    report = Report(args.verbose)
    print(f"lab: seed {args.seed}", flush=True)
    begin = time.monotonic()
    with load.busy_loops(args.busy):
        _run_all(args.jobs, lambda: _work(plan, setup, facts, report), setup.stop)
    report.write_times(os.path.join(args.keep, "times.tsv"))
    return 0 if report.finish(time.monotonic() - begin) else 1
