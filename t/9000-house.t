#!/bin/sh
# The house: layout, layers and sizes that a reader may rely on (doc/HACKING.md).
. "$(dirname "$0")/lib.sh"
cd "$TOP" || exit 2

FOUND=$SCRATCH/found
none() { # NAME: $FOUND lists the offenders, each a line
	[ ! -s "$FOUND" ]
	t_result $? "$1" || diag "$(head -20 "$FOUND")"
}

# --- layers: an include goes to the same layer or down ---------------------
# A module is named here once; a new one has to find its layer first.
layer_of() {
	case $1 in
	base|say|mem|match|folder|buf|num|num_fmt|path|draft|utf8) echo 0 ;;
	in|in_face|in_gzip|in_lz4|out|hash|scratch|pack|sorter|sniff) echo 1 ;;
	jw|line|rec|rec_*|token|stream|stream_*) echo 2 ;;
	opt|opt_*|tab|tab_*|view|view_*|view[0-9]*|viewer|kernels|kname|memcurve|decompose*|honest|honest_lines|series|spread|window|window_*|report|report_*|rank|rank_*|cause|schedule|find|find_*|face|face_*) echo 4 ;;
	*) echo 3 ;;
	esac
}

for f in lib/*.[ch]; do
	name=${f##*/}
	own=$(layer_of "${name%.*}")
	sed -n 's/^#include "\([a-z0-9_]*\)\.h".*/\1/p' "$f" | while read -r used; do
		[ -e "lib/$used.h" ] || continue
		[ "$(layer_of "$used")" -le "$own" ] ||
			echo "$f (layer $own) includes $used.h"
	done
done >"$FOUND"
none 'an include never points upward'

grep -nE '^#include "(.*/)?(\.\.|bin/)' lib/*.[ch] bin/*.c 2>/dev/null >"$FOUND"
none 'nothing includes a program'
for f in lib/*.c bin/*.c; do
	[ -e "$f" ] || continue
	sed -n 's/^#include //p' "$f" | head -1 | grep -q '^"' || echo "$f"
done >"$FOUND"
none 'base.h, by itself or by another of ours, comes first in every .c'

# --- who may do what --------------------------------------------------------
# FILE:LINE:CODE of all C, without comments and what strings hold
awk 'FNR == 1 { in_c = 0 }
	{ s = $0; gsub(/"([^"\\]|\\.)*"/, "\"\"", s); out = ""
	  while (1) {
		if (in_c) { e = index(s, "*/"); if (!e) { s = ""; break }
			s = substr(s, e + 2); in_c = 0 }
		b = index(s, "/*"); if (!b) break
		out = out substr(s, 1, b - 1) " "; s = substr(s, b + 2); in_c = 1 }
	  sub(/\/\/.*/, "", s); print FILENAME ":" FNR ":" out s }' \
	lib/*.c bin/*.c >"$SCRATCH/code"
# calls RE FILE...: uses of these functions outside of the files
calls() {
	re=$1
	shift
	for f in "$@"; do echo "^lib/$f:"; done >"$SCRATCH/but"
	grep -vf "$SCRATCH/but" "$SCRATCH/code" | grep -E "\\<($re) *\\(" >"$FOUND"
}

# job.c: the child in which exec failed has nowhere to return to; demangle.c and
# native_check.c: the one that was made for a name, or to ask the driver
calls 'exit|_exit|abort|quick_exit' say.c mem.c opt.c job.c demangle.c native_check.c
grep -v '^bin/' "$FOUND" >"$SCRATCH/lib"
mv "$SCRATCH/lib" "$FOUND"
none 'lib returns, bin dies: nothing else in lib ends the process'
calls 'printf|puts|putchar|vprintf|fputs|fprintf|perror' opt.c
none 'only out.c, and opt.c for -h, write to fd 1; only say.c to fd 2'
grep -E '\<write *\( *(1|2|STD[A-Z]+_FILENO) *,' "$SCRATCH/code" |
	grep -v '^lib/say\.c:' >"$FOUND"
none 'nobody writes to fd 1 or 2 by number'
calls 'setlocale|strtod|strtof|strtol|strtoll|strtoul|strtoull|sscanf|scanf|system|popen|alloca|rand|srand|localtime|gmtime' -
none 'no call that follows the locale, hides an error or runs a shell'
calls 'malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|vasprintf' mem.c
none 'memory comes from mem.c'
calls 'regcomp|regexec' match.c
none 'regular expressions go by way of match.c, memory that ends is no mismatch'
calls 'sqlite3_bind_text|sqlite3_(column|value)_text|sqlite3_v?mprintf' db.c
none 'text goes to and from SQLite by way of db.c, which notices that memory ended'
calls 'mkdtemp|rmdir' folder.c
none 'private folders are those of folder.c'
# names of the environment and of SQLite are as they are
grep -nE '\b(error|warn|note|info|die|error_errno|die_errno)\("([A-Z][a-z]|[^"]*([.]|!|\\n)"[,)])' \
	lib/*.c bin/*.c >"$FOUND"
none 'a message begins small and ends without a stop'
grep -n 'yajl_alloc(' lib/*.c | grep -v MEM_LIB >"$FOUND"
none 'yajl gets its memory from us'
grep -nE '^#include <yajl' lib/*.c bin/*.c |
	grep -vE '^lib/(rec|kineto|opt)[a-z_]*\.c:' >"$FOUND"
none 'yajl stays behind rec and kineto'

# --- the capture library, in a process that is not ours -------------------------
sed -n 's/^#include "\(.*\)".*/\1/p' lib/capture/*.[ch] | sort -u | while read -r f; do
	case $f in
	base.h|capwire.h) ;;
	*) [ -e "lib/capture/$f" ] || echo "$f" ;;
	esac
done >"$FOUND"
none 'lib/capture uses base.h and capwire.h, and itself'
grep -nE '^#include "capture/' lib/*.[ch] bin/*.c >"$FOUND"
none 'and nothing uses lib/capture'
awk '{ sub(/\/\*.*/, ""); print FILENAME ":" FNR ":" $0 }' lib/capture/*.c |
	grep -E '\<(exit|_exit|abort|printf|puts|perror|fprintf|dprintf|signal|sigaction|malloc|calloc|realloc|strdup|assert|system|popen|strtol|strtoll|sscanf) *\(' >"$FOUND"
none 'lib/capture ends, prints, allocates and changes signals nowhere'

# --- sizes -------------------------------------------------------------------
wc -l lib/*.[ch] lib/capture/*.[ch] t/unit/*.c 2>/dev/null | awk '$2 != "total" && $1 > 400' >"$FOUND"
none 'a file has at most 400 lines'
# those in sh lie in bin/ as they are, beside the links that make leaves there
sh=$(find bin -name 'tp-*' -type f ! -name '*.c')
# shellcheck disable=SC2086 # one word a file
wc -l bin/tp-*.c $sh share/sh/* | awk '$2 != "total" && $1 > 250' >"$FOUND"
none 'a program has at most 250 lines, and what those in sh share'
# shellcheck disable=SC2086 # one word a file
awk 'FNR == 1 { start = 0 }
	/^\{/ || /^[a-z_0-9]+\(\) \{/ { start = FNR }
	/^\}/ { if (start && FNR - start - 1 > 60)
		print FILENAME ":" start ": " FNR - start - 1 " lines"; start = 0 }' \
	lib/*.c lib/capture/*.c bin/*.c $sh share/sh/*.sh 2>/dev/null >"$FOUND"
none 'a function has at most 60 lines'
grep -nE '^.{101,}$' lib/*.[ch] lib/capture/*.[ch] bin/*.c 2>/dev/null >"$FOUND"
# in sh a message, or a line of a pipeline that is shown, stands in one
# shellcheck disable=SC2086 # one word a file
grep -nE '^.{121,}$' $sh share/sh/* >>"$FOUND"
none 'a line has at most 100 columns, one of sh 120'
# shellcheck disable=SC2086 # one word a file
grep -nE '[ 	]+$' lib/*.[ch] lib/capture/*.[ch] bin/*.c t/unit/*.[ch] $sh share/sh/* \
	2>/dev/null >"$FOUND"
none 'no blanks at the ends of lines'
# shellcheck disable=SC2086 # one word a file
grep -nE '^ {4,}[^ *]' lib/*.[ch] lib/capture/*.[ch] bin/*.c t/unit/*.[ch] $sh share/sh/* \
	2>/dev/null >"$FOUND"
none 'tabs indent'

# --- what is built stays out of a commit ----------------------------------------
if git rev-parse --git-dir >/dev/null 2>&1; then
	for f in bin/*.c; do
		f=${f%.c}
		git check-ignore -q --no-index "$f" || echo "$f is not ignored"
		git ls-files "$f"
	done >"$FOUND"
	none 'what make leaves in bin/ is ignored and not tracked'
fi

# --- words -------------------------------------------------------------------
grep -rnwE 'TODO|FIXME|XXX|HACK' lib bin share t/unit doc Makefile 2>/dev/null |
	grep -vE 'XXXXXX|^Binary' >"$FOUND"
none 'nothing is left for later'
for f in lib/*.h lib/capture/*.h; do
	head -1 "$f" | grep -qE "^/\* ${f##*/} - " || echo "$f"
done >"$FOUND"
none 'every header begins as a manual: its name and what it is for'
for f in lib/*.c; do
	head -1 "$f" | grep -qE "^/\* ${f##*/} - " || echo "$f"
done >"$FOUND"
none 'every module says first which it is, and where its manual lies'
for f in $sh share/sh/*; do
	sed -n '/^#!/d; p; q' "$f" | grep -qE "^# ${f##*/} - " || echo "$f"
done >"$FOUND"
none 'and so does what is in sh'
for f in lib/*.def; do
	[ ! -e "$f" ] || head -1 "$f" | grep -q "${f##*/} - " || echo "$f"
done >"$FOUND"
none 'every table says what it is'
cd "$SCRATCH" || exit 2
done_testing
