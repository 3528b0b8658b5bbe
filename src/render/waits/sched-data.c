/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scheduling as JSON and CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "render/kit/csv.h"
#include "render/kit/json-document.h"
#include "render/waits/sched-rows.h"
#include "render/waits/waker.h"

/* Writes the members "slice_count", "slice_ns", "slice_median_ns", ..., if @what is "slice". */
static void sched_data_write_tally(struct json *json, const char *what, const struct tally *tally)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_count", what);
	json_u64(json, key, tally->count);
	snprintf(key, sizeof(key), "%s_ns", what);
	json_u64(json, key, tally_time(tally));
	snprintf(key, sizeof(key), "%s_partial_ns", what);
	json_u64(json, key, tally->partial);
	snprintf(key, sizeof(key), "%s_min_ns", what);
	json_u64(json, key, tally->min);
	snprintf(key, sizeof(key), "%s_median_ns", what);
	json_u64(json, key,
		 spread_quantile_within(&tally->spread, SCHED_MEDIAN, tally->min, tally->max));
	snprintf(key, sizeof(key), "%s_p99_ns", what);
	json_u64(json, key,
		 spread_quantile_within(&tally->spread, SCHED_P99, tally->min, tally->max));
	snprintf(key, sizeof(key), "%s_max_ns", what);
	json_u64(json, key, tally->max);
	snprintf(key, sizeof(key), "%s_max_time_ns", what);
	if (tally->count)
		json_u64(json, key, tally->max_time);
	else
		json_null(json, key);
}

static void sched_data_write_task(struct json *json, const struct sched_row *row)
{
	const struct sched_task *sums = row->sums;

	json_begin_object(json, NULL);
	json_s64(json, "pid", row->task->pid);
	json_string(json, "comm", row->task->name);
	sched_data_write_tally(json, "slice", &sums->run);
	sched_data_write_tally(json, "delay", &sums->latency);
	json_u64(json, "sleeping_ns", sums->asleep[TASK_STATE_SLEEPING]);
	json_u64(json, "blocked_ns", sums->asleep[TASK_STATE_BLOCKED]);
	json_u64(json, "idle_ns", sums->asleep[TASK_STATE_IDLE]);
	json_u64(json, "stopped_ns", sums->asleep[TASK_STATE_STOPPED]);
	json_u64(json, "voluntary_switch_count", sums->voluntary);
	json_u64(json, "preemption_count", sums->preempted);
	json_u64(json, "migration_count", sums->migrations);
	json_u64(json, "incomplete_count", sums->cut);
	json_u64(json, "doubtful_count", sums->doubtful);
	json_end_object(json);
}

static void write_cpu(struct json *json, size_t number, const struct sched_cpu *cpu, bool limited)
{
	json_begin_object(json, NULL);
	json_u64(json, "cpu", number);
	json_u64(json, "busy_ns", cpu->busy);
	if (limited)
		json_null(json, "idle_ns");
	else
		json_u64(json, "idle_ns", cpu->idle);
	json_u64(json, "switch_count", cpu->switches);
	sched_data_write_tally(json, "slice", &cpu->run);
	sched_data_write_tally(json, "delay", &cpu->latency);
	json_u64(json, "migration_count", cpu->migrations);
	json_u64(json, "doubtful_count", cpu->doubtful);
	json_end_object(json);
}

int sched_print_json(const struct sched_view *view, struct out *out)
{
	_cleanup_free_ struct sched_row *rows = NULL;
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	const struct sched *sched = view->sched;
	struct json json;
	size_t n;
	int r = sched_rows(view, &rows, &n);

	if (r < 0)
		return r;
	json_document_begin(&json, &buf, true);
	json_begin_array(&json, "tasks");
	for (size_t i = 0; i < n; i++)
		sched_data_write_task(&json, &rows[i]);
	json_end_array(&json);
	json_begin_array(&json, "cpus");
	for (size_t i = 0; i < sched->n_cpus; i++)
		if (sched_cpu_seen(&sched->cpus[i]))
			write_cpu(&json, i, &sched->cpus[i], task_states_is_limited(view->states));
	json_end_array(&json);
	followed_write(&json, view->states);
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf);
}

#define TALLY_HEAD(what)                                                                       \
	what "_count," what "_ns," what "_partial_ns," what "_min_ns," what "_median_ns," what \
	     "_p99_ns," what "_max_"                                                           \
	     "ns," what "_max_time_ns"

static void sched_data_put_tally(struct strbuf *buf, const struct tally *tally)
{
	quote_addf(buf,
		   ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		   ",%" PRIu64 ",",
		   tally->count, tally_time(tally), tally->partial, tally->min,
		   spread_quantile_within(&tally->spread, SCHED_MEDIAN, tally->min, tally->max),
		   spread_quantile_within(&tally->spread, SCHED_P99, tally->min, tally->max),
		   tally->max);
	if (tally->count)
		quote_addf(buf, "%" PRIu64, tally->max_time);
}

static int put_task_rows(const struct sched_view *view, struct strbuf *buf)
{
	_cleanup_free_ struct sched_row *rows = NULL;
	size_t n;
	int r = sched_rows(view, &rows, &n);

	if (r < 0)
		return r;
	strbuf_adds(buf, "pid,comm," TALLY_HEAD("slice") "," TALLY_HEAD(
				 "delay") ",sleeping_ns,blocked_ns,idle_ns,stopped_ns,"
					  "voluntary_switch_count,preemption_count,"
					  "migration_count,incomplete_count,"
					  "doubtful_count\n");
	for (size_t i = 0; i < n; i++) {
		const struct sched_task *sums = rows[i].sums;

		quote_addf(buf, "%" PRId32 ",", rows[i].task->pid);
		csv_put(buf, rows[i].task->name);
		sched_data_put_tally(buf, &sums->run);
		sched_data_put_tally(buf, &sums->latency);
		quote_addf(buf,
			   ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			   ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			   sums->asleep[TASK_STATE_SLEEPING], sums->asleep[TASK_STATE_BLOCKED],
			   sums->asleep[TASK_STATE_IDLE], sums->asleep[TASK_STATE_STOPPED],
			   sums->voluntary, sums->preempted, sums->migrations, sums->cut,
			   sums->doubtful);
	}
	return 0;
}

static void put_cpu_rows(const struct sched_view *view, struct strbuf *buf)
{
	const struct sched *sched = view->sched;

	strbuf_adds(buf, "cpu,busy_ns,idle_ns,switch_count," TALLY_HEAD("slice") "," TALLY_HEAD(
				 "delay") ",migration_count,doubtful_count\n");
	for (size_t i = 0; i < sched->n_cpus; i++) {
		const struct sched_cpu *cpu = &sched->cpus[i];

		if (!sched_cpu_seen(cpu))
			continue;
		quote_addf(buf, "%zu,%" PRIu64 ",", i, cpu->busy);
		if (!task_states_is_limited(view->states))
			quote_addf(buf, "%" PRIu64, cpu->idle);
		quote_addf(buf, ",%" PRIu64, cpu->switches);
		sched_data_put_tally(buf, &cpu->run);
		sched_data_put_tally(buf, &cpu->latency);
		quote_addf(buf, ",%" PRIu64 ",%" PRIu64 "\n", cpu->migrations, cpu->doubtful);
	}
}

int sched_print_csv(const struct sched_view *view, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r = 0;

	if (view->cpus)
		put_cpu_rows(view, &buf);
	else
		r = put_task_rows(view, &buf);
	return out_write(out, &buf) ?: r;
}
