/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/report/report-options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

static int list_add(struct report_list *list, const char *value, struct fathom_err *err)
{
	if (list->n == REPORT_LIST_MAX)
		return err_set(err, -E2BIG, "too many values: '%s' exceeds the limit of %d", value,
			       REPORT_LIST_MAX);
	list->items[list->n++] = value;
	return 0;
}

int report_arg_file(void *args, const char *value, struct fathom_err *err)
{
	struct report_args *a = args;

	if (a->n_files == REPORT_LIST_MAX)
		return err_set(err, -E2BIG, "too many files: expected at most %d", REPORT_LIST_MAX);
	a->files[a->n_files++].path = value;
	return 0;
}

int report_arg_filter(void *args, const char *value, struct fathom_err *err)
{
	struct report_args *a = args;

	if (a->filters.n < REPORT_LIST_MAX)
		a->hide[a->filters.n] = a->negate;
	return list_add(&a->filters, value, err);
}

int report_arg_pid(void *args, const char *value, struct fathom_err *err)
{
	return list_add(&((struct report_args *)args)->pids, value, err);
}

int report_arg_comm(void *args, const char *value, struct fathom_err *err)
{
	return list_add(&((struct report_args *)args)->comms, value, err);
}

int report_arg_buffer(void *args, const char *value, struct fathom_err *err)
{
	return list_add(&((struct report_args *)args)->buffers, value, err);
}

int report_arg_raw_event(void *args, const char *value, struct fathom_err *err)
{
	return list_add(&((struct report_args *)args)->raw_events, value, err);
}

int report_arg_no_handler(void *args, const char *value, struct fathom_err *err)
{
	return list_add(&((struct report_args *)args)->no_handlers, value, err);
}

static bool report_options_read_number(const char **p, unsigned long *ret)
{
	char *end;

	if (**p < '0' || **p > '9')
		return false;
	errno = 0;
	*ret = strtoul(*p, &end, 10);
	*p = end;
	return !errno;
}

int report_arg_cpus(void *args, const char *value, struct fathom_err *err)
{
	struct report_args *a = args;
	const char *p = value;
	unsigned long first, last;

	do {
		if (!report_options_read_number(&p, &first))
			break;
		last = first;
		if (*p == '-' && (p++, !report_options_read_number(&p, &last)))
			break;
		if (last < first || last >= UINT16_MAX)
			break;
		for (; first <= last; first++) {
			if (a->n_cpus == REPORT_CPUS_MAX)
				return err_set(err, -E2BIG, "too many CPUs in '%s'", value);
			a->cpus[a->n_cpus++] = (uint32_t)first;
		}
		if (!*p)
			return 0;
	} while (*p == ',' || *p == ':' ? (p++, true) : false);
	return err_set(err, -EINVAL, "invalid CPU list '%s': expected a value such as 0,2-5",
		       value);
}

int report_arg_offset(void *args, const char *value, struct fathom_err *err)
{
	struct report_args *a = args;
	char *end;

	if (!a->n_files)
		return err_set(err, -EINVAL,
			       "--ts-offset must follow the '-i FILE' that it applies to");
	errno = 0;
	a->files[a->n_files - 1].offset = strtoll(value, &end, 0);
	if (errno || *end || end == value)
		return err_set(err, -EINVAL,
			       "invalid offset '%s': expected a number of nanoseconds", value);
	return 0;
}

int report_arg_ts2secs(void *args, const char *value, struct fathom_err *err)
{
	struct report_args *a = args;
	unsigned long hz;
	const char *p = value;

	if (!report_options_read_number(&p, &hz) || *p || !hz || hz > 1000000000)
		return err_set(err, -EINVAL, "invalid frequency '%s': expected 1 to 1000000000 Hz",
			       value);
	if (a->n_files > 1)
		a->files[a->n_files - 1].ts2secs = (uint32_t)(1000000000 / hz);
	else
		a->ts2secs = (uint32_t)(1000000000 / hz);
	return 0;
}

/* An option of -O: the field, and the value to set. */
static const struct text_option {
	const char *plugin, *name;
	size_t offset;
	unsigned value;
	bool is_retval;
	bool inverted;
} text_options[] = {
	{ "ftrace", "parent", offsetof(struct report_options, parent) },
	{ "ftrace", "indent", offsetof(struct report_options, no_indent), .inverted = true },
	{ "ftrace", "offset", offsetof(struct report_options, offset) },
	{ "fgraph", "tailprint", offsetof(struct report_options, tail_name) },
	{ "fgraph", "depth", offsetof(struct report_options, depth) },
	{ "fgraph", "retval-skip", 0, REPORT_RETVAL_SKIP, .is_retval = true },
	{ "fgraph", "retval-dec", 0, REPORT_RETVAL_DECIMAL, .is_retval = true },
	{ "fgraph", "retval-hex", 0, REPORT_RETVAL_HEX, .is_retval = true },
};

static int apply_text_option(struct report_options *options, const struct text_option *option,
			     bool on)
{
	if (option->is_retval)
		options->retval = on ? option->value : REPORT_RETVAL_AUTO;
	else
		*(bool *)((char *)options + option->offset) = on != option->inverted;
	return 0;
}

/* [PLUGIN:]NAME[=VALUE] */
int report_arg_text_option(void *args, const char *value, struct fathom_err *err)
{
	struct report_args *a = args;
	const char *colon = strchr(value, ':');
	const char *name = colon ? colon + 1 : value;
	size_t len = strcspn(name, "=");
	bool on = !name[len] || !(str_eq(name + len, "=0") || str_eq(name + len, "=false"));

	for (size_t i = 0; i < ARRAY_SIZE(text_options); i++) {
		const struct text_option *o = &text_options[i];

		if (strlen(o->name) != len || memcmp(o->name, name, len) != 0)
			continue;
		/* trace-cmd accepts the prefix "ftrace" for either plugin. */
		if (colon && strncmp(value, o->plugin, (size_t)(colon - value)) != 0 &&
		    strncmp(value, "ftrace", (size_t)(colon - value)) != 0)
			continue;
		return apply_text_option(&a->options, o, on);
	}
	return err_set(err, -EINVAL,
		       "unknown format option '%s': expected parent, indent, offset, "
		       "fgraph:tailprint, fgraph:depth, fgraph:retval-skip, fgraph:retval-dec or "
		       "fgraph:retval-hex",
		       value);
}

static int set_count(void *args, const char *value, bool first, struct fathom_err *err)
{
	struct report_args *a = args;
	const char *p = value;
	unsigned long n;

	if (!report_options_read_number(&p, &n) || *p)
		return err_set(err, -EINVAL, "invalid number of events '%s'", value);
	if (first) {
		a->first = n;
		a->has_first = true;
	} else {
		a->last = n;
		a->has_last = true;
	}
	return 0;
}

int report_arg_first(void *args, const char *value, struct fathom_err *err)
{
	return set_count(args, value, true, err);
}

int report_arg_last(void *args, const char *value, struct fathom_err *err)
{
	return set_count(args, value, false, err);
}

int report_arg_negate(void *args, const char *value, struct fathom_err *err)
{
	((struct report_args *)args)->negate = true;
	return 0;
}
