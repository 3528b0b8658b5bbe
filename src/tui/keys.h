/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys: numbers of characters, and of those that are none. They have names, for help and scripts. */
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
	TUI_KEY_UP = 0x110000, /* behind the last character */
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
	TUI_KEY_MOUSE, /* term_mouse() tells what and where */
};

/* A letter with Ctrl. */
#define TUI_CTRL(c) ((c)&0x1f)

#define TUI_KEY_NAME_SIZE 16

/* "j", "Down", "C-d". */
const char *tui_key_name(uint32_t key, char name[TUI_KEY_NAME_SIZE]);
/*
 * The first key of a script: a character, or a name as in "<Down>", and "<lt>" for '<'. Moves
 * *@script behind it. TUI_KEY_NONE: the script is over, or there is no such name.
 */
uint32_t tui_key_parse(const char **script);
/* Is it a character that stands for itself in a text? */
bool tui_key_is_text(uint32_t key);

#endif
