#!/bin/sh
# Python's frames as the capture library reads them, in every Python found
# (3.8 and later): lib/capture/py*.c in a library of their own, loaded by ctypes,
# against sys._getframe.
. "$(dirname "$0")/lib.sh"
CC=${CC:-cc}
command -v "$CC" >/dev/null 2>&1 || skip_all "no $CC"

ubsan=
case $TP_BUILD in */asan) ubsan=-fsanitize=undefined ;; esac
# shellcheck disable=SC2086
if ! "$CC" -std=c11 -Wall -Wextra -O2 -g $ubsan -D_GNU_SOURCE -fPIC -fvisibility=hidden \
	-I"$TOP/lib" -shared -o frames.so "$TOP/t/mock/frames.c" "$TOP"/lib/capture/py*.c \
	-ldl -lpthread >cc.out 2>&1; then
	diag "$(cat cc.out)"
	ok false -- 'it compiles'
fi
is "$(cat cc.out)" '' 'it compiles, without a word'

"$TOP/t/pythons" >found
[ -s found ] || skip 1 'no Python'
while read -r version python; do
	for how in '' ask; do
		case $version in 3.8|3.9|3.1[0-3]) ;; *) [ "$how" ] || continue ;; esac
		"$python" "$TOP/t/mock/frames.py" ./frames.so $how >got 2>err </dev/null
		status=$?
		while read -r line; do
			case $line in
			'ok '*) t_result 0 "$version${how:+ asked}: ${line#ok }" ;;
			'not ok '*) t_result 1 "$version${how:+ asked}: ${line#not ok }" ;;
			*) diag "${line#\# }" ;;
			esac
		done <got
		is "$status $(cat err)" '0 ' "$version${how:+ asked}: to the end"
	done
done <found
done_testing
