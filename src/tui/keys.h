/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys are the numbers of their characters, or larger numbers. They have names, for the help and
 * for scripts of tests.
 */
#ifndef FATHOM_TUI_KEYS_H
#define FATHOM_TUI_KEYS_H

#include <stdbool.h>
#include <stdint.h>

enum tui_key {
	TUI_KEY_NONE,
	TUI_KEY_TAB = '\t',
	TUI_KEY_ENTER = '\r',
	TUI_KEY_ESCAPE = 0x1b,
	TUI_KEY_BACKSPACE = 0x7f,
	TUI_KEY_UP = 0x110000, /* after the last Unicode character */
	TUI_KEY_DOWN,
	TUI_KEY_LEFT,
	TUI_KEY_RIGHT,
	TUI_KEY_PAGE_UP,
	TUI_KEY_PAGE_DOWN,
	TUI_KEY_HOME,
	TUI_KEY_END,
	TUI_KEY_DELETE,
	TUI_KEY_BACK_TAB,
	TUI_KEY_RESIZE,
	TUI_KEY_MOUSE, /* see term_mouse() */
};

/* A letter with Ctrl. */
#define TUI_CTRL(c) ((c)&0x1f)

#define TUI_KEY_NAME_SIZE 16

/* Returns "j", "Down" or "C-d", in @name or as a static string. */
const char *tui_key_name(uint32_t key, char name[TUI_KEY_NAME_SIZE]);
/*
 * Returns the first key of a script, and advances it. Keys are characters, or names as in "<Down>";
 * "<lt>" is '<'. Returns TUI_KEY_NONE at the end, and for unknown names.
 */
uint32_t tui_key_parse(const char **script);
/* Returns whether the key is a character that can be typed into a text. */
bool tui_key_is_text(uint32_t key);

#endif
