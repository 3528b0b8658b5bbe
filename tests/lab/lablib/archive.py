# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian archive that this machine's apt uses: where it is, and what a suite contains.

Only reads apt's configuration; nothing is installed and no source is added.
An index is kept in the cache and asked for again when it is older than INDEX_MAX_AGE.
"""

import glob
import hashlib
import http.client
import lzma
import os
import re
import time
import urllib.error
import urllib.request

from .errors import DownloadError

INDEX_MAX_AGE = 6 * 3600
NETWORK_TIMEOUT = 60
ATTEMPTS = 3
RETRY_SECONDS = float(os.environ.get("FATHOM_LAB_RETRY_SECONDS", "2"))
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


def _is_final(error):
    """Whether retrying is pointless: the mirror answered that there is no such file."""
    return isinstance(error, urllib.error.HTTPError) and error.code < 500


def _check_length(source, length):
    """EOFError if the transfer ended early, which piecewise reading does not notice."""
    expected = source.headers.get("Content-Length")
    if expected is not None and length != int(expected):
        raise EOFError(f"{length} of {expected} bytes came")


def _copy(url, target):
    """Write the contents of `url` to `target`; returns their SHA256. Retries broken transfers."""
    for attempt in range(ATTEMPTS):
        digest = hashlib.sha256()
        try:
            with (urllib.request.urlopen(url, timeout=NETWORK_TIMEOUT) as source,
                  open(target, "wb") as sink):
                while chunk := source.read(1 << 20):
                    digest.update(chunk)
                    sink.write(chunk)
                _check_length(source, sink.tell())
            return digest.hexdigest()
        except (OSError, EOFError, http.client.HTTPException) as error:
            if attempt == ATTEMPTS - 1 or _is_final(error):
                raise DownloadError(f"cannot download {url}: {error}") from error
        time.sleep(RETRY_SECONDS * (attempt + 1))
    raise AssertionError("unreachable")


def download(url, target, sha256=None):
    """Write `url` to `target`; the name appears only once the contents are complete and verified."""
    part = f"{target}.{os.getpid()}.part"
    try:
        found = _copy(url, part)
        if sha256 and found != sha256:
            raise DownloadError(f"checksum of {url} is wrong: expected {sha256}, got {found}")
        os.replace(part, target)
    finally:
        if os.path.exists(part):
            os.unlink(part)


def _parse_index(path):
    """The linux-* packages of an index, which has ten thousands of others."""
    wanted = ("Package", "Version", "Depends", "Filename", "SHA256", "Size")
    packages = []
    with lzma.open(path) as index:
        entries = index.read().split(b"\n\n")
    for entry in entries:
        if not entry.startswith(b"Package: linux-"):
            continue
        fields = (line.partition(":") for line in entry.decode().splitlines())
        packages.append({key: value.strip() for key, _, value in fields if key in wanted})
    return packages


def _refresh_index(suite, path, bases):
    errors = []
    for base in bases:
        try:
            download(f"{base}/dists/{suite}/main/binary-amd64/Packages.xz", path)
        except DownloadError as error:
            errors.append(str(error))
            continue
        with open(path + ".from", "w", encoding="utf-8") as note:
            note.write(base)
        return
    raise DownloadError("; ".join(errors))


def suite_packages(suite, index_dir, refresh=False):
    """The linux-* packages of a suite, each with the full "URL" of its file.

    `refresh` asks the mirror for the index even if the cache has a recent one.
    """
    os.makedirs(index_dir, exist_ok=True)
    path = os.path.join(index_dir, f"{suite}.xz")
    bases = archives("security" in suite)
    if not bases:
        raise DownloadError(f"apt has no source for Debian's \"{suite}\"; name a mirror of the Debian "
                       f"archive in {MIRROR_VARIABLE}")
    fresh = (not refresh and os.path.exists(path) and os.path.exists(path + ".from")
             and time.time() - os.path.getmtime(path) < INDEX_MAX_AGE)
    if not fresh:
        _refresh_index(suite, path, bases)
    with open(path + ".from", encoding="utf-8") as note:
        base = note.read()
    try:
        packages = _parse_index(path)
    except (lzma.LZMAError, EOFError) as error:
        os.unlink(path)
        raise DownloadError(f"index of {suite} is damaged ({error}); removed it, try again") from error
    for package in packages:
        package["URL"] = f"{base}/{package['Filename']}"
    return packages
