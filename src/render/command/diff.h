/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What differs between two trees of calls, as text, JSON or CSV; the largest changes come first. */
#ifndef FATHOM_RENDER_COMMAND_DIFF_H
#define FATHOM_RENDER_COMMAND_DIFF_H

#include "analyze/compare/call-diff.h"
#include "analyze/compare/syscall-diff.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

struct diff_options {
	unsigned depth; /* levels that are shown; 0: all */
	unsigned min_permille; /* of all time: changes below are folded into one line */
	unsigned rows; /* at each level; 0: all */
	bool flat; /* functions side by side: their times overlap */
};

/* Each returns 0 or -ENOMEM. */
int diff_print(const struct call_diff *diff, const struct diff_options *options, struct out *out);
int diff_print_csv(const struct call_diff *diff, struct out *out);
/* The same for system calls. */
int syscall_diff_print(const struct syscall_diff *diff, const struct diff_options *options,
		       struct out *out);
int syscall_diff_print_csv(const struct syscall_diff *diff, struct out *out);
/* Both in one document; what is NULL is not there. */
int diff_print_json(const struct call_diff *diff, const struct syscall_diff *syscalls,
		    struct out *out);
/* Adds the array "syscalls". */
void syscall_diff_json(const struct syscall_diff *diff, struct json *json);

/*
 * "new" or "gone", with a '?' if that can be chance; "slower" or "faster", if that is more than noise; else "". The words
 * are the same in all outputs.
 */
const char *diff_verdict(const struct call_diff *diff, uint32_t node);
const char *syscall_diff_verdict(const struct syscall_change *change);
/* The same for anything that was called so often @before and @after. */
const char *diff_verdict_of(uint64_t before, uint64_t after, const struct noise_row *row);
/* "more" or "fewer" calls, if that is more than noise; else "". */
const char *diff_count_verdict(const struct noise_row *row);
/* "slower", "faster", "within noise", "too few calls"; NULL: there are none on one side. */
const char *diff_time_verdict(const struct noise_row *row);
/* Is a call slower or faster by more than noise? Such rows are never folded. */
static inline bool diff_is_sure(const struct noise_row *row)
{
	return row->time == NOISE_TIME_SLOWER || row->time == NOISE_TIME_FASTER;
}

/* Adds all that is said of a row behind its name: "  slower +12 %". */
void diff_put_verdict(struct strbuf *buf, const char *verdict, const struct noise_row *row);
/*
 * Adds the calls whose number has changed by more than noise; of those below one that says the same nothing. 0 or
 * -ENOMEM.
 */
int diff_put_counts(const struct call_diff *diff, const struct diff_options *options,
		    const struct out *out, struct strbuf *buf);
/* An average, rounded. */
uint64_t diff_per_run(uint64_t sum, size_t runs);
/* What is said of the noise above a table. */
void diff_put_noise(struct strbuf *buf, const struct noise *noise, size_t n_before, size_t n_after);
/* For JSON: what is known of the row's noise, and of that of all. */
void diff_json_row(struct json *json, const char *verdict, const struct noise_row *row);
void diff_json_noise(struct json *json, const char *key, const struct noise *noise);
void syscall_diff_put_name(const struct syscall_change *change, struct strbuf *buf);
/* A factor's logarithm as thousandths that were added; at most 10^12. */
int64_t diff_permille(double logarithm);
/* The children of a node, the largest changes first, in a new array. -ENOMEM, or how many. */
int diff_children(const struct call_diff *diff, uint32_t node, uint32_t **ret_list);
/* The child that makes up more than half of a change of this node; CALL_NONE: there is none. */
uint32_t diff_main_child(const struct call_diff *diff, uint32_t node, int64_t change);
/* How a name is shown of which that is said. */
enum out_style diff_style(const char *verdict);
/* A column with "+1.23 ms", 11 characters wide; '.' when there is no change. */
void diff_put_change(struct strbuf *buf, int64_t change);

#endif
