/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/stored-enums.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "record/file/stored-file.h"

#define FILE_NAME ".probe-enums"
/* More is not stored; numbers are shown instead. */
#define SIZE_MAX_KEPT ((size_t)1 << 20)

/* Returns whether a line of @lines starts with the @len bytes of @event and a space. */
static bool stored_enums_has_event(const char *lines, const char *event, size_t len)
{
	for (const char *line = lines; *line; line += *line == '\n') {
		if (strncmp(line, event, len) == 0 && line[len] == ' ')
			return true;
		line += strcspn(line, "\n");
	}
	return false;
}

/* Returns whether the event "SYSTEM:EVENT" exists. */
static bool stored_enums_is_there(const struct session_env *env, const char *event, size_t len)
{
	const char *colon = memchr(event, ':', len);
	char path[256];

	return colon && !memchr(event, '/', len) && len < 200 &&
	       snprintf(path, sizeof(path), "events/%.*s/%.*s/format", (int)(colon - event), event,
			(int)(len - (size_t)(colon + 1 - event)), colon + 1) > 0 &&
	       faccessat(env->tracefs.fd, path, F_OK, 0) == 0;
}

/* Copies the lines of @old whose events exist and are not in @added. */
static void keep_lines(const struct session_env *env, const char *old, const char *added,
		       struct strbuf *lines)
{
	const char *last = "";
	size_t last_len = 0;
	bool stays = false;

	for (const char *line = old, *next; *line; line = next) {
		size_t len = strcspn(line, " \n"), all = strcspn(line, "\n");

		next = line + all + (line[all] == '\n');
		if (len != last_len || strncmp(last, line, len) != 0)
			stays = line[len] == ' ' && stored_enums_is_there(env, line, len) &&
				!stored_enums_has_event(added, line, len);
		last = line;
		last_len = len;
		if (stays)
			strbuf_addf(lines, "%.*s\n", (int)all, line);
	}
}

int stored_enums_add(const struct session_env *env, const char *enums, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf old = { 0 }, lines = { 0 };
	_cleanup_close_ int lock = -1;
	int r;

	if (env->journals < 0)
		return 0;
	lock = stored_file_lock(env);
	if (lock < 0)
		return err_set_errno(err, lock, "cannot lock '" SESSION_DIR "'");
	if (stored_file_read(env, FILE_NAME, SIZE_MAX_KEPT, &old) < 0)
		return err_nomem(err);
	if (!old.len && !*enums)
		return 0;
	keep_lines(env, strbuf_str(&old), enums, &lines);
	if (lines.len + strlen(enums) <= SIZE_MAX_KEPT)
		strbuf_adds(&lines, enums);
	r = lines.err ? -ENOMEM : stored_file_write(env, FILE_NAME, &lines);
	return r < 0 ? err_set_errno(err, r,
				     "cannot store the names of enums in '" SESSION_DIR "'") :
		       0;
}

int stored_enums_read(const struct session_env *env, struct strbuf *enums)
{
	_cleanup_strbuf_ struct strbuf lines = { 0 };

	if (stored_file_read(env, FILE_NAME, SIZE_MAX_KEPT, &lines) < 0)
		return -ENOMEM;
	keep_lines(env, strbuf_str(&lines), "", enums);
	return enums->err ? -ENOMEM : 0;
}
