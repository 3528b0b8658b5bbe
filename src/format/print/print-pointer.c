/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's %p conversions; see core-api/printk-formats in its documentation. */
#include <string.h>

#include "format/event/c-type.h"
#include "format/print/print-program.h"

/* Address families of a sockaddr, the same on every architecture. */
#define FAMILY_INET  2
#define FAMILY_INET6 10

void print_pointer(struct print_run *run, const struct print_spec *spec, uint64_t value)
{
	const unsigned long_size = run->program->format->abi.long_size;
	const uint64_t first_error = c_type_narrow((uint64_t)-4095, long_size, false);

	value = c_type_narrow(value, long_size, false);
	switch (spec->pointer[0]) {
	case 'e':
		if (value >= first_error) {
			text_s64(run->text, (int64_t)c_type_narrow(value, long_size, true));
			break;
		}
		__attribute__((fallthrough));
	case '\0':
	case 'x':
	case 'K':
		if (value) {
			text_str(run->text, "0x");
			text_hex(run->text, value);
		} else {
			text_str(run->text, "(nil)");
		}
		break;
	default:
		/* The kernel memory it points to was not recorded. */
		run->unknown = true;
	}
	print_finish(run, spec);
}

static void mac(struct print_run *run, const unsigned char *p, const char *letters)
{
	const bool reverse = letters[1] == 'R';
	const char separator = letters[0] == 'm' ? 0 : letters[1] == 'F' ? '-' : ':';

	for (unsigned i = 0; i < 6; i++) {
		if (i && separator)
			text_char(run->text, separator);
		text_hex_byte(run->text, p[reverse ? 5 - i : i], false);
	}
}

static void ip4(struct print_run *run, const unsigned char *p, bool zeros, char order)
{
	const bool reverse = order == 'l' ||
			     (order == 'h' && !run->program->format->abi.big_endian);

	for (unsigned i = 0; i < 4; i++) {
		if (i)
			text_char(run->text, '.');
		text_number(run->text, &(struct text_number){ .value = p[reverse ? 3 - i : i],
							      .base = 10,
							      .precision = zeros ? 3 : 1 });
	}
}

static void ip6(struct print_run *run, const unsigned char *p, bool colons)
{
	for (unsigned i = 0; i < 16; i++) {
		if (i && i % 2 == 0 && colons)
			text_char(run->text, ':');
		text_hex_byte(run->text, p[i], false);
	}
}

static unsigned group6(const unsigned char *p, unsigned i)
{
	return (unsigned)p[(size_t)i * 2] << 8 | p[(size_t)i * 2 + 1];
}

/* Returns whether the last 32 bits are an IPv4 address: a mapped one, or of an ISATAP interface. */
static bool has_ip4(const unsigned char *p)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(p, mapped, sizeof(mapped)) == 0 ||
	       ((p[8] | 2) == 2 && p[9] == 0 && p[10] == 0x5e && p[11] == 0xfe);
}

/* Returns the start and length of the longest run of at least two zero groups. */
static unsigned zero_run(const unsigned char *p, unsigned groups, unsigned *ret_len)
{
	unsigned at = groups;
	unsigned best = 1;

	for (unsigned i = 0; i < groups; i++) {
		unsigned n = 0;

		while (i + n < groups && group6(p, i + n) == 0)
			n++;
		if (n > best) {
			best = n;
			at = i;
		}
	}
	*ret_len = best;
	return at;
}

static void ip6_short(struct print_run *run, const unsigned char *p)
{
	const bool with_ip4 = has_ip4(p);
	const unsigned groups = with_ip4 ? 6 : 8;
	unsigned zeros;
	const unsigned zeros_at = zero_run(p, groups, &zeros);
	bool colon = false;

	for (unsigned i = 0; i < groups; i++) {
		if (i == zeros_at) {
			text_str(run->text, "::");
			colon = false;
			i += zeros - 1;
			continue;
		}
		if (colon)
			text_char(run->text, ':');
		text_hex(run->text, group6(p, i));
		colon = true;
	}
	if (with_ip4) {
		if (colon)
			text_char(run->text, ':');
		ip4(run, p + 12, false, 0);
	}
}

static void port(struct print_run *run, const unsigned char *p)
{
	text_char(run->text, ':');
	text_u64(run->text, (unsigned)p[2] << 8 | p[3]);
}

/* %pIS: the contents of a struct sockaddr; further letters select port, scope, ... */
static void print_pointer_sockaddr(struct print_run *run, const unsigned char *p, size_t len,
				   const char *letters)
{
	const struct event_abi abi = run->program->format->abi;
	const bool has_port = strchr(letters, 'p');
	const bool flow = strchr(letters, 'f');
	const bool scope = strchr(letters, 's');
	const uint64_t family = len >= 2 ? event_read_number(abi, p, 2) : 0;

	if (family == FAMILY_INET && len >= 16) {
		char order = strchr(letters, 'h') ? 'h' : strchr(letters, 'l') ? 'l' : 0;

		ip4(run, p + 4, false, order);
		if (has_port)
			port(run, p);
	} else if (family == FAMILY_INET6 && len >= 28) {
		if (has_port || flow || scope)
			text_char(run->text, '[');
		if (strchr(letters, 'c'))
			ip6_short(run, p + 8);
		else
			ip6(run, p + 8, true);
		if (has_port || flow || scope)
			text_char(run->text, ']');
		if (has_port)
			port(run, p);
		if (flow) {
			text_char(run->text, '/');
			text_u64(run->text, ((uint64_t)(p[4] & 0x0f) << 24) | (uint64_t)p[5] << 16 |
						    (uint64_t)p[6] << 8 | p[7]);
		}
		if (scope) {
			text_char(run->text, '%');
			text_u64(run->text, event_read_number(abi, p + 24, 4));
		}
	} else {
		run->unknown = true;
	}
}

static void uuid(struct print_run *run, const unsigned char *p, char order)
{
	static const unsigned char little[16] = { 3, 2, 1,  0,	5,  4,	7,  6,
						  8, 9, 10, 11, 12, 13, 14, 15 };
	const bool is_little = order == 'l' || order == 'L';
	const bool upper = order == 'L' || order == 'B';

	for (unsigned i = 0; i < 16; i++) {
		text_hex_byte(run->text, p[is_little ? little[i] : i], upper);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			text_char(run->text, '-');
	}
}

/* %*ph: the width is the number of bytes. */
static void print_pointer_bytes(struct print_run *run, const unsigned char *p, size_t len, size_t n,
				char letter)
{
	const char separator = letter == 'C' ? ':' : letter == 'D' ? '-' : letter == 'N' ? 0 : ' ';

	if (n > len)
		n = len;
	for (size_t i = 0; i < n && text_room(run->text); i++) {
		if (i && separator)
			text_char(run->text, separator);
		text_hex_byte(run->text, p[i], false);
	}
}

static void fourcc(struct print_run *run, const unsigned char *p)
{
	const uint32_t value = (uint32_t)event_read_number(run->program->format->abi, p, 4);

	for (unsigned i = 0; i < 4; i++) {
		unsigned char c = (unsigned char)(value >> i * 8) & (i == 3 ? 0x7f : 0xff);

		text_char(run->text, c >= ' ' && c < 0x7f ? (char)c : '.');
	}
	text_str(run->text, value >> 31 ? " big-endian (0x" : " little-endian (0x");
	text_number(run->text, &(struct text_number){ .value = value, .base = 16, .precision = 8 });
	text_char(run->text, ')');
}

/* Kinds of a fixed size. Returns false if there is no such kind. */
static bool fixed_size(struct print_run *run, const char *letters, const unsigned char *p,
		       size_t len)
{
	const bool is_ip = letters[0] == 'I' || letters[0] == 'i';
	size_t need = letters[0] == 'M' || letters[0] == 'm' ? 6 :
		      letters[0] == 'U'			     ? 16 :
		      letters[0] == 'a'			     ? 8 :
		      letters[0] == '4'			     ? 4 :
		      is_ip && letters[1] == '4'	     ? 4 :
		      is_ip && letters[1] == '6'	     ? 16 :
							       0;

	if (!need)
		return false;
	if (len < need) {
		run->unknown = true;
	} else if (need == 6) {
		mac(run, p, letters);
	} else if (letters[0] == 'U') {
		uuid(run, p, letters[1]);
	} else if (letters[0] == 'a') {
		text_str(run->text, "0x");
		text_number(run->text,
			    &(struct text_number){
				    .value = event_read_number(run->program->format->abi, p, 8),
				    .base = 16,
				    .precision = 16 });
	} else if (letters[0] == '4') {
		fourcc(run, p);
	} else if (need == 4) {
		ip4(run, p, letters[0] == 'i', letters[2]);
	} else if (letters[0] == 'I' && letters[2] == 'c') {
		ip6_short(run, p);
	} else {
		ip6(run, p, letters[0] == 'I');
	}
	return true;
}

void print_pointed(struct print_run *run, const struct print_spec *spec, uint64_t memory)
{
	const char *letters = spec->pointer;
	struct print_spec padding = *spec;
	int width = spec->width_arg ? run->width : spec->width;
	size_t len;
	const unsigned char *p = print_memory(run, memory, &len);

	if (width < 0)
		width = 0;
	/* For %ph and %pb the width is a number of bytes or bits rather than padding. */
	if (letters[0] == 'h' || letters[0] == 'b' || letters[0] == 'E') {
		padding.width = 0;
		padding.width_arg = false;
	}
	if (!p)
		run->unknown = true;
	if (run->unknown || fixed_size(run, letters, p, len))
		;
	else if (letters[0] == 'I' && letters[1] == 'S')
		print_pointer_sockaddr(run, p, len, letters + 2);
	else if (letters[0] == 'h')
		print_pointer_bytes(run, p, len, width > 0 || spec->width_arg ? (size_t)width : 1,
				    letters[1]);
	else if (letters[0] == 'b' && width > 0 && (size_t)width <= len * 8)
		letters[1] == 'l' ? print_cpulist(run, memory) : print_bitmask(run, memory);
	else
		run->unknown = true;
	print_finish(run, &padding);
}
