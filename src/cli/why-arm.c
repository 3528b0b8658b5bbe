/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/why-arm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/match.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "record/probe-make.h"
#include "record/session-env.h"

/* More take the kernel noticeably longer: in an emulated guest 2000 took half a second, 5000 took 1.2 to 1.6 s. */
#define ARMED_MAX 3072
/* Some kernels reserve this for each function and CPU, and what it may be in all. */
#define NODE_BYTES   256
#define MEMORY_BYTES ((size_t)64 << 20)
#define ADDRESSES    "available_filter_functions_addrs"

struct arming {
	struct meanings *meanings;
	struct probe_base types;
	struct why_armed *armed;
	size_t max;
};

static void arming_done(struct arming *arming)
{
	meanings_free(arming->meanings);
	probe_base_done(&arming->types);
}

void why_armed_done(struct why_armed *armed)
{
	free(armed->list);
	functions_done(&armed->functions);
	strbuf_done(&armed->names);
	*armed = (struct why_armed){ 0 };
}

bool why_can_arm(void)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;

	return session_env_open("", &env, NULL) == 0 &&
	       faccessat(env.tracefs.fd, ADDRESSES, R_OK, 0) == 0 && return_probes_are_possible();
}

static int arming_init(struct arming *arming, const struct why_args *args, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int r = why_read_meanings(args->rules, &arming->meanings, err);

	if (r == 0)
		r = session_env_open("", &env, err);
	if (r == 0)
		r = functions_read(env.tracefs.fd, true, &arming->armed->functions, err);
	if (r == 0)
		r = probe_base_open(PROBE_BTF_DIR, &arming->types, err);
	arming->max = MEMORY_BYTES / NODE_BYTES / (size_t)(cpus > 0 ? cpus : 1);
	if (arming->max > ARMED_MAX)
		arming->max = ARMED_MAX;
	return r;
}

/* The compiler's own names for what is left of a function, as in "may_open.isra.0". */
static int find_type(const struct arming *arming, const struct function *f,
		     struct type_function *ret_type)
{
	char base[256];
	size_t len = strcspn(f->name, ".");

	if (!arming->types.machine.types || len >= sizeof(base))
		return -ENOENT;
	memcpy(base, f->name, len);
	base[len] = '\0';
	return types_find_function(arming->types.machine.types, f->module, base, ret_type);
}

/* What a system call begins with. */
static bool is_outer(const char *name)
{
	return str_after(name, "__x64_sys_") || str_after(name, "__arm64_sys_");
}

/* Work of the machine that comes in between: it is recorded that it was called, so that its errors are not the call's. */
static bool is_interrupt(const char *name)
{
	return str_after(name, "sysvec_") || str_eq(name, "common_interrupt") ||
	       str_eq(name, "handle_softirqs") || str_eq(name, "gic_handle_irq");
}

static bool is_answer(const struct meanings *meanings, const char *name)
{
	return meanings_error_of_zero(meanings, name) || meanings_error_of_one(meanings, name) ||
	       meanings_is_check(meanings, name);
}

/* Adds the function, unless no error can come of it. 0 or a negative errno. */
static int add(struct arming *arming, const struct function *f, bool answers)
{
	struct why_armed *armed = arming->armed;
	struct return_probe probe = { .address = f->addr,
				      .is_answer = answers,
				      .is_outer = is_outer(f->name) };
	struct type_function type = { 0 };
	int r = find_type(arming, f, &type);

	if (r == -ENOMEM)
		return r;
	if (r == 0) {
		struct type_info info = type_look(type.result);

		if (answers ? info.kind == TYPE_VOID : !type_can_hold_errno(info))
			return 0;
		probe.size = info.kind == TYPE_POINTER ? 8 : (uint8_t)info.size;
		probe.is_signed = info.is_signed;
	}
	if (!f->addr || armed->n == arming->max)
		return 0;
	if (mem_reserve(&armed->list, &armed->cap, armed->n + 1, sizeof(probe)) < 0)
		return -ENOMEM;
	armed->list[armed->n++] = probe;
	/* One line is for all of one name. */
	if (f->nth == 1)
		quote_addf(&armed->names, "%s\n", f->name);
	return armed->names.err;
}

static int add_calls(struct arming *arming, const char *name)
{
	quote_addf(&arming->armed->names, "%s\n", name);
	return arming->armed->names.err;
}

/*
 * Those of the rules: the ones that matter most, and then, if there is room, others, but none of modules, as the types of each
 * take long to read.
 */
static int add_by_rules(struct arming *arming, bool others)
{
	const struct meanings *meanings = arming->meanings;
	int r = 0;

	for (size_t i = 0; r == 0 && i < arming->armed->functions.n; i++) {
		const struct function *f = &arming->armed->functions.list[i];
		bool watched = meanings_is_watched(meanings, f->name);

		if (others && is_interrupt(f->name))
			r = add_calls(arming, f->name);
		else if (others ? !watched && !f->module && meanings_is_armed(meanings, f->name) &&
					  !meanings_is_ignored(meanings, f->name) &&
					  !meanings_is_silent(meanings, f->name) &&
					  !meanings_is_skipped(meanings, f->name) :
				  watched)
			r = add(arming, f, is_answer(meanings, f->name));
	}
	return r;
}

static int add_named(struct arming *arming, const char *names)
{
	int r = 0;

	for (const char *end; r == 0 && (end = strchr(names, '\n')); names = end + 1) {
		char word[256];
		const char *called, *answers;
		const struct function *first;
		size_t n = 0;

		if ((size_t)(end - names) >= sizeof(word))
			continue;
		memcpy(word, names, (size_t)(end - names));
		word[end - names] = '\0';
		called = str_after(word, WHY_CALLS_ONLY);
		answers = str_after(word, WHY_ANSWERS);
		if (called) {
			r = add_calls(arming, called);
			continue;
		}
		first = functions_find(&arming->armed->functions, answers ?: word, &n);
		for (size_t i = 0; r == 0 && i < n; i++)
			r = add(arming, &first[i], answers);
	}
	return r;
}

int why_arm(const struct why_args *args, const char *names, struct why_armed *ret_armed,
	    struct fathom_err *err)
{
	_cleanup_(arming_done) struct arming arming = { .types = PROBE_BASE_NONE,
							.armed = ret_armed };
	int r = arming_init(&arming, args, err);

	if (r < 0)
		return r;
	r = names ? add_named(&arming, names) : add_by_rules(&arming, false);
	if (r == 0 && !names)
		r = add_by_rules(&arming, true);
	if (r < 0)
		return err_nomem(err);
	return ret_armed->n ? 0 :
			      err_set(err, -ENOENT,
				      "this kernel has none of the functions that the rules name "
				      "with 'watch:' and 'arm:'");
}
