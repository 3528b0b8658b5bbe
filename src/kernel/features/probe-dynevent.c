/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks that define a probe, under a unique name. It is never enabled, and is removed at once,
 * with signals blocked. A kernel that lacks this kind of definition rejects it without an entry in
 * error_log.
 */
#include "kernel/features/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/str.h"

/* Kernels without it have one file per kind. */
static bool has_dynamic_events(const struct asker *asker)
{
	return faccessat(asker->tracefs.fd, "dynamic_events", F_OK, AT_EACCESS) == 0;
}

static const char *probe_dynevent_file_for(const struct asker *asker, const char *definition)
{
	if (has_dynamic_events(asker))
		return "dynamic_events";
	return strchr(definition, '/') && strstr(definition, ":0x") ? "uprobe_events" :
								      "kprobe_events";
}

/* Replaces GROUP by our unique name and EXE by the path of this program. */
static void probe_dynevent_expand(struct asker *asker, const char *pattern, struct strbuf *buf)
{
	while (*pattern) {
		const char *rest;

		if ((rest = str_after(pattern, "GROUP")))
			strbuf_adds(buf, asker->name);
		else if ((rest = str_after(pattern, "EXE")))
			strbuf_adds(buf, "/proc/self/exe");
		else
			strbuf_addc(buf, *pattern);
		pattern = rest ? rest : pattern + 1;
	}
}

/* Defines and removes a probe. Returns 0 or the error of the definition. */
static int try_definition(struct asker *asker, const char *pattern, const char *removal)
{
	_cleanup_strbuf_ struct strbuf define = { 0 }, remove = { 0 };
	const char *file;
	sigset_t old;
	int r;

	probe_dynevent_expand(asker, pattern, &define);
	probe_dynevent_expand(asker, removal, &remove);
	if (define.err || remove.err)
		return -ENOMEM;
	file = probe_dynevent_file_for(asker, strbuf_str(&define));
	signals_block(&old);
	r = file_write(asker->tracefs.fd, file, O_APPEND, strbuf_str(&define));
	if (r == 0)
		file_write(asker->tracefs.fd, file, O_APPEND, strbuf_str(&remove));
	signals_restore(&old);
	return r;
}

static void answer_try(struct asker *asker, const char *pattern, struct fathom_feature *answer)
{
	/* The group of a synthetic event is fixed. */
	const char *removal = pattern[0] == 's' ? "-:GROUP" : "-:GROUP/x";
	int r = try_definition(asker, pattern, removal);

	answer_from_errno(asker, answer, r, "defining and removing one");
	if (r == -EINVAL || r == -ENOENT)
		answer->why = "the kernel is too old, or was built without it";
}

void ask_dynevent(struct asker *asker, const struct question *question,
		  struct fathom_feature *answer)
{
	struct question by_file = *question;

	/* Their syntax was different before dynamic_events; the existence of the file is enough. */
	by_file.arg = "synthetic_events";
	if (question->arg[0] == 's' && !has_dynamic_events(asker))
		ask_file(asker, &by_file, answer);
	else
		answer_try(asker, question->arg, answer);
}

/* A kernel without argument names would log the attempt in error_log, so check README first. */
void ask_btf_args(struct asker *asker, const struct question *question,
		  struct fathom_feature *answer)
{
	struct question offered = *question;

	offered.arg = "<argname>";
	ask_readme(asker, &offered, answer);
	if (answer->state == FATHOM_FEATURE_YES)
		answer_try(asker, question->arg, answer);
}

/*
 * Removes the event on a line of dynamic_events, such as "p:GROUP/EVENT vfs_read", if its creator
 * has exited.
 */
static void remove_line(struct asker *asker, const char *line)
{
	const char *name = strchr(line, ':');
	char removal[192], owner[64];
	size_t len, own;

	if (!name++)
		return;
	len = strcspn(name, " \t");
	own = strcspn(name, "/ \t");
	/* A synthetic event is listed as s:synthetic/NAME. */
	if (line[0] == 's' && strncmp(name, "synthetic/", 10) == 0) {
		name += 10;
		len -= 10;
		own = len;
	}
	if (own >= sizeof(owner) || len + 3 > sizeof(removal))
		return;
	memcpy(owner, name, own);
	owner[own] = '\0';
	if (!is_dead_name(asker, owner))
		return;
	snprintf(removal, sizeof(removal), "-:%.*s", (int)len, name);
	file_write(asker->tracefs.fd, "dynamic_events", O_APPEND, removal);
}

void remove_dead_events(struct asker *asker)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char *text;

	if (file_read(asker->tracefs.fd, "dynamic_events", &buf) < 0)
		return;
	text = buf.s;
	for (char *line; (line = str_next_line(&text));)
		remove_line(asker, line);
}
