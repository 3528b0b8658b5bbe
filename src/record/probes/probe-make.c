/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/probes/probe-make.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/negative-errno.h"
#include "kernel/tracefs/error-log.h"
#include "kernel/events/function-hint.h"

int probe_base_open(const char *dir, struct probe_base *ret_base, struct fathom_err *err)
{
	_cleanup_close_ int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct probe_machine machine = { .abi = type_abi_native() };
	int r = fd >= 0 ? types_new(fd, &machine.types, err) : negative_errno();

	if (r < 0 && r != -ENOENT && r != -ENOTDIR)
		return fd >= 0 ? r : err_set_errno(err, r, "cannot open '%s'", dir);
	ret_base->machine = machine;
	ret_base->dir = TAKE_FD(fd);
	return 0;
}

void probe_base_done(struct probe_base *base)
{
	types_free(base->machine.types);
	if (base->dir >= 0)
		close(base->dir);
	*base = (struct probe_base)PROBE_BASE_NONE;
}

int probe_check(int tracefs, const struct probe *probe, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	enum probe_kind kind = probe_kind(probe);
	bool is_tracepoint = kind == PROBE_TRACEPOINT;

	if (kind == PROBE_ENTRY || kind == PROBE_RETURN)
		return 0;
	if (probe_in_program(probe))
		return faccessat(tracefs, "uprobe_events", F_OK, 0) == 0 ?
			       0 :
			       err_set(err, -EOPNOTSUPP,
				       "uprobes are not supported by this kernel "
				       "(CONFIG_UPROBE_EVENTS)");
	if (file_read(tracefs, "README", &text) < 0 ||
	    strstr(strbuf_str(&text), is_tracepoint ? "t[:[" : "f[:["))
		return 0;
	if (is_tracepoint)
		return err_set(err, -EOPNOTSUPP,
			       "raw tracepoint probes are not supported by this kernel: use the "
			       "event, or a function with 'k:'");
	return err_set(err, -EOPNOTSUPP,
		       "fprobes are not supported by this kernel: use '%s:' "
		       "instead of '%s:'",
		       kind == PROBE_FPROBE ? "k" : "kr", kind == PROBE_FPROBE ? "f" : "fr");
}

bool probe_is_unknown(int tracefs, const char *root, const struct probe *probe,
		      struct fathom_err *err)
{
	const char *name = probe_function(probe), *hint;
	struct functions functions;
	size_t n;

	if (probe_kind(probe) == PROBE_TRACEPOINT || function_is_untraceable(root, name) ||
	    functions_read(tracefs, false, &functions, NULL) < 0)
		return false;
	functions_find(&functions, name, &n);
	hint = n ? NULL : function_hint(&functions, name);
	if (hint)
		err_set(err, -ENOENT, "no kernel function '%.80s'; did you mean '%.80s'?", name,
			hint);
	else if (!n)
		err_set(err, -ENOENT,
			"no kernel function '%.80s': it may be inlined everywhere, or in a "
			"module that is not loaded",
			name);
	functions_done(&functions);
	return !n;
}

int probe_refused(int tracefs, const char *root, const struct probe *probe, const char *definition,
		  int code, struct fathom_err *err)
{
	struct error_log_entry entry;

	if (code == -EEXIST)
		return err_set(err, code,
			       "event name of '%.100s' is already in use: choose another with "
			       "'NAME=%s:...'",
			       probe_text(probe), probe_in_program(probe) ? "u" : "k");
	if (!probe_in_program(probe) && (code == -ENOENT || code == -EINVAL) &&
	    probe_is_unknown(tracefs, root, probe, err))
		return code;
	if (!error_log_find(tracefs, definition, &entry)) {
		err_set_errno(err, code, "the kernel rejected the probe '%.150s'",
			      probe_text(probe));
		return code;
	}
	/* Some kernels spell it "valiable". */
	if (strstr(entry.message, "$-va") && strstr(definition, "$arg") &&
	    (probe_kind(probe) == PROBE_RETURN || probe_kind(probe) == PROBE_FPROBE_RETURN))
		return err_set(err, code,
			       "return probes cannot read arguments before Linux 6.9: use an entry "
			       "probe, '%s:%.80s(...)'",
			       probe_kind(probe) == PROBE_RETURN ? "k" : "f",
			       probe_function(probe));
	if (!entry.command[0])
		return err_set(err, code, "the kernel rejected the probe '%.150s': %.100s",
			       probe_text(probe), entry.message);
	return err_set(err, code, "the kernel rejected the probe: %.60s\n    %.180s\n    %*s^",
		       entry.message, entry.command, (int)entry.caret, "");
}
