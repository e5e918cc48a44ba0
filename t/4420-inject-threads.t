#!/bin/sh
# The capture library, many threads, under the thread sanitizer: ring, texts, pool
# and link have no race.  Built here, with the CUDA of t/cuda and a ring that is
# small enough to be full often.
. "$(dirname "$0")/lib.sh"
. "$TOP/t/inject.sh"
CC=${CC:-cc}
case $TP_BUILD in */release) ;; *) skip_all 'once is enough: in MODE=release' ;; esac
echo 'int main(void) { return 0; }' >x.c
"$CC" -fsanitize=thread -o x x.c 2>/dev/null && ./x 2>/dev/null ||
	skip_all "no thread sanitizer with $CC"

for h in "${CUDA_HOME:-/usr/local/cuda}/include" "$TOP/.build/cuda/13/include"; do
	[ -e "$h/cupti.h" ] && break
done
build() { # FILE OPTION...
	t_to=$1
	shift
	"$CC" -std=gnu11 -O1 -g -fsanitize=thread -D_GNU_SOURCE -fPIC -I"$TOP/lib" \
		-I"$TOP/t/cuda" -isystem "$h" -o "$t_to" "$@" -ldl -lpthread || exit 1
}
mkdir tsan
(
	build tsan/libtpcapture.so -fvisibility=hidden -shared "-DRING_BYTES=(256u<<10)" \
		"$TOP"/lib/capture/*.c &
	build tsan/libcuda.so.1 -shared -Wl,-soname,libcuda.so.1 "$TOP/t/cuda/libcuda.c"
	build tsan/libcupti.so.13 -shared -Wl,-soname,libcupti.so.13 "$TOP/t/cuda/libcupti.c"
	build tsan/job "$TOP/t/cuda/job.c"
	wait $!
) >cc.out 2>&1
is "$(cat cc.out)" '' 'it compiles'
LIB=$SCRATCH/tsan/libtpcapture.so JOB=$SCRATCH/tsan/job
LD_LIBRARY_PATH=$SCRATCH/tsan
TSAN_OPTIONS=report_thread_leaks=0:exitcode=66
export TSAN_OPTIONS

CAPREAD=-q
capture 'memory' -t 6 -n 3000 -k 40 -d 50 -c 50 -g 20 -m 10 -v 40 -o 40
is "$(tail -1 out)" 'status 0' 'six threads: no race'
is "$(cat err)" '' 'not a word'
all=$(($(sum kernel) + $(sum call) + $(sum range) + $(sum mem) + $(sum lost_queue)))
[ $all -ge $(($(job kernels) + $(job calls) + $(job ranges) + $(job mallocs))) ]
t_result $? 'and all came, or was counted' || diag "$all"
capture 'window' -n 3000 -W 500:2500 -k 40
is "$(tail -1 out) $(sum bye)" 'status 0 1' 'a window: no race'
CAPREAD='-q -s 500'
capture '' -t 4 -n 4000 -l 100
is "$(tail -1 out)" 'status 0' 'a full ring: no race'
[ "$(sum lost_queue)" -gt 0 ]
t_result $? 'and it was full'
is "$(cat err)" '' 'not a word of these'
done_testing
