# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian archive that this machine's apt uses: where it is, and what a suite contains.

Only reads apt's configuration; nothing is installed and no source is added.
An index is kept in the cache and asked for again when it is older than INDEX_MAX_AGE.
"""

import glob
import hashlib
import lzma
import os
import re
import time
import urllib.error
import urllib.request

from .errors import LabError

INDEX_MAX_AGE = 6 * 3600
NETWORK_TIMEOUT = 60
ATTEMPTS = 3
MIRROR_VARIABLE = "FATHOM_LAB_MIRROR"


def _deb822_entries(text):
    for stanza in re.split(r"\n\s*\n", text):
        fields = {}
        last = None
        for line in stanza.splitlines():
            if line.startswith("#"):
                continue
            if line[:1].isspace() and last:
                fields[last] += " " + line.strip()
            elif ":" in line:
                last, value = line.split(":", 1)
                last = last.lower()
                fields[last] = value.strip()
        if "deb" in fields.get("types", "").split() and fields.get("enabled", "yes") != "no":
            for uri in fields.get("uris", "").split():
                yield uri, fields.get("suites", "").split(), fields.get("components", "").split()


def _one_line_entries(text):
    for line in text.splitlines():
        line = re.sub(r"\[[^\]]*\]", "", line.split("#", 1)[0])
        words = line.split()
        if len(words) >= 4 and words[0] == "deb":
            yield words[1], [words[2]], words[3:]


def _apt_entries():
    names = ["/etc/apt/sources.list"]
    names += sorted(glob.glob("/etc/apt/sources.list.d/*.sources"))
    names += sorted(glob.glob("/etc/apt/sources.list.d/*.list"))
    for name in names:
        try:
            with open(name, encoding="utf-8", errors="replace") as source:
                text = source.read()
        except OSError:
            continue
        yield from (_deb822_entries if name.endswith(".sources") else _one_line_entries)(text)


def archives(security):
    """The URIs that may carry Debian's main archive, or its security archive, best first."""
    chosen = os.environ.get(MIRROR_VARIABLE)
    if chosen:
        return [chosen.rstrip("/") + ("-security" if security else "")]
    found = []
    for uri, suites, components in _apt_entries():
        uri = uri.rstrip("/")
        is_security = any("security" in suite for suite in suites)
        if (uri.startswith(("http://", "https://", "file:")) and "main" in components
                and is_security == security and uri not in found):
            found.append(uri)
    # A third-party archive may use Debian's suite names: the ones called "debian" go first.
    found.sort(key=lambda uri: "/debian" not in uri)
    return found


def _open(url):
    for attempt in range(ATTEMPTS):
        try:
            return urllib.request.urlopen(url, timeout=NETWORK_TIMEOUT)
        except urllib.error.HTTPError as error:
            if error.code < 500 or attempt == ATTEMPTS - 1:
                raise
        except OSError:
            if attempt == ATTEMPTS - 1:
                raise
        time.sleep(2 * (attempt + 1))
    raise AssertionError("unreachable")


def download(url, target, sha256=None):
    """Write `url` to `target`; the name appears only once the content is whole and checked."""
    part = f"{target}.{os.getpid()}.part"
    digest = hashlib.sha256()
    try:
        with _open(url) as source, open(part, "wb") as sink:
            while chunk := source.read(1 << 20):
                digest.update(chunk)
                sink.write(chunk)
        if sha256 and digest.hexdigest() != sha256:
            raise LabError(f"checksum of {url} is wrong: expected {sha256}, "
                           f"got {digest.hexdigest()}")
        os.replace(part, target)
    except (OSError, EOFError) as error:
        raise LabError(f"cannot download {url}: {error}") from error
    finally:
        if os.path.exists(part):
            os.unlink(part)


def _parse_index(path):
    wanted = ("Package", "Version", "Depends", "Filename", "SHA256", "Size")
    packages = []
    fields = {}
    with lzma.open(path, "rt", encoding="utf-8") as index:
        for line in index:
            if line == "\n":
                packages.append(fields)
                fields = {}
            elif not line.startswith(" "):
                key, _, value = line.partition(":")
                if key in wanted:
                    fields[key] = value.strip()
    if fields:
        packages.append(fields)
    return packages


def _refresh_index(suite, path, bases):
    errors = []
    for base in bases:
        try:
            download(f"{base}/dists/{suite}/main/binary-amd64/Packages.xz", path)
        except LabError as error:
            errors.append(str(error))
            continue
        with open(path + ".from", "w", encoding="utf-8") as note:
            note.write(base)
        return
    raise LabError("; ".join(errors))


def suite_packages(suite, index_dir):
    """The linux-* packages of a suite, each with the full "URL" of its file."""
    os.makedirs(index_dir, exist_ok=True)
    path = os.path.join(index_dir, f"{suite}.xz")
    bases = archives("security" in suite)
    if not bases:
        raise LabError(f"apt has no source for Debian's \"{suite}\"; name a mirror of the Debian "
                       f"archive in {MIRROR_VARIABLE}")
    fresh = (os.path.exists(path) and os.path.exists(path + ".from")
             and time.time() - os.path.getmtime(path) < INDEX_MAX_AGE)
    if not fresh:
        _refresh_index(suite, path, bases)
    with open(path + ".from", encoding="utf-8") as note:
        base = note.read()
    try:
        packages = _parse_index(path)
    except (lzma.LZMAError, EOFError) as error:
        os.unlink(path)
        raise LabError(f"index of {suite} is damaged ({error}); removed it, try again") from error
    for package in packages:
        package["URL"] = f"{base}/{package['Filename']}"
    return [p for p in packages if p["Package"].startswith("linux-")]
