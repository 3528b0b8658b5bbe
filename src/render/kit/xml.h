/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quotes names for XML and SVG: escaped as in base/quote.h, and written in ASCII, so that the
 * declared encoding of the file does not matter.
 */
#ifndef FATHOM_RENDER_KIT_XML_H
#define FATHOM_RENDER_KIT_XML_H

#include "base/strbuf.h"

/* Appends at most @max characters as displayed; this may cut an escape. */
void xml_put(struct strbuf *buf, const char *text, size_t max);

#endif
