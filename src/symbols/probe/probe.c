/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of parsed probes, the names of their events, and error messages that show the place of
 * a mistake in the user's text.
 */
#include "symbols/probe/probe-parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err-input.h"
#include "base/err.h"
#include "base/quote.h"

int(probe_error)(const char *text, size_t at, struct fathom_err *err, const char *fmt, ...)
{
	char message[FATHOM_ERR_MESSAGE_SIZE];
	va_list ap;

	va_start(ap, fmt);
	quote_vformat(message, sizeof(message), fmt, ap);
	va_end(ap);
	err_set_at(err, -EINVAL, at, "%s", message);
	err_show_input(err, text);
	return -EINVAL;
}

enum probe_kind probe_kind(const struct probe *probe)
{
	return probe->kind;
}

const char *probe_text(const struct probe *probe)
{
	return probe->text;
}

const char *probe_function(const struct probe *probe)
{
	return probe->function;
}

const char *probe_module(const struct probe *probe)
{
	return probe->module;
}

bool probe_is_glob(const struct probe *probe)
{
	return !probe_is_user(probe) && strpbrk(probe->function, "*?") != NULL;
}

size_t probe_function_at(const struct probe *probe)
{
	return probe->function_at;
}

const struct probe *probe_placed(const struct probe *probe, struct arena *arena, uint64_t from_text,
				 unsigned maxactive)
{
	struct probe *placed = arena_alloc(arena, sizeof(*placed));

	if (!placed)
		return NULL;
	*placed = *probe;
	placed->from_text = from_text;
	placed->maxactive = maxactive;
	return placed;
}

bool probe_is_named(const struct probe *probe)
{
	return probe->event != NULL;
}

bool probe_in_program(const struct probe *probe)
{
	return probe_is_user(probe);
}

bool probe_at_line(const struct probe *probe)
{
	return probe->source;
}

/* Names the event of one of the probe's functions, @function. */
static void make_event_name(const struct probe *probe, const char *function,
			    char name[PROBE_NAME_SIZE])
{
	const char *suffix = probe_is_return(probe) ? "_ret" : "";
	char offset[12] = "";

	if (probe->event) {
		snprintf(name, PROBE_NAME_SIZE, "%s", probe->event);
		return;
	}
	if (probe->offset)
		snprintf(offset, sizeof(offset), "_0x%x", (unsigned)probe->offset);
	/* Names of events must not begin with a digit, but the name of a program's file can. */
	snprintf(name, PROBE_NAME_SIZE, "%s%.*s%s%s", isdigit((unsigned char)*function) ? "_" : "",
		 PROBE_NAME_SIZE - 20, function, offset, suffix);
	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
}

void probe_event_name(const struct probe *probe, char name[PROBE_NAME_SIZE])
{
	make_event_name(probe, probe->function, name);
}

static void probe_add_number(char name[PROBE_NAME_SIZE], unsigned n)
{
	char number[16];
	size_t len;

	snprintf(number, sizeof(number), "_%u", n);
	len = strlen(name);
	if (len > PROBE_NAME_SIZE - 1 - strlen(number))
		len = PROBE_NAME_SIZE - 1 - strlen(number);
	snprintf(name + len, PROBE_NAME_SIZE - len, "%s", number);
}

void probe_event_name_nth(const struct probe *probe, unsigned n, char name[PROBE_NAME_SIZE])
{
	probe_event_name(probe, name);
	probe_add_number(name, n);
}

void probe_site_event_name(const struct probe *probe, const struct probe_site *site, unsigned n,
			   char name[PROBE_NAME_SIZE])
{
	make_event_name(probe, site->function ? site->function : probe->function, name);
	if (n > 1)
		probe_add_number(name, n);
}
