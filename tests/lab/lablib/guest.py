# SPDX-License-Identifier: GPL-2.0-or-later
"""One guest: a QEMU process, the directory that it shares with us, and one job inside.

The control directory carries the job in and its results out:
    start           first script of the new root; runs the job, writes rc, ends the guest
    job             the job itself
    booted          appears when the guest has reached `start`
    stdout, stderr  of the job
    rc              its exit code; appears last, a guest that ends without it has died
    console         what the kernel printed on its serial line
    words, monitor  sockets of a guest from a snapshot: its second serial line, and QEMU's monitor
The process is always ended by close(), and by the kernel should this program be killed.
"""

import os
import shlex
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from . import image, kernels, snapshot
from .errors import LabError

BOOT_TIMEOUT = 180
CONSOLE_TAIL_LINES = 40
CONSOLE_DEATH_LINES = 120
DEATH_MARKS = ("Kernel panic", "Oops", "BUG:", "Trigger a crash")
POLL_SECONDS = 0.05
LEAST_SPACE = 64 << 10

QEMU = "qemu-system-x86_64"
# With ERMS, older kernels clear and copy pages byte by byte, which costs an emulated CPU more than
# the rest of a fork; with SMAP, each access to user memory ends a block of translated code.
CPU = "max,la57=off,erms=off,smap=off"
APPEND = ("console=ttyS0 quiet panic=-1 tsc=reliable no_timer_check 8250.nr_uarts=1 "
          "random.trust_cpu=on mitigations=off cryptomgr.notests audit=0 apparmor=0 nowatchdog "
          "rcupdate.rcu_cpu_stall_timeout=150")
# A guest that is saved waits for its job on a second serial line.
SAVED_APPEND = APPEND.replace("nr_uarts=1", "nr_uarts=2") + " lab.wait=1"

START = """\
touch /run/lab/booted
cd /
/bin/sh /run/lab/job {redirect}
rc=$?
/run/bin/busybox sync
echo $rc >/run/lab/rc.new
/run/bin/busybox mv /run/lab/rc.new /run/lab/rc
/run/bin/busybox reboot -f
"""


class GuestDied(Exception):
    """The guest ended, or was stopped, without an exit status of its job."""


class Stopped(Exception):
    """The user has interrupted the run."""


def job_script(command, env, cwd):
    """The text of a job that runs `command` (a list of words) as a login shell of root would."""
    lines = [f"export {key}={shlex.quote(value)}" for key, value in env.items()]
    lines.append(f"cd {shlex.quote(cwd)} || exit 126")
    lines.append("exec " + shlex.join(command))
    return "\n".join(lines) + "\n"


def default_env():
    """What every job finds in its environment; the host's own environment does not leak in.

    There is no locale: loading one more than doubles the time that a program takes to start.
    """
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root", "USER": "root", "TERM": os.environ.get("TERM", "dumb")}


def env_pairs(pairs):
    """The variables for jobs set by the user, from words NAME=VALUE."""
    env = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.isidentifier():
            raise LabError(f"\"{pair}\" is not of the form NAME=VALUE")
        env[key] = value
    return env


class Guest:
    """A booted kernel with a job in it. Use as a context manager."""

    def __init__(self, kernel, cpus=2, memory="1G", work=None, interactive=False, stop=None,
                 steady=False, from_snapshot=False):
        self.kernel = kernel
        self.cpus = cpus
        self.memory = memory
        self.work = os.path.abspath(work) if work else None
        self.interactive = interactive
        self.steady = steady
        self.from_snapshot = from_snapshot
        self.control = tempfile.mkdtemp(prefix="fathom-lab-")
        os.mkdir(self.path("no-work"))
        self._process = None
        self._stop = stop or threading.Event()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def path(self, name):
        return os.path.join(self.control, name)

    def _command(self, append, extra):
        # One thread emulates all CPUs in turn. A thread for each gains little when several guests
        # run, wastes time in CPUs that wait for each other, and crashes guests with more than two
        # CPUs while the kernel patches its code.
        command = ["setpriv", "--pdeathsig", "KILL", QEMU, "-accel", "tcg,thread=single",
                   "-cpu", CPU, "-smp", str(self.cpus),
                   "-m", self.memory, "-nodefaults", "-no-reboot", "-display", "none",
                   "-kernel", self.kernel.vmlinux, "-initrd", image.initramfs(self.kernel),
                   "-append", append]
        if self.steady:
            command += ["-icount", "shift=0,sleep=on"]
        command += self._share("hostroot", "/", ",readonly=on")
        command += self._share("control", self.control, "")
        command += self._share("work", self.work or self.path("no-work"), "")
        if self.interactive:
            command += ["-chardev", "stdio,id=console,signal=off,mux=on",
                        "-serial", "chardev:console", "-mon", "chardev=console"]
        else:
            command += ["-serial", f"file:{self.path('console')}"]
        return command + extra

    def _words(self):
        """What init is to mount: on the kernel's command line, or sent later to a snapshot."""
        words = [f"lab.modules={os.path.dirname(self.kernel.modules)}",
                 f"lab.time={int(time.time())}"]
        if self.work:
            words.append(f"lab.work={self.work}")
        if self.interactive:
            words.append("lab.console=1")
        return " ".join(words)

    @staticmethod
    def _share(tag, path, options):
        path = path.replace(",", ",,")
        return ["-fsdev", f"local,id={tag},path={path},security_model=none,multidevs=remap"
                          f"{options}",
                "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]

    def start(self, job):
        """Boot with `job` (the text of a shell script); returns when the guest runs it."""
        if self.work and any(c.isspace() for c in self.work):
            raise LabError(f"the work directory's name must not contain spaces: \"{self.work}\"")
        redirect = "" if self.interactive else ">/run/lab/stdout 2>/run/lab/stderr"
        for name, text in (("job", job), ("start", START.format(redirect=redirect))):
            with open(self.path(name), "w", encoding="utf-8") as sink:
                sink.write(text)
        for name in ("stdout", "stderr"):
            open(self.path(name), "wb").close()
        if self.from_snapshot and not self.interactive and not self.steady:
            self._spawn_from_snapshot()
        else:
            self._spawn(f"{APPEND} {self._words()}", [])
        if not self.interactive and not self._wait_for("booted", BOOT_TIMEOUT):
            self._kill()
            raise GuestDied(f"kernel {self.kernel.name} did not boot within {BOOT_TIMEOUT} s")

    def _spawn(self, append, extra):
        if not shutil.which(QEMU):
            raise LabError(f"no {QEMU}: install the package qemu-system-x86")
        kernels.mark_used(self.kernel.tree)
        command = self._command(append, extra)
        if self.interactive:
            self._process = subprocess.Popen(command)
            return
        with open(self.path("qemu-errors"), "wb") as errors:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                             stdout=subprocess.DEVNULL, stderr=errors,
                                             start_new_session=True)

    def _spawn_saved(self, directory, shared, extra):
        """Start QEMU with its memory in a snapshot's file, and the sockets to control it."""
        sockets = []
        for name, option in (("words", "-serial"), ("monitor", "-qmp")):
            sockets += [option, f"unix:{self.path(name)},server=on,wait=off"]
        self._spawn(SAVED_APPEND, sockets + extra
                    + snapshot.memory_arguments(directory, self.memory, shared))

    def _spawn_from_snapshot(self):
        inputs = [self.kernel.vmlinux, image.initramfs(self.kernel), str(self.cpus), self.memory,
                  CPU, SAVED_APPEND]
        directory = snapshot.find(QEMU, inputs, self._make_snapshot)
        self._spawn_saved(directory, False, ["-incoming", "defer"])
        snapshot.load(self.path("monitor"), self._process, directory)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.connect(self.path("words"))
            line.sendall(f"{self._words()}\n".encode())
            # Data that the emulated serial line has not accepted yet is lost when the socket
            # closes.
            self._wait_for("booted", BOOT_TIMEOUT)

    def _make_snapshot(self, directory):
        with Guest(self.kernel, self.cpus, self.memory, stop=self._stop) as guest:
            guest.boot_and_save(directory)

    def boot_and_save(self, directory):
        """Boot up to the point where init waits for a job, and save the guest in this state."""
        self._spawn_saved(directory, True, [])
        end = time.monotonic() + BOOT_TIMEOUT
        while not any(snapshot.READY in line for line in self.console_tail()):
            if self._process.poll() is not None or time.monotonic() > end:
                raise GuestDied(f"kernel {self.kernel.name} did not boot")
            self.pause()
        snapshot.save(self.path("monitor"), self._process, directory)

    def _wait_for(self, name, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if os.path.exists(self.path(name)):
                return True
            if self._process.poll() is not None:
                return os.path.exists(self.path(name))
            self.pause()
        return False

    def pause(self):
        """Let the guest work for a moment; Stopped if the user interrupts.

        GuestDied if the disk is full: what the guest reports would be lost, and look like a hang.
        """
        if self._stop.wait(POLL_SECONDS):
            raise Stopped
        disk = os.statvfs(self.control)
        if disk.f_bavail * disk.f_frsize < LEAST_SPACE:
            raise GuestDied(f"no space left in {os.path.dirname(self.control)}")

    def exit_code(self):
        """The job's exit status, None while it runs; GuestDied if there will never be one."""
        ended = self._process.poll() is not None
        try:
            with open(self.path("rc"), encoding="ascii") as source:
                return int(source.read())
        except FileNotFoundError:
            if ended:
                raise GuestDied("the guest ended without an exit code") from None
            return None

    def cpu_seconds(self):
        """The host CPU time used by the guest; 0 if it has ended."""
        try:
            with open(f"/proc/{self._process.pid}/stat", encoding="ascii") as source:
                user, system = source.read().rsplit(")", 1)[1].split()[11:13]
        except OSError:
            return 0.0
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def wait(self):
        """Wait for an interactive guest to end."""
        self._process.wait()

    def console_tail(self, lines=CONSOLE_TAIL_LINES):
        """The last lines printed by the kernel, or else by QEMU; all of a dying kernel's output."""
        text = []
        for name in ("qemu-errors", "console"):
            try:
                with open(self.path(name), encoding="utf-8", errors="replace") as source:
                    text += source.read().replace("\r", "").splitlines()
            except FileNotFoundError:
                pass
        last = text[-CONSOLE_DEATH_LINES:]
        for number, line in enumerate(last):
            if any(mark in line for mark in DEATH_MARKS):
                return last[min(number, max(len(last) - lines, 0)):]
        return text[-lines:]

    def _kill(self):
        if self._process:
            if self._process.poll() is None:
                self._process.kill()
            self._process.wait()
            self._process = None

    def close(self):
        self._kill()
        shutil.rmtree(self.control, ignore_errors=True)
