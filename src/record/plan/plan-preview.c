/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Previews a plan: does what plan-apply.c does, in the same order, but only reads. */
#include <errno.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/str.h"
#include "kernel/features/features.h"
#include "kernel/tracefs/instance-dir.h"
#include "record/rings/cpu-stats.h"
#include "record/plan/plan-parts.h"
#include "record/session/session-env.h"
#include "record/session/session.h"

static bool has_instance(const struct session_env *env, const char *name)
{
	_cleanup_close_ int fd = instance_dir_open(env->tracefs.fd, name);

	return fd >= 0;
}

/*
 * Determines whether instances support this tracer, without creating one: from an earlier session,
 * or from kernel functions.
 */
static int find_tracer_place(const char *tracer, const struct session_env *env,
			     enum plan_place *ret_place, struct fathom_err *err)
{
	_cleanup_features_ struct fathom_features *features = NULL;
	const struct fathom_feature *feature;
	int seen = session_remember_offer(env, tracer), r;

	/* Instances with function filters have the function tracer. */
	if (str_eq(tracer, "function"))
		seen = 1;
	*ret_place = seen == 1 ? PLAN_PLACE_PRIVATE :
		     seen == 0 ? PLAN_PLACE_TOP :
				 PLAN_PLACE_UNKNOWN;
	if (seen == -ENOMEM)
		return err_nomem(err);
	if (seen >= 0 || !str_eq(tracer, "function_graph"))
		return 0;
	r = features_probe_at(env->root, FATHOM_FEATURES_LOOK_ONLY, &features, err);
	if (r < 0)
		return r;
	feature = fathom_features_find(features, "fgraph.instance");
	if (feature && feature->state == FATHOM_FEATURE_YES)
		*ret_place = PLAN_PLACE_PRIVATE;
	if (feature && feature->state == FATHOM_FEATURE_NO)
		*ret_place = PLAN_PLACE_TOP;
	return 0;
}

static int preview_place(struct plan_buffer *buffer, const struct session_env *env,
			 struct fathom_err *err)
{
	enum plan_place *place = &buffer->preview.place;
	int r = plan_check_tracer(buffer, env, err);

	if (r < 0)
		return r;
	if (*buffer->name && !instance_name_is_valid(buffer->name))
		return err_set(err, -EINVAL, "invalid instance name '%s'", buffer->name);
	*place = PLAN_PLACE_PRIVATE;
	if (*buffer->name)
		*place = has_instance(env, buffer->name) ? PLAN_PLACE_EXISTING :
							   PLAN_PLACE_INSTANCE;
	else if (plan_needs_top(buffer, env))
		*place = PLAN_PLACE_TOP;
	else if (buffer->tracer && !str_eq(buffer->tracer, "nop"))
		r = find_tracer_place(buffer->tracer, env, place, err);
	return r;
}

static int preview_sizes(const struct plan *plan, struct plan_buffer *buffer,
			 const struct session_env *env, struct fathom_err *err)
{
	_cleanup_free_ uint32_t *cpus = NULL;
	size_t n = 1;

	if (buffer->subbuf_kb && !plan_has_file(env->tracefs.fd, "buffer_subbuf_size_kb"))
		return plan_no_subbufs(err);
	if (cpu_list_read(env->tracefs.fd, &cpus, &n) == -ENOMEM)
		return err_nomem(err);
	buffer->preview.cpus = n;
	if (!buffer->size_kb)
		buffer->size_kb = plan_buffer_size(plan, env, n);
	return 0;
}

/* trace_clock lists all clocks of the kernel: "[local] global counter". */
static int preview_clock(const char *clock, const struct session_env *env, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf clocks = { 0 };

	if (!clock || file_read(env->tracefs.fd, "trace_clock", &clocks) < 0 ||
	    str_has_word(strbuf_str(&clocks), " []\n", clock))
		return 0;
	return err_set(err, -EINVAL, "no clock '%s' in this kernel; see 'fathom list -C'", clock);
}

static int preview_buffer(struct plan *plan, struct plan_buffer *buffer,
			  const struct session_env *env, struct fathom_err *err)
{
	int r = preview_place(buffer, env, err);

	if (r == 0)
		r = preview_sizes(plan, buffer, env, err);
	if (r == 0)
		r = preview_clock(buffer->clock, env, err);
	if (r == 0)
		r = plan_preview_functions(plan, buffer, env, err);
	if (r == 0)
		r = plan_preview_options(buffer, env, err);
	if (r == 0)
		r = plan_preview_events(plan, buffer, env, err);
	if (r < 0 && *buffer->name)
		err_prefix(err, "buffer '%s'", buffer->name);
	return r;
}

int plan_preview(struct plan *plan, const struct session_env *env, struct fathom_err *err)
{
	int r = plan_preview_probes(plan, env, err);

	if (r == 0)
		r = plan_preview_users(plan, err);
	for (size_t i = 0; i < plan->n && r == 0; i++)
		r = preview_buffer(plan, &plan->buffers[i], env, err);
	return r == 0 && plan->notes.err ? err_nomem(err) : r;
}
