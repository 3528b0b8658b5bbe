/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names in XML, which SVG is: quoted as for people, and in ASCII, whatever the file says it is. */
#ifndef FATHOM_RENDER_KIT_XML_H
#define FATHOM_RENDER_KIT_XML_H

#include "base/strbuf.h"

/* At most @max characters of what is shown; an escape may be cut. */
void xml_put(struct strbuf *buf, const char *text, size_t max);

#endif
