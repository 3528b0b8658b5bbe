# SPDX-License-Identifier: GPL-2.0-or-later
"""`lab run` and `lab shell`: one command, or a person, in one guest."""

import os
import shutil
import sys
import tempfile
import time

from . import kernels
from .errors import LabError
from .guest import Guest, GuestDied, default_env, env_pairs, job_script

EXIT_TIMEOUT = 124
EXIT_GUEST_DIED = 125


class _Follower:
    """Copies what is appended to a file to a stream."""

    def __init__(self, path, stream):
        self._source = open(path, "rb")
        self._stream = stream

    def pump(self):
        while data := self._source.read(1 << 16):
            self._stream.write(data)
        self._stream.flush()

    def close(self):
        self._source.close()


def _say(message, lines=()):
    print(f"lab: {message}", file=sys.stderr)
    for line in lines:
        print(f"  | {line}", file=sys.stderr)
    sys.stderr.flush()


def _follow(guest, timeout):
    followers = [_Follower(guest.path("stdout"), sys.stdout.buffer),
                 _Follower(guest.path("stderr"), sys.stderr.buffer)]
    end = time.monotonic() + timeout if timeout else None
    try:
        while True:
            code = guest.exit_code()
            for follower in followers:
                follower.pump()
            if code is not None:
                return code
            if end and time.monotonic() > end:
                _say(f"no exit code after {timeout} s; the console's tail:", guest.console_tail())
                return EXIT_TIMEOUT
            guest.pause()
    finally:
        for follower in followers:
            follower.pump()
            follower.close()


def _work_dir(wanted):
    """The work directory, and whether to remove it if it stays empty."""
    if not wanted:
        return tempfile.mkdtemp(prefix="fathom-lab-work-"), True
    try:
        os.makedirs(wanted, exist_ok=True)
    except OSError as error:
        raise LabError(f"cannot make the work directory: {error}") from error
    return os.path.realpath(wanted), False


def _env(pairs, work):
    return {**default_env(), "LAB_WORK": work, **env_pairs(pairs)}


def run(args):
    """Run args.command in a guest; returns its exit status."""
    kernel = kernels.get(args.kernel)
    if args.steady and args.cpus != 1:
        raise LabError("--steady needs --cpus 1: QEMU counts instructions of one CPU only")
    work, fresh = _work_dir(args.work)
    env = _env(args.env, work)
    env["LAB_KERNEL"] = kernel.name
    try:
        with Guest(kernel, args.cpus, args.mem, work, steady=args.steady) as guest:
            try:
                guest.start(job_script(args.command, env, os.getcwd()))
                return _follow(guest, args.timeout)
            except GuestDied as error:
                _say(f"{error}; the console's tail:", guest.console_tail())
                return EXIT_GUEST_DIED
    finally:
        if fresh:
            if os.listdir(work):
                _say(f"files written to the work directory are in {work}")
            else:
                shutil.rmtree(work)


def shell(args):
    """Give the user a shell, or another command, in a guest, on the serial console."""
    if not sys.stdin.isatty():
        raise LabError("`lab shell` needs a terminal; use `lab run` for a command")
    kernel = kernels.get(args.kernel)
    work, fresh = _work_dir(args.work)
    env = _env(args.env, work)
    env["LAB_KERNEL"] = kernel.name
    size = os.get_terminal_size()
    print(f"lab: kernel {kernel.name} ({kernel.release}); exit the shell, or press Ctrl-A X, "
          "to end the guest", flush=True)
    command = ["sh", "-c", f"stty rows {size.lines} cols {size.columns}; exec \"$@\"", "sh",
               *(args.command or ["bash", "-i"])]
    try:
        with Guest(kernel, args.cpus, args.mem, work, interactive=True) as guest:
            guest.start(job_script(command, env, os.getcwd()))
            guest.wait()
    finally:
        os.system("stty sane")
        if fresh and not os.listdir(work):
            shutil.rmtree(work)
    return 0
