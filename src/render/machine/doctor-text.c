/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The doctor's screen: first whether one can trace here and what to do about it,
 * then what works, what works in another way and what does not, then what is on.
 * It has to fit one screen and be clear to someone who has never traced anything.
 */
#include "render/machine/doctor.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "base/str.h"

/* Texts begin here, behind the marks and names. */
#define INDENT 2
#define LABEL  10

/* The groups of features, in the order in which the table has them. */
static const struct {
	const char *id, *title;
} groups[] = {
	{ "tracers", "tracers" }, { "calls", "calls" },	    { "probes", "probes" },
	{ "events", "events" },	  { "buffers", "buffers" }, { "perf", "perf" },
	{ "bpf", "BPF" },
};

static void doctor_text_print_heading(struct out *out, const char *title)
{
	out_printf(out, OUT_TITLE, "\n%s\n", title);
}

/* A text behind a label, all lines of it indented alike. */
static void print_labelled(struct out *out, const char *label, const char *text)
{
	int pad = LABEL - (int)strlen(label);

	out_printf(out, OUT_NAME, "%*s%s", INDENT, "", label);
	out_printf(out, OUT_PLAIN, "%*s", pad > 0 ? pad : 1, "");
	out_wrap(out, INDENT + LABEL, INDENT + LABEL, text);
}

static void print_item(struct out *out, const char *text)
{
	out_printf(out, OUT_PLAIN, "%*s", INDENT, "");
	out_wrap(out, INDENT, INDENT + 2, text);
}

/* The parts of the screen that a feature can be in. */
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

static void print_verdict(struct out *out, const struct doctor_report *report)
{
	static const struct {
		enum out_style style;
		const char *word, *text;
	} verdicts[] = {
		[FATHOM_VERDICT_USABLE] = { OUT_GOOD, "yes", "all that most people need works" },
		[FATHOM_VERDICT_LIMITED] = { OUT_WARN, "partly", NULL },
		[FATHOM_VERDICT_UNUSABLE] = { OUT_BAD, "no", NULL },
	};
	enum fathom_verdict verdict = fathom_features_verdict(report->features);
	const char *text = verdicts[verdict].text;
	const char *advice = fathom_features_advice(report->features);

	out_printf(out, OUT_TITLE, "Can I trace here? ");
	out_printf(out, verdicts[verdict].style, "%s", verdicts[verdict].word);
	out_printf(out, OUT_PLAIN, ": %s\n",
		   text ? text : fathom_features_obstacle(report->features));
	if (*advice) {
		out_printf(out, OUT_TITLE, "What to do:       ");
		out_wrap(out, 18, 18, advice);
	}
}

static void print_machine(struct out *out, const struct doctor_report *report)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	const struct host *host = report->host;

	quote_addf(&buf, "Linux %s; you are %s", host->release,
		   host->is_root ? "root" : "not root");
	if (host->user_namespace)
		strbuf_adds(&buf, " of a user namespace only");
	if (host->container)
		strbuf_adds(&buf, ", in a container");
	if (report->tracefs->path)
		quote_addf(&buf, "; the tracing files are at %s", report->tracefs->path);
	if (report->tracefs->path && report->tracefs->place == TRACEFS_AT_DEBUGFS)
		strbuf_adds(&buf, ", the old place");
	if (host->lockdown > LOCKDOWN_NONE)
		quote_addf(&buf, "; the kernel is locked down (%s)",
			   host_lockdown_name(host->lockdown));
	out_printf(out, OUT_FAINT, "This machine:     ");
	out_wrap(out, 18, 18, strbuf_str(&buf));
}

/* "a kernel built with CONFIG_X" is said once, in the heading. */
static const char *short_fix(const struct fathom_feature *feature)
{
	const char *symbol = str_after(feature->fix, "a kernel built with ");

	return symbol ? symbol : *feature->fix ? feature->fix : feature->why;
}

/* Adds a feature to the text of its group. */
static void add_feature(struct strbuf *buf, const struct fathom_feature *feature)
{
	quote_addf(buf, "%s%s", buf->len ? "; " : "", feature->title);
	if (*feature->value)
		quote_addf(buf, " (%s)", feature->value);
}

/* The features of one part, of one group; with @fixes, neighbours that need the same share it. */
static void print_group(struct out *out, const struct fathom_features *features, size_t group,
			enum part part, bool fixes)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	const struct fathom_feature *last = NULL;

	for (size_t i = 0; i < fathom_features_count(features); i++) {
		const struct fathom_feature *feature = fathom_features_at(features, i);

		if (part_of(feature) != part || !str_eq(feature->group, groups[group].id))
			continue;
		if (fixes && last && !str_eq(short_fix(last), short_fix(feature)))
			quote_addf(&buf, " [%s]", short_fix(last));
		add_feature(&buf, feature);
		last = feature;
	}
	if (fixes && last)
		quote_addf(&buf, " [%s]", short_fix(last));
	if (buf.len)
		print_labelled(out, groups[group].title, strbuf_str(&buf));
}

static void print_groups(struct out *out, const struct fathom_features *features,
			 const char *heading, enum part part, bool fixes)
{
	if (!count_part(features, part))
		return;
	doctor_text_print_heading(out, heading);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		print_group(out, features, i, part, fixes);
}

static void print_limited(struct out *out, const struct fathom_features *features)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	if (!count_part(features, PART_OTHERWISE))
		return;
	doctor_text_print_heading(out, "What works in another way");
	for (size_t i = 0; i < fathom_features_count(features); i++) {
		const struct fathom_feature *feature = fathom_features_at(features, i);

		if (part_of(feature) != PART_OTHERWISE)
			continue;
		quote_addf(&buf, "%s: %s", feature->title,
			   *feature->instead ? feature->instead : feature->why);
		print_item(out, strbuf_str(&buf));
		strbuf_clear(&buf);
	}
}

/* How many could not be asked for each reason. */
static void doctor_text_print_unknown(struct out *out, const struct fathom_features *features)
{
	size_t n = fathom_features_count(features);

	if (!count_part(features, PART_UNKNOWN))
		return;
	doctor_text_print_heading(out, "What could not be asked");
	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf buf = { 0 };
		const struct fathom_feature *first = fathom_features_at(features, i);
		size_t same = 0;
		bool told = false;

		if (part_of(first) != PART_UNKNOWN)
			continue;
		for (size_t j = 0; j < n; j++) {
			const struct fathom_feature *other = fathom_features_at(features, j);

			if (part_of(other) != PART_UNKNOWN || !str_eq(other->why, first->why))
				continue;
			told |= j < i;
			same++;
		}
		if (told)
			continue;
		quote_addf(&buf, "%zu thing%s, such as '%s': %s", same, same == 1 ? "" : "s",
			   first->title, first->why);
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
			doctor_text_print_heading(out, "Be careful: faults of this kernel");
		headed = true;
		print_item(out, feature->title);
	}
}

static void print_not_tried(struct out *out)
{
	doctor_text_print_heading(out, "Not tested");
	print_item(out, "creating probes and instances, attaching BPF programs: "
			"'fathom doctor --try' tests these and removes them again");
}

static void print_detail(struct out *out, const char *label, const char *text)
{
	if (!*text)
		return;
	out_printf(out, OUT_FAINT, "    %-9s", label);
	out_wrap(out, 13, 13, text);
}

/* Every feature with all that is known about it. */
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
		print_detail(out, "asked by", feature->how);
		print_detail(out, "why", feature->why);
		print_detail(out, "needs", feature->fix);
		print_detail(out, "instead", feature->instead);
	}
}

int doctor_print_text(struct out *out, const struct doctor_report *report, bool verbose)
{
	print_verdict(out, report);
	print_machine(out, report);
	if (verbose) {
		print_all(out, report->features);
	} else {
		print_groups(out, report->features, "What works", PART_WORKS, false);
		print_limited(out, report->features);
		print_groups(out, report->features,
			     "What does not work [and what the kernel would need]", PART_NOT, true);
		doctor_text_print_unknown(out, report->features);
	}
	print_cautions(out, report->features);
	if (report->tracefs->state == TRACEFS_WRITABLE && !report->tried)
		print_not_tried(out);
	doctor_print_state(out, report->state);
	if (report->recordings)
		doctor_print_recordings(out, report->recordings);
	if (!report->prices)
		return 0;
	doctor_text_print_heading(out, "What tracing costs here (estimated)");
	return price_table_print(report->prices, out);
}
