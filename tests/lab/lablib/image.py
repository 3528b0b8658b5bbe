# SPDX-License-Identifier: GPL-2.0-or-later
"""The initramfs of a guest: static busybox, the modules that reach the host's files, and init.

Written as an uncompressed cpio archive, without root, and kept in the cache under the hash of
its own content's inputs, so that a change of any input makes a new one.
"""

import hashlib
import os
import shutil
import stat

from . import kernels, vmlinux
from .errors import LabError

MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
INIT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "guest", "init")


def _module_name(path):
    return os.path.basename(path).split(".ko")[0].replace("-", "_")


def _modules_in_order(kernel):
    """Paths of MODULES and their dependencies, each after its own dependencies."""
    depends = {}
    with open(os.path.join(kernel.modules, "modules.dep"), encoding="utf-8") as source:
        for line in source:
            path, _, needs = line.partition(":")
            depends[_module_name(path)] = (path, needs.split())
    with open(os.path.join(kernel.modules, "modules.builtin"), encoding="utf-8") as source:
        builtin = {_module_name(line.strip()) for line in source}
    order = []

    def add(name):
        if name in builtin:
            return
        if name not in depends:
            raise LabError(f"kernel {kernel.name} has no module {name}")
        path, needs = depends[name]
        for need in needs:
            add(_module_name(need))
        if path not in order:
            order.append(path)

    for name in MODULES:
        add(name)
    return [os.path.join(kernel.modules, path) for path in order]


def _cpio_entry(name, mode, data=b"", device=(0, 0)):
    encoded = name.encode() + b"\0"
    # ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor namesize check
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, device[0], device[1], len(encoded), 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + encoded
    head += b"\0" * (-len(head) % 4)
    return head + data + b"\0" * (-len(data) % 4)


def _archive(files):
    out = []
    for name in ("bin", "dev", "lib", "proc"):
        out.append(_cpio_entry(name, stat.S_IFDIR | 0o755))
    out.append(_cpio_entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)))
    out.append(_cpio_entry("dev/ttyS1", stat.S_IFCHR | 0o600, device=(4, 65)))
    for name, data in files:
        out.append(_cpio_entry(name, stat.S_IFREG | 0o755, data))
    out.append(_cpio_entry("TRAILER!!!", 0))
    return b"".join(out)


def _static_busybox():
    path = shutil.which("busybox", path=os.environ.get("PATH", "") + ":/bin:/usr/bin")
    if not path:
        raise LabError("no busybox: install the package busybox-static")
    with open(path, "rb") as source:
        data = source.read()
    if b"ld-linux" in data[:4096]:
        raise LabError(f"{path} is not static: install the package busybox-static")
    return data


def _read(path):
    with open(path, "rb") as source:
        return source.read()


def initramfs(kernel):
    """The path of the initramfs for `kernel`, created if the cache has none for these inputs."""
    files = [("bin/busybox", _static_busybox()), ("init", _read(INIT))]
    for number, path in enumerate(_modules_in_order(kernel)):
        name = f"lib/{number:02}-{_module_name(path)}.ko"
        files.append((name, vmlinux.decompress(_read(path))))
    data = _archive(files)
    digest = hashlib.sha256(data).hexdigest()[:16]
    directory = os.path.join(kernels.cache_dir(), "initramfs")
    target = os.path.join(directory, f"{kernel.release}-{digest}.cpio")
    if not os.path.exists(target):
        os.makedirs(directory, exist_ok=True)
        part = f"{target}.{os.getpid()}.part"
        with open(part, "wb") as sink:
            sink.write(data)
        os.replace(part, target)
    kernels.mark_used(target)
    return target
