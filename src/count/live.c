/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/pattern/pattern.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "count/attach.h"
#include "count/maps.h"
#include "count/program.h"
#include "count/key-merger.h"
#include "count/sites.h"
#include "kernel/perf/bpf-code.h"

#define BTF_DIR	     "/sys/kernel/btf"
#define KEYS_USUAL   10240
#define MEMORY_USUAL (UINT64_C(64) << 20)

struct count_live {
	const struct count_plan *plan;
	struct count_sites sites;
	struct count_columns columns;
	struct count_layout layout;
	struct count_maps maps;
	int *programs; /* of each site */
	struct attached attached;
	uint64_t missed; /* when counting stopped */
	bool is_stopped;
	struct key_merger merger;
	struct count_losses before; /* while the programs were being attached */
	enum count_functions how;
};

void count_live_free(struct count_live *live)
{
	if (!live)
		return;
	attached_done(&live->attached);
	for (size_t i = 0; live->programs && i < live->sites.n; i++)
		if (live->programs[i] >= 0)
			close(live->programs[i]);
	free(live->programs);
	count_maps_done(&live->maps);
	count_sites_done(&live->sites);
	key_merger_done(&live->merger);
	free(live);
}

static bool count_live_shows_functions(const struct count_live *live)
{
	for (size_t i = 0; i < live->sites.n; i++)
		for (size_t j = 0; j < live->columns.n_keys; j++)
			if (live->sites.list[i].keys[j].fact == COUNT_FACT_FUNC)
				return true;
	return false;
}

/* Reads the addresses of functions, if any are needed. */
static int count_live_locate(struct count_live *live, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r;

	key_merger_init(&live->merger, &live->columns, &live->sites, &live->maps,
			live->how == COUNT_SHARED);
	if (!live->merger.is_needed && !count_live_shows_functions(live))
		return 0;
	r = file_read(AT_FDCWD, "/proc/kallsyms", &text);
	if (r == 0 && live->merger.is_needed)
		r = kallsyms_init(&live->merger.kallsyms, text.s, text.len);
	if (r == 0)
		r = count_sites_locate(&live->sites, text.s);
	return r < 0 ? err_set_errno(err, r, "cannot read '/proc/kallsyms'") : 0;
}

static enum bpf_prog_type count_live_type(const struct count_site *site)
{
	switch (site->source->kind) {
	case COUNT_EVENT:
		return BPF_PROG_TYPE_TRACEPOINT;
	case COUNT_FUNCTION:
		return BPF_PROG_TYPE_KPROBE;
	default:
		return BPF_PROG_TYPE_PERF_EVENT;
	}
}

/*
 * Whether what happens there is the doing of the current task, so that ours can be left out.
 * Other events also occur in interrupts, or are about other tasks.
 */
static bool count_live_is_of_tasks(const struct count_site *site)
{
	return site->source->kind != COUNT_EVENT || str_eq(site->format->system, "syscalls") ||
	       str_eq(site->format->system, "raw_syscalls");
}

/* Loads the program of site @i. */
static int count_live_load(struct count_live *live, size_t i, struct bpf_code *code,
			   struct fathom_err *err)
{
	const struct count_site *site = &live->sites.list[i];
	const struct count_target *target = &live->sites.targets[i];
	const struct count_program program = {
		.plan = live->plan,
		.columns = &live->columns,
		.layout = &live->layout,
		.maps = &live->maps,
		.site = site,
		.site_index = i,
		.function = target->address,
		.pair = target->pair,
		.is_traced = live->how == COUNT_TRACED,
		.is_shared = live->how == COUNT_SHARED,
		.excluded = count_live_is_of_tasks(site) ? getpid() : 0,
	};
	int r;

	code->n = 0;
	r = count_program_write(&program, code, err);
	if (r < 0)
		return r;
	if (target->traced)
		r = bpf_code_load_tracing(code,
					  target->is_return ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY,
					  target->traced, "fathom_count");
	else
		r = bpf_code_load(code, count_live_type(site),
				  target->functions ? BPF_TRACE_KPROBE_MULTI : 0, "fathom_count");
	live->programs[i] = r;
	if (r == -EPERM)
		return err_set(err, r,
			       "permission denied: counting in the kernel needs root, or the "
			       "capabilities CAP_BPF and CAP_PERFMON, and no lockdown");
	if (r == -E2BIG)
		return err_set(err, r, "the filter or the keys are too long for '%s'",
			       site->source->text);
	return r < 0 ? err_set_errno(err, r, "the kernel rejects the program for '%s'",
				     site->source->text) :
		       0;
}

static int count_live_attach(struct count_live *live, size_t i, struct fathom_err *err)
{
	const struct count_site *site = &live->sites.list[i];
	const struct count_target *target = &live->sites.targets[i];
	int r;

	switch (site->source->kind) {
	case COUNT_EVENT:
		return attach_event(&live->attached, live->programs[i], site->format->id,
				    site->format->name, err);
	case COUNT_FUNCTION:
		if (target->traced)
			return attach_traced(&live->attached, live->programs[i]);
		if (target->functions) {
			r = attach_functions(&live->attached, live->programs[i], target->functions,
					     target->n_functions, target->is_return);
			return r < 0 ? err_set_errno(err, r, "cannot probe '%s'",
						     site->source->text) :
				       0;
		}
		return attach_function(&live->attached, live->programs[i], target->function,
				       target->is_return, err);
	default:
		return attach_timer(&live->attached, live->programs[i], site->source->hz, err);
	}
}

/* Loads all programs first, so that counting begins everywhere at about the same time. */
static int count_live_start(struct count_live *live, struct fathom_err *err)
{
	_cleanup_free_ struct bpf_code *code = mem_zalloc(1, sizeof(*code));
	const size_t n = live->sites.n;
	int r = 0;

	live->programs = mem_zalloc(n + 1, sizeof(*live->programs));
	if (!code || !live->programs)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++)
		live->programs[i] = -1;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = count_live_load(live, i, code, err);
	/* Ends first: what began before is then known to be unpaired. */
	for (size_t i = 0; r == 0 && i < n; i++)
		r = count_live_attach(live, i, err);
	return r;
}

/* How often the kernel skipped a program because another one was running on that CPU. */
static uint64_t count_live_missed(const struct count_live *live)
{
	uint64_t missed = 0;

	for (size_t i = 0; i < live->sites.n; i++) {
		struct bpf_prog_info info = { 0 };
		union bpf_attr attr;

		memset(&attr, 0, sizeof(attr));
		attr.info.bpf_fd = (uint32_t)live->programs[i];
		attr.info.info_len = sizeof(info);
		attr.info.info = bpf_ptr(&info);
		if (bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) == 0)
			missed += info.recursion_misses;
	}
	return missed;
}

/* Whether an end without a begin is what the plan asks for. */
static bool count_live_expects_unpaired(const struct count_live *live)
{
	for (size_t i = 0; i < live->plan->n_begins; i++)
		if (live->plan->begins[i].filter)
			return true;
	for (size_t i = 0; i < live->sites.n; i++)
		if (live->sites.list[i].is_begin && live->sites.list[i].filter)
			return true;
	return false;
}

static int count_live_losses(const struct count_live *live, struct count_losses *ret_losses)
{
	int r = count_maps_losses(&live->maps, &live->layout, ret_losses);

	if (r < 0)
		return r;
	ret_losses->missed = live->is_stopped ? live->missed : count_live_missed(live);
	if (count_live_expects_unpaired(live))
		ret_losses->unpaired = 0;
	return 0;
}

static int count_live_prepare(struct count_live *live, int tracefs,
			      const struct count_limits *limits, struct fathom_err *err)
{
	_cleanup_close_ int btf = open(BTF_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct count_plan *plan = live->plan;
	int r = count_sites_find(&live->sites, plan, live->how, tracefs, btf, err);

	if (r == 0)
		r = count_columns_init(&live->columns, plan, live->sites.list, live->sites.n, err);
	if (r == 0)
		r = count_live_locate(live, err);
	if (r == 0)
		r = count_layout_init(&live->layout, plan, &live->columns, live->sites.list,
				      live->sites.n, live->how == COUNT_TRACED, err);
	if (r == 0)
		r = count_maps_init(&live->maps, &live->layout, limits->max_keys ?: KEYS_USUAL,
				    limits->max_memory ?: MEMORY_USUAL, err);
	if (r == 0)
		r = count_live_start(live, err);
	if (r == 0 && count_live_losses(live, &live->before) < 0)
		r = err_nomem(err);
	return r;
}

/*
 * Whether functions that match a pattern could share a program: all sources are such patterns, and
 * neither the names of functions as events nor their filters are needed.
 */
static bool count_live_can_share(const struct count_plan *plan)
{
	if (plan->filter)
		return false;
	for (size_t i = 0; i < plan->n_keys; i++)
		if (str_eq(plan->keys[i], "event"))
			return false;
	for (size_t i = 0; i < plan->n_sources + plan->n_begins; i++) {
		const struct count_source *source = i < plan->n_sources ?
							    &plan->sources[i] :
							    &plan->begins[i - plan->n_sources];

		if (source->kind != COUNT_FUNCTION || source->filter ||
		    !pattern_is_glob(source->name, strlen(source->name)))
			return false;
	}
	return true;
}

/* Whether functions are to be traced: returns of a few that are named. */
static bool count_live_wants_tracing(const struct count_plan *plan)
{
	for (size_t i = 0; i < plan->n_sources; i++) {
		const struct count_source *source = &plan->sources[i];

		if (source->kind != COUNT_FUNCTION || !source->is_return ||
		    pattern_is_glob(source->name, strlen(source->name)))
			return false;
	}
	return true;
}

static int count_live_try(const struct count_plan *plan, enum count_functions how, int tracefs,
			  const struct count_limits *limits, struct count_live **ret_live,
			  struct fathom_err *err)
{
	struct count_live *live = mem_zalloc(1, sizeof(*live));
	int r;

	if (!live)
		return err_nomem(err);
	live->plan = plan;
	live->how = how;
	live->maps = (struct count_maps)COUNT_MAPS_NONE;
	r = count_live_prepare(live, tracefs, limits, err);
	if (r < 0) {
		count_live_free(live);
		return r;
	}
	*ret_live = live;
	return 0;
}

int count_live_new(const struct count_plan *plan, int tracefs, const struct count_limits *limits,
		   struct count_live **ret_live, struct fathom_err *err)
{
	/*
	 * The better ways first, which old kernels lack. A shared program is attached to thousands
	 * of functions at once, but has no fields.
	 */
	if (count_live_can_share(plan) &&
	    count_live_try(plan, COUNT_SHARED, tracefs, limits, ret_live, NULL) == 0)
		return 0;
	if (count_live_wants_tracing(plan) &&
	    count_live_try(plan, COUNT_TRACED, tracefs, limits, ret_live, NULL) == 0)
		return 0;
	return count_live_try(plan, COUNT_PROBED, tracefs, limits, ret_live, err);
}

const struct count_columns *count_live_columns(const struct count_live *live)
{
	return &live->columns;
}

const struct count_site *count_live_sites(const struct count_live *live, size_t *ret_n)
{
	*ret_n = live->sites.n;
	return live->sites.list;
}

uint64_t count_live_memory(const struct count_live *live)
{
	return live->maps.bytes;
}

size_t count_live_probes(const struct count_live *live)
{
	size_t n = 0;

	for (size_t i = 0; i < live->sites.n; i++)
		n += live->sites.targets[i].functions ? live->sites.targets[i].n_functions : 1;
	return n;
}

struct count_live_reading {
	struct count_live *live;
	count_taker *take;
	void *data;
};

static int count_live_take(void *data, const void *key, unsigned bin, const struct count_sums *sums)
{
	const struct count_live_reading *reading = data;
	struct count_live *live = reading->live;
	uint8_t copy[COUNT_KEY_BYTES_MAX + 8];
	int r;

	if (!live->merger.is_needed)
		return reading->take(reading->data, key, bin, sums);
	memcpy(copy, key, live->layout.key_size);
	r = key_merger_apply(&live->merger, copy);
	return r < 0 ? r : reading->take(reading->data, copy, bin, sums);
}

int count_live_read(struct count_live *live, count_taker *take, void *data,
		    struct count_losses *ret_losses)
{
	struct count_live_reading reading = { live, take, data };
	int r = count_maps_read(&live->maps, &live->layout, live->columns.is_signed,
				count_live_take, &reading);

	if (r == 0)
		r = count_live_losses(live, ret_losses);
	/* Ends are attached before begins, so all of these are of no interest. */
	if (r == 0 && ret_losses->unpaired)
		ret_losses->unpaired -= live->before.unpaired;
	return r;
}

void count_live_stop(struct count_live *live)
{
	if (live->is_stopped)
		return;
	attached_done(&live->attached);
	live->missed = count_live_missed(live);
	live->is_stopped = true;
}

size_t count_live_stack(const struct count_live *live, int64_t id, uint64_t *addresses, size_t max)
{
	return count_maps_stack(&live->maps, id, addresses, max);
}
