/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wording of verdicts and of the noise, shared by all outputs. */
#include <inttypes.h>
#include <math.h>

#include "base/quote.h"
#include "render/command/diff.h"
#include "render/kit/amount.h"

#define LARGEST 27.0 /* limit of logarithms, to prevent overflow */

uint64_t diff_per_run(uint64_t sum, size_t runs)
{
	return sum / runs + (sum % runs * 2 >= runs);
}

int64_t diff_permille(double logarithm)
{
	double limited = fmin(fmax(logarithm, -LARGEST), LARGEST);

	return (int64_t)llround((exp(limited) - 1) * 1000);
}

const char *diff_count_verdict(const struct noise_row *row)
{
	if (row->count == NOISE_COUNT_UNSEEN)
		return "";
	return row->count == NOISE_COUNT_MORE ? "more" : "fewer";
}

const char *diff_time_verdict(const struct noise_row *row)
{
	static const char *const words[] = { [NOISE_TIME_NONE] = NULL,
					     [NOISE_TIME_FEW] = "too few calls",
					     [NOISE_TIME_UNSEEN] = "within noise",
					     [NOISE_TIME_SLOWER] = "slower",
					     [NOISE_TIME_FASTER] = "faster" };

	return words[row->time];
}

const char *diff_verdict_of(uint64_t before, uint64_t after, const struct noise_row *row)
{
	bool sure = row->count != NOISE_COUNT_UNSEEN;

	if (!before && !after)
		return "";
	if (!before)
		return sure ? "new" : "new?";
	if (!after)
		return sure ? "gone" : "gone?";
	if (row->time == NOISE_TIME_SLOWER)
		return "slower";
	return row->time == NOISE_TIME_FASTER ? "faster" : "";
}

const char *diff_verdict(const struct call_diff *diff, uint32_t node)
{
	const struct call_node *before = call_diff_before(diff, node);
	const struct call_node *after = call_diff_after(diff, node);
	struct noise_row row = diff->rows[node];

	if (diff->single)
		row.count = NOISE_COUNT_MORE;
	return diff_verdict_of(before->count + before->cut, after->count + after->cut, &row);
}

const char *syscall_diff_verdict(const struct syscall_change *change)
{
	return diff_verdict_of(syscall_change_calls(&change->before),
			       syscall_change_calls(&change->after), &change->noise);
}

/* Appends a factor as "12 %" or "2.4x". */
static void put_factor(struct strbuf *buf, double logarithm)
{
	int64_t permille = diff_permille(logarithm);

	if (permille >= 1000)
		quote_addf(buf, "%" PRId64 ".%" PRId64 "x", permille / 1000 + 1,
			   permille % 1000 / 100);
	else if (permille > -100 && permille < 100)
		quote_addf(buf, "%s%" PRId64 ".%" PRId64 " %%", permille < 0 ? "-" : "",
			   (permille < 0 ? -permille : permille) / 10,
			   (permille < 0 ? -permille : permille) % 10);
	else
		quote_addf(buf, "%" PRId64 " %%", permille / 10);
}

void diff_put_verdict(struct strbuf *buf, const char *verdict, const struct noise_row *row)
{
	if (row->time == NOISE_TIME_NONE || *verdict == 'n' || *verdict == 'g') {
		quote_addf(buf, *verdict ? "  %s" : "%s", verdict);
		return;
	}
	if (row->count != NOISE_COUNT_UNSEEN)
		quote_addf(buf, "  %s calls", diff_count_verdict(row));
	quote_addf(buf, "  %s", diff_time_verdict(row));
	if (row->time == NOISE_TIME_FEW)
		return;
	if (row->time == NOISE_TIME_UNSEEN) {
		strbuf_adds(buf, " of ");
		put_factor(buf, row->least);
		return;
	}
	strbuf_adds(buf, row->change > 0 ? " +" : " ");
	put_factor(buf, row->change);
}

void diff_put_noise(struct strbuf *buf, const struct noise *noise, size_t n_before, size_t n_after)
{
	if (n_before > 1 || n_after > 1) {
		amount_put_count(buf, n_before, "run", "runs");
		quote_addf(buf, " before, %zu after; averages per run\n", n_after);
	}
	if (!noise->n_times)
		return;
	strbuf_adds(buf, "noise: calls vary between runs by ");
	put_factor(buf, noise->between);
	if (noise->drift_known) {
		strbuf_adds(buf, "; all rows changed by ");
		put_factor(buf, noise->drift);
		strbuf_adds(buf, ", which is subtracted");
	}
	strbuf_addc(buf, '\n');
}

void diff_json_row(struct json *json, const char *verdict, const struct noise_row *row)
{
	bool known = row->time >= NOISE_TIME_UNSEEN;

	json_string(json, "verdict", verdict);
	json_string(json, "count_verdict", diff_count_verdict(row));
	json_string(json, "time_verdict", diff_time_verdict(row));
	if (!known) {
		json_null(json, "call_change_permille");
		json_null(json, "noise_permille");
		json_null(json, "z_thousandths");
		return;
	}
	json_s64(json, "call_change_permille", diff_permille(row->change));
	json_s64(json, "noise_permille", diff_permille(row->least));
	json_s64(json, "z_thousandths",
		 row->error > 0 ? llround(fmin(fmax(row->change / row->error, -1e9), 1e9) * 1000) :
				  0);
}

void diff_json_noise(struct json *json, const char *key, const struct noise *noise)
{
	json_begin_object(json, key);
	if (noise->drift_known)
		json_s64(json, "drift_permille", diff_permille(noise->drift));
	else
		json_null(json, "drift_permille");
	if (noise->n_times)
		json_s64(json, "between_runs_permille", diff_permille(noise->between));
	else
		json_null(json, "between_runs_permille");
	json_u64(json, "compared_time_count", noise->n_times);
	json_u64(json, "compared_call_count", noise->n_counts);
	json_end_object(json);
}
