/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/text.h"

/* Digits of any 64-bit number in base 8 or higher. */
#define DIGITS_MAX 24

const char text_digit_pairs[200] = "00010203040506070809101112131415161718192021222324"
				   "25262728293031323334353637383940414243444546474849"
				   "50515253545556575859606162636465666768697071727374"
				   "75767778798081828384858687888990919293949596979899";
static const char hex_lower[] = "0123456789abcdef";
static const char hex_upper[] = "0123456789ABCDEF";

/* All of these write backwards from @end, and return where the digits start. */

static char *put_decimal(char *end, uint64_t n)
{
	while (n >= 100) {
		unsigned pair = (unsigned)(n % 100) * 2;

		n /= 100;
		*--end = text_digit_pairs[pair + 1];
		*--end = text_digit_pairs[pair];
	}
	if (n >= 10) {
		*--end = text_digit_pairs[n * 2 + 1];
		*--end = text_digit_pairs[n * 2];
	} else {
		*--end = (char)('0' + n);
	}
	return end;
}

static char *put_power_of_two(char *end, uint64_t n, unsigned bits, const char *digits)
{
	const unsigned mask = (1U << bits) - 1;

	do {
		*--end = digits[n & mask];
		n >>= bits;
	} while (n);
	return end;
}

void text_bytes_cut(struct text *t, const char *s)
{
	memcpy(t->p, s, text_room(t));
	t->p = t->end;
	t->cut = true;
}

void text_fill(struct text *t, char c, size_t n)
{
	if (n > text_room(t)) {
		n = text_room(t);
		t->cut = true;
	}
	memset(t->p, c, n);
	t->p += n;
}

static unsigned decimal_digits(uint64_t n)
{
	static const uint64_t powers[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000U,
	};
	/* The number of bits times log10(2), which is at most one too high. */
	unsigned guess = (unsigned)(64 - __builtin_clzll(n | 1)) * 1233 >> 12;

	return guess + (n >= powers[guess]);
}

void text_u64(struct text *t, uint64_t n)
{
	char buf[DIGITS_MAX];
	char *end = buf + sizeof(buf);
	char *p;

	if (text_room(t) >= DIGITS_MAX) {
		t->p += n ? decimal_digits(n) : 1;
		put_decimal(t->p, n);
		return;
	}
	p = put_decimal(end, n);
	text_bytes(t, p, (size_t)(end - p));
}

void text_s64(struct text *t, int64_t n)
{
	if (n < 0)
		text_char(t, '-');
	text_u64(t, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

/* Eight digits at once: the nibbles are spread over the bytes of a 64-bit number. */
static void hex_8(char *out, uint32_t n)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t x = n;
	uint64_t letters;

	x = (x << 16 | x) & 0x0000ffff0000ffff;
	x = (x << 8 | x) & 0x00ff00ff00ff00ff;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0f;
	letters = (x + 6 * ones) >> 4 & ones;
	x += '0' * ones + letters * ('a' - '0' - 10);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		x = __builtin_bswap64(x);
	memcpy(out, &x, sizeof(x));
}

void text_hex(struct text *t, uint64_t n)
{
	char buf[DIGITS_MAX];
	char *end = buf + sizeof(buf);
	char *p;

	if (text_room(t) >= 16) {
		const unsigned digits = (unsigned)(67 - __builtin_clzll(n | 1)) / 4;
		char all[32] = { 0 };

		hex_8(all, (uint32_t)(n >> 32));
		hex_8(all + 8, (uint32_t)n);
		memcpy(t->p, all + 16 - digits, 16);
		t->p += digits;
		return;
	}
	p = put_power_of_two(end, n, 4, hex_lower);
	text_bytes(t, p, (size_t)(end - p));
}

void text_hex_byte(struct text *t, unsigned char byte, bool upper)
{
	const char *digits = upper ? hex_upper : hex_lower;

	text_char(t, digits[byte >> 4]);
	text_char(t, digits[byte & 15]);
}

static size_t put_prefix(char *prefix, const struct text_number *number)
{
	size_t n = 0;

	if (number->negative)
		prefix[n++] = '-';
	else if (number->plus)
		prefix[n++] = '+';
	else if (number->space)
		prefix[n++] = ' ';
	if (number->prefix && number->base == 16 && number->value) {
		prefix[n++] = '0';
		prefix[n++] = number->upper ? 'X' : 'x';
	}
	return n;
}

void text_number(struct text *t, const struct text_number *number)
{
	char buf[DIGITS_MAX];
	char *end = buf + sizeof(buf);
	char *p;
	char prefix[4];
	size_t prefix_len = put_prefix(prefix, number);
	size_t digits;
	size_t zeros = 0;
	size_t used;

	if (number->base == 10)
		p = put_decimal(end, number->value);
	else
		p = put_power_of_two(end, number->value, number->base == 8 ? 3 : 4,
				     number->upper ? hex_upper : hex_lower);
	if (number->value == 0 && number->precision == 0)
		p = end;
	digits = (size_t)(end - p);
	if (number->precision >= 0 && (size_t)number->precision > digits)
		zeros = (size_t)number->precision - digits;
	if (number->base == 8 && number->prefix && zeros == 0 && (digits == 0 || *p != '0'))
		zeros = 1;
	used = prefix_len + zeros + digits;
	if (number->width > used && number->zero && !number->left && number->precision < 0) {
		zeros += number->width - used;
		used = number->width;
	}
	if (number->width > used && !number->left)
		text_fill(t, ' ', number->width - used);
	text_bytes(t, prefix, prefix_len);
	text_fill(t, '0', zeros);
	text_bytes(t, p, digits);
	if (number->width > used && number->left)
		text_fill(t, ' ', number->width - used);
}

void text_pad(struct text *t, size_t start, size_t width, bool left)
{
	size_t len = text_len(t) - start;
	size_t n;
	size_t keep;

	if (len >= width)
		return;
	n = width - len;
	if (left) {
		text_fill(t, ' ', n);
		return;
	}
	if (n > (size_t)(t->end - t->s) - start) {
		n = (size_t)(t->end - t->s) - start;
		t->cut = true;
	}
	keep = (size_t)(t->end - t->s) - start - n;
	if (keep < len)
		t->cut = true;
	else
		keep = len;
	memmove(t->s + start + n, t->s + start, keep);
	memset(t->s + start, ' ', n);
	t->p = t->s + start + n + keep;
}

const char *text_end(struct text *t)
{
	if (t->p == t->end) {
		if (t->p == t->s)
			return "";
		t->p--;
		t->cut = true;
	}
	*t->p = '\0';
	return t->s;
}
