/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The screen of fathom doctor: a verdict and the remedy, supported features, workarounds, missing
 * features, and current users of tracing. Features have their established names; the verbose form
 * describes them.
 */
#include "render/machine/doctor.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "base/str.h"

#define INDENT 2
#define LABEL  11 /* width of the column of group names */
#define NAMES  31 /* width of the column of feature names, if a text follows */
#define LISTED 3 /* words of a list that are shown */

/* The groups of features, in order. */
static const struct {
	const char *id, *title;
} groups[] = {
	{ "tracers", "tracers" }, { "calls", "functions" }, { "probes", "probes" },
	{ "events", "events" },	  { "buffers", "buffers" }, { "perf", "perf" },
	{ "bpf", "BPF" },
};

static void doctor_text_print_heading(struct out *out, const char *title)
{
	out_printf(out, OUT_TITLE, "\n%s\n", title);
}

/* Prints a label; "" leaves its column empty. */
static void print_label(struct out *out, const char *label)
{
	int pad = LABEL - (int)strlen(label);

	out_printf(out, OUT_NAME, "%*s%s", INDENT, "", label);
	out_printf(out, OUT_PLAIN, "%*s", pad > 0 ? pad : 1, "");
}

/* Prints a name and a text next to it. The cursor is in column @at. */
static void print_pair(struct out *out, unsigned at, const char *name, const char *text)
{
	int pad = NAMES - (int)strlen(name);

	if (pad < 2)
		pad = 2;
	out_printf(out, OUT_PLAIN, "%s%*s", name, pad, "");
	out_wrap(out, at + (unsigned)strlen(name) + (unsigned)pad, at + NAMES, text);
}

static void print_item(struct out *out, const char *text)
{
	out_printf(out, OUT_PLAIN, "%*s", INDENT, "");
	out_wrap(out, INDENT, INDENT + 2, text);
}

/* The parts of the screen in which a feature can appear. */
enum part {
	PART_WORKS,
	PART_OTHERWISE,
	PART_NOT,
	PART_UNKNOWN,
	PART_CAUTION,
};

static enum part part_of(const struct fathom_feature *feature)
{
	if (str_eq(feature->group, "caution"))
		return PART_CAUTION;
	switch (feature->state) {
	case FATHOM_FEATURE_YES:
		return PART_WORKS;
	case FATHOM_FEATURE_LIMITED:
		return PART_OTHERWISE;
	case FATHOM_FEATURE_NO:
		return *feature->instead ? PART_OTHERWISE : PART_NOT;
	case FATHOM_FEATURE_UNKNOWN:
		break;
	}
	return PART_UNKNOWN;
}

static size_t count_part(const struct fathom_features *features, enum part part)
{
	size_t n = 0;

	for (size_t i = 0; i < fathom_features_count(features); i++)
		n += part_of(fathom_features_at(features, i)) == part;
	return n;
}

/* Returns whether the user lacks permissions, although the machine supports tracing. */
static bool is_user_problem(const struct doctor_report *report)
{
	return (report->tracefs->state == TRACEFS_READABLE ||
		report->tracefs->state == TRACEFS_NO_ACCESS) &&
	       report->host->lockdown != LOCKDOWN_CONFIDENTIALITY;
}

static void print_verdict(struct out *out, const struct doctor_report *report)
{
	static const enum out_style styles[] = { [FATHOM_VERDICT_USABLE] = OUT_GOOD,
						 [FATHOM_VERDICT_LIMITED] = OUT_WARN,
						 [FATHOM_VERDICT_UNUSABLE] = OUT_BAD };
	enum fathom_verdict verdict = fathom_features_verdict(report->features);
	const char *obstacle = fathom_features_obstacle(report->features);
	const char *advice = fathom_features_advice(report->features);

	if (verdict == FATHOM_VERDICT_USABLE)
		out_printf(out, styles[verdict], "Tracing works on this machine.\n");
	else if (verdict == FATHOM_VERDICT_LIMITED)
		out_printf(out, styles[verdict], "Tracing works with limits on this machine: %s.\n",
			   obstacle);
	else if (is_user_problem(report))
		out_printf(out, styles[verdict], "You cannot trace on this machine: %s.\n",
			   obstacle);
	else
		out_printf(out, styles[verdict], "Tracing does not work on this machine: %s.\n",
			   obstacle);
	if (*advice) {
		_cleanup_strbuf_ struct strbuf buf = { 0 };

		quote_addf(&buf, "%s%s", advice,
			   is_user_problem(report) ? ": sudo fathom doctor" : "");
		print_item(out, strbuf_str(&buf));
	}
}

static void print_machine(struct out *out, const struct doctor_report *report)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	const struct host *host = report->host;

	quote_addf(&buf, "Linux %s, %s", host->release, host->is_root ? "root" : "not root");
	if (host->user_namespace)
		strbuf_adds(&buf, " in a user namespace");
	if (host->container)
		strbuf_adds(&buf, ", in a container");
	if (report->tracefs->path)
		quote_addf(&buf, ", tracefs at %s", report->tracefs->path);
	if (host->lockdown > LOCKDOWN_NONE)
		quote_addf(&buf, ", lockdown: %s", host_lockdown_name(host->lockdown));
	out_wrap(out, 0, 0, strbuf_str(&buf));
}

/* Appends what a missing feature requires or, if that is unknown, why it is missing. */
static void add_need(struct strbuf *buf, const struct fathom_feature *feature)
{
	const char *symbol = str_after(feature->fix, "a kernel built with ");

	if (*feature->fix)
		quote_addf(buf, "needs %s", symbol ?: feature->fix);
	else
		quote_adds(buf, feature->why);
}

static bool has_same_need(const struct fathom_feature *a, const struct fathom_feature *b)
{
	return str_eq(a->fix, b->fix) && (*a->fix || str_eq(a->why, b->why));
}

/* Appends the first words of a list, separated by commas. */
static void add_list(struct strbuf *buf, const char *list)
{
	for (int n = 0; *list; n++) {
		size_t len = strcspn(list, " ");

		if (n == LISTED) {
			strbuf_adds(buf, ", ...");
			return;
		}
		quote_addf(buf, "%s%.*s", n ? ", " : "", (int)len, list);
		list += len + strspn(list + len, " ");
	}
}

static void add_feature(struct strbuf *buf, const struct fathom_feature *feature)
{
	quote_addf(buf, "%s%s", buf->len ? ", " : "", feature->name);
	if (!*feature->value)
		return;
	strbuf_adds(buf, " (");
	if (str_eq(feature->id, "clocks"))
		add_list(buf, feature->value);
	else
		quote_adds(buf, feature->value);
	strbuf_addc(buf, ')');
}

static void print_supported(struct out *out, const struct fathom_features *features, size_t group)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	for (size_t i = 0; i < fathom_features_count(features); i++) {
		const struct fathom_feature *feature = fathom_features_at(features, i);

		if (part_of(feature) == PART_WORKS && str_eq(feature->group, groups[group].id))
			add_feature(&buf, feature);
	}
	if (!buf.len)
		return;
	print_label(out, groups[group].title);
	out_wrap(out, INDENT + LABEL, INDENT + LABEL, strbuf_str(&buf));
}

static void print_missing(struct out *out, const char *label, const struct strbuf *names,
			  const struct fathom_feature *feature)
{
	_cleanup_strbuf_ struct strbuf need = { 0 };

	add_need(&need, feature);
	print_label(out, label);
	print_pair(out, INDENT + LABEL, strbuf_str(names), strbuf_str(&need));
}

/* Adjacent features with the same requirement share a line. */
static void print_unsupported(struct out *out, const struct fathom_features *features, size_t group)
{
	_cleanup_strbuf_ struct strbuf names = { 0 };
	const struct fathom_feature *last = NULL;
	const char *label = groups[group].title;

	for (size_t i = 0; i < fathom_features_count(features); i++) {
		const struct fathom_feature *feature = fathom_features_at(features, i);

		if (part_of(feature) != PART_NOT || !str_eq(feature->group, groups[group].id))
			continue;
		if (last && !has_same_need(last, feature)) {
			print_missing(out, label, &names, last);
			strbuf_clear(&names);
			label = "";
		}
		add_feature(&names, feature);
		last = feature;
	}
	if (last)
		print_missing(out, label, &names, last);
}

static void print_groups(struct out *out, const struct fathom_features *features,
			 const char *heading, enum part part,
			 void (*print)(struct out *, const struct fathom_features *, size_t))
{
	if (!count_part(features, part))
		return;
	doctor_text_print_heading(out, heading);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		print(out, features, i);
}

static void print_workarounds(struct out *out, const struct fathom_features *features)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };

	if (!count_part(features, PART_OTHERWISE))
		return;
	doctor_text_print_heading(out, "Workarounds");
	for (size_t i = 0; i < fathom_features_count(features); i++) {
		const struct fathom_feature *feature = fathom_features_at(features, i);

		if (part_of(feature) != PART_OTHERWISE)
			continue;
		strbuf_clear(&name);
		quote_addf(&name, "%s%s", str_eq(feature->group, "bpf") ? "BPF " : "",
			   feature->name);
		out_printf(out, OUT_PLAIN, "%*s", INDENT, "");
		print_pair(out, INDENT, strbuf_str(&name),
			   *feature->instead ? feature->instead : feature->why);
	}
}

/* Prints the number of features that could not be checked, by reason. */
static void doctor_text_print_unknown(struct out *out, const struct fathom_features *features)
{
	size_t n = fathom_features_count(features);

	if (!count_part(features, PART_UNKNOWN))
		return;
	doctor_text_print_heading(out, "Not checked");
	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf buf = { 0 };
		const struct fathom_feature *first = fathom_features_at(features, i);
		size_t same = 0;
		bool counted = false;

		if (part_of(first) != PART_UNKNOWN)
			continue;
		for (size_t j = 0; j < n; j++) {
			const struct fathom_feature *other = fathom_features_at(features, j);

			if (part_of(other) != PART_UNKNOWN || !str_eq(other->why, first->why))
				continue;
			counted |= j < i;
			same++;
		}
		if (counted)
			continue;
		if (same == 1)
			quote_addf(&buf, "%s: %s", first->name, first->why);
		else
			quote_addf(&buf, "%zu features, such as %s: %s", same, first->name,
				   first->why);
		print_item(out, strbuf_str(&buf));
	}
}

static void print_cautions(struct out *out, const struct fathom_features *features)
{
	bool headed = false;

	for (size_t i = 0; i < fathom_features_count(features); i++) {
		const struct fathom_feature *feature = fathom_features_at(features, i);

		if (part_of(feature) != PART_CAUTION || feature->state != FATHOM_FEATURE_YES)
			continue;
		if (!headed)
			doctor_text_print_heading(out, "Known kernel bugs");
		headed = true;
		print_item(out, feature->title);
	}
}

static void print_not_tried(struct out *out)
{
	doctor_text_print_heading(out, "Not tested");
	print_item(out, "creating probes and instances, attaching BPF programs "
			"('fathom doctor --try' does, and removes them again)");
}

static void print_detail(struct out *out, const char *label, const char *text)
{
	if (!*text)
		return;
	out_printf(out, OUT_FAINT, "    %-9s", label);
	out_wrap(out, 13, 13, text);
}

/* Prints every feature in detail. */
static void print_all(struct out *out, const struct fathom_features *features)
{
	static const enum out_style styles[] = { [FATHOM_FEATURE_UNKNOWN] = OUT_FAINT,
						 [FATHOM_FEATURE_NO] = OUT_BAD,
						 [FATHOM_FEATURE_LIMITED] = OUT_WARN,
						 [FATHOM_FEATURE_YES] = OUT_GOOD };
	const char *group = "";

	for (size_t i = 0; i < fathom_features_count(features); i++) {
		const struct fathom_feature *feature = fathom_features_at(features, i);

		if (!str_eq(group, feature->group))
			doctor_text_print_heading(out, feature->group);
		group = feature->group;
		out_printf(out,
			   part_of(feature) == PART_CAUTION ? OUT_PLAIN : styles[feature->state],
			   "  %-7s ", fathom_feature_state_name(feature->state));
		out_printf(out, OUT_NAME, "%s", feature->id);
		out_printf(out, OUT_PLAIN, "  %s\n", feature->title);
		print_detail(out, "value", feature->value);
		print_detail(out, "check", feature->how);
		print_detail(out, "why", feature->why);
		print_detail(out, feature->state == FATHOM_FEATURE_UNKNOWN ? "advice" : "needs",
			     feature->fix);
		print_detail(out, "instead", feature->instead);
	}
}

static void print_next(struct out *out, const struct doctor_report *report, bool verbose)
{
	bool works = fathom_features_verdict(report->features) != FATHOM_VERDICT_UNUSABLE;

	if (verbose && !works)
		return;
	out_printf(out, OUT_FAINT, "\n%s%s\n",
		   verbose ? "" : "'fathom doctor -v' shows how each answer was found.",
		   !works  ? "" :
		   verbose ? "Next: 'fathom run COMMAND'" :
			     " Next: 'fathom run COMMAND'");
}

int doctor_print_text(struct out *out, const struct doctor_report *report, bool verbose)
{
	print_verdict(out, report);
	print_machine(out, report);
	if (verbose) {
		print_all(out, report->features);
	} else {
		print_groups(out, report->features, "Supported", PART_WORKS, print_supported);
		print_workarounds(out, report->features);
		print_groups(out, report->features, "Unsupported", PART_NOT, print_unsupported);
		doctor_text_print_unknown(out, report->features);
	}
	print_cautions(out, report->features);
	if (report->tracefs->state == TRACEFS_WRITABLE && !report->tried)
		print_not_tried(out);
	doctor_print_state(out, report->state);
	if (report->recordings)
		doctor_print_recordings(out, report->recordings);
	if (report->prices) {
		int r;

		doctor_text_print_heading(out, "Overhead on this machine (estimated)");
		r = price_table_print(report->prices, out);
		if (r < 0)
			return r;
	}
	print_next(out, report, verbose);
	return 0;
}
