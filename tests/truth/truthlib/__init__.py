# SPDX-License-Identifier: GPL-2.0-or-later
"""The truth suite; see README.md in the directory above."""
