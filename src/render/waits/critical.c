/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/waits/critical.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "render/waits/critical-words.h"
#include "render/kit/duration.h"
#include "render/kit/fit.h"
#include "render/waits/waker.h"

#define SECOND	 1000000000U
#define ROWS_MAX 8 /* shown for each cause */
#define LEVELS	 12 /* deeper ones are not indented further */

static void critical_put_time(struct strbuf *buf, uint64_t time)
{
	quote_addf(buf, "%" PRIu64 ".%06" PRIu64, time / SECOND, time % SECOND / 1000);
}

/* Appends a time and its share of @all. */
static void critical_put_share(struct strbuf *buf, uint64_t time, uint64_t all)
{
	unsigned permille = all ? (unsigned)((double)time * 1000 / (double)all + 0.5) : 0;

	duration_put(buf, time);
	quote_addf(buf, " %4u.%u %%", permille / 10, permille % 10);
}

static void critical_print_head(const struct critical *critical, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char text[DURATION_SIZE];

	strbuf_adds(&buf, "Critical path of ");
	task_put(&buf, critical->states.tasks[critical_task(critical)]);
	quote_addf(&buf, ", %s from ", duration_text(critical->to - critical->from, text));
	critical_put_time(&buf, critical->from);
	strbuf_adds(&buf, " to ");
	critical_put_time(&buf, critical->to);
	quote_printf(out->stream, "%s", out_style(out, OUT_TITLE));
	out_wrap(out, 0, 0, strbuf_str(&buf));
	quote_printf(out->stream, "%s", out_style(out, OUT_PLAIN));
	out_wrap(out, 0, 0, "Only shortening what is listed here makes the task finish sooner.");
}

static void critical_put_group(const struct critical *critical, const struct critical_group *group,
			       struct strbuf *buf, const struct out *out)
{
	uint64_t all = critical->to - critical->from, rest = 0;

	critical_put_share(buf, group->total, all);
	quote_addf(buf, " %8s  %s%s%s\n", "", out_style(out, OUT_NAME),
		   critical_cause_title(group->cause), out_style(out, OUT_PLAIN));
	for (size_t i = 0; i < group->n; i++) {
		/* A single remaining row takes as much space as a note about it. */
		if (i >= ROWS_MAX && group->n > ROWS_MAX + 1) {
			rest += group->sums[i]->total;
			continue;
		}
		critical_put_share(buf, group->sums[i]->total, all);
		quote_addf(buf, " %8" PRIu64 "    ", group->sums[i]->count);
		critical_what_put(buf, critical, &group->sums[i]->what);
		strbuf_addc(buf, '\n');
	}
	if (rest) {
		critical_put_share(buf, rest, all);
		quote_addf(buf, " %8s    (%zu more)\n", "", group->n - ROWS_MAX);
	}
}

static void put_segment(const struct critical *critical, const struct critical_segment *segment,
			struct strbuf *buf, const struct out *out)
{
	size_t level = segment->level < LEVELS ? segment->level : LEVELS;
	size_t at = buf->len;

	critical_put_time(buf, segment->start);
	if (buf->len - at < 15) {
		/* Left-aligned, like the title. */
		size_t len = buf->len - at;

		strbuf_pad(buf, ' ', 15 - len);
	}
	duration_put(buf, segment->end - segment->start);
	strbuf_pad(buf, ' ', 2 + 2 * level);
	if (segment->n > 1)
		quote_addf(buf, "%s%" PRIu64 " short entries, longest:%s ",
			   out_style(out, OUT_FAINT), segment->n, out_style(out, OUT_PLAIN));
	critical_what_put(buf, critical, &segment->what);
	strbuf_addc(buf, '\n');
}

int critical_print(const struct critical *critical, struct out *out)
{
	_cleanup_(critical_table_done) struct critical_table table = { 0 };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	static const struct fit_column sums[] = { { 10, 0 }, { 19, 1 }, { 28, 2 } };
	static const struct fit_column path[] = { { 15, 1 }, { 25, 0 } };
	int r = critical_table_init(&table, critical);
	struct fit fit;

	if (r < 0)
		return r;
	critical_print_head(critical, out);
	fit_init(&fit, out, sums, ARRAY_SIZE(sums), FIT_TEXT);
	quote_addf(&buf, "\n%s     total    share    times  cause%s\n", out_style(out, OUT_TITLE),
		   out_style(out, OUT_PLAIN));
	r = fit_write_head(&fit, &buf);
	for (size_t i = 0; i < table.n; i++)
		critical_put_group(critical, &table.groups[i], &buf, out);
	r = r ?: fit_write(&fit, &buf);
	fit_init(&fit, out, path, ARRAY_SIZE(path), FIT_TEXT);
	quote_addf(&buf,
		   "\n%stime             duration  each entry is what the entry to its left was "
		   "waiting for%s\n",
		   out_style(out, OUT_TITLE), out_style(out, OUT_PLAIN));
	r = r ?: fit_write_head(&fit, &buf);
	for (size_t i = 0; i < critical->path.n && !buf.err; i++)
		put_segment(critical, &critical->path.list[i], &buf, out);
	return r ?: fit_write(&fit, &buf);
}
