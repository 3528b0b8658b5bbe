# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests saved at the point where their init waits for a job, to start others from in less time.

A snapshot is a directory of the cache with the guest's memory (ram) and the state of its devices
(state). It fits one kernel, initramfs, CPU count, memory size, command line and QEMU, which its
name is made of: when one of them changes it is made anew. Nothing depends on there being one.
"""

import hashlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from . import kernels
from .errors import LabError

SAVE_SECONDS = 60
READY = "lab-init: waits for a job"


class Monitor:
    """A connection to QEMU's control socket (QMP)."""

    def __init__(self, path, process):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        end = time.monotonic() + SAVE_SECONDS
        while True:
            try:
                self._socket.connect(path)
                break
            except OSError as error:
                if process.poll() is not None or time.monotonic() > end:
                    raise LabError(f"QEMU does not answer: {error}") from error
                time.sleep(0.02)
        self._socket.settimeout(SAVE_SECONDS)
        self._stream = self._socket.makefile("rw", encoding="utf-8")
        self._stream.readline()
        self.command("qmp_capabilities")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._stream.close()
        self._socket.close()

    def command(self, name, **arguments):
        request = {"execute": name}
        if arguments:
            request["arguments"] = arguments
        self._stream.write(json.dumps(request) + "\n")
        self._stream.flush()
        while True:
            line = self._stream.readline()
            if not line:
                raise LabError(f"QEMU ended at \"{name}\"")
            answer = json.loads(line)
            if "error" in answer:
                raise LabError(f"QEMU refuses \"{name}\": {answer['error'].get('desc')}")
            if "return" in answer:
                return answer["return"]

    def share_memory(self):
        """Leave the memory in its file when the state is saved or loaded."""
        self.command("migrate-set-capabilities",
                     capabilities=[{"capability": "x-ignore-shared", "state": True}])

    def await_migration(self):
        end = time.monotonic() + SAVE_SECONDS
        while time.monotonic() < end:
            status = self.command("query-migrate").get("status")
            if status == "completed":
                return
            if status in ("failed", "cancelled"):
                break
            time.sleep(0.02)
        raise LabError("QEMU could not save or load the guest's state")


def memory_arguments(directory, size, shared):
    """The options that keep a guest's memory in the snapshot's file; changes stay private."""
    share = "on" if shared else "off"
    path = os.path.join(directory, "ram").replace(",", ",,")
    return ["-object", f"memory-backend-file,id=ram,size={size},mem-path={path},share={share}",
            "-machine", "memory-backend=ram"]


def _qemu_version(qemu):
    return subprocess.run([qemu, "--version"], check=True, capture_output=True,
                          text=True).stdout.splitlines()[0]


def find(qemu, inputs, make):
    """The directory of the snapshot for `inputs`; make(directory) fills a new one."""
    key = hashlib.sha256("\0".join([_qemu_version(qemu), *inputs]).encode()).hexdigest()[:20]
    top = os.path.join(kernels.cache_dir(), "snapshots")
    target = os.path.join(top, key)
    os.makedirs(top, exist_ok=True)
    with kernels.cache_lock(f"snapshot-{key}"):
        if not os.path.exists(os.path.join(target, "state")):
            shutil.rmtree(target, ignore_errors=True)
            with tempfile.TemporaryDirectory(dir=top, prefix=".new-") as temporary:
                fresh = os.path.join(temporary, "snapshot")
                os.mkdir(fresh)
                make(fresh)
                os.rename(fresh, target)
    kernels.mark_used(target)
    return target


def save(monitor_path, process, directory):
    """Stop the guest and save the state of its devices; its memory is already in its file."""
    state = os.path.join(directory, "state")
    with Monitor(monitor_path, process) as monitor:
        monitor.command("stop")
        monitor.share_memory()
        monitor.command("migrate", uri=f"exec:cat > '{state}.part'")
        monitor.await_migration()
    os.rename(f"{state}.part", state)


def load(monitor_path, process, directory):
    """Let a QEMU that was started with `-incoming defer` continue from the snapshot."""
    with Monitor(monitor_path, process) as monitor:
        monitor.share_memory()
        monitor.command("migrate-incoming", uri=f"exec:cat '{os.path.join(directory, 'state')}'")
        monitor.await_migration()
        monitor.command("cont")
