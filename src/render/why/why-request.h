/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failed requests that were made in messages, by netlink and io_uring: what is known of them beside the error. */
#ifndef FATHOM_RENDER_WHY_WHY_REQUEST_H
#define FATHOM_RENDER_WHY_WHY_REQUEST_H

#include "analyze/why/failures.h"
#include "render/kit/json.h"
#include "render/kit/out.h"

/* "the kernel answered a netlink request (RTM_NEWLINK) with -EEXIST (File exists)"; nothing for a system call. */
void why_request_put_cause(const struct failure *failure, struct strbuf *text);
/* Rows of it; of a system call only what the kernel said. 0 or -ENOMEM. */
int why_request_put_rows(const struct failure *failure, struct out *out);
/* Members of the object of the failure. */
void why_request_json(const struct failure *failure, struct json *json);

#endif
