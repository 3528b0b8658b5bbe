/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Off-CPU time as JSON and CSV. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "render/kit/csv.h"
#include "render/kit/json-document.h"
#include "render/waits/offcpu.h"
#include "render/waits/waker.h"

#define MEDIAN 500
#define P99    990

static void offcpu_data_write_tally(struct json *json, const struct tally *tally, uint64_t begun,
				    uint64_t open)
{
	json_u64(json, "count", tally->count);
	json_u64(json, "begun_count", begun);
	json_u64(json, "open_count", open);
	json_u64(json, "total_ns", tally_time(tally));
	json_u64(json, "partial_ns", tally->partial);
	json_u64(json, "min_ns", tally->min);
	json_u64(json, "median_ns",
		 spread_quantile_within(&tally->spread, MEDIAN, tally->min, tally->max));
	json_u64(json, "p99_ns",
		 spread_quantile_within(&tally->spread, P99, tally->min, tally->max));
	json_u64(json, "max_ns", tally->max);
	if (tally->count)
		json_u64(json, "max_time_ns", tally->max_time);
	else
		json_null(json, "max_time_ns");
}

static void offcpu_data_write_task(struct json *json, const struct task_states *states,
				   uint32_t number)
{
	json_s64(json, "pid", states->tasks[number]->pid);
	json_string(json, "comm", states->tasks[number]->name);
}

static void write_place(struct json *json, const struct task_states *states, enum task_state state,
			int64_t syscall)
{
	json_string(json, "state", state_word(state));
	json_string(json, "syscall", task_states_syscall(states, syscall));
	if (syscall >= 0)
		json_s64(json, "syscall_number", syscall);
	else
		json_null(json, "syscall_number");
	json_bool(json, "syscall_known", syscall != SYSCALL_UNKNOWN);
}

static void write_waker(struct json *json, const struct task_states *states, struct waker waker)
{
	json_string(json, "waker", waker_word(waker.kind));
	if (waker.kind == WAKER_TASK) {
		json_s64(json, "waker_pid", states->tasks[waker.number]->pid);
		json_string(json, "waker_comm", states->tasks[waker.number]->name);
	} else if (waker.kind == WAKER_HARDIRQ || waker.kind == WAKER_VECTOR ||
		   waker.kind == WAKER_SOFTIRQ) {
		if (waker.number == WAKER_NO_NUMBER)
			json_null(json, "waker_number");
		else
			json_u64(json, "waker_number", waker.number);
	}
}

static void offcpu_data_write_group(struct json *json, const struct task_states *states,
				    const struct wait_group *group)
{
	json_begin_object(json, NULL);
	write_place(json, states, group->sums[0]->state, group->sums[0]->syscall);
	offcpu_data_write_tally(json, &group->tally, group->begun, group->open);
	json_begin_array(json, "wakers");
	for (size_t i = 0; i < group->n; i++) {
		json_begin_object(json, NULL);
		write_waker(json, states, group->sums[i]->waker);
		offcpu_data_write_tally(json, &group->sums[i]->tally, group->sums[i]->begun,
					group->sums[i]->open);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
}

static void write_chains(struct json *json, const struct offcpu_view *view)
{
	json_begin_array(json, "chains");
	for (size_t i = 0; i < view->waits->n_chains; i++) {
		const struct wait_chain *chain = &view->waits->chains[i];

		json_begin_array(json, NULL);
		for (size_t k = 0; k < chain->n; k++) {
			const struct wait_link *link = &chain->links[k];

			json_begin_object(json, NULL);
			offcpu_data_write_task(json, view->states, link->task);
			write_place(json, view->states, link->state, link->syscall);
			json_u64(json, "start_time_ns", link->start);
			json_u64(json, "end_time_ns", link->end);
			write_waker(json, view->states, link->waker);
			json_end_object(json);
		}
		json_end_array(json);
	}
	json_end_array(json);
}

int offcpu_print_json(const struct offcpu_view *view, struct out *out)
{
	_cleanup_(wait_view_done) struct wait_view tree = { 0 };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;
	int r = wait_view_init(&tree, view->waits, view->states, view->order);

	if (r < 0)
		return r;
	json_document_begin(&json, &buf, true);
	json_begin_array(&json, "tasks");
	for (size_t i = 0; i < tree.n_tasks; i++) {
		const struct wait_task *task = &tree.tasks[i];

		json_begin_object(&json, NULL);
		offcpu_data_write_task(&json, view->states, task->task);
		offcpu_data_write_tally(&json, &task->tally, task->begun, task->open);
		json_begin_array(&json, "waits");
		for (size_t g = 0; g < task->n; g++)
			offcpu_data_write_group(&json, view->states, &task->groups[g]);
		json_end_array(&json);
		json_end_object(&json);
	}
	json_end_array(&json);
	if (view->waits->max_chains)
		write_chains(&json, view);
	json_u64(&json, "doubtful_count", view->waits->doubtful);
	followed_write(&json, view->states);
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf);
}

/* The columns pid, comm, state, syscall, waker, waker_pid, waker_comm. */
static void offcpu_data_put_wait(struct strbuf *buf, const struct task_states *states,
				 uint32_t task, enum task_state state, int64_t syscall,
				 struct waker waker)
{
	const char *name = task_states_syscall(states, syscall);

	quote_addf(buf, "%" PRId32 ",", states->tasks[task]->pid);
	csv_put(buf, states->tasks[task]->name);
	quote_addf(buf, ",%s,", state_word(state));
	if (name)
		quote_adds(buf, name);
	else if (syscall >= 0)
		quote_addf(buf, "%" PRId64, syscall);
	quote_addf(buf, ",%s,", waker_word(waker.kind) ?: "");
	if (waker.kind != WAKER_TASK) {
		strbuf_addc(buf, ',');
		return;
	}
	quote_addf(buf, "%" PRId32 ",", states->tasks[waker.number]->pid);
	csv_put(buf, states->tasks[waker.number]->name);
}

#define WAIT_HEAD "pid,comm,state,syscall,waker,waker_pid,waker_comm"

static void put_sums(struct strbuf *buf, const struct task_states *states,
		     const struct wait_sums *sums)
{
	const struct tally *tally = &sums->tally;

	offcpu_data_put_wait(buf, states, sums->task, sums->state, sums->syscall, sums->waker);
	quote_addf(buf,
		   ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		   ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
		   tally->count, sums->begun, sums->open, tally_time(tally), tally->partial,
		   tally->min,
		   spread_quantile_within(&tally->spread, MEDIAN, tally->min, tally->max),
		   spread_quantile_within(&tally->spread, P99, tally->min, tally->max), tally->max);
	if (tally->count)
		quote_addf(buf, "%" PRIu64, tally->max_time);
	strbuf_addc(buf, '\n');
}

static int offcpu_data_put_waits(const struct offcpu_view *view, struct strbuf *buf)
{
	_cleanup_(wait_view_done) struct wait_view tree = { 0 };
	int r = wait_view_init(&tree, view->waits, view->states, view->order);

	if (r < 0)
		return r;
	strbuf_adds(buf,
		    "" WAIT_HEAD
		    ",count,begun_count,open_count,total_ns,partial_ns,min_ns,median_ns,p99_ns,"
		    "max_ns,max_time_ns\n");
	for (size_t i = 0; i < tree.n_tasks; i++) {
		for (size_t g = 0; g < tree.tasks[i].n; g++) {
			const struct wait_group *group = &tree.tasks[i].groups[g];

			for (size_t k = 0; k < group->n; k++)
				put_sums(buf, view->states, group->sums[k]);
		}
	}
	return 0;
}

static void offcpu_data_put_chains(const struct offcpu_view *view, struct strbuf *buf)
{
	strbuf_adds(buf, "chain,link," WAIT_HEAD ",start_time_ns,end_time_ns\n");
	for (size_t i = 0; i < view->waits->n_chains; i++) {
		for (size_t k = 0; k < view->waits->chains[i].n; k++) {
			const struct wait_link *link = &view->waits->chains[i].links[k];

			quote_addf(buf, "%zu,%zu,", i, k);
			offcpu_data_put_wait(buf, view->states, link->task, link->state,
					     link->syscall, link->waker);
			quote_addf(buf, ",%" PRIu64 ",%" PRIu64 "\n", link->start, link->end);
		}
	}
}

int offcpu_print_csv(const struct offcpu_view *view, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r = 0;

	if (view->waits->max_chains)
		offcpu_data_put_chains(view, &buf);
	else
		r = offcpu_data_put_waits(view, &buf);
	return out_write(out, &buf) ?: r;
}
