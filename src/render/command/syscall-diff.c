/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Differences between the system calls of two recordings, as text, JSON and CSV. */
#include <errno.h>
#include <inttypes.h>

#include "base/quote.h"
#include "render/command/diff.h"
#include "render/kit/amount.h"
#include "render/kit/duration.h"
#include "render/kit/fit.h"
#include "render/kit/json.h"
#include "render/command/syscalls.h"

#define MEDIAN 500

static uint64_t syscall_diff_median_of(const struct syscall_sums *sums)
{
	return spread_quantile_within(&sums->spread, MEDIAN, sums->min, sums->max);
}

void syscall_diff_put_name(const struct syscall_change *change, struct strbuf *buf)
{
	const char *name = syscall_change_name(change);

	if (name)
		quote_adds(buf, name);
	else
		quote_addf(buf, "system call %" PRId64,
			   syscall_change_calls(&change->before) ? change->before.number :
								   change->after.number);
}

static void syscall_diff_put_row(struct strbuf *buf, const struct syscall_diff *diff,
				 const struct syscall_change *change, const struct out *out)
{
	const struct syscall_sums *before = &change->before, *after = &change->after;
	const char *verdict = syscall_diff_verdict(change);

	diff_put_change(buf, syscall_change_time(diff, change));
	duration_put(buf, syscall_sums_time(before) / diff->n_before);
	duration_put(buf, syscall_sums_time(after) / diff->n_after);
	quote_addf(buf, " %7" PRIu64 " %7" PRIu64,
		   diff_per_run(syscall_change_calls(before), diff->n_before),
		   diff_per_run(syscall_change_calls(after), diff->n_after));
	duration_put(buf, syscall_diff_median_of(before));
	duration_put(buf, syscall_diff_median_of(after));
	quote_addf(buf, "  %s", out_style(out, diff_style(verdict)));
	syscall_diff_put_name(change, buf);
	quote_adds(buf, out_style(out, OUT_PLAIN));
	diff_put_verdict(buf, verdict, &change->noise);
	if (before->failed != after->failed)
		quote_addf(buf, "  (%" PRIu64 " failed, now %" PRIu64 ")", before->failed,
			   after->failed);
	strbuf_addc(buf, '\n');
}

/* Changes beyond the noise are always shown, no matter how short the calls are. */
static bool is_always_shown(const struct syscall_diff *diff, const struct syscall_change *change)
{
	return change->noise.count != NOISE_COUNT_UNSEEN || diff_is_sure(&change->noise) ||
	       syscall_change_calls(&change->before) * diff->n_after !=
		       syscall_change_calls(&change->after) * diff->n_before;
}

int syscall_diff_print(const struct syscall_diff *diff, const struct diff_options *options,
		       struct out *out)
{
	uint64_t all = diff->before > diff->after ? diff->before : diff->after;
	uint64_t share = all / 1000 * options->min_permille, least = share ? share : 1;
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int64_t folded = 0;
	size_t shown = 0;
	struct fit fit;
	int r;

	diff_put_noise(&buf, &diff->noise, diff->n_before, diff->n_after);
	if (out_write_wrapped(out, &buf) < 0)
		return -ENOMEM;
	diff_fit(&fit, out);
	quote_addf(&buf, "%s" DIFF_HEAD "system call%s\n", out_style(out, OUT_TITLE),
		   out_style(out, OUT_PLAIN));
	r = fit_write_head(&fit, &buf);
	diff_put_change(&buf, (int64_t)(diff->after - diff->before));
	duration_put(&buf, diff->before);
	duration_put(&buf, diff->after);
	strbuf_pad(&buf, ' ', 38);
	strbuf_adds(&buf, "all system calls\n");
	for (size_t i = 0; i < diff->n; i++) {
		int64_t change = syscall_change_time(diff, &diff->list[i]);

		if (((uint64_t)(change < 0 ? -change : change) >= least ||
		     is_always_shown(diff, &diff->list[i])) &&
		    (!options->rows || shown < options->rows)) {
			syscall_diff_put_row(&buf, diff, &diff->list[i], out);
			shown++;
		} else {
			folded += change;
		}
	}
	if (shown < diff->n) {
		diff_put_change(&buf, folded);
		strbuf_pad(&buf, ' ', 58);
		amount_put_others(&buf, diff->n - shown, out);
	}
	return r ?: fit_write(&fit, &buf);
}

static void syscall_diff_write_side(struct json *json, const char *key,
				    const struct syscall_sums *sums)
{
	json_begin_object(json, key);
	syscalls_json_sums(json, sums);
	json_end_object(json);
}

void syscall_diff_json(const struct syscall_diff *diff, struct json *json)
{
	json_begin_array(json, "syscalls");
	for (size_t i = 0; i < diff->n; i++) {
		const struct syscall_change *change = &diff->list[i];

		json_begin_object(json, NULL);
		json_string(json, "name", syscall_change_name(change));
		json_s64(json, "change_ns", syscall_change_time(diff, change));
		diff_json_row(json, syscall_diff_verdict(change), &change->noise);
		syscall_diff_write_side(json, "before", &change->before);
		syscall_diff_write_side(json, "after", &change->after);
		json_end_object(json);
	}
	json_end_array(json);
}

int syscall_diff_print_csv(const struct syscall_diff *diff, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_adds(
		&buf,
		"name,change_ns,verdict,count_verdict,time_verdict,before_count,after_count,before_ns,after_ns,"
		"before_failed,after_failed,before_median_ns,after_median_ns\n");
	for (size_t i = 0; i < diff->n; i++) {
		const struct syscall_change *change = &diff->list[i];
		const struct syscall_sums *before = &change->before, *after = &change->after;

		quote_addf(&buf,
			   "%s,%" PRId64 ",%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			   ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			   syscall_change_name(change) ?: "", syscall_change_time(diff, change),
			   syscall_diff_verdict(change), diff_count_verdict(&change->noise),
			   diff_time_verdict(&change->noise) ?: "", before->count, after->count,
			   syscall_sums_time(before), syscall_sums_time(after), before->failed,
			   after->failed, syscall_diff_median_of(before),
			   syscall_diff_median_of(after));
	}
	return out_write(out, &buf);
}
