/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Anyone can write program files, so they are parsed in a confined process, which requests each
 * event by its definition. The caller opens the program, and accepts only definitions of one line
 * with the group and the file that it has chosen.
 */
#include "record/probes/probe-events-parts.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "process/confined-call.h"
#include "base/err.h"
#include "base/str.h"
#include "symbols/user/demangle.h"

/* The debug information of a kernel has hundreds of megabytes, and libdw reads whole sections. */
#define KERNEL_MEMORY ((uint64_t)4 << 30)

/* In the confined process. */

static int send_text(enum probe_letter letter, const char *name, const char *text)
{
	_cleanup_strbuf_ struct strbuf message = { 0 };

	strbuf_addc(&message, (char)letter);
	strbuf_adds(&message, name);
	if (text) {
		strbuf_addc(&message, '\0');
		strbuf_adds(&message, text);
	}
	return message.err ? -ENOMEM : confined_send(message.s, message.len);
}

static bool ask_taken(void *data, const char *name)
{
	return send_text(PROBE_IS_TAKEN, name, NULL) != 0;
}

static int ask_make(void *data, const char *name, const char *line, struct fathom_err *err)
{
	return send_text(PROBE_MAKE, name, line);
}

static int ask_extend(void *data, const char *line)
{
	const char *slash = strchr(line, '/');
	char name[PROBE_NAME_SIZE];

	if (!slash)
		return -EINVAL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(slash + 1, " "), slash + 1);
	return send_text(PROBE_EXTEND, name, line);
}

/* Sends each line of @text as a message. */
static int send_lines(enum probe_letter letter, char *text)
{
	int r = 0;

	for (char *line; r == 0 && (line = str_next_line(&text));)
		r = send_text(letter, line, NULL);
	return r;
}

static int probe_events_confined_work(void *data, struct fathom_err *err)
{
	const struct confined_probe *confined = data;
	_cleanup_strbuf_ struct strbuf notes = { 0 }, enums = { 0 };
	const struct probe_sink sink = { NULL, ask_taken, ask_make, ask_extend,
					 confined->sink->enums ? &enums : NULL };
	int r = probe_events_make_here(&confined->request, &sink, &notes, err);
	int sent;

	if (notes.err || enums.err)
		return -ENOMEM;
	/* Even after a failure, because events created before it remain. */
	sent = send_lines(PROBE_ENUMS, enums.s);
	if (r == 0 && sent == 0)
		sent = send_lines(PROBE_NOTES, notes.s);
	return r < 0 ? r : sent;
}

/* In the caller. */

static int probe_events_confined_refuse(struct fathom_err *err)
{
	return err_set(err, -EPROTO,
		       "internal error: invalid reply from the process that "
		       "parses programs");
}

static bool probe_events_confined_is_name(const char *name)
{
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) || name[n] == '_')
		n++;
	return n && n < PROBE_NAME_SIZE && !name[n];
}

/* Accepts "p:GROUP/NAME PATH:0x...", without control characters. */
static bool is_definition(const struct confined_probe *confined, const char *name, const char *line)
{
	const struct probe_request *request = &confined->request;
	const char *p = line;

	/* Paths may contain any other character. */
	for (const char *q = line; *q; q++)
		if ((unsigned char)*q < ' ' || *q == 0x7f)
			return false;
	if (!*p || !strchr("prf", *p))
		return false;
	p++;
	if (!probe_in_program(request->probe))
		p += strspn(p, "0123456789");
	p = str_after(p, ":");
	p = p ? str_after(p, request->group) : NULL;
	p = p ? str_after(p, "/") : NULL;
	p = p ? str_after(p, name) : NULL;
	p = p ? str_after(p, " ") : NULL;
	if (p && request->where.program) {
		p = str_after(p, request->where.program->probe_path);
		p = p ? str_after(p, ":0x") : NULL;
	}
	return p;
}

static int take_definition(struct confined_probe *confined, enum probe_letter letter,
			   const char *name, const char *line, struct fathom_err *err)
{
	const struct probe_sink *sink = confined->sink;
	bool is_own = str_has_word(strbuf_str(&confined->made), "\n", name);
	int r;

	if (confined->n >= PROBE_EVENTS_MAX || !is_definition(confined, name, line) ||
	    is_own != (letter == PROBE_EXTEND))
		return probe_events_confined_refuse(err);
	r = letter == PROBE_EXTEND ? sink->extend(sink->data, line) :
				     sink->make(sink->data, name, line, err);
	confined->n += r == 0;
	if (r == 0 && letter == PROBE_MAKE)
		strbuf_addf(&confined->made, "%s\n", name);
	return confined->made.err ? err_nomem(err) : r;
}

/* Accepts "GROUP:EVENT FIELD NUMBER NAME". */
static int take_enum(const struct confined_probe *confined, const char *line,
		     struct fathom_err *err)
{
	const char *rest = str_after(line, confined->request.group);

	if (!rest || *rest != ':')
		return probe_events_confined_refuse(err);
	for (; *rest; rest++)
		if (!isalnum((unsigned char)*rest) && !strchr("_:- ", *rest))
			return probe_events_confined_refuse(err);
	strbuf_addf(confined->sink->enums, "%s\n", line);
	return 0;
}

int confined_probe_take(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	struct confined_probe *confined = data;
	const struct probe_sink *sink = confined->sink;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *name, *line;

	if (len < 2)
		return probe_events_confined_refuse(err);
	strbuf_add(&text, bytes + 1, len - 1);
	if (text.err)
		return err_nomem(err);
	name = text.s;
	line = strlen(name) < text.len ? name + strlen(name) + 1 : "";
	switch (bytes[0]) {
	case PROBE_IS_TAKEN:
		return probe_events_confined_is_name(name) ? sink->is_taken(sink->data, name) :
							     probe_events_confined_refuse(err);
	case PROBE_MAKE:
	case PROBE_EXTEND:
		return probe_events_confined_is_name(name) ?
			       take_definition(confined, (enum probe_letter)bytes[0], name, line,
					       err) :
			       probe_events_confined_refuse(err);
	case PROBE_NOTES:
		strbuf_addf(confined->notes, "%s\n", name);
		return 0;
	case PROBE_ENUMS:
		return sink->enums ? take_enum(confined, name, err) :
				     probe_events_confined_refuse(err);
	default:
		return probe_events_confined_refuse(err);
	}
}

/* Loads the C++ demangler, which the confined process cannot do. */
static void load_for(const struct probe *probe)
{
	static struct demangler demangler;

	const char *function = probe_function(probe);

	if (function && strstr(function, "::") && !demangler.cxx)
		demangler_load(&demangler);
}

static int probe_events_confined_call(struct confined_probe *confined, struct fathom_err *err)
{
	const struct probe_where *where = &confined->request.where;
	char notes[PATH_MAX], system[PATH_MAX], release[PATH_MAX];
	const struct probe_program *program = where->program;
	const struct confined_file files[] = {
		{ program	 ? program->path :
		  where->vmlinux ?:
				   "",
		  program ? program->fd : -1 },
		{ release, -1 },
		{ notes, -1 },
		{ system, -1 },
	};
	int r;

	snprintf(notes, sizeof(notes), "%s/sys/kernel/notes", where->root);
	snprintf(system, sizeof(system), "%s/etc/os-release", where->root);
	snprintf(release, sizeof(release), "%s/proc/sys/kernel/osrelease", where->root);
	load_for(confined->request.probe);
	r = confined_call(&(struct confined_call){ .work = probe_events_confined_work,
						   .take = confined_probe_take,
						   .data = confined,
						   .subject = program ? program->path : "vmlinux",
						   .files = files,
						   /* The others are about the kernel. */
						   .n_files = program ? 2 : ARRAY_SIZE(files),
						   .memory = program ? 0 : KERNEL_MEMORY },
			  err);
	strbuf_done(&confined->made);
	return r;
}

int probe_events_make(const struct probe_request *request, const struct probe_sink *sink,
		      struct strbuf *notes, struct fathom_err *err)
{
	struct confined_probe confined = { .request = *request, .sink = sink, .notes = notes };
	_cleanup_(arena_done) struct arena arena = { 0 };
	struct probe_program program;
	int r;

	if (!probe_in_program(request->probe) && !probe_at_line(request->probe))
		return probe_events_make_here(request, sink, notes, err);
	if (!probe_in_program(request->probe))
		return probe_events_confined_call(&confined, err);
	r = probe_program_open(&request->where, request->probe, &arena, &program, err);
	if (r < 0)
		return r;
	confined.request.where.program = &program;
	r = probe_events_confined_call(&confined, err);
	close(program.fd);
	return r;
}
