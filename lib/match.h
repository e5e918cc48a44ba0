/* match.h - regular expressions (POSIX extended) in which the end of memory is
 * neither a bad pattern nor text that does not match: it is die(), as in mem.h.
 * Not for the capture library. */
#ifndef TP_MATCH_H
#define TP_MATCH_H

#include "base.h"

#include <regex.h>

/* flags: of regcomp(), beside REG_EXTENDED and REG_NOSUB.  0, or the error for
 * regerror(); then there is nothing to free. */
int match_compile(regex_t *re, const char *pattern, int flags) RESULT_USED;
bool match_finds(const regex_t *re, const char *s);

#endif
