/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/why/why-request.h"

#include <inttypes.h>
#include <string.h>

#include "base/errno-name.h"
#include "base/quote.h"
#include "render/why/why-row.h"

/* Appends " (openat)", or nothing if the request is unknown. */
static void why_request_put_name(const struct failure *failure, struct strbuf *text)
{
	const char *name = strchr(failure->name, ':');

	if (name)
		quote_addf(text, " (%s)", name + 1);
}

static void put_error(const struct failure *failure, struct strbuf *text)
{
	const char *name = errno_name(failure->error);

	if (name)
		quote_addf(text, " with -%s (%s)", name, strerrordesc_np(failure->error) ?: "?");
	else
		quote_addf(text, " with error %d", failure->error);
}

void why_request_put_cause(const struct failure *failure, struct strbuf *text)
{
	switch (failure->kind) {
	case FAILURE_CALL:
		return;
	case FAILURE_NETLINK:
		strbuf_adds(text, "the kernel answered a netlink request");
		why_request_put_name(failure, text);
		put_error(failure, text);
		if (failure->said)
			quote_addf(text, ": %s", failure->said);
		return;
	case FAILURE_URING:
		if (failure->request)
			quote_addf(text, "io_uring request %" PRIu64, failure->request);
		else
			strbuf_adds(text, "an io_uring request");
		why_request_put_name(failure, text);
		strbuf_adds(text, " completed");
		put_error(failure, text);
		return;
	}
}

int why_request_put_rows(const struct failure *failure, struct out *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = 0;

	if (failure->kind == FAILURE_URING) {
		if (failure->request)
			quote_addf(&text, "number %" PRIu64 " in its ring, ", failure->request);
		quote_addf(&text, "user_data 0x%" PRIx64, failure->data);
		return why_put_row(out, "Request", &text);
	}
	if (failure->via) {
		quote_adds(&text, failure->via);
		r = why_put_row(out, "Sent by", &text);
	}
	if (r == 0 && failure->said) {
		quote_adds(&text, failure->said);
		r = why_put_row(out, "Kernel said", &text);
	}
	return r;
}

void why_request_json(const struct failure *failure, struct json *json)
{
	static const char *const kinds[] = {
		[FAILURE_CALL] = "call", [FAILURE_NETLINK] = "netlink", [FAILURE_URING] = "io_uring"
	};

	json_string(json, "kind", kinds[failure->kind]);
	json_string(json, "said", failure->said);
	if (failure->kind == FAILURE_NETLINK)
		json_string(json, "sent_by", failure->via);
	if (failure->kind == FAILURE_URING) {
		json_u64(json, "request", failure->request);
		json_u64(json, "user_data", failure->data);
	}
}
