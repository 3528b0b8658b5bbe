/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The futex system call: operations by name. */

#include "render/report/event-renderer.h"

enum {
	UADDR,
	OP,
	VAL,
	UTIME,
	UADDR2,
	VAL3
};

/* Flags in the operation; the other bits are the command. */
#define PRIVATE_FLAG   128U
#define CLOCK_REALTIME 256U

enum how {
	HIDE,
	DECIMAL,
	HEX,
	VAL2, /* the fourth argument is a number */
};

static const struct command {
	const char *name;
	uint8_t val, utime, uaddr2, val3; /* enum how */
} commands[] = {
	{ "FUTEX_WAIT", HEX, HEX, HIDE, HIDE },
	{ "FUTEX_WAKE", DECIMAL, HIDE, HIDE, HIDE },
	{ "FUTEX_FD", DECIMAL, HIDE, HIDE, HIDE },
	{ "FUTEX_REQUEUE", DECIMAL, VAL2, HEX, HIDE },
	{ "FUTEX_CMP_REQUEUE", DECIMAL, VAL2, HEX, HEX },
	{ "FUTEX_WAKE_OP", DECIMAL, VAL2, HEX, HEX },
	{ "FUTEX_LOCK_PI", HIDE, HEX, HIDE, HIDE },
	{ "FUTEX_UNLOCK_PI", HIDE, HIDE, HIDE, HIDE },
	{ "FUTEX_TRYLOCK_PI", HIDE, HIDE, HIDE, HIDE },
	{ "FUTEX_WAIT_BITSET", HEX, HEX, HIDE, HEX },
	{ "FUTEX_WAKE_BITSET", DECIMAL, HIDE, HIDE, HEX },
	{ "FUTEX_WAIT_REQUEUE_PI", HEX, HEX, HEX, HEX },
	{ "FUTEX_CMP_REQUEUE_PI", DECIMAL, VAL2, HEX, HEX },
};

static void event_futex_put(const struct rendering *r, const char *name, enum how how,
			    uint64_t value)
{
	if (how == HIDE)
		return;
	text_char(r->text, ' ');
	text_str(r->text, how == VAL2 ? "val2" : name);
	text_char(r->text, '=');
	if (how != HEX) {
		text_u64(r->text, value);
		return;
	}
	text_bytes(r->text, "0x", 2);
	text_number(
		r->text,
		&(struct text_number){
			.value = value, .base = 16, .width = 8, .precision = -1, .zero = true });
}

static bool print_futex(const struct rendering *r)
{
	uint64_t args[VAL3 + 1];
	const struct command *command;
	uint64_t number;

	/* If this kernel has other fields, use its print format. */
	for (unsigned i = 0; i <= VAL3; i++)
		if (!rendering_number(r, i, &args[i]))
			return true;
	number = args[OP] & ~(uint64_t)(PRIVATE_FLAG | CLOCK_REALTIME);
	if (number >= ARRAY_SIZE(commands))
		return true;
	command = &commands[number];
	text_str(r->text, "op=");
	text_str(r->text, command->name);
	if (args[OP] & PRIVATE_FLAG)
		text_str(r->text, "|FUTEX_PRIVATE_FLAG");
	if (args[OP] & CLOCK_REALTIME)
		text_str(r->text, "|FUTEX_CLOCK_REALTIME");
	event_futex_put(r, "uaddr", HEX, args[UADDR]);
	event_futex_put(r, "val", command->val, args[VAL]);
	event_futex_put(r, "utime", command->utime, args[UTIME]);
	event_futex_put(r, "uaddr2", command->uaddr2, args[UADDR2]);
	event_futex_put(r, "val3", command->val3, args[VAL3]);
	return false;
}

const struct event_renderer event_futex_renderers[] = {
	{ "syscalls",
	  "sys_enter_futex",
	  { "uaddr", "op", "val", "utime", "uaddr2", "val3" },
	  print_futex },
	{ 0 },
};
