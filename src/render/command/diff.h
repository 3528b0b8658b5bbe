/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders the differences between two call trees, or between two lists of system calls, as text,
 * JSON or CSV; the largest changes come first. Times are in nanoseconds and averages per run. The
 * verdicts are the same in all outputs; they are static strings. The diffs are not modified.
 *
 * The second half declares parts shared by the outputs in this folder and by the viewer.
 */
#ifndef FATHOM_RENDER_COMMAND_DIFF_H
#define FATHOM_RENDER_COMMAND_DIFF_H

#include "analyze/compare/call-diff.h"
#include "analyze/compare/syscall-diff.h"
#include "render/kit/fit.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

struct diff_options {
	unsigned depth; /* levels to show; 0: all */
	unsigned min_permille; /* of the total time; smaller changes are folded into one line */
	unsigned rows; /* to show at each level; 0: all */
	bool flat; /* a list of functions instead of a tree: their times overlap */
};

/* All return 0 or -ENOMEM. Write errors are left to out_finish(). */
int diff_print(const struct call_diff *diff, const struct diff_options *options, struct out *out);
int diff_print_csv(const struct call_diff *diff, struct out *out);
/* The same for system calls. */
int syscall_diff_print(const struct syscall_diff *diff, const struct diff_options *options,
		       struct out *out);
int syscall_diff_print_csv(const struct syscall_diff *diff, struct out *out);
/* Prints both as one document; either may be NULL. */
int diff_print_json(const struct call_diff *diff, const struct syscall_diff *syscalls,
		    struct out *out);
/* Appends the array "syscalls" to the open object. */
void syscall_diff_json(const struct syscall_diff *diff, struct json *json);

/*
 * Returns "new" or "gone", followed by '?' if that may be due to chance; "slower" or "faster" if
 * that exceeds the noise; or "".
 */
const char *diff_verdict(const struct call_diff *diff, uint32_t node);
const char *syscall_diff_verdict(const struct syscall_change *change);
/* The same for anything that was called @before and @after times. */
const char *diff_verdict_of(uint64_t before, uint64_t after, const struct noise_row *row);
/* Returns "more" or "fewer" if the number of calls changed beyond the noise, or "". */
const char *diff_count_verdict(const struct noise_row *row);
/*
 * Returns "slower", "faster", "within noise" or "too few calls", or NULL if one side has no calls.
 */
const char *diff_time_verdict(const struct noise_row *row);
/* Returns whether calls became slower or faster beyond the noise. Such rows are never folded. */
static inline bool diff_is_sure(const struct noise_row *row)
{
	return row->time == NOISE_TIME_SLOWER || row->time == NOISE_TIME_FASTER;
}

/* Appends the text that follows a row's name: "  slower +12 %". */
void diff_put_verdict(struct strbuf *buf, const char *verdict, const struct noise_row *row);
/*
 * Prints the calls whose number changed beyond the noise, but no call below one that changed in
 * the same way. Returns 0 or -ENOMEM.
 */
int diff_print_counts(const struct call_diff *diff, const struct diff_options *options,
		      struct out *out);
/* The titles of a table of differences, without that of the name. */
#define DIFF_HEAD "     change    before     after   calls     now    median       now  "
/* Fits the rows below it. */
void diff_fit(struct fit *fit, const struct out *out);
/* Returns an average, rounded. */
uint64_t diff_per_run(uint64_t sum, size_t runs);
/* Appends the lines about noise that precede a table, if there is anything to say. */
void diff_put_noise(struct strbuf *buf, const struct noise *noise, size_t n_before, size_t n_after);
/*
 * Append members to the open object: the verdict and noise of a row, and an object with the noise
 * of all.
 */
void diff_json_row(struct json *json, const char *verdict, const struct noise_row *row);
void diff_json_noise(struct json *json, const char *key, const struct noise *noise);
void syscall_diff_put_name(const struct syscall_change *change, struct strbuf *buf);
/*
 * Converts the logarithm of a factor to the change in thousandths, at most 10^12: log(1.5) becomes
 * 500.
 */
int64_t diff_permille(double logarithm);
/*
 * Lists the children of @node, the largest changes first. Returns their number or -ENOMEM. The
 * caller frees @ret_list.
 */
int diff_children(const struct call_diff *diff, uint32_t node, uint32_t **ret_list);
/* Returns the child of @node that accounts for more than half of @change, or CALL_NONE. */
uint32_t diff_main_child(const struct call_diff *diff, uint32_t node, int64_t change);
/* Returns the style of a name with this verdict. */
enum out_style diff_style(const char *verdict);
/* Appends a column such as "+1.23 ms", 11 characters wide; '.' if @change is 0. */
void diff_put_change(struct strbuf *buf, int64_t change);

#endif
