/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/time/flame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/strbuf.h"
#include "render/kit/duration.h"
#include "render/time/flame-parts.h"
#include "render/kit/out.h"
#include "render/time/tree.h"
#include "render/kit/xml.h"

#define WIDTH	    1200
#define MARGIN	    10
#define ROW	    17
#define BASELINE    12 /* of text, below the top of its row; the script uses the same numbers */
#define HEAD	    52
#define FOOT	    30
#define BOX_MIN	    0.2 /* narrower ones are invisible */
#define CHAR_WIDTH  7.3
#define PADDING	    3 /* on either side of the text in a box */
#define LETTERS_MIN 4 /* minimum number of letters of a name to show */
#define TEXT_SIZE   12
/* Limits a line of folded text, so that it fits the sink. Real stacks are shorter. */
#define PATH_MAX_LEN (SINK_LINE_MAX / 2)

/* Returns the part of a call's times that its width shows. */
static uint64_t weigh(const struct call_times *times, enum flame_by by)
{
	uint64_t away = times->asleep + times->stolen;

	switch (by) {
	case FLAME_WALL:
		return times->total;
	case FLAME_CPU:
		return times->total > away ? times->total - away : 0;
	case FLAME_OFF:
		return times->asleep;
	case FLAME_OWN:
		return times->own;
	}
	return 0;
}

/*
 * Computes the width of each node: its own time or, for a cut call, the sum of its children if that
 * is larger. After lost events, the children of a call may add up to more than the call itself.
 */
uint64_t *flame_widths(const struct call_tree *tree, enum flame_by by)
{
	uint64_t *width = mem_zalloc(tree->n, sizeof(*width));
	uint64_t *above = mem_zalloc(tree->n, sizeof(*above));
	uint32_t at = CALL_ROOT;

	if (!width || !above) {
		free(width);
		free(above);
		return NULL;
	}
	/* Visits children before their parents. */
	for (bool down = true; at != CALL_NONE;) {
		const struct call_node *node = &tree->nodes[at];
		uint64_t own;

		if (down && node->child != CALL_NONE) {
			at = node->child;
			continue;
		}
		own = weigh(&node->times, by);
		if (by != FLAME_OWN)
			own += weigh(&node->cut_inner, by);
		if (by == FLAME_OWN)
			width[at] = own + above[at];
		else
			width[at] = own > above[at] ? own : above[at];
		if (node->parent != CALL_NONE)
			above[node->parent] += width[at];
		down = node->sibling != CALL_NONE;
		at = down ? node->sibling : node->parent;
	}
	free(above);
	return width;
}

/*
 * Interrupts are blue, sleeping is grey, kernel functions in samples are green, all others warm;
 * the shade depends on the name.
 */
static void put_color(struct strbuf *buf, const struct func *func)
{
	uint32_t hash = 2166136261;
	unsigned shade;

	for (const char *p = func->name ?: ""; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619;
	shade = (hash >> 8) % 55;
	if (func->flags & (FUNC_IRQ | FUNC_SOFTIRQ))
		strbuf_addf(buf, "#%02x%02x%02x", 90 + shade, 140 + shade, 215);
	else if (func->name && strstr(func->name, "schedule"))
		strbuf_addf(buf, "#%02x%02x%02x", 170 + shade, 175 + shade, 185 + shade);
	else if (func->flags & FUNC_KERNEL)
		strbuf_addf(buf, "#%02x%02x%02x", 120 + shade, 170 + (hash >> 16) % 60, 90 + shade);
	else
		strbuf_addf(buf, "#%02x%02x%02x", 200 + shade, 90 + (hash >> 16) % 130, shade);
}

/* Red if the share of the time has grown, blue if it has shrunk; light enough for text. */
static void flame_put_change(struct strbuf *buf, double now, double before)
{
	double change = before > 0 ? (now - before) / (now > before ? now : before) : 1;
	unsigned pale = 255 - (unsigned)(135 * (change < 0 ? -change : change));

	if (change >= 0)
		strbuf_addf(buf, "#ff%02x%02x", pale, pale);
	else
		strbuf_addf(buf, "#%02x%02xff", pale, pale);
}

struct drawing {
	const struct call_tree *tree;
	const struct flame_options *options;
	const uint64_t *width;
	const uint64_t *width_before; /* by node of the tree before */
	FILE *stream;
	struct strbuf buf, name;
	double scale, picture;
	unsigned levels; /* of visible boxes */
	bool nomem;
};

/* Returns the node with the same path in the tree before, or CALL_NONE. */
static uint32_t same_before(const struct drawing *d, uint32_t before, uint32_t func)
{
	const struct call_tree *tree = d->options->before;
	uint64_t address = d->tree->funcs.list[func].address;
	const char *name = d->tree->funcs.list[func].name;

	if (!tree || before == CALL_NONE)
		return CALL_NONE;
	for (uint32_t at = tree->nodes[before].child; at != CALL_NONE;
	     at = tree->nodes[at].sibling) {
		const struct func *other = &tree->funcs.list[tree->nodes[at].func];

		/* Addresses change with every boot. */
		if (name && other->name ? strcmp(name, other->name) == 0 :
					  !name && !other->name && other->address == address)
			return at;
	}
	return CALL_NONE;
}

static const char *flame_amount_text(const struct drawing *d, uint64_t amount,
				     char text[DURATION_SIZE])
{
	if (!d->options->count_of)
		return duration_text(amount, text);
	snprintf(text, DURATION_SIZE, "%" PRIu64, amount);
	return text;
}

static void put_title(struct drawing *d, const struct call_node *node, uint64_t width)
{
	char time[DURATION_SIZE], own[DURATION_SIZE];
	double percent = d->width[CALL_ROOT] ? (double)width * 100 / (double)d->width[CALL_ROOT] :
					       0;

	strbuf_adds(&d->buf, "<title>");
	xml_put(&d->buf, strbuf_str(&d->name), SIZE_MAX);
	quote_addf(&d->buf, ": %s (%.2f %%), self %s", flame_amount_text(d, width, time), percent,
		   flame_amount_text(d, node->times.own, own));
	if (!d->options->count_of)
		strbuf_addf(&d->buf, ", %" PRIu64 " calls", node->count);
	if (node->cut)
		strbuf_addf(&d->buf, ", %" PRIu64 " more incomplete", node->cut);
	strbuf_adds(&d->buf, "</title>");
}

static void put_box(struct drawing *d, uint32_t at, uint32_t before, double x, unsigned level)
{
	const struct call_node *node = &d->tree->nodes[at];
	double wide = (double)d->width[at] * d->scale;
	size_t fit = wide > 2 * PADDING ? (size_t)((wide - 2 * PADDING) / CHAR_WIDTH) : 0;
	unsigned y = HEAD + (d->levels - level) * ROW;

	strbuf_clear(&d->name);
	tree_put_name(d->tree, node->func, &d->name);
	strbuf_adds(&d->buf, "<g class=\"b\">");
	put_title(d, node, d->width[at]);
	strbuf_addf(&d->buf, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"", x, y,
		    wide, ROW - 1);
	if (d->options->before)
		flame_put_change(&d->buf, (double)d->width[at] / (double)d->width[CALL_ROOT],
				 before == CALL_NONE || !d->width_before[CALL_ROOT] ?
					 0 :
					 (double)d->width_before[before] /
						 (double)d->width_before[CALL_ROOT]);
	else
		put_color(&d->buf, &d->tree->funcs.list[node->func]);
	strbuf_adds(&d->buf, "\"/>");
	if (fit >= LETTERS_MIN) {
		bool cut = d->name.len > fit;

		strbuf_addf(&d->buf, "<text x=\"%.2f\" y=\"%u\">", x + PADDING, y + BASELINE);
		xml_put(&d->buf, strbuf_str(&d->name), cut ? fit - 2 : SIZE_MAX);
		strbuf_adds(&d->buf, cut ? "..</text>" : "</text>");
	}
	strbuf_adds(&d->buf, "</g>\n");
	if (out_put(d->stream, &d->buf) < 0 || d->name.err)
		d->nomem = true;
}

/* Ordered by name, so that two pictures can be compared. */
static void flame_draw(struct drawing *d, uint32_t parent, uint32_t before, double x,
		       unsigned level, bool only_count)
{
	static const struct tree_options by_name = { .order = TREE_BY_NAME };
	_cleanup_free_ uint32_t *list = NULL;
	struct call_node folded;
	size_t n_folded;
	int n = tree_children(d->tree, parent, &by_name, &list, &folded, &n_folded);

	if (n < 0)
		d->nomem = true;
	for (int i = 0; i < n; i++) {
		double wide = (double)d->width[list[i]] * d->scale;
		uint32_t old = same_before(d, before, d->tree->nodes[list[i]].func);

		if (wide >= BOX_MIN) {
			if (only_count && level > d->levels)
				d->levels = level;
			if (!only_count)
				put_box(d, list[i], old, x, level);
			flame_draw(d, list[i], old, x, level + 1, only_count);
		}
		x += wide;
	}
}

static void flame_put_head(struct drawing *d)
{
	static const char *const by[] = { "elapsed time", "time on CPU", "time off CPU",
					  "self time" };
	unsigned height = HEAD + d->levels * ROW + FOOT;
	char time[DURATION_SIZE];

	strbuf_addf(&d->buf, flame_head, d->picture, height, d->picture, height, TEXT_SIZE);
	strbuf_addf(&d->buf,
		    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fffdf8\"/>\n"
		    "<text x=\"%d\" y=\"24\" class=\"t\">",
		    MARGIN);
	xml_put(&d->buf, d->options->title ?: "calls", SIZE_MAX);
	strbuf_addf(&d->buf, "</text>\n<text x=\"%d\" y=\"42\" class=\"s\">", MARGIN);
	xml_put(&d->buf, d->options->count_of ?: by[d->options->by], SIZE_MAX);
	quote_addf(&d->buf,
		   ", %s in total%s</text>\n"
		   "<text id=\"find\" x=\"%.0f\" y=\"24\" class=\"s\" text-anchor=\"end\"></text>\n"
		   "<text id=\"at\" x=\"%d\" y=\"%u\" class=\"s\"> </text>\n",
		   flame_amount_text(d, d->width[CALL_ROOT], time),
		   d->options->before ?
			   "; red took a larger share than before, blue a smaller one" :
			   "",
		   d->picture - MARGIN, MARGIN, height - 10);
	if (out_put(d->stream, &d->buf) < 0)
		d->nomem = true;
}

int flame_print(const struct call_tree *tree, const struct flame_options *options, FILE *stream)
{
	_cleanup_free_ uint64_t *width = flame_widths(tree, options->by);
	_cleanup_free_ uint64_t *before =
		options->before ? flame_widths(options->before, options->by) : NULL;
	struct drawing d = { .tree = tree,
			     .options = options,
			     .width = width,
			     .width_before = before,
			     .stream = stream,
			     .picture = options->width ?: WIDTH };

	if (!width || (options->before && !before))
		return -ENOMEM;
	if (width[CALL_ROOT])
		d.scale = (d.picture - 2 * MARGIN) / (double)width[CALL_ROOT];
	flame_draw(&d, CALL_ROOT, CALL_ROOT, MARGIN, 1, true);
	flame_put_head(&d);
	flame_draw(&d, CALL_ROOT, CALL_ROOT, MARGIN, 1, false);
	strbuf_add(&d.buf, flame_script, strlen(flame_script));
	if (out_put(stream, &d.buf) < 0)
		d.nomem = true;
	strbuf_done(&d.buf);
	strbuf_done(&d.name);
	return d.nomem ? -ENOMEM : 0;
}

uint64_t *flame_shares(const struct call_tree *tree, enum flame_by by)
{
	_cleanup_free_ uint64_t *width = flame_widths(tree, by);
	uint64_t *share = width ? mem_dup(width, tree->n * sizeof(*width)) : NULL;

	/* Children must not be wider than their parent, so a sum that exceeds it is clipped. */
	for (uint32_t i = 0; share && i < tree->n; i++) {
		uint32_t parent = tree->nodes[i].parent;

		if (parent < tree->n)
			share[parent] -= width[i] < share[parent] ? width[i] : share[parent];
	}
	return share;
}

struct folding {
	const struct call_tree *tree;
	const uint64_t *share;
	struct sink *sink;
	struct strbuf path, name;
};

static void flame_put_path(struct folding *f, uint64_t share)
{
	size_t len = f->path.len < PATH_MAX_LEN ? f->path.len : PATH_MAX_LEN;

	text_bytes(&f->sink->text, strbuf_str(&f->path), len);
	text_char(&f->sink->text, ' ');
	text_u64(&f->sink->text, share);
	text_char(&f->sink->text, '\n');
	sink_flush_if_full(f->sink);
}

/*
 * Appends a frame of a path. A ';' in a name is written as its code, because ';' separates frames.
 */
static void flame_put_frame(struct folding *f, uint32_t func)
{
	strbuf_clear(&f->name);
	tree_put_name(f->tree, func, &f->name);
	for (const char *s = strbuf_str(&f->name); *s; s++)
		if (*s == ';')
			strbuf_adds(&f->path, "\\x3b");
		else
			strbuf_addc(&f->path, *s);
	if (f->name.err)
		f->path.err = f->name.err;
}

static void flame_fold(struct folding *f, uint32_t parent)
{
	size_t len = f->path.len;

	for (uint32_t at = f->tree->nodes[parent].child; at != CALL_NONE && !f->path.err;
	     at = f->tree->nodes[at].sibling) {
		if (len)
			strbuf_addc(&f->path, ';');
		flame_put_frame(f, f->tree->nodes[at].func);
		if (f->share[at])
			flame_put_path(f, f->share[at]);
		flame_fold(f, at);
		if (f->path.err)
			return;
		f->path.len = len;
		f->path.s[len] = '\0';
	}
}

int flame_print_folded(const struct call_tree *tree, enum flame_by by, struct sink *sink)
{
	_cleanup_free_ uint64_t *share = flame_shares(tree, by);
	struct folding f = { .tree = tree, .share = share, .sink = sink };
	bool nomem;

	if (!share)
		return -ENOMEM;
	flame_fold(&f, CALL_ROOT);
	nomem = f.path.err != 0;
	strbuf_done(&f.path);
	strbuf_done(&f.name);
	return nomem ? -ENOMEM : 0;
}
