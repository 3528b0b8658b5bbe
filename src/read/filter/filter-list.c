/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Combines filters with inverted ones. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "read/filter.h"

struct filter_list_entry {
	struct filter *filter;
	bool hide;
};

int filter_list_add(struct filter_list *list, struct filter *filter, bool hide)
{
	int r = mem_reserve(&list->entries, &list->cap, list->n + 1, sizeof(*list->entries));

	if (r < 0)
		return r;
	list->entries[list->n++] = (struct filter_list_entry){ .filter = filter, .hide = hide };
	list->n_show += !hide;
	return 0;
}

int filter_list_bind(struct filter_list *list, const struct event_format *const *formats,
		     size_t n_formats, const struct filter_env *env, size_t n_cpus,
		     struct fathom_err *err)
{
	bool *shown;

	for (size_t i = 0; i < list->n; i++) {
		int r = filter_bind(list->entries[i].filter, formats, n_formats, env, err);

		if (r < 0) {
			list->failed = i;
			return r;
		}
	}
	shown = mem_zalloc(n_cpus + 1, sizeof(*shown));
	if (!shown)
		return err_nomem(err);
	free(list->shown);
	list->shown = shown;
	list->n_cpus = n_cpus;
	return 0;
}

static bool any_matches(const struct filter_list *list, const struct filter_event *event, bool hide)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->entries[i].hide == hide && filter_match(list->entries[i].filter, event))
			return true;
	return false;
}

static bool is_stack_trace(const struct event_format *format)
{
	return format && str_eq(format->system, "ftrace") &&
	       (str_eq(format->name, "kernel_stack") || str_eq(format->name, "user_stack"));
}

bool filter_list_match_alone(const struct filter_list *list, const struct filter_event *event)
{
	return (list->n_show == 0 || any_matches(list, event, false)) &&
	       !any_matches(list, event, true);
}

bool filter_list_match(struct filter_list *list, const struct filter_event *event)
{
	bool has_cpu = event->cpu >= 0 && (size_t)event->cpu < list->n_cpus;
	bool is_stack = is_stack_trace(event->format);
	bool show;

	if (list->n == 0)
		return true;
	show = list->n_show == 0 || any_matches(list, event, false) ||
	       (is_stack && has_cpu && list->shown[event->cpu]);
	show = show && !any_matches(list, event, true);
	/* A kernel stack can be followed by a user stack of the same event. */
	if (has_cpu && !is_stack)
		list->shown[event->cpu] = show;
	return show;
}

void filter_list_done(struct filter_list *list)
{
	free(list->entries);
	free(list->shown);
	*list = (struct filter_list){ 0 };
}
