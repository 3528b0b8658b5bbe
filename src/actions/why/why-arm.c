/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/why/why-arm.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "actions/why/why-chosen.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "record/probes/probe-make.h"
#include "record/session/session-env.h"

/*
 * Attaching to more functions takes noticeable time: in an emulated guest, 2000 took 0.5 s and 5000
 * took 1.2 to 1.6 s.
 */
#define ARMED_MAX 3072
/* Some kernels reserve this many bytes per function and CPU; and the limit of the total. */
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

bool why_can_arm(void)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;

	return session_env_open("", &env, NULL) == 0 &&
	       faccessat(env.tracefs.fd, ADDRESSES, R_OK, 0) == 0 &&
	       return_probes_are_possible(env.tracefs.fd);
}

static int arming_init(struct arming *arming, const struct why_args *args,
		       const struct session_env *env, struct fathom_err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int r = why_read_meanings(args->rules, &arming->meanings, err);

	if (r == 0)
		r = functions_read(env->tracefs.fd, true, &arming->armed->functions, err);
	if (r == 0)
		r = probe_base_open(PROBE_BTF_DIR, &arming->types, err);
	arming->max = MEMORY_BYTES / NODE_BYTES / (size_t)(cpus > 0 ? cpus : 1);
	if (arming->max > ARMED_MAX)
		arming->max = ARMED_MAX;
	return r;
}

/* Compiler-generated variants of a function, such as "may_open.isra.0". */
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

/* The entry function of a system call. */
static bool why_arm_is_outer(const char *name)
{
	return str_after(name, "__x64_sys_") || str_after(name, "__arm64_sys_");
}

/*
 * Interrupts that occur in a system call: their calls are recorded, so that their errors are not
 * attributed to the call.
 */
static bool why_arm_is_interrupt(const char *name)
{
	return str_after(name, "sysvec_") || str_eq(name, "common_interrupt") ||
	       str_eq(name, "handle_softirqs") || str_eq(name, "gic_handle_irq");
}

/*
 * Determines from the types whether the function can return an error, or each result means
 * something, and what to record. Types of modules take long to read: @others are looked up in the
 * kernel itself. Returns 1, 0 or -ENOMEM.
 */
static int why_arm_is_wanted(const struct arming *arming, const struct function *f, bool others,
			     struct return_probe *probe)
{
	struct type_function type = { 0 };
	struct type_info info;
	int r;

	if (others && f->module)
		return 0;
	r = find_type(arming, f, &type);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return 1;
	info = type_look(type.result);
	probe->size = info.kind == TYPE_POINTER ? 8 : (uint8_t)info.size;
	probe->is_signed = info.is_signed;
	return probe->is_answer ? info.kind != TYPE_VOID : type_can_hold_errno(info);
}

/*
 * Adds all functions of one name, because a line of the filter applies to all of them, unless none
 * is of interest. The others are also hooked, see struct return_probe. Returns 0 or -ENOMEM.
 */
static int why_arm_add(struct arming *arming, const struct function *first, bool answers,
		       bool others)
{
	struct why_armed *armed = arming->armed;
	size_t n_wanted = 0, n = armed->n;

	if (n + first->same > arming->max)
		return 0;
	if (mem_reserve(&armed->list, &armed->cap, n + first->same, sizeof(*armed->list)) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < first->same; i++) {
		struct return_probe *probe = &armed->list[n++];
		int r;

		*probe = (struct return_probe){ .address = first[i].addr,
						.is_answer = answers,
						.is_outer = why_arm_is_outer(first->name) };
		r = why_arm_is_wanted(arming, &first[i], others, probe);
		if (r < 0)
			return r;
		probe->is_unwanted = r == 0;
		n_wanted += r > 0;
	}
	if (!n_wanted)
		return 0;
	armed->n = n;
	quote_addf(&armed->names, "%s\n", first->name);
	return armed->names.err;
}

/* Only the calls of these matter, not their return values. */
static int why_arm_add_calls(struct arming *arming, const struct function *first)
{
	struct why_armed *armed = arming->armed;

	if (mem_reserve(&armed->list, &armed->cap, armed->n + first->same, sizeof(*armed->list)) <
	    0)
		return -ENOMEM;
	for (size_t i = 0; i < first->same; i++)
		armed->list[armed->n++] =
			(struct return_probe){ .address = first[i].addr, .is_unwanted = true };
	quote_addf(&armed->names, "%s\n", first->name);
	return armed->names.err;
}

/* Adds the functions of the 'watch:' rules or, if @others, those of the 'arm:' rules. */
static int add_by_rules(struct arming *arming, bool others)
{
	const struct meanings *meanings = arming->meanings;
	const struct functions *functions = &arming->armed->functions;
	int r = 0;

	for (size_t i = 0; r == 0 && i < functions->n; i += functions->list[i].same) {
		const struct function *f = &functions->list[i];
		bool watched = meanings_is_watched(meanings, f->name);

		if (others && why_arm_is_interrupt(f->name))
			r = why_arm_add_calls(arming, f);
		else if (others ? !watched && meanings_is_armed(meanings, f->name) &&
					  !meanings_is_ignored(meanings, f->name) &&
					  !meanings_is_silent(meanings, f->name) &&
					  !meanings_is_skipped(meanings, f->name) :
				  watched)
			r = why_arm_add(arming, f, meanings_is_answer(meanings, f->name), others);
	}
	return r;
}

static int why_arm_add_named(struct arming *arming, const char *names)
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
		first = functions_find(&arming->armed->functions, called ?: answers ?: word, &n);
		if (n)
			r = called ? why_arm_add_calls(arming, first) :
				     why_arm_add(arming, first, answers, false);
	}
	return r;
}

static size_t why_arm_count_wanted(const struct why_armed *armed)
{
	size_t n = 0;

	for (size_t i = 0; i < armed->n; i++)
		n += !armed->list[i].is_unwanted;
	return n;
}

/* Returns 0 or a negative errno. */
static int why_arm_arm(const struct why_args *args, const struct session_env *env,
		       const char *names, struct why_armed *ret_armed, struct fathom_err *err)
{
	_cleanup_(arming_done) struct arming arming = { .types = PROBE_BASE_NONE,
							.armed = ret_armed };
	int r = arming_init(&arming, args, env, err);

	if (r < 0)
		return r;
	r = names ? why_arm_add_named(&arming, names) : add_by_rules(&arming, false);
	if (r == 0 && !names)
		r = add_by_rules(&arming, true);
	if (r < 0)
		return err_nomem(err);
	ret_armed->n_wanted = why_arm_count_wanted(ret_armed);
	return ret_armed->n_wanted ?
		       0 :
		       err_set(err, -ENOENT,
			       "no kernel function matches the 'watch:' and 'arm:' rules");
}

int why_arm(const struct why_args *args, const char *names, struct why_armed *ret_armed,
	    struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	struct why_cache cache = why_chosen_file();
	bool is_kept = !names && !args->rules;
	int r = session_env_open("", &env, err);

	if (r == 0 && is_kept)
		r = why_chosen_read(&env, &cache, ret_armed);
	if (r < 0)
		return r == -ENOMEM ? err_nomem(err) : r;
	if (r > 0)
		return 0;
	r = why_arm_arm(args, &env, names, ret_armed, err);
	if (r == 0 && is_kept)
		why_chosen_keep(&env, &cache, ret_armed);
	return r;
}
