# SPDX-License-Identifier: GPL-2.0-or-later
"""The one exception that the lab shows to its user as a plain message."""


class LabError(Exception):
    """Something the user can act on; printed as `lab: MESSAGE`, without a traceback."""


class DownloadError(LabError):
    """Something could not be fetched: no fault of what is tested."""
