# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel laboratory: fetch kernels, boot them in QEMU, run tests in them."""
