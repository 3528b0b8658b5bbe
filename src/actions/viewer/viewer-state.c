/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/viewer/viewer-state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/files/new-file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"

/* Returns a path to be freed; NULL: no directory for it, or out of memory. */
static char *state_dir(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/')
		return mem_printf("%s/fathom/tui", state);
	return home && *home == '/' ? mem_printf("%s/.local/state/fathom/tui", home) : NULL;
}

/* The first line identifies the trace file. */
static int put_identity(const char *trace, struct strbuf *buf)
{
	struct stat st;

	if (stat(trace, &st) < 0)
		return negative_errno();
	strbuf_addf(buf, "trace %" PRIu64 " %" PRIu64 " %" PRIu64 ".%09ld\n", (uint64_t)st.st_ino,
		    (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return buf->err;
}

/* Named after the trace, with a hash of its directory. */
static char *state_path(const char *trace, const char *dir)
{
	const char *slash = strrchr(trace, '/'), *name = slash ? slash + 1 : trace;
	_cleanup_free_ char *folder = mem_printf("%.*s", (int)(slash ? slash - trace : 0), trace);
	struct stat st;

	if (!folder || stat(*folder ? folder : slash ? "/" : ".", &st) < 0)
		return NULL;
	return mem_printf("%s/%.200s-%" PRIx64 "-%" PRIx64, dir, name, (uint64_t)st.st_dev,
			  (uint64_t)st.st_ino);
}

int viewer_state_load(const char *trace, struct strbuf *text)
{
	_cleanup_free_ char *dir = state_dir();
	_cleanup_free_ char *path = dir ? state_path(trace, dir) : NULL;
	_cleanup_strbuf_ struct strbuf identity = { 0 }, all = { 0 };
	const char *rest;
	struct stat st;
	int r;

	if (!path || stat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > VIEWER_STATE_MAX)
		return -ENOENT;
	r = put_identity(trace, &identity);
	if (r == 0)
		r = file_read(AT_FDCWD, path, &all);
	if (r < 0)
		return r;
	rest = str_after(strbuf_str(&all), strbuf_str(&identity));
	if (!rest)
		return -ENOENT;
	strbuf_add(text, rest, strlen(rest));
	return text->err;
}

int viewer_state_save(const char *trace, const char *text)
{
	_cleanup_free_ char *dir = state_dir();
	_cleanup_free_ char *path = dir ? state_path(trace, dir) : NULL;
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	_cleanup_strbuf_ struct strbuf all = { 0 };
	_cleanup_close_ int place = -1;
	int r;

	if (!path)
		return -ENOENT;
	r = put_identity(trace, &all);
	strbuf_add(&all, text, strlen(text));
	if (r < 0 || all.err || all.len > VIEWER_STATE_MAX)
		return r < 0 ? r : all.err ? all.err : -E2BIG;
	/* With sudo, the home directory may be another user's: root writes nothing there. */
	place = place_open_dir(dir, PLACE_DIR_MAKE);
	r = place < 0 ? place : 0;
	if (r == 0)
		r = new_file_open(&file, path, NEW_FILE_QUICK | NEW_FILE_OURS, 0, NULL);
	if (r < 0)
		return r;
	if (write(file.fd, all.s, all.len) != (ssize_t)all.len)
		return -EIO;
	return new_file_commit(&file, NULL);
}
