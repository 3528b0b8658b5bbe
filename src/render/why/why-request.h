/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Failed requests that were not system calls: netlink messages and io_uring entries. Parts of the
 * screen and of the JSON of why.h.
 */
#ifndef FATHOM_RENDER_WHY_WHY_REQUEST_H
#define FATHOM_RENDER_WHY_WHY_REQUEST_H

#include "analyze/why/failures.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

/*
 * Appends "the kernel answered a netlink request (RTM_NEWLINK) with -EEXIST (File exists)"; nothing
 * for a system call.
 */
void why_request_put_cause(const struct failure *failure, struct strbuf *text);
/*
 * Prints rows about the request or, for a system call, the kernel's message about it, if any.
 * Returns 0 or -ENOMEM.
 */
int why_request_put_rows(const struct failure *failure, struct out *out);
/* Appends members to the open object of the failure. */
void why_request_json(const struct failure *failure, struct json *json);

#endif
