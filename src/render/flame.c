/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/flame.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "render/duration.h"
#include "render/flame-parts.h"
#include "render/tree.h"

#define WIDTH	   1200
#define MARGIN	   10
#define ROW	   17
#define HEAD	   52
#define FOOT	   30
#define BOX_MIN	   0.2 /* narrower ones cannot be seen */
#define CHAR_WIDTH 7.3
#define TEXT_SIZE  12

/* What of a call's times is its width. */
static uint64_t weigh(const struct call_node *node, enum flame_by by)
{
	uint64_t away = node->times.asleep + node->times.stolen;

	switch (by) {
	case FLAME_WALL:
		return node->times.total;
	case FLAME_CPU:
		return node->times.total > away ? node->times.total - away : 0;
	case FLAME_OFF:
		return node->times.asleep;
	case FLAME_OWN:
		return node->times.own;
	}
	return 0;
}

/*
 * The width of each node: its own, but at least that of those on it, which counts for calls that
 * are cut.
 */
static uint64_t *find_widths(const struct call_tree *tree, enum flame_by by)
{
	uint64_t *width = mem_zalloc(tree->n, sizeof(*width));
	uint64_t *above = mem_zalloc(tree->n, sizeof(*above));
	uint32_t at = CALL_ROOT;

	if (!width || !above) {
		free(width);
		free(above);
		return NULL;
	}
	/* Down to the leaves, and up again. */
	for (bool down = true; at != CALL_NONE;) {
		const struct call_node *node = &tree->nodes[at];
		uint64_t own;

		if (down && node->child != CALL_NONE) {
			at = node->child;
			continue;
		}
		own = at == CALL_ROOT ? 0 : weigh(node, by);
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

/* Interrupts are blue, sleeping is grey, all else warm; the shade is the name's. */
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
	else
		strbuf_addf(buf, "#%02x%02x%02x", 200 + shade, 90 + (hash >> 16) % 130, shade);
}

/* Red: took more of the time than before; blue: less. */
static void put_change(struct strbuf *buf, double now, double before)
{
	double change = before > 0 ? (now - before) / (now > before ? now : before) : 1;
	unsigned pale = 255 - (unsigned)(200 * (change < 0 ? -change : change));

	if (change >= 0)
		strbuf_addf(buf, "#ff%02x%02x", pale, pale);
	else
		strbuf_addf(buf, "#%02x%02xff", pale, pale);
}

static void put_escaped(struct strbuf *buf, const char *text, size_t len)
{
	for (; *text && len; text++, len--) {
		if (*text == '&')
			strbuf_adds(buf, "&amp;");
		else if (*text == '<')
			strbuf_adds(buf, "&lt;");
		else if (*text == '>')
			strbuf_adds(buf, "&gt;");
		else if (*text == '"')
			strbuf_adds(buf, "&quot;");
		else if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f)
			strbuf_addc(buf, '?');
		else
			strbuf_addc(buf, *text);
	}
}

struct drawing {
	const struct call_tree *tree;
	const struct flame_options *options;
	const uint64_t *width;
	const uint64_t *width_before; /* by node of the tree before */
	FILE *stream;
	struct strbuf buf, name;
	double scale, picture;
	unsigned levels; /* of boxes that can be seen */
	bool nomem;
};

/* The same path in the tree before, or none. */
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

static void put_title(struct drawing *d, const struct call_node *node, uint64_t width)
{
	char time[DURATION_SIZE], own[DURATION_SIZE];
	double percent = d->width[CALL_ROOT] ? (double)width * 100 / (double)d->width[CALL_ROOT] :
					       0;

	strbuf_adds(&d->buf, "<title>");
	put_escaped(&d->buf, strbuf_str(&d->name), SIZE_MAX);
	strbuf_addf(&d->buf, ": %s (%.2f %%), own %s, %" PRIu64 " calls",
		    duration_text(width, time), percent, duration_text(node->times.own, own),
		    node->count);
	if (node->cut)
		strbuf_addf(&d->buf, ", %" PRIu64 " more cut", node->cut);
	strbuf_adds(&d->buf, "</title>");
}

static void put_box(struct drawing *d, uint32_t at, uint32_t before, double x, unsigned level)
{
	const struct call_node *node = &d->tree->nodes[at];
	double wide = (double)d->width[at] * d->scale;
	size_t fit = (size_t)(wide / CHAR_WIDTH);

	strbuf_clear(&d->name);
	tree_put_name(d->tree, node->func, &d->name);
	strbuf_addf(&d->buf, "<g class=\"b\" data-x=\"%.2f\" data-w=\"%.2f\" data-l=\"%u\">", x,
		    wide, level);
	put_title(d, node, d->width[at]);
	strbuf_addf(&d->buf, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"", x,
		    HEAD + (d->levels - level) * ROW, wide, ROW - 1);
	if (d->options->before)
		put_change(&d->buf, (double)d->width[at] / (double)d->width[CALL_ROOT],
			   before == CALL_NONE || !d->width_before[CALL_ROOT] ?
				   0 :
				   (double)d->width_before[before] /
					   (double)d->width_before[CALL_ROOT]);
	else
		put_color(&d->buf, &d->tree->funcs.list[node->func]);
	strbuf_addf(&d->buf, "\"/><text x=\"%.2f\" y=\"%u\">", x + 3,
		    HEAD + (d->levels - level) * ROW + ROW - 5);
	if (fit > 2) {
		bool cut = d->name.len > fit - 1;

		put_escaped(&d->buf, strbuf_str(&d->name), cut ? fit - 2 : SIZE_MAX);
		if (cut)
			strbuf_adds(&d->buf, "..");
	}
	strbuf_adds(&d->buf, "</text></g>\n");
	if (d->buf.err || d->name.err)
		d->nomem = true;
	fwrite(strbuf_str(&d->buf), 1, d->buf.len, d->stream);
	strbuf_clear(&d->buf);
}

/* In the order of names, so that two pictures can be laid side by side. */
static void draw(struct drawing *d, uint32_t parent, uint32_t before, double x, unsigned level,
		 bool only_count)
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
			draw(d, list[i], old, x, level + 1, only_count);
		}
		x += wide;
	}
}

static void put_head(struct drawing *d)
{
	static const char *const by[] = { "time from beginning to end", "time on a CPU",
					  "time asleep", "own time" };
	unsigned height = HEAD + d->levels * ROW + FOOT;
	char time[DURATION_SIZE];

	strbuf_addf(&d->buf, flame_head, d->picture, height, d->picture, height, TEXT_SIZE);
	strbuf_addf(&d->buf,
		    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fffdf8\"/>\n"
		    "<text x=\"%d\" y=\"24\" class=\"t\">",
		    MARGIN);
	put_escaped(&d->buf, d->options->title ?: "calls", SIZE_MAX);
	strbuf_addf(
		&d->buf,
		"</text>\n<text x=\"%d\" y=\"42\" class=\"s\">%s, %s in all%s</text>\n"
		"<text id=\"find\" x=\"%.0f\" y=\"24\" class=\"s\" text-anchor=\"end\"></text>\n"
		"<text id=\"at\" x=\"%d\" y=\"%u\" class=\"s\"> </text>\n",
		MARGIN, by[d->options->by], duration_text(d->width[CALL_ROOT], time),
		d->options->before ? "; red took more of it than before, blue less" : "",
		d->picture - MARGIN, MARGIN, height - 10);
	fwrite(strbuf_str(&d->buf), 1, d->buf.len, d->stream);
	strbuf_clear(&d->buf);
}

int flame_print(const struct call_tree *tree, const struct flame_options *options, FILE *stream)
{
	_cleanup_free_ uint64_t *width = find_widths(tree, options->by);
	_cleanup_free_ uint64_t *before =
		options->before ? find_widths(options->before, options->by) : NULL;
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
	draw(&d, CALL_ROOT, CALL_ROOT, MARGIN, 1, true);
	put_head(&d);
	draw(&d, CALL_ROOT, CALL_ROOT, MARGIN, 1, false);
	fputs(flame_script, stream);
	strbuf_done(&d.buf);
	strbuf_done(&d.name);
	return d.nomem ? -ENOMEM : 0;
}

static void fold(struct drawing *d, uint32_t parent)
{
	size_t len = d->name.len;

	for (uint32_t at = d->tree->nodes[parent].child; at != CALL_NONE;
	     at = d->tree->nodes[at].sibling) {
		uint64_t own = d->width[at];

		for (uint32_t child = d->tree->nodes[at].child; child != CALL_NONE;
		     child = d->tree->nodes[child].sibling)
			own -= d->width[child] < own ? d->width[child] : own;
		if (len)
			strbuf_addc(&d->name, ';');
		tree_put_name(d->tree, d->tree->nodes[at].func, &d->name);
		if (own)
			fprintf(d->stream, "%s %" PRIu64 "\n", strbuf_str(&d->name), own);
		fold(d, at);
		if (d->name.err) {
			d->nomem = true;
			return;
		}
		d->name.len = len;
		d->name.s[len] = '\0';
	}
}

int flame_print_folded(const struct call_tree *tree, enum flame_by by, FILE *stream)
{
	_cleanup_free_ uint64_t *width = find_widths(tree, by);
	struct drawing d = { .tree = tree, .width = width, .stream = stream };

	if (!width)
		return -ENOMEM;
	fold(&d, CALL_ROOT);
	strbuf_done(&d.name);
	return d.nomem ? -ENOMEM : 0;
}
