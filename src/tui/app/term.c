/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/app/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "base/err.h"
#include "base/negative-errno.h"
#include "base/str.h"

/* Esc alone is a key if nothing follows within this time; serial lines are slow. */
#define ESCAPE_MS 50

static const int deadly[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT };
/* Exit in an orderly way at the first signal, at once at the second. */
static const int ending[] = { SIGTERM, SIGHUP };

/* For signal handlers: the previous state of the terminal, and how to restore it. */
static struct {
	struct termios termios;
	char reset[128];
	size_t n_reset;
	bool taken;
} saved;

/* The signal that is to end the program, or 0; it also wakes up a thread that waits for a key. */
static volatile sig_atomic_t ends_by;
static int wake[2] = { -1, -1 };

static struct {
	SCREEN *screen;
	bool color;
	bool ascii;
} term;

static void give_back(int number)
{
	if (saved.taken) {
		ssize_t n = write(STDOUT_FILENO, saved.reset, saved.n_reset);

		(void)n;
		tcsetattr(STDIN_FILENO, TCSANOW, &saved.termios);
	}
	signal(number, SIG_DFL);
	raise(number);
}

static void end_soon(int number)
{
	ssize_t n;

	if (ends_by)
		give_back(number);
	ends_by = number;
	n = write(wake[1], "", 1);
	(void)n;
}

static void keep_capability(const char *name)
{
	const char *text = tigetstr((char *)(uintptr_t)name);
	size_t len;

	if (!text || text == (const char *)-1)
		return;
	len = strlen(text);
	if (saved.n_reset + len > sizeof(saved.reset))
		return;
	memcpy(saved.reset + saved.n_reset, text, len);
	saved.n_reset += len;
}

static void watch_signals(void)
{
	struct sigaction action = { .sa_handler = give_back, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	keep_capability("sgr0");
	keep_capability("cnorm");
	keep_capability("rmcup");
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		sigaction(deadly[i], &action, NULL);
	action = (struct sigaction){ .sa_handler = end_soon };
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		sigaction(ending[i], &action, NULL);
}

/*
 * Colours that are distinguishable with any kind of colour blindness: blue and yellow instead of
 * red and green; what matters is also bold.
 */
static const struct look {
	short color; /* -1: the default colour */
	attr_t attr;
} looks[CELL_STYLES] = {
	[CELL_PLAIN] = { -1, A_NORMAL },
	[CELL_DIM] = { -1, A_DIM },
	[CELL_STRONG] = { -1, A_BOLD },
	[CELL_BAR] = { -1, A_REVERSE },
	[CELL_TAB] = { -1, A_BOLD },
	[CELL_HEAD] = { -1, A_UNDERLINE },
	[CELL_TIME] = { COLOR_CYAN, 0 },
	[CELL_TASK] = { COLOR_YELLOW, 0 },
	[CELL_EVENT] = { COLOR_BLUE, A_BOLD },
	[CELL_NAME] = { COLOR_BLUE, A_BOLD },
	[CELL_GOOD] = { COLOR_CYAN, A_BOLD },
	[CELL_WARN] = { COLOR_YELLOW, A_BOLD },
	[CELL_ERROR] = { COLOR_MAGENTA, A_BOLD },
};

static void begin_colors(bool wanted)
{
	term.color = wanted && has_colors() && start_color() == OK;
	if (!term.color)
		return;
	use_default_colors();
	for (int i = 0; i < CELL_STYLES; i++)
		init_pair((short)(i + 1), looks[i].color, -1);
}

int term_begin(const struct term_options *options, struct fathom_err *err)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, -ENOTTY,
			       "standard input or output is not a terminal: use 'fathom report'");
	if (tcgetattr(STDIN_FILENO, &saved.termios) < 0)
		return err_set_errno(err, negative_errno(), "cannot read terminal settings");
	setlocale(LC_CTYPE, "");
	term.ascii = options->ascii || !str_eq(nl_langinfo(CODESET), "UTF-8");
	term.screen = newterm(NULL, stdout, stdin);
	if (!term.screen)
		return err_set(err, -EINVAL,
			       "unknown terminal type '%s': try 'TERM=xterm fathom tui'",
			       getenv("TERM") ?: "");
	set_term(term.screen);
	if (wake[0] < 0 && pipe2(wake, O_CLOEXEC | O_NONBLOCK) < 0) {
		int r = negative_errno();

		endwin();
		delscreen(term.screen);
		return err_set_errno(err, r, "cannot create a pipe");
	}
	watch_signals();
	saved.taken = true;
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	curs_set(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	begin_colors(!options->no_color);
	return 0;
}

void term_end(void)
{
	if (!saved.taken)
		return;
	saved.taken = false;
	endwin();
	delscreen(term.screen);
}

void term_size(unsigned *ret_rows, unsigned *ret_cols)
{
	int rows, cols;

	getmaxyx(stdscr, rows, cols);
	*ret_rows = rows > 0 ? (unsigned)rows : 0;
	*ret_cols = cols > 0 ? (unsigned)cols : 0;
}

bool term_is_ascii(void)
{
	return term.ascii;
}

static attr_t attr_of(unsigned style)
{
	unsigned plain = style & ~(unsigned)CELL_SELECTED;
	attr_t attr = looks[plain].attr;

	if (term.color && looks[plain].color >= 0)
		attr |= (attr_t)COLOR_PAIR(plain + 1);
	if (style & CELL_SELECTED)
		attr = A_REVERSE | (attr & A_BOLD);
	return attr;
}

void term_draw(const struct cells *cells)
{
	for (unsigned row = 0; row < cells->rows; row++) {
		const struct cell *cell = &cells->cells[(size_t)row * cells->cols];

		move((int)row, 0);
		for (unsigned col = 0; col < cells->cols; col++) {
			if (!cell[col].len)
				continue;
			attrset((int)attr_of(cell[col].style));
			addnstr(cell[col].text, cell[col].len);
		}
	}
	refresh();
}

static uint32_t translate(wint_t key, bool special)
{
	static const struct {
		int from;
		uint32_t to;
	} table[] = {
		{ KEY_UP, TUI_KEY_UP },		{ KEY_DOWN, TUI_KEY_DOWN },
		{ KEY_LEFT, TUI_KEY_LEFT },	{ KEY_RIGHT, TUI_KEY_RIGHT },
		{ KEY_PPAGE, TUI_KEY_PAGE_UP }, { KEY_NPAGE, TUI_KEY_PAGE_DOWN },
		{ KEY_HOME, TUI_KEY_HOME },	{ KEY_END, TUI_KEY_END },
		{ KEY_DC, TUI_KEY_DELETE },	{ KEY_BTAB, TUI_KEY_BACK_TAB },
		{ KEY_RESIZE, TUI_KEY_RESIZE }, { KEY_BACKSPACE, TUI_KEY_BACKSPACE },
		{ KEY_ENTER, TUI_KEY_ENTER },	{ KEY_MOUSE, TUI_KEY_MOUSE },
	};

	if (!special)
		return key == '\n' ? TUI_KEY_ENTER : (uint32_t)key;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].from == (int)key)
			return table[i].to;
	return TUI_KEY_NONE;
}

void term_leave(void)
{
	endwin();
	/* Ctrl-C is for the other program. */
	signal(SIGINT, SIG_IGN);
}

void term_return(void)
{
	signal(SIGINT, SIG_DFL);
	refresh();
	clearok(stdscr, TRUE);
}

/* Stops like other programs; the shell gets its terminal back until we are continued. */
static void suspend(void)
{
	endwin();
	/* The handler of curses would signal the process group, which the sandbox forbids. */
	signal(SIGTSTP, SIG_DFL);
	raise(SIGTSTP);
	refresh();
	clearok(stdscr, TRUE);
}

int term_ends_by(void)
{
	return ends_by;
}

/* Waits for input. Returns whether there may be a key. */
static bool wait_for_key(int timeout_ms)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				{ .fd = wake[0], .events = POLLIN } };

	/* If interrupted, the size may have changed, which is a key. */
	return poll(fds, 2, timeout_ms) != 0 && !ends_by;
}

uint32_t term_key(int timeout_ms)
{
	wint_t key;
	int r;

	timeout(0);
	r = get_wch(&key);
	if (r == ERR && timeout_ms && wait_for_key(timeout_ms))
		r = get_wch(&key);
	if (r == ERR)
		return TUI_KEY_NONE;
	if (r == OK && key == TUI_CTRL('z')) {
		suspend();
		return TUI_KEY_RESIZE;
	}
	return translate(key, r == KEY_CODE_YES);
}

bool term_mouse(enum app_mouse *ret_what, unsigned *ret_row, unsigned *ret_col)
{
	MEVENT event;

	if (getmouse(&event) != OK || event.x < 0 || event.y < 0)
		return false;
	*ret_row = (unsigned)event.y;
	*ret_col = (unsigned)event.x;
	*ret_what = event.bstate & BUTTON4_PRESSED ? APP_WHEEL_UP :
		    event.bstate & BUTTON5_PRESSED ? APP_WHEEL_DOWN :
						     APP_CLICK;
	return event.bstate & (BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED);
}

void term_copy(const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = strlen(text);

	/* OSC 52: the text in base64. */
	fputs("\033]52;c;", stdout);
	for (size_t i = 0; i < len; i += 3) {
		unsigned char c[3] = { (unsigned char)text[i] };

		c[1] = i + 1 < len ? (unsigned char)text[i + 1] : 0;
		c[2] = i + 2 < len ? (unsigned char)text[i + 2] : 0;
		putchar(digits[c[0] >> 2]);
		putchar(digits[(c[0] & 3) << 4 | c[1] >> 4]);
		putchar(i + 1 < len ? digits[(c[1] & 15) << 2 | c[2] >> 6] : '=');
		putchar(i + 2 < len ? digits[c[2] & 63] : '=');
	}
	putchar('\a');
	fflush(stdout);
}
