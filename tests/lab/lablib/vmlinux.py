# SPDX-License-Identifier: GPL-2.0-or-later
"""Extracts the uncompressed kernel from a bzImage: it boots faster under emulation."""

import lzma
import os
import struct
import subprocess
import zlib

from .errors import LabError

# Offsets in the x86 boot protocol's setup header.
SETUP_SECTS = 0x1F1
PAYLOAD_OFFSET = 0x248
PAYLOAD_LENGTH = 0x24C


def _through(command, data):
    try:
        return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise LabError(f"cannot decompress the kernel: {error}") from error


def decompress(data):
    """Decompress `data` by its magic; data without a known magic is returned unchanged."""
    if data.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(wbits=31).decompress(data)
    if data.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMADecompressor().decompress(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return _through(["zstd", "-dcq"], data)
    if data.startswith(b"\x02\x21\x4c\x18"):
        return _through(["lz4", "-dcq"], data)
    return data


def extract(bzimage, target):
    """Write the ELF image inside `bzimage` to `target`."""
    with open(bzimage, "rb") as source:
        image = source.read()
    setup_sects = image[SETUP_SECTS] or 4
    offset, length = struct.unpack_from("<II", image, PAYLOAD_OFFSET)
    start = (setup_sects + 1) * 512 + offset
    # The build appends the uncompressed size, four bytes, to the compressed stream.
    payload = image[start:start + length - 4]
    elf = decompress(payload)
    if not elf.startswith(b"\x7fELF"):
        raise LabError(f"no ELF kernel inside {os.path.basename(bzimage)}")
    with open(target, "wb") as sink:
        sink.write(elf)
