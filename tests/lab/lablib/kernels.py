# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab's kernels: which ones there are, and getting each into the cache.

Cache layout, under ${XDG_CACHE_HOME:-~/.cache}/fathom/lab/:
    index/SUITE.xz          package index of a Debian suite
    trees/PACKAGE_VERSION/  one unpacked kernel: vmlinux, modules, SHA256SUMS
    initramfs/, snapshots/  made from these for guests
    K.json                  which tree is kernel K now; replaced atomically, written last
A tree is renamed into place when it is complete, so what has a name is whole.
"""

import contextlib
import fcntl
import functools
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from . import archive, vmlinux
from .errors import DownloadError, LabError

# name: (suites to search, pattern of the image package's name)
KERNELS = {
    "5.10": (("bullseye", "bullseye-security"), r"linux-image-5\.10\.0-\d+-amd64"),
    "6.1": (("bookworm",), r"linux-image-6\.1\.0-\d+-amd64"),
    "6.1-rt": (("bookworm",), r"linux-image-6\.1\.0-\d+-rt-amd64"),
    "6.12": (("trixie",), r"linux-image-6\.12\.\d+\+deb13-amd64"),
    "newest": (("sid",), r"linux-image-\d+\.\d+(\.\d+)?\+deb\d+-amd64"),
}

# Slowest first, by the tests that they share: of 53, 36 take longer on 5.10 than on the newest.
SLOWEST_FIRST = ("5.10", "6.1-rt", "6.12", "newest", "6.1")

# How long a kernel that Debian has replaced stays in the cache after its last use.
KEEP_SECONDS = 7 * 24 * 3600


class Kernel:
    """A kernel in the cache, ready to boot."""

    def __init__(self, name, tree, release):
        self.name = name
        self.tree = tree
        self.release = release
        self.vmlinux = os.path.join(tree, "vmlinux")
        self.modules = os.path.join(tree, "lib/modules", release)


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "fathom", "lab")


@contextlib.contextmanager
def cache_lock(name):
    """Hold the cache's lock `name`; other processes wait."""
    os.makedirs(cache_dir(), exist_ok=True)
    with open(os.path.join(cache_dir(), f"{name}.lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _note(message):
    print(f"lab: {message}", file=sys.stderr, flush=True)


def _version_cmp(a, b):
    def is_less(x, y):
        return subprocess.run(["dpkg", "--compare-versions", x["Version"], "lt", y["Version"]],
                              check=False).returncode == 0
    return -1 if is_less(a, b) else 1 if is_less(b, a) else 0


def _candidates(name, refresh):
    """The builds of kernel `name` that the suites offer, newest first.

    Each is a list of packages, its image package first.
    """
    suites, pattern = KERNELS[name]
    errors = []
    found = []
    for suite in suites:
        try:
            packages = archive.suite_packages(suite, os.path.join(cache_dir(), "index"), refresh)
        except DownloadError as error:
            errors.append(str(error))
            continue
        found += [(p, packages) for p in packages if re.fullmatch(pattern, p["Package"])]
    if not found:
        raise DownloadError(f"no package for kernel {name}: "
                            + ("; ".join(errors) or f"nothing matches {pattern}"))
    found.sort(key=functools.cmp_to_key(lambda a, b: _version_cmp(a[0], b[0])), reverse=True)
    return [_parts(image, packages) for image, packages in found]


def _parts(image, packages):
    """An image package and, if the kernel is split, the parts that its Depends names."""
    build = image["Package"].removeprefix("linux-image-")
    parts = re.findall(r"(linux-(?:binary|modules|base)-" + re.escape(build) + r")\b",
                       image.get("Depends", ""))
    by_key = {(p["Package"], p["Version"]): p for p in packages}
    return [image] + [by_key[(part, image["Version"])] for part in dict.fromkeys(parts)
                      if (part, image["Version"]) in by_key]


def _sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as source:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _tree_files(tree):
    for directory, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(directory, name)
            if name != "SHA256SUMS" and not os.path.islink(path):
                yield os.path.relpath(path, tree)


def _write_sums(tree):
    with open(os.path.join(tree, "SHA256SUMS"), "w", encoding="utf-8") as sums:
        for name in sorted(_tree_files(tree)):
            sums.write(f"{_sha256(os.path.join(tree, name))}  {name}\n")


def tree_damage(tree):
    """None if every file of the tree is as unpacked, otherwise what is wrong with it."""
    try:
        with open(os.path.join(tree, "SHA256SUMS"), encoding="utf-8") as sums:
            for line in sums:
                digest, name = line.rstrip("\n").split("  ", 1)
                if _sha256(os.path.join(tree, name)) != digest:
                    return f"{name} has changed"
    except (OSError, ValueError) as error:
        return str(error)
    return None


def _complete_tree(tree):
    """Create what a guest needs from the unpacked packages: vmlinux, modules and their index."""
    if os.path.isdir(os.path.join(tree, "usr/lib/modules")):
        os.makedirs(os.path.join(tree, "lib"), exist_ok=True)
        os.rename(os.path.join(tree, "usr/lib/modules"), os.path.join(tree, "lib/modules"))
    (release,) = os.listdir(os.path.join(tree, "lib/modules"))
    images = [path for pattern in ("boot/vmlinuz-*", "usr/lib/modules/*/vmlinuz",
                                   "lib/modules/*/vmlinuz")
              for path in glob.glob(os.path.join(tree, pattern))]
    if not images:
        raise LabError(f"no vmlinuz in {tree}")
    vmlinux.extract(images[0], os.path.join(tree, "vmlinux"))
    subprocess.run(["depmod", "-b", tree, release], check=True,
                   env=dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"))
    shutil.rmtree(os.path.join(tree, "usr"), ignore_errors=True)
    shutil.rmtree(os.path.join(tree, "etc"), ignore_errors=True)
    return release


def _unpack(packages, tree):
    trees = os.path.dirname(tree)
    os.makedirs(trees, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=trees, prefix=".new-") as temporary:
        fresh = os.path.join(temporary, "tree")
        os.mkdir(fresh)
        for package in packages:
            deb = os.path.join(temporary, "package.deb")
            megabytes = int(package["Size"]) / 1e6
            _note(f"downloading {package['Package']} {package['Version']} ({megabytes:.1f} MB)")
            archive.download(package["URL"], deb, package["SHA256"])
            subprocess.run(["dpkg-deb", "-x", deb, fresh], check=True)
            os.unlink(deb)
        _complete_tree(fresh)
        _write_sums(fresh)
        shutil.rmtree(tree, ignore_errors=True)
        os.rename(fresh, tree)


def _record_path(name):
    return os.path.join(cache_dir(), f"{name}.json")


def _write_record(name, tree, packages):
    record = {
        "tree": os.path.basename(tree),
        "packages": [{"name": p["Package"], "version": p["Version"], "sha256": p["SHA256"]}
                     for p in packages],
    }
    part = f"{_record_path(name)}.{os.getpid()}.part"
    with open(part, "w", encoding="utf-8") as sink:
        json.dump(record, sink, indent=1)
    os.replace(part, _record_path(name))


def cached(name):
    """The kernel in the cache, or None."""
    try:
        with open(_record_path(name), encoding="utf-8") as source:
            tree = os.path.join(cache_dir(), "trees", json.load(source)["tree"])
        (release,) = os.listdir(os.path.join(tree, "lib/modules"))
    except (OSError, ValueError, KeyError):
        return None
    kernel = Kernel(name, tree, release)
    return kernel if os.path.exists(kernel.vmlinux) else None


def mark_used(path):
    """Mark a file or tree of the cache as in use, so that prune() leaves it alone."""
    with contextlib.suppress(OSError):
        os.utime(path)


def _prune():
    """Remove what no kernel refers to and nobody has used for KEEP_SECONDS."""
    used = {cached(name).tree for name in KERNELS if cached(name)}
    for path in (glob.glob(os.path.join(cache_dir(), "trees", "*"))
                 + glob.glob(os.path.join(cache_dir(), "initramfs", "*"))
                 + glob.glob(os.path.join(cache_dir(), "snapshots", "*"))):
        if path not in used and time.time() - os.path.getmtime(path) > KEEP_SECONDS:
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                os.unlink(path)


def _fetch_build(packages):
    """The tree of this build in the cache, unpacked if it is missing or damaged."""
    tree = os.path.join(cache_dir(), "trees",
                        f"{packages[0]['Package']}_{packages[0]['Version']}")
    damage = tree_damage(tree) if os.path.isdir(tree) else "not there"
    if damage:
        if damage != "not there":
            _note(f"{tree} is damaged ({damage}), fetching it again")
        _unpack(packages, tree)
    return tree


def _fetch_newest(name):
    """Bring the newest build that can be downloaded into the cache.

    An index and the files that it lists may differ for a while when a mirror is updated: builds that
    are not available are skipped, and the index is fetched again before giving up.
    """
    errors = []
    for refresh in (False, True):
        for packages in _candidates(name, refresh):
            try:
                return _fetch_build(packages), packages
            except DownloadError as error:
                _note(str(error))
                errors.append(str(error))
    raise DownloadError("; ".join(dict.fromkeys(errors)))


def fetch(name):
    """Fetch the newest build of kernel `name` into the cache, and verify it."""
    with cache_lock("fetch"):
        old = cached(name)
        try:
            tree, packages = _fetch_newest(name)
        except DownloadError as error:
            if not old:
                raise
            damage = tree_damage(old.tree)
            if damage:
                raise DownloadError(f"cached kernel {name} is damaged ({damage}) and cannot be "
                                    f"fetched again: {error}") from error
            _note(f"{error}; using the cached {old.release}")
            return old
        _write_record(name, tree, packages)
        _prune()
        return cached(name)


def get(name):
    """Kernel `name` from the cache, fetched first if it is missing."""
    if name not in KERNELS:
        raise LabError(f"no kernel \"{name}\"; there are {', '.join(KERNELS)}")
    return cached(name) or fetch(name)
