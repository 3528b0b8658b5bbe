/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Binds a filter to the formats of a trace: one program per format, found in a hash table by the
 * address of the format. Formats with equal programs share one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "read/filter/filter-check.h"
#include "read/filter/filter-compile.h"

/* How many recent programs to compare with. */
#define RECENT 8

static const struct filter_program accept_all = { .entry = FILTER_ACCEPT };
static const struct filter_program reject_all = { .entry = FILTER_REJECT };

struct binder {
	struct filter_compiler compiler;
	const struct filter_program *recent[RECENT];
	size_t n_programs;
};

static void binder_done(struct binder *binder)
{
	free(binder->compiler.tests);
}

/* Resets the results of an earlier filter_bind(). */
static int reset_node(struct filter *filter, struct filter_node *node, struct fathom_err *err)
{
	int r = node->events ? filter_patterns_init(filter, node->events, err) : 0;

	node->found = false;
	node->only_field = false;
	node->misfit = NULL;
	node->functions = NULL;
	node->cache = NULL;
	for (struct filter_node *child = node->first; child && r == 0; child = child->next)
		r = reset_node(filter, child, err);
	return r;
}

static int filter_bind_reset(struct filter *filter, const struct filter_env *env,
			     struct fathom_err *err)
{
	int r = filter_patterns_init(filter, filter->events, err);

	filter->env = env ? *env : (struct filter_env){ 0 };
	filter->slots = NULL;
	filter->fallback = &reject_all;
	filter->note = NULL;
	if (r == 0 && filter->root)
		r = reset_node(filter, filter->root, err);
	return r;
}

/* A name in lower case that an event before the colon has as a field only means that field. */
static void find_only_fields(struct filter_node *node, const struct event_format *format)
{
	if (node->kind == FILTER_NAME && node->text[0] >= 'a' &&
	    event_field_find(format, node->text))
		node->only_field = true;
	for (struct filter_node *child = node->first; child; child = child->next)
		find_only_fields(child, format);
}

static void read_prefix(struct filter *filter, const struct event_format *const *formats,
			size_t n_formats)
{
	for (size_t i = 0; i < n_formats; i++)
		for (struct filter_pattern *p = filter->events; p && filter->root; p = p->next)
			if (filter_pattern_fits(p, formats[i]))
				find_only_fields(filter->root, formats[i]);
}

static bool same_program(const struct filter_program *a, const struct filter_compiler *b,
			 uint16_t entry)
{
	return a->entry == entry && a->n == b->n &&
	       memcmp(a->tests, b->tests, b->n * sizeof(*b->tests)) == 0;
}

static const struct filter_program *keep_program(struct binder *binder, uint16_t entry)
{
	const struct filter_compiler *compiler = &binder->compiler;
	struct arena *arena = compiler->filter->arena;
	struct filter_program *program;
	struct filter_test *tests;

	if (entry == FILTER_ACCEPT)
		return &accept_all;
	if (entry == FILTER_REJECT)
		return &reject_all;
	for (size_t i = 0; i < RECENT && binder->recent[i]; i++)
		if (same_program(binder->recent[i], compiler, entry))
			return binder->recent[i];
	program = arena_zalloc(arena, 1, sizeof(*program));
	tests = arena_zalloc(arena, compiler->n, sizeof(*tests));
	if (!program || !tests)
		return NULL;
	memcpy(tests, compiler->tests, compiler->n * sizeof(*tests));
	program->entry = entry;
	program->n = (uint16_t)compiler->n;
	program->tests = tests;
	binder->recent[binder->n_programs++ % RECENT] = program;
	return program;
}

static int compile_for(struct binder *binder, const struct event_format *format,
		       const struct filter_program **ret)
{
	struct filter_compiler *compiler = &binder->compiler;
	const struct filter_program *program;
	uint16_t entry;

	compiler->format = format;
	compiler->n = 0;
	entry = filter_compile(compiler);
	if (compiler->error)
		return compiler->error;
	program = keep_program(binder, entry);
	if (!program)
		return err_nomem(compiler->err);
	*ret = program;
	return 0;
}

static struct filter_slot *filter_bind_find_slot(const struct filter *filter,
						 const struct event_format *format)
{
	size_t at = filter_slot_start(filter, format);

	while (filter->slots[at].format && filter->slots[at].format != format)
		at = (at + 1) & (filter->n_slots - 1);
	return &filter->slots[at];
}

static int compile_all(struct filter *filter, const struct event_format *const *formats,
		       size_t n_formats, struct fathom_err *err)
{
	_cleanup_(binder_done) struct binder binder = { .compiler = { .filter = filter,
								      .err = err } };
	int r;

	filter->n_slots = 4;
	while (filter->n_slots < 2 * n_formats)
		filter->n_slots *= 2;
	filter->slots = arena_zalloc(filter->arena, filter->n_slots, sizeof(*filter->slots));
	if (!filter->slots)
		return err_nomem(err);
	for (size_t i = 0; i < n_formats; i++) {
		struct filter_slot *slot = filter_bind_find_slot(filter, formats[i]);

		r = compile_for(&binder, formats[i], &slot->program);
		if (r < 0)
			return r;
		slot->format = formats[i];
	}
	return compile_for(&binder, NULL, &filter->fallback);
}

int filter_bind(struct filter *filter, const struct event_format *const *formats, size_t n_formats,
		const struct filter_env *env, struct fathom_err *err)
{
	struct filter_check check = {
		.filter = filter, .formats = formats, .n_formats = n_formats, .err = err
	};
	int r = filter_bind_reset(filter, env, err);

	if (r == 0)
		r = filter_prefix_check(filter, formats, n_formats, err);
	if (r == 0 && filter->prefixed)
		read_prefix(filter, formats, n_formats);
	if (r == 0)
		r = compile_all(filter, formats, n_formats, err);
	if (r == 0 && filter->root)
		r = filter_check_node(&check, filter->root);
	if (r < 0) {
		/* It can still be matched, and never matches. */
		filter->slots = NULL;
		filter->fallback = &reject_all;
	}
	return r;
}
