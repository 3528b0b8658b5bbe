# SPDX-License-Identifier: GPL-2.0-or-later
"""The exception that the lab shows to its user as a plain message."""


class LabError(Exception):
    """Something the user can act on; printed as `lab: MESSAGE`, without a traceback."""


class DownloadError(LabError):
    """Something could not be fetched: not a fault of the code under test."""
