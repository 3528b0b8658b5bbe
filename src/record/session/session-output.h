/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the file that a session records to: the one that its recorder has locked. */
#ifndef FATHOM_RECORD_SESSION_SESSION_OUTPUT_H
#define FATHOM_RECORD_SESSION_SESSION_OUTPUT_H

/*
 * Returns the path of the file that process @pid records to in *@ret_path, which the caller frees.
 * @root as for tracefs_find(). Returns 0 or a negative errno: -ENOENT if there is none or it has no
 * name, -EACCES without permission to look.
 */
int session_output(const char *root, long pid, char **ret_path);

#endif
