/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which file a session records to: the one that its recorder has locked. */
#ifndef FATHOM_RECORD_SESSION_SESSION_OUTPUT_H
#define FATHOM_RECORD_SESSION_SESSION_OUTPUT_H

/*
 * The file, to be freed, that process @pid writes its recording to, below @root ("" for this machine). 0;
 * -ENOENT: there is none, or it has no name; -EACCES: it cannot be looked at; another negative errno.
 */
int session_output(const char *root, long pid, char **ret_path);

#endif
