# SPDX-License-Identifier: GPL-2.0-or-later
"""A scratch copy of the last commit, in which tools/mutate makes one fault at a time.

Its build has the option faults: one shared library has all of the code, so that a fault costs one compilation and one
link, and notes which basic blocks run (tools/reached.c), so that only tests run that reach the changed line."""

import bisect
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

LIBRARY = "fathom-inside"
TORTURES = 5  # at most so many for a fault
TORTURE_SECONDS = 60  # the option torture_seconds and room for a busy machine

# Arguments: the scratch directory, the build in it, then the command.
CONFINED = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", """
    set -e
    for dir in /sys/kernel/tracing /sys/kernel/debug; do
        [ ! -d $dir ] || mount -t tmpfs none $dir
    done
    # The scratch directory may be in one of these, and must keep its path nevertheless.
    exec 3<"$1"
    mount --bind "$1/tmp" /tmp
    mount --bind /tmp /var/tmp
    mkdir -p "$1"
    mount -c --bind /proc/self/fd/3 "$1"
    mount -o remount,ro,bind /
    cd "$2"
    shift 2
    exec "$@" 3<&- """, "mutate"]


def run(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


class Reach:
    """The lines of code at which basic blocks begin, and which of them a test reaches."""

    def __init__(self, library, tree):
        self._library, self._tree = library, tree
        code = run("objdump", "-d", "--no-show-raw-insn", library)
        # A block is identified by the return address of the call in it, which is on the next line.
        calls = re.findall(r"^ *([0-9a-f]+):\tcall +[0-9a-f]+ <__sanitizer_cov_trace_pc(?:@plt)?>\n *([0-9a-f]+):", code, re.M)
        lines = run("addr2line", "-e", library, input="".join(call + "\n" for call, _ in calls)).splitlines()
        self._at, self._starts = {}, {}
        for (_, after), place in zip(calls, lines):
            path, _, line = place.partition(" ")[0].rpartition(":")
            if line.isdigit():
                path = os.path.relpath(os.path.realpath(path), tree)
                self._at[int(after, 16)] = path, int(line)
                self._starts.setdefault(path, set()).add(int(line))
        self._starts = {path: sorted(starts) for path, starts in self._starts.items()}

    def read(self, file):
        """What ran since clear(): paths, each with its lines."""
        found = {}
        with open(file, "rb") as noted:
            for match in re.finditer(rb"\x01", noted.read()):
                path, line = self._at.get(match.start(), (None, 0))
                found.setdefault(path, set()).add(line)
        return {path: sorted(lines) for path, lines in found.items() if path}

    def clear(self, file):
        with open(file, "wb") as noted:
            noted.truncate(os.path.getsize(self._library))

    def blocks_of(self, path, line):
        """Lines at which the blocks begin that a line can belong to: its own, or one of its neighbours."""
        starts = self._starts.get(path, [])
        at = bisect.bisect_left(starts, line)
        return starts[at:at + 1] if starts[at:at + 1] == [line] else starts[max(at - 1, 0):at + 1]


class Test:
    """A test of the build."""

    def __init__(self, entry):
        self.name, self.command, self.env = entry["name"], entry["cmd"], entry["env"]
        self.suites = [suite.rpartition(":")[2] for suite in entry["suite"]]
        # Without any fault:
        self.passes = False
        self.seconds = 0
        self.reaches = {}


class Scratch:
    """A clone of the last commit with its own build."""

    def __init__(self, top, place, limit):
        self.limit, self.running, self.is_stopped = limit, None, False
        self._unsound = set()  # tests with failing allocations that fail without a fault
        self.place, self.tree, self.build = place, os.path.join(place, "tree"), os.path.join(place, "build")
        self._noted = os.path.join(self.build, "reached")
        self.commit = run("git", "-C", top, "rev-parse", "HEAD").strip()
        # An object that was compiled elsewhere would name the lines of another copy.
        os.environ.pop("CCACHE_NOHASHDIR", None)
        if not os.path.isdir(self.tree):
            run("git", "clone", "-q", "--no-checkout", top, self.tree)
        run("git", "-C", self.tree, "fetch", "-q", "origin")
        run("git", "-C", self.tree, "checkout", "-q", "--force", "--detach", self.commit)
        if not os.path.isfile(os.path.join(self.build, "build.ninja")):
            linker = ["-Dc_link_args=-fuse-ld=lld"] if shutil.which("ld.lld") else []
            run("meson", "setup", "-Dbuildtype=debug", "-Dfaults=true", *linker, self.build, self.tree)
        # Also the leftovers of a killed run.
        run("ninja", "-C", self.build)
        os.makedirs(os.path.join(place, "tmp"), mode=0o1777, exist_ok=True)
        os.chmod(os.path.join(place, "tmp"), 0o1777)
        if os.geteuid() == 0:
            run(*CONFINED, self.place, self.build, "true")
        self._library, = [file for target in json.loads(run("meson", "introspect", "--targets", self.build))
                          if target["name"] == LIBRARY for file in target["filename"]]
        self.reach = Reach(self._library, self.tree)
        self.tests = {test.name: test for test in
                      map(Test, json.loads(run("meson", "introspect", "--tests", self.build)))}

    def _passes(self, test, limit, patience=4):
        """False also if it takes more CPU time than the limit, or hangs for a multiple of it."""
        # A fault can exhaust the memory.
        command = ["prlimit", f"--cpu={limit}", f"--data={4 << 30}", *test.command]
        if os.geteuid() == 0:
            command = [*CONFINED, self.place, self.build, *command]
        env = {**os.environ, **test.env, "MALLOC_PERTURB_": "165", "CCACHE_DISABLE": "1"}
        with subprocess.Popen(command, cwd=self.build, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True) as process:
            self.running = process
            try:
                return process.wait(limit * patience) == 0
            except subprocess.TimeoutExpired:
                return False
            finally:
                self._end(process)
                for name in os.listdir(os.path.join(self.place, "tmp")):
                    shutil.rmtree(os.path.join(self.place, "tmp", name), ignore_errors=True)

    @staticmethod
    def _end(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def stop(self):
        """Ends the running test; removes the fault, and introduces no other."""
        self.is_stopped = True
        if self.running:
            self._end(self.running)

    def measure(self, name):
        """[whether a test passes without a fault, its duration in seconds, what it reaches]"""
        self.reach.clear(self._noted)
        begin = time.monotonic()
        passes = self._passes(self.tests[name], self.limit, 1)
        return [passes, time.monotonic() - begin, self.reach.read(self._noted)]

    def _make(self):
        return subprocess.run(["ninja", "-C", self.build, os.path.relpath(self._library, self.build)], check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def _tests_of(self, path, line):
        """Tests that reach a line: the file's own first, and short ones before long ones."""
        blocks = set(self.reach.blocks_of(path, line))
        own = pathlib.PurePath(path).stem + "-test"
        return sorted((test for test in self.tests.values() if test.passes and blocks & set(test.reaches.get(path, []))),
                      key=lambda test: (test.name != own, test.seconds))

    def _tortures_of(self, tests):
        """These tests with failing allocations: that is where ignored errors go unnoticed."""
        names = ["torture " + test.name for test in tests]
        return [self.tests[name] for name in names if name in self.tests and name not in self._unsound][:TORTURES]

    def _fails_twice(self, test, limit):
        """Twice: a test that depends on time can fail by itself."""
        return not self._passes(test, limit) and not self._passes(test, limit)

    def _is_sound(self, test, source, sound):
        """Whether a test passes without the fault, in the build that has it; rebuilds it."""
        source.write_text(sound, encoding="utf-8")
        if self._make() and self._passes(test, TORTURE_SECONDS):
            return True
        self._unsound.add(test.name)
        return False

    def try_fault(self, path, fault):
        """(name of the test that noticed or "", number of tests run); None if it does not compile."""
        source = pathlib.Path(self.tree, path)
        tests = self._tests_of(path, fault.line)
        text = source.read_text(encoding="utf-8")
        faulty = "\n".join(fault.put_into(text.split("\n")))
        try:
            source.write_text(faulty, encoding="utf-8")
            if not self._make():
                return None
            for i, test in enumerate(tests):
                fails = self._fails_twice(test, min(self.limit, 5 + int(test.seconds * 5)))
                if self.is_stopped:
                    return None
                if fails:
                    return test.name, i + 1
            for test in self._tortures_of(tests):
                if self._fails_twice(test, TORTURE_SECONDS):
                    if self._is_sound(test, source, text):
                        return None if self.is_stopped else (test.name, len(tests) + 1)
                    source.write_text(faulty, encoding="utf-8")
                    self._make()
                if self.is_stopped:
                    return None
            return "", len(tests)
        finally:
            source.write_text(text, encoding="utf-8")
