/* match.c - see match.h. */
#include "base.h"
#include "match.h"
#include "say.h"

int match_compile(regex_t *re, const char *pattern, int flags)
{
	int rc = regcomp(re, pattern, REG_EXTENDED | REG_NOSUB | flags);

	if (rc == REG_ESPACE)
		die("out of memory (regular expression)");
	return rc;
}

bool match_finds(const regex_t *re, const char *s)
{
	int rc = regexec(re, s, 0, NULL, 0);

	if (rc != 0 && rc != REG_NOMATCH)
		die("out of memory (regular expression)");
	return rc == 0;
}
