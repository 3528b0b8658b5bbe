/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search of the confined process in the files of a process, and its messages. */
#ifndef FATHOM_RECORD_WATCH_WATCH_PLACE_PARTS_H
#define FATHOM_RECORD_WATCH_WATCH_PLACE_PARTS_H

#include <sys/stat.h>

#include "record/watch/watch-place.h"

struct watch_search {
	struct watch_spec *spec;
	const char *path; /* of the program, for a member */
	const char *exe, *shown;
	const struct stat *only;
	char *maps;
	pid_t pid;
	struct watch_place place;
};

/*
 * These receive a message, which is untrusted, for the struct watch_search @data: the location of a
 * member, for its spec, or that of a symbol. Return 0 or -EPROTO.
 */
int watch_search_take_member(void *data, const char *bytes, size_t len, struct fathom_err *err);
int watch_search_take_symbol(void *data, const char *bytes, size_t len, struct fathom_err *err);

#endif
