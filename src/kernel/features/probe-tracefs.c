/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that look for a tracefs file, or for a word in it. */
#include "kernel/features/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/negative-errno.h"
#include "base/str.h"

/* An event that exists in every kernel that has events. */
#define ANY_EVENT "events/sched/sched_switch"

static int probe_tracefs_read_once(struct asker *asker, const char *file, struct strbuf *buf)
{
	if (buf->len)
		return 0;
	return file_read(asker->tracefs.fd, file, buf);
}

static bool has_file(const struct asker *asker, const char *path)
{
	return faccessat(asker->tracefs.fd, path, F_OK, AT_EACCESS) == 0;
}

void ask_tracer(struct asker *asker, const struct question *question, struct fathom_feature *answer)
{
	int r = probe_tracefs_read_once(asker, "available_tracers", &asker->tracers);

	if (r < 0) {
		answer_from_errno(asker, answer, r, "reading available_tracers");
		return;
	}
	if (str_has_word(strbuf_str(&asker->tracers), " \n", question->arg))
		answer_set(asker, answer, FATHOM_FEATURE_YES, "listed in available_tracers", "");
	else
		answer_set(asker, answer, FATHOM_FEATURE_NO, "not listed in available_tracers",
			   "the kernel was built without this tracer");
}

void ask_file(struct asker *asker, const struct question *question, struct fathom_feature *answer)
{
	if (has_file(asker, question->arg))
		answer_set(asker, answer, FATHOM_FEATURE_YES,
			   asker_text(asker, "the file %s exists", question->arg), "");
	else if (errno == ENOENT)
		answer_set(asker, answer, FATHOM_FEATURE_NO,
			   asker_text(asker, "no file %s", question->arg),
			   "the kernel is too old, or was built without it");
	else
		answer_from_errno(asker, answer, negative_errno(),
				  asker_text(asker, "looking for the file %s", question->arg));
}

void ask_event_file(struct asker *asker, const struct question *question,
		    struct fathom_feature *answer)
{
	const char *path = asker_text(asker, ANY_EVENT "/%s", question->arg);

	if (!has_file(asker, ANY_EVENT)) {
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN, "looking for " ANY_EVENT,
			   "the event that is checked does not exist");
		return;
	}
	if (has_file(asker, path))
		answer_set(asker, answer, FATHOM_FEATURE_YES,
			   asker_text(asker, "the file %s exists", path), "");
	else
		answer_set(asker, answer, FATHOM_FEATURE_NO, asker_text(asker, "no file %s", path),
			   "the kernel is too old, or was built without it");
}

void ask_readme(struct asker *asker, const struct question *question, struct fathom_feature *answer)
{
	int r = probe_tracefs_read_once(asker, "README", &asker->readme);

	if (r < 0) {
		answer_from_errno(asker, answer, r, "reading README");
		return;
	}
	if (strstr(strbuf_str(&asker->readme), question->arg))
		answer_set(asker, answer, FATHOM_FEATURE_YES,
			   asker_text(asker, "the kernel's README lists '%s'", question->arg), "");
	else
		answer_set(asker, answer, FATHOM_FEATURE_NO,
			   asker_text(asker, "the kernel's README does not list '%s'",
				      question->arg),
			   "the kernel is too old, or was built without it");
}

void ask_clocks(struct asker *asker, const struct question *question, struct fathom_feature *answer)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 }, list = { 0 };
	char *text;
	int r = file_read(asker->tracefs.fd, question->arg, &buf);

	if (r < 0) {
		answer_from_errno(asker, answer, r, "reading trace_clock");
		return;
	}
	text = buf.s;
	/* The current clock is in brackets. */
	for (char *word; (word = str_next_word(&text, " []\n"));)
		strbuf_addf(&list, "%s%s", list.len ? " " : "", word);
	answer_set(asker, answer, list.len ? FATHOM_FEATURE_YES : FATHOM_FEATURE_NO,
		   "reading trace_clock", list.len ? "" : "trace_clock is empty");
	answer->value = asker_text(asker, "%s", strbuf_str(&list));
	if (list.err)
		asker->no_memory = true;
}

/* The file predates working user events, which exist since Linux 6.4, so try to open it. */
void ask_user_events(struct asker *asker, const struct question *question,
		     struct fathom_feature *answer)
{
	int fd;

	ask_file(asker, question, answer);
	if (answer->state != FATHOM_FEATURE_YES || asker->tracefs.state != TRACEFS_WRITABLE)
		return;
	fd = openat(asker->tracefs.fd, question->arg, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		answer_from_errno(asker, answer, negative_errno(), "opening user_events_data");
	else
		close(fd);
}
