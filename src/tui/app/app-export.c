/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exports the visible events. The sandboxed viewer delegates this to its helper process. */
#include <inttypes.h>
#include <string.h>

#include "tui/app/app.h"
#include "tui/helper.h"

/* How long to wait for the answer each time, in ms. */
#define WAIT_MS 10

static void app_export_put_part(const struct app *app, struct strbuf *buf)
{
	const struct scope *scope = app->tui.scope;
	const char *unit = app->tui.raw_times ? "" : "ns";

	if (scope->window.from)
		strbuf_addf(buf, "\nfrom %" PRIu64 "%s", scope->window.from, unit);
	if (scope->window.to != UINT64_MAX)
		strbuf_addf(buf, "\nto %" PRIu64 "%s", scope->window.to, unit);
	if (scope->has_cpu)
		strbuf_addf(buf, "\ncpu %" PRIu32, scope->cpu);
	if (scope->has_pid)
		strbuf_addf(buf, "\npid %" PRId32, scope->pid);
	for (unsigned i = 0; i < app->scopes.n; i++)
		if (app->scopes.list[i].filter[0])
			strbuf_addf(buf, "\nfilter %s", app->scopes.list[i].filter);
}

void app_export(struct app *app, const char *name)
{
	int r;

	if (!*name) {
		tui_say(&app->tui, true,
			"no file name given: for example part.dat, part.pftrace or part.folded");
		return;
	}
	strbuf_clear(&app->line);
	strbuf_addf(&app->line, "export %s", name);
	app_export_put_part(app, &app->line);
	r = app->line.err ? app->line.err : helper_ask(app->tui.helper, strbuf_str(&app->line));
	app->exports = r == 0;
	tui_say(&app->tui, r < 0,
		r < 0 ? "cannot write '%.100s': no helper process" : "writing '%.100s'", name);
}

void app_export_work(struct app *app)
{
	int r = helper_wait(app->tui.helper, WAIT_MS, &app->line);

	if (r == 1)
		return;
	app->exports = false;
	tui_say(&app->tui, r < 0, "%.200s",
		app->line.len ? strbuf_str(&app->line) : "cannot write the file");
}
