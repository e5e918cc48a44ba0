#!/bin/sh
# One build of the capture library reads the records of CUPTI 12 and of 13: layout.h
# holds with the headers of both, and everything compiles with both.
. "$(dirname "$0")/lib.sh"
CC=${CC:-cc}
command -v "$CC" >/dev/null || skip_all "no $CC"
H=$TOP/.build/cuda
[ -e "$H/12/include/cupti.h" ] && [ -e "$H/13/include/cupti.h" ] ||
	skip_all 'no headers of both versions (t/cuda-headers)'

compile() { # VERSION FILE...
	t_v=$1
	shift
	"$CC" -std=c11 -Wall -Wextra -Werror -fsyntax-only -D_GNU_SOURCE -I"$TOP/lib" \
		-isystem "$H/$t_v/include" "$@"
}
for v in 12 13; do
	ok compile $v "$TOP"/lib/capture/[!p]*.c -- "with the headers of CUDA $v"
	version=$(sed -n 's/#define CUPTI_API_VERSION *\([0-9]*\).*/\1/p' \
		"$H/$v/include/cupti_version.h")
	case $v-$version in 12-??|13-13*) ok true -- "which are of CUPTI $version" ;;
	*) ok false -- "which are not of CUDA $v: $version" ;; esac
done
# a record that lies elsewhere is seen
sed 's/\(act_kernel, end, \)24/\132/' "$TOP/lib/capture/layout.h" >layout.h
grep -q 'end, 32' layout.h || diag 'layout.h was not changed'
echo '#include "layout.h"' >x.c
runs 1 'another layout does not compile' compile 13 -I. x.c
holds err 'act_kernel.end' 'and is named'
done_testing
