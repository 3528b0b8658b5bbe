/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/probes/probe-events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "process/confined-call.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* How many names to try for an event. */
#define NAMES_MAX 1000

struct made {
	const char *name, *line;
};

struct maker {
	const struct probe_request *request;
	const struct probe_sink *sink;
	struct probe_sites sites;
	struct made *made;
	size_t n, cap;
	struct arena arena;
	struct fathom_err *err;
};

static void maker_done(struct maker *maker)
{
	probe_sites_done(&maker->sites);
	arena_done(&maker->arena);
	free(maker->made);
}

static const struct made *probe_events_find(const struct maker *maker, const char *name)
{
	for (size_t i = maker->n; i > 0; i--)
		if (str_eq(maker->made[i - 1].name, name))
			return &maker->made[i - 1];
	return NULL;
}

static int probe_events_remember(struct maker *maker, const char *name, const char *line)
{
	struct made made = { arena_strdup(&maker->arena, name), arena_strdup(&maker->arena, line) };

	if (!made.name || !made.line ||
	    mem_reserve(&maker->made, &maker->cap, maker->n + 1, sizeof(made)) < 0)
		return err_nomem(maker->err);
	maker->made[maker->n++] = made;
	return 0;
}

/* Tries name number @n. Returns 0, 1 if it cannot be used, or a negative errno. */
static int try_name(struct maker *maker, size_t i, unsigned n)
{
	const struct probe_request *request = maker->request;
	const struct probe_sink *sink = maker->sink;
	struct probe_machine machine = probe_sites_machine(&maker->sites, i, request->kernel);
	_cleanup_strbuf_ struct strbuf line = { 0 };
	_cleanup_strbuf_ struct strbuf enums = { 0 };
	const struct made *own;
	char name[PROBE_NAME_SIZE];
	int r;

	probe_site_event_name(request->probe, &maker->sites.list[i], n, name);
	own = probe_events_find(maker, name);
	if (!own && sink->is_taken(sink->data, name))
		return 1;
	r = probe_lower(request->probe, &machine, request->group, name, &line, &enums, maker->err);
	if (r < 0)
		return r;
	if (own)
		return probe_lines_are_alike(own->line, line.s) &&
				       sink->extend(sink->data, line.s) == 0 ?
			       0 :
			       1;
	r = sink->make(sink->data, name, line.s, maker->err);
	if (r == -EEXIST)
		return 1;
	if (r == 0 && sink->enums)
		strbuf_add(sink->enums, strbuf_str(&enums), enums.len);
	return r < 0 ? r : probe_events_remember(maker, name, line.s);
}

static int make_one(struct maker *maker, size_t i)
{
	bool named = probe_is_named(maker->request->probe);
	int r = 1;

	for (unsigned n = 1; r == 1 && n <= NAMES_MAX; n++) {
		r = try_name(maker, i, n);
		/* A name that the user chose must be free. */
		if (r == 1 && named && !maker->n)
			break;
	}
	return r == 1 ? -EEXIST : r;
}

/*
 * Linux 6.18 to 7.1 replace such an instruction by a call, which overwrites the red zone of the
 * System V ABI. Nothing reports this bug, so check the release.
 */
static void warn_of_nop5(const char *root, struct strbuf *notes)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char path[512], release[128], *dot;
	unsigned long major, minor;

	snprintf(path, sizeof(path), "%.400s/proc/sys/kernel/osrelease", root);
	if (confined_read(path, &text) < 0)
		return;
	snprintf(release, sizeof(release), "%.*s", (int)strcspn(strbuf_str(&text), "\n"),
		 strbuf_str(&text));
	major = strtoul(release, &dot, 10);
	minor = *dot == '.' ? strtoul(dot + 1, NULL, 10) : 0;
	if ((major == 6 && minor >= 18) || (major == 7 && minor < 2))
		strbuf_addf(notes,
			    "bug in kernel %s: a probe on a 5-byte nop overwrites 8 bytes below "
			    "the stack pointer, which some functions use (fixed in 7.2)\n",
			    release);
}

static void add_notes(const struct maker *maker, struct strbuf *notes)
{
	const struct probe_sites *sites = &maker->sites;
	const char *text = probe_text(maker->request->probe);

	if (sites->matched > 1)
		strbuf_addf(notes, "probed %zu of %zu locations of '%.150s'%s%s\n", sites->n,
			    sites->matched, text, sites->why_not ? "; not probed: " : "",
			    sites->why_not ? sites->why_not : "");
	if (sites->line)
		strbuf_addf(notes,
			    "no code at the line of '%.150s'; probed line %u, the next one with "
			    "code\n",
			    text, sites->line);
	if (sites->has_nop5)
		warn_of_nop5(maker->request->where.root, notes);
}

int probe_events_make_here(const struct probe_request *request, const struct probe_sink *sink,
			   struct strbuf *notes, struct fathom_err *err)
{
	_cleanup_(maker_done) struct maker maker = { .request = request, .sink = sink, .err = err };
	int r = probe_sites_find(&request->where, request->probe, &maker.sites, err);

	if (r == 0 && maker.sites.n > PROBE_EVENTS_MAX)
		return err_set(err, -E2BIG,
			       "'%.150s' matches %zu places, at most %d are supported: be more "
			       "specific",
			       probe_text(request->probe), maker.sites.n, PROBE_EVENTS_MAX);
	for (size_t i = 0; r == 0 && i < maker.sites.n; i++)
		r = make_one(&maker, i);
	if (r == 0)
		add_notes(&maker, notes);
	return r;
}
