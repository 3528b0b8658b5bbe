/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Determines what the running kernel supports: checks each feature of the table and, for a missing
 * one, adds its requirement and a workaround. Objects created for a check are named after our
 * process, so that those of a killed process can be recognized and removed.
 */
#include "kernel/features/features.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernel/features/probe.h"

struct fathom_features {
	struct arena arena;
	struct fathom_feature *list;
	size_t count;
	char *root;
	struct asker asker;
	enum fathom_verdict verdict;
	const char *obstacle, *advice;
};

/* Returns true, with the answer set, if the check cannot be run at all. */
static bool cannot_ask(struct asker *asker, const struct question *question,
		       struct fathom_feature *answer)
{
	const struct tracefs *tracefs = &asker->tracefs;

	if (question->needs == NEEDS_NOTHING)
		return false;
	if (question->needs == NEEDS_TRACEFS && tracefs_readable(tracefs))
		return false;
	if (question->needs == NEEDS_TRACEFS_WRITE && tracefs->state == TRACEFS_WRITABLE)
		return false;
	answer_set(asker, answer,
		   tracefs->state == TRACEFS_NOT_IN_KERNEL ? FATHOM_FEATURE_NO :
							     FATHOM_FEATURE_UNKNOWN,
		   "not checked", tracefs_obstacle(tracefs));
	answer->fix = tracefs_advice(tracefs);
	return true;
}

/*
 * Sets the requirement of a missing feature, and the reason as given by the kernel's configuration.
 */
static void add_fix(struct asker *asker, const struct question *question,
		    struct fathom_feature *answer)
{
	char built;

	if (answer->state != FATHOM_FEATURE_NO || *answer->fix ||
	    str_eq(question->group, "caution"))
		return;
	if (question->fix) {
		answer->fix = question->fix;
		return;
	}
	if (!question->config)
		return;
	built = host_config(&asker->host, question->config);
	if (built == 'n') {
		answer->why =
			asker_text(asker, "the kernel was built without %s", question->config);
		answer->fix = asker_text(asker, "a kernel built with %s", question->config);
	} else if (built) {
		answer->why = asker_text(asker, "unavailable, although %s has %s",
					 asker->host.config_path, question->config);
	} else {
		answer->fix = asker_text(asker, "a kernel built with %s", question->config);
	}
}

/*
 * Never attach while ftrace is disabled: attaching and detaching can leave the kernel's records of its
 * patched call sites inconsistent. It detects that later (ftrace_bug()) and disables ftrace until reboot.
 */
static bool features_may_try(const struct asker *asker, const struct question *question)
{
	if (question->attaches && (asker->ftrace_dead || asker->host.ftrace_enabled == 0))
		return false;
	return asker->may_try;
}

static void ask_one(struct asker *asker, const struct question *question,
		    struct fathom_feature *answer)
{
	struct question looked = *question;

	looked.arg = question->sign;
	*answer = (struct fathom_feature){ .id = question->id,
					   .name = question->name,
					   .title = question->title,
					   .group = question->group,
					   .value = "",
					   .how = "",
					   .why = "",
					   .fix = "",
					   .instead = "" };
	if (!cannot_ask(asker, question, answer)) {
		if (question->look && !features_may_try(asker, question))
			question->look(asker, &looked, answer);
		else
			question->ask(asker, question, answer);
	}
	add_fix(asker, question, answer);
}

const struct fathom_feature *fathom_features_find(const struct fathom_features *features,
						  const char *id)
{
	for (size_t i = 0; i < features->count; i++)
		if (str_eq(features->list[i].id, id))
			return &features->list[i];
	return NULL;
}

static bool is_yes(const struct fathom_features *features, const char *id)
{
	const struct fathom_feature *feature = fathom_features_find(features, id);

	return feature && feature->state == FATHOM_FEATURE_YES;
}

/* Offer a workaround for each missing feature, if the workaround itself is supported. */
static void find_substitutes(struct fathom_features *features)
{
	for (size_t i = 0; i < features->count; i++) {
		struct fathom_feature *feature = &features->list[i];

		if (feature->state == FATHOM_FEATURE_NO && questions[i].instead_id &&
		    is_yes(features, questions[i].instead_id))
			feature->instead = questions[i].instead;
	}
}

/* Features without which tracing is of limited use. */
static const struct {
	const char *id, *obstacle;
} essentials[] = {
	{ "tracer.function_graph", "function_graph is missing" },
	{ "tracer.function", "the function tracer is missing" },
	{ "probe.kprobe", "kprobes are missing" },
	{ "triggers", "events are missing" },
};

static void features_judge(struct fathom_features *features)
{
	struct asker *asker = &features->asker;

	features->obstacle = tracefs_obstacle(&asker->tracefs);
	features->advice = tracefs_advice(&asker->tracefs);
	features->verdict = FATHOM_VERDICT_UNUSABLE;
	if (asker->tracefs.state == TRACEFS_NOT_MOUNTED && asker->host.container)
		features->advice = "run it on the host, or mount /sys/kernel/tracing in the "
				   "container";
	/* Becoming root would not help. */
	if (asker->tracefs.state == TRACEFS_NO_ACCESS &&
	    asker->host.lockdown == LOCKDOWN_CONFIDENTIALITY) {
		const struct tracefs locked = { .fd = -1, .state = TRACEFS_LOCKED };

		features->obstacle = tracefs_obstacle(&locked);
		features->advice = tracefs_advice(&locked);
	}
	if (asker->tracefs.state != TRACEFS_WRITABLE)
		return;
	features->verdict = FATHOM_VERDICT_USABLE;
	for (size_t i = 0; i < ARRAY_SIZE(essentials); i++) {
		const struct fathom_feature *feature =
			fathom_features_find(features, essentials[i].id);

		if (feature->state == FATHOM_FEATURE_YES ||
		    (!asker->may_try && feature->state == FATHOM_FEATURE_UNKNOWN))
			continue;
		features->verdict = FATHOM_VERDICT_LIMITED;
		features->obstacle = essentials[i].obstacle;
		features->advice = *feature->fix ? asker_text(asker, "needs %s", feature->fix) :
						   feature->why;
		return;
	}
	if (asker->ftrace_dead) {
		features->verdict = FATHOM_VERDICT_LIMITED;
		features->obstacle = "the kernel disabled ftrace after an internal error";
		features->advice = "reboot; 'dmesg | grep -A20 ftrace' shows the error";
	} else if (asker->host.ftrace_enabled == 0) {
		features->verdict = FATHOM_VERDICT_LIMITED;
		features->obstacle = "function tracing is disabled";
		features->advice = "to enable it: sudo sysctl kernel.ftrace_enabled=1";
	}
}

static int ask_everything(struct fathom_features *features, struct fathom_err *err)
{
	struct asker *asker = &features->asker;

	asker->ftrace_dead = tracefs_functions_dead(&asker->tracefs);
	if (asker->tracefs.state == TRACEFS_WRITABLE && asker->may_try) {
		remove_dead_events(asker);
		remove_dead_instances(asker);
	}
	while (questions[features->count].id)
		features->count++;
	features->list = arena_zalloc(&features->arena, features->count, sizeof(*features->list));
	if (!features->list)
		return err_nomem(err);
	for (size_t i = 0; i < features->count; i++) {
		ask_one(asker, &questions[i], &features->list[i]);
		if (asker->no_memory || asker->host.no_memory)
			return err_nomem(err);
	}
	find_substitutes(features);
	features_judge(features);
	return 0;
}

int features_probe_at(const char *root, unsigned int flags, struct fathom_features **ret_features,
		      struct fathom_err *err)
{
	_cleanup_features_ struct fathom_features *features = mem_zalloc(1, sizeof(*features));
	struct asker *asker;
	int r;

	if (!features)
		return err_nomem(err);
	asker = &features->asker;
	asker->tracefs.fd = -1;
	features->root = mem_strdup(root);
	if (!features->root)
		return err_nomem(err);
	asker->root = features->root;
	asker->look_only = *root || (flags & FATHOM_FEATURES_LOOK_ONLY);
	asker->may_try = !asker->look_only && (flags & FATHOM_FEATURES_TRY);
	asker->arena = &features->arena;
	asker_set_name(asker);
	r = host_init(&asker->host, features->root, err);
	if (r == 0)
		r = tracefs_find(features->root, &asker->tracefs, err);
	if (r == 0)
		r = ask_everything(features, err);
	kernel_names_done(asker);
	if (r < 0)
		return r;
	*ret_features = TAKE_PTR(features);
	return 0;
}

int fathom_features_probe(unsigned int flags, struct fathom_features **ret_features,
			  struct fathom_err *err)
{
	return features_probe_at("", flags, ret_features, err);
}

void fathom_features_free(struct fathom_features *features)
{
	if (!features)
		return;
	strbuf_done(&features->asker.readme);
	strbuf_done(&features->asker.tracers);
	strbuf_done(&features->asker.symbols);
	tracefs_done(&features->asker.tracefs);
	host_done(&features->asker.host);
	arena_done(&features->arena);
	free(features->root);
	free(features);
}

size_t fathom_features_count(const struct fathom_features *features)
{
	return features->count;
}

const struct fathom_feature *fathom_features_at(const struct fathom_features *features,
						size_t index)
{
	return index < features->count ? &features->list[index] : NULL;
}

enum fathom_verdict fathom_features_verdict(const struct fathom_features *features)
{
	return features->verdict;
}

const char *fathom_features_obstacle(const struct fathom_features *features)
{
	return features->obstacle;
}

const char *fathom_features_advice(const struct fathom_features *features)
{
	return features->advice;
}

const char *fathom_feature_state_name(enum fathom_feature_state state)
{
	static const char *const names[] = { "unknown", "no", "limited", "yes" };

	return names[state];
}

const struct tracefs *features_tracefs(const struct fathom_features *features)
{
	return &features->asker.tracefs;
}

const struct host *features_host(const struct fathom_features *features)
{
	return &features->asker.host;
}
