/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/fit.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"

#define ESCAPE 0x1b

/* Returns the width of the ellipsis. */
static size_t fit_dots(const struct out *out)
{
	return out->utf8 ? 1 : strlen(out_ellipsis(out));
}

void fit_init(struct fit *fit, const struct out *out, const struct fit_column *columns, size_t n,
	      unsigned text)
{
	bool gone[FIT_COLUMNS_MAX] = { false };
	unsigned width = n ? columns[n - 1].end : 0;

	*fit = (struct fit){ .out = out };
	while (out->cuts && width + text > out->width) {
		size_t worst = n;

		for (size_t i = 0; i < n; i++)
			if (columns[i].rank && !gone[i] &&
			    (worst == n || columns[i].rank >= columns[worst].rank))
				worst = i;
		if (worst == n)
			break;
		gone[worst] = true;
		width -= columns[worst].end - (worst ? columns[worst - 1].end : 0);
	}
	for (size_t i = 0; i < n; i++) {
		if (!gone[i])
			continue;
		fit->gone[fit->n_gone].from = i ? columns[i - 1].end : 0;
		fit->gone[fit->n_gone++].to = columns[i].end;
	}
}

static bool fit_is_gone(const struct fit *fit, size_t column)
{
	for (size_t i = 0; i < fit->n_gone; i++)
		if (column >= fit->gone[i].from && column < fit->gone[i].to)
			return true;
	return false;
}

/* Returns the length of the escape sequence at @s, which is one of our colours; 0: there is none. */
static size_t fit_style_length(const char *s, size_t len)
{
	const char *end = *s == ESCAPE ? memchr(s, 'm', len) : NULL;

	return end ? (size_t)(end - s) + 1 : 0;
}

static bool fit_begins_number(const char *s)
{
	s += *s == '+' || *s == '-' || *s == '<' || *s == '(';
	return *s >= '0' && *s <= '9';
}

/* Returns the start of the last word of @s, and in @ret_end the end of the one before it. */
static size_t fit_last_word(const char *s, size_t len, size_t *ret_end)
{
	while (len && s[len - 1] != ' ')
		len--;
	*ret_end = len;
	while (*ret_end && s[*ret_end - 1] == ' ')
		--*ret_end;
	return len;
}

/*
 * Returns how much of @s remains if it is cut after @len bytes, so that no number is cut or
 * separated from its unit. In that case, a blank remains before the ellipsis.
 */
static size_t fit_spare_numbers(const char *s, size_t len)
{
	size_t end, before, word = fit_last_word(s, len, &end), unit_of;

	if (word < len && fit_begins_number(s + word))
		return end + (end < word);
	unit_of = fit_last_word(s, end, &before);
	if (word == end + 1 && unit_of < end && fit_begins_number(s + unit_of))
		return before + (before < unit_of);
	return len;
}

/*
 * Appends the line without the omitted columns, cut after @width columns, including the ellipsis.
 * Returns its width in columns.
 */
static size_t fit_put_line(const struct fit *fit, const char *s, size_t len, size_t width,
			   struct strbuf *buf)
{
	const char *ellipsis = out_ellipsis(fit->out);
	size_t dots = fit_dots(fit->out), start = buf->len, keep = start;
	size_t place = 0, column = 0, columns;
	bool is_cut = false;

	width = width > dots ? width : dots;
	while (len) {
		size_t n = fit_style_length(s, len);

		if (n) {
			strbuf_add(buf, s, n);
		} else {
			n = quote_glyph(s, len, &columns);
			if (!is_cut && !fit_is_gone(fit, place)) {
				if (column + dots <= width)
					keep = buf->len;
				column += columns;
				is_cut = column > width;
				if (!is_cut)
					strbuf_add(buf, s, n);
			}
			if (is_cut && ellipsis && !buf->err) {
				buf->len = start + fit_spare_numbers(buf->s + start, keep - start);
				column = quote_columns_of(buf->s + start, buf->len - start) + dots;
				quote_addf(buf, "%s%s", ellipsis, out_style(fit->out, OUT_PLAIN));
				ellipsis = NULL;
			}
			place += columns;
		}
		s += n;
		len -= n;
	}
	return column;
}

static int fit_write_to(const struct fit *fit, struct strbuf *buf, size_t width, const char *after)
{
	_cleanup_strbuf_ struct strbuf made = { 0 };
	const char *s = strbuf_str(buf), *end;

	if (!fit->out->cuts)
		return out_write(fit->out, buf);
	for (; (end = strchr(s, '\n')) != NULL; s = end + 1) {
		fit_put_line(fit, s, (size_t)(end - s), width, &made);
		quote_addf(&made, "%s\n", end > s ? after : "");
	}
	strbuf_add(&made, s, strlen(s));
	made.err = made.err ?: buf->err;
	strbuf_clear(buf);
	return out_write(fit->out, &made);
}

int fit_write(const struct fit *fit, struct strbuf *buf)
{
	return fit_write_to(fit, buf, fit->out->width, "");
}

int fit_write_head(const struct fit *fit, struct strbuf *buf)
{
	size_t dots = 1 + fit_dots(fit->out), width = fit->out->width;
	char after[16];

	if (!fit->n_gone || !fit->out->cuts || width <= dots)
		return fit_write(fit, buf);
	quote_format(after, sizeof(after), " %s", out_ellipsis(fit->out));
	return fit_write_to(fit, buf, width - dots, after);
}

int fit_write_lines(const struct out *out, struct strbuf *buf)
{
	const struct fit fit = { .out = out };

	return fit_write(&fit, buf);
}

size_t fit_put(struct strbuf *buf, const struct out *out, const char *text, size_t columns)
{
	const struct fit fit = { .out = out };
	_cleanup_strbuf_ struct strbuf name = { 0 };

	quote_adds(&name, text);
	buf->err = buf->err ?: name.err;
	return fit_put_line(&fit, strbuf_str(&name), name.len, columns, buf);
}
