/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What 'fathom report' shows instead of events: parts of the file, as trace-cmd prints them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fathom/cursor.h>

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "read/cursor.h"
#include "read/event-table.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/printk.h"

/* Option IDs of the file. */
enum {
	OPTION_ID_CPUSTAT = 2
};

bool report_list_wanted(const struct report_args *args)
{
	return args->endian || args->page_size || args->functions || args->printk || args->events ||
	       args->formats || args->format || args->cpu_list || args->first_event ||
	       args->last_event || args->check_formats || args->stat || args->uname ||
	       args->recorder;
}

static int report_list_functions(struct fathom_trace *trace, FILE *out, struct fathom_err *err)
{
	struct kallsyms kallsyms;
	const char *text;
	size_t size;
	int r = fathom_trace_section(trace, FATHOM_SECTION_KALLSYMS, &text, &size, err);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	r = kallsyms_init(&kallsyms, text, size);
	if (r < 0)
		return r == -ENOMEM ? err_nomem(err) : r;
	for (uint32_t i = 0; i < kallsyms.n; i++) {
		const struct kallsyms_symbol *symbol = &kallsyms.symbols[i];
		const char *module = kallsyms_module(&kallsyms, symbol);

		quote_printf(out, "%016" PRIx64 " %s", symbol->address,
			     kallsyms_name(&kallsyms, symbol));
		if (module)
			quote_printf(out, " [%s]", module);
		fputc('\n', out);
	}
	kallsyms_done(&kallsyms);
	return 0;
}

static int list_printk(struct fathom_trace *trace, FILE *out, struct fathom_err *err)
{
	struct printk printk;
	const char *text;
	size_t size;
	int r = fathom_trace_section(trace, FATHOM_SECTION_PRINTK, &text, &size, err);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	r = printk_init(&printk, text, size);
	if (r < 0)
		return r == -ENOMEM ? err_nomem(err) : r;
	for (size_t i = 0; i < printk.n; i++)
		quote_printf(out, "%016" PRIx64 " %s\n", printk.formats[i].address,
			     printk.formats[i].format);
	printk_done(&printk);
	return 0;
}

static int report_list_compare_events(const void *a, const void *b)
{
	const struct event_format *const *fa = a, *const *fb = b;
	int c = strcmp((*fa)->system, (*fb)->system);

	if (!c)
		c = strcmp((*fa)->name, (*fb)->name);
	return c ? c : ((*fa)->id > (*fb)->id) - ((*fa)->id < (*fb)->id);
}

static int report_list_events(struct event_table *table, FILE *out, struct fathom_err *err)
{
	_cleanup_free_ const struct event_format **formats =
		mem_zalloc(table->n + 1, sizeof(void *));
	size_t n = 0;

	if (!formats)
		return err_nomem(err);
	for (size_t i = 0; i < table->n; i++) {
		formats[n] = event_table_format(table, &table->entries[i], NULL);
		if (formats[n])
			n++;
	}
	qsort(formats, n, sizeof(void *), report_list_compare_events);
	for (size_t i = 0; i < n; i++)
		quote_printf(out, "%s:%s\n", formats[i]->system, formats[i]->name);
	return 0;
}

/* Event formats in the kernel's text form: all, or those of an event or system. */
static void list_formats(const struct event_table *table, const char *wanted, FILE *out)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct fathom_format_text *text = table->entries[i].text;
		char name[128] = "";

		if (text->size > 6 && memcmp(text->text, "name: ", 6) == 0) {
			size_t max = text->size - 6 < sizeof(name) - 1 ? text->size - 6 :
									 sizeof(name) - 1;

			memcpy(name, text->text + 6, max);
			name[strcspn(name, "\n")] = '\0';
		}
		if (wanted && !str_eq(wanted, name) && !str_eq(wanted, text->system))
			continue;
		/* Contains line breaks; the stream escapes everything else. */
		quote_printf(out, "system: %s\n", text->system);
		quote_print_bytes(out, text->text, text->size);
		fputc('\n', out);
	}
}

static int report_list_check_formats(struct event_table *table, FILE *out)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < table->n; i++) {
		struct fathom_err err = { 0 };
		struct event_entry *entry = &table->entries[i];

		if (event_table_format(table, entry, &err) &&
		    (!entry->format->print || event_table_program(table, entry, &err)))
			continue;
		quote_printf(out, "%s:%s: %s\n", entry->text->system,
			     entry->format ? entry->format->name : "?", fathom_err_text(&err));
		code = EXIT_FAILED;
	}
	return code;
}

static void report_list_put_time(FILE *out, const char *label, uint64_t time)
{
	time = (time + 500) / 1000;
	quote_printf(out, "\t%s:%5" PRIu64 ".%06" PRIu64, label, time / 1000000, time % 1000000);
}

static int list_cpu(struct fathom_trace *trace, const struct report_args *args, uint32_t cpu,
		    FILE *out, struct fathom_err *err)
{
	static const uint16_t top = 0;
	struct fathom_window window = {
		.to = UINT64_MAX, .cpus = &cpu, .n_cpus = 1, .buffers = &top, .n_buffers = 1
	};
	_cleanup_(fathom_cursor_free_p) struct fathom_cursor *cursor = NULL;
	struct fathom_event event;
	int r = fathom_cursor_new(trace, &window, &cursor, err);

	if (r < 0)
		return r;
	r = fathom_cursor_next(cursor, &event);
	if (r <= 0)
		return r;
	quote_printf(out, "  %" PRIu32, cpu);
	if (args->first_event)
		report_list_put_time(out, "First event", event.time);
	if (args->last_event && fathom_cursor_last(cursor, 1, NULL) == 0 &&
	    fathom_cursor_next(cursor, &event) > 0)
		report_list_put_time(out, "Last event", event.time);
	fputc('\n', out);
	return 0;
}

static int list_cpus(struct fathom_trace *trace, const struct report_args *args, const char *path,
		     FILE *out, struct fathom_err *err)
{
	struct fathom_trace_cpu cpu;
	int r = 0;

	quote_printf(out, "List of CPUs in %s with data:\n", path);
	for (size_t i = 0; r >= 0 && fathom_trace_buffer_cpu(trace, 0, i, &cpu) == 0; i++)
		r = list_cpu(trace, args, cpu.cpu, out, err);
	return r;
}

static void list_stat(struct fathom_trace *trace, FILE *out)
{
	struct fathom_trace_option option;
	struct fathom_trace_cpu cpu;
	bool found = false;

	fputs("\nKernel buffer statistics:\n"
	      "  Note: \"entries\" are the entries left in the kernel ring buffer and are not\n"
	      "        recorded in the trace data. They should all be zero.\n\n",
	      out);
	for (size_t i = 0; fathom_trace_option(trace, i, &option) == 0; i++) {
		if (option.id != OPTION_ID_CPUSTAT || !option.data || !option.size)
			continue;
		/* The last byte is a NUL, which trace-cmd prints as a line break. */
		quote_print_bytes(out, option.data, option.size - 1);
		fputc('\n', out);
		found = true;
	}
	quote_print_lines(out, found ? "\n" : " No stats in this file\n");
	for (size_t i = 0; fathom_trace_buffer_cpu(trace, 0, i, &cpu) == 0; i++)
		quote_printf(out,
			     "CPU%" PRIu32 " data recorded at offset=0x%" PRIx64 "\n"
			     "    %" PRIu64 " bytes in size\n",
			     cpu.cpu, cpu.offset, cpu.size);
}

static void list_about(const struct report_args *args, struct fathom_trace *trace, FILE *out)
{
	const struct fathom_trace_info *info = fathom_trace_info(trace);

	quote_printf(out, "cpus=%u\n", info->cpus);
	if (args->stat && !args->uname && !args->recorder)
		list_stat(trace, out);
	if (args->uname && !args->recorder)
		quote_printf(out, "%s\n",
			     *info->uname ? info->uname : " uname was not recorded in this file");
	if (args->uname || args->recorder)
		quote_printf(out, "%s\n",
			     *info->tracer ? info->tracer :
					     " version was not recorded in this file");
}

static int list_from_table(const struct report_args *args, struct fathom_trace *trace, FILE *out,
			   struct fathom_err *err)
{
	struct event_table table;
	int r = event_table_init(&table, trace, err);

	if (r < 0)
		return r;
	if (args->formats || args->format)
		list_formats(&table, args->format, out);
	else if (args->check_formats)
		r = report_list_check_formats(&table, out);
	else
		r = report_list_events(&table, out, err);
	event_table_done(&table);
	return r;
}

int report_list(const struct action *action, const struct report_args *args,
		struct fathom_trace *trace, const char *path, struct fathom_err *err)
{
	const struct fathom_trace_info *info = fathom_trace_info(trace);
	FILE *out = action->out->stream;

	if (args->page_size)
		quote_printf(out, "file page size is %u, and host page size is %ld\n",
			     info->page_size, sysconf(_SC_PAGESIZE));
	else if (args->endian)
		quote_printf(out, "file is %s endian and host is %s endian\n",
			     info->big_endian ? "big" : "little",
			     __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "big" : "little");
	else if (args->formats || args->format || args->check_formats || args->events)
		return list_from_table(args, trace, out, err);
	else if (args->functions)
		return report_list_functions(trace, out, err);
	else if (args->printk)
		return list_printk(trace, out, err);
	else if (args->cpu_list || args->first_event || args->last_event)
		return list_cpus(trace, args, path, out, err);
	else
		list_about(args, trace, out);
	return 0;
}
