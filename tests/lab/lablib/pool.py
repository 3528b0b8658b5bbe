# SPDX-License-Identifier: GPL-2.0-or-later
"""The tests that wait to be run, by kernel and CPU count, and which of them a guest takes next.

A guest takes one test at a time, so that a second guest of the same kernel can join when a worker
has nothing else to do: both cores stay busy until the last test. Used by several threads.
"""

import random
import threading


# Time limit of a long test: the last tests to run should be short.
LONG = 600


class Pool:
    """Tests for one kernel with one CPU count, and one kind of clock."""

    def __init__(self, kernel, cpus, tests, steady=False):
        self.kernel = kernel
        self.cpus = cpus
        self.steady = steady
        self.where = f"{kernel}/{cpus}" + ("s" if steady else "")
        self.guests = 0
        self._waiting = list(tests)
        self._lock = threading.Lock()

    def take(self):
        """The next test, or None."""
        with self._lock:
            return self._waiting.pop(0) if self._waiting else None

    def take_all(self):
        with self._lock:
            waiting, self._waiting = self._waiting, []
            return waiting

    def filter(self, keep):
        """Drop the tests for which keep(test) is false."""
        with self._lock:
            self._waiting = [test for test in self._waiting if keep(test)]

    def __len__(self):
        with self._lock:
            return len(self._waiting)


class Plan:
    """All pools of a run, and which one the next worker should serve."""

    def __init__(self, pools):
        self.pools = pools
        self._lock = threading.Lock()
        self._begun = set()

    def next_pool(self):
        """The pool to serve next; its guest count is raised. None if all is done.

        Small ones come first: the large ones keep every worker busy to the end. Among tests that have
        guests, it is the one with the most work for each.
        """
        with self._lock:
            open_pools = [pool for pool in self.pools if self._worth_a_guest(pool)]
            if not open_pools:
                return None
            new = [pool for pool in open_pools if not pool.guests]
            chosen = (min(new, key=len) if new else
                      max(open_pools, key=lambda pool: len(pool) / (pool.guests + 1)))
            chosen.guests += 1
            self._begun.add(chosen)
            return chosen

    def _worth_a_guest(self, pool):
        # A boot costs several seconds: the last test of a pool is left to the running guest.
        if pool.guests:
            return len(pool) > pool.guests
        return len(pool) > 0 or pool not in self._begun

    def release(self, pool):
        with self._lock:
            pool.guests -= 1


def make_plan(tests, names, options):
    """The pools for `tests` on the kernels `names`.

    The order of tests is random by options.seed, but for those that may take long, which come
    first; it is theirs with options.in_order. options.repeat runs each so many times.
    """
    pools = []
    for name in names:
        here = [test for test in tests if name in test.kernels]
        for cpus, steady in sorted({(n, test.steady) for test in here for n in test.cpus}):
            chosen = [test for test in here
                      if cpus in test.cpus and steady == test.steady] * options.repeat
            if not options.in_order:
                random.Random(f"{options.seed} {name} {cpus}").shuffle(chosen)
                chosen.sort(key=lambda test: test.timeout < LONG)
            pools.append(Pool(name, cpus, chosen, steady))
    return Plan(pools)
