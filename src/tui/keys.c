/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/keys.h"

#include <stdio.h>
#include <string.h>

static const struct {
	uint32_t key;
	const char *name;
} names[] = {
	{ TUI_KEY_TAB, "Tab" },
	{ TUI_KEY_ENTER, "Enter" },
	{ TUI_KEY_ESCAPE, "Esc" },
	{ TUI_KEY_BACKSPACE, "Backspace" },
	{ TUI_KEY_UP, "Up" },
	{ TUI_KEY_DOWN, "Down" },
	{ TUI_KEY_LEFT, "Left" },
	{ TUI_KEY_RIGHT, "Right" },
	{ TUI_KEY_PAGE_UP, "PgUp" },
	{ TUI_KEY_PAGE_DOWN, "PgDn" },
	{ TUI_KEY_HOME, "Home" },
	{ TUI_KEY_END, "End" },
	{ TUI_KEY_DELETE, "Del" },
	{ TUI_KEY_BACK_TAB, "S-Tab" },
	{ ' ', "Space" },
	{ '<', "lt" },
};

const char *tui_key_name(uint32_t key, char name[TUI_KEY_NAME_SIZE])
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].key == key && key != '<')
			return names[i].name;
	if (key < ' ')
		snprintf(name, TUI_KEY_NAME_SIZE, "C-%c", (char)(key | 0x60));
	else if (key < 0x7f)
		snprintf(name, TUI_KEY_NAME_SIZE, "%c", (char)key);
	else
		snprintf(name, TUI_KEY_NAME_SIZE, "U+%04X", (unsigned)key);
	return name;
}

static uint32_t keys_find_name(const char *name, size_t len)
{
	if (len == 3 && !strncmp(name, "C-", 2))
		return TUI_CTRL((uint32_t)name[2]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == len && !strncmp(names[i].name, name, len))
			return names[i].key;
	return TUI_KEY_NONE;
}

uint32_t tui_key_parse(const char **script)
{
	const char *s = *script, *end;

	if (!*s)
		return TUI_KEY_NONE;
	if (*s != '<') {
		*script = s + 1;
		return (unsigned char)*s;
	}
	end = strchr(s, '>');
	if (!end)
		return TUI_KEY_NONE;
	*script = end + 1;
	return keys_find_name(s + 1, (size_t)(end - s - 1));
}

bool tui_key_is_text(uint32_t key)
{
	return key >= ' ' && key != TUI_KEY_BACKSPACE && key < TUI_KEY_UP;
}
