#!/bin/sh
# The capture library where things end or fail: the job's result and output are
# what they are without it, it never waits long, and what can be said is said.
. "$(dirname "$0")/lib.sh"
. "$TOP/t/inject.sh"

# plain_too NAME JOBOPTION...: the last capture's job ended as without the library
plain_too() {
	t_name=$1
	shift
	"$JOB" "$@" >plain.out 2>plain.err
	t_st=$?
	# the shell's own words about a killed job are no output
	sed 's/ready=.*//' plain.out >want
	grep '^kernels=' out | sed 's/ready=.*//' >got
	echo "status $t_st" >>want
	grep '^status' out >>got
	cmp -s got want && cmp -s err plain.err
	t_result $? "$t_name" || diag "$(diff -u want got; cat err)"
}
took() { # SECONDS NAME: since $since
	t_now=$(date +%s%N)
	[ $(((t_now - since) / 1000000)) -lt "$(($1 * 1000))" ]
	t_result $? "$2" || diag "$(((t_now - since) / 1000000)) ms"
}

# --- how it ends ----------------------------------------------------------------------
for how in return exit; do
	capture '' -n 50 -S -l 1000 -e $how
	plain_too "$how: the same job" -n 50 -S -l 1000 -e $how
	is "$(sum kernel) $(sum bye)" '50 1' "$how: all came, to the end"
done
capture '' -n 50 -w 600 -e _exit
plain_too '_exit: the same job' -n 50 -e _exit
is "$(sum kernel) $(sum bye)" '50 0' '_exit: what had come out, and no proper end'
capture '' -n 50 -w 600 -e kill
is "$(sum kernel) $(sum bye) $(tail -1 out)" '50 0 status 137' 'SIGKILL: the same'
capture '' -n 50 -w 600 -e abort
is "$(sum kernel) $(sum bye) $(tail -1 out)" '50 0 status 134' 'abort: the same'
holds out '^cut [0-9]+ end$' 'a link without an end is seen'
capture '' -n 20 -l 500000000 -S
is "$(awk '/ untimed$/ { n++ } END { print n }' out)" 20 \
	'kernels that still run at the exit have no times'

SIM_READ_MS=150; export SIM_READ_MS
capture '' -n 2000 -w 50
is "$(sum kernel) $(sum call) $(sum bye)" '2000 2001 1' \
	"what CUPTI's own thread still reads at the exit comes too"
unset SIM_READ_MS

# --- a stream that is captured: a flush by another thread voids it ---------------------
SIM_FLUSH_MS=20; export SIM_FLUSH_MS
capture '' -n 4 -K 300
plain_too 'captures: the same job, and no flush within one' -n 4 -K 300
is "$(sum kernel) $(sum call) $(sum bye)" '4 13 1' 'and all is recorded'
# flushes and captures take turns
capture '' -n 40 -K 12
plain_too 'short captures: the same' -n 40 -K 12
# the window ends while another thread captures; then also windows that end at the
# same time as the link's own flush
capture window -t 2 -n 12 -K 60 -W 3:6 -S
plain_too "a window's end beside a capture: the same" -t 2 -n 12 -K 60 -S
is "$(awk '$1 == "op" && $2 == "kernel" && / stream=7 / && !/untimed/ { n++ } END { print n }' out) $(sum bye)" \
	'4 1' 'and what the window held comes later'
capture window -t 2 -n 60 -K 5 -W 1:60 -R -S
plain_too 'windows that end beside captures: the same' -t 2 -n 60 -K 5 -S
# ... and a warm-up, with flushes, beside one
capture window -t 2 -n 12 -K 60 -W 7:9 -U 5 -S
plain_too "a warm-up beside a capture: the same" -t 2 -n 12 -K 60 -S
is "$(sum step) $(sum bye)" '3 1' 'and the window is there'
unset SIM_FLUSH_MS

# --- CUPTI goes behind the window -------------------------------------------------------
# detach RESULT JOBOPTION...: on a busy machine the library's own greeting, for which it
# asks CUDA its version, may come as late as the window's end: a call like any other
detach() {
	detach_want=$1
	shift
	for _ in 1 2 3 4 5; do
		capture window "$@"
		[ "$(job detached)" != "$detach_want" ] || break
	done
}
# gone WHAT FINALIZED/DETACHED JOBOPTION...: it was taken out so often, which the hook is
# told, and nothing is lost
gone() {
	gone_what=$1 gone_want=$2
	shift 2
	detach "${gone_want#*/}" -n 30 -W 5:9 -Y 20 "$@"
	plain_too "$gone_what: the same job" -n 30 "$@"
	is "$(sum kernel) $(sum call) $(sum step) $(sum bye) $(job finalized)/$(job detached)" "5 6 5 1 $gone_want" \
		"$gone_what: the window is whole"
}
gone 'behind the window CUPTI goes' 1/1 -i 10
gone 'so behind one with a warm-up' 1/1 -U 3 -i 10
SIM_DRIVER=12040; export SIM_DRIVER
gone 'a driver of 12.4: CUPTI stays' 0/-1
unset SIM_DRIVER
SIM_CUPTI=23; export SIM_CUPTI
gone 'CUPTI of 12.5 stays' 0/-1
unset SIM_CUPTI
SIM_FAIL=cuptiFinalize=999; export SIM_FAIL
gone 'CUPTI that does not go' 0/-1
SIM_FAIL=cuptiEnableDomain=999; export SIM_FAIL
gone 'calls that cannot be watched' 0/-1
unset SIM_FAIL
SIM_FLUSH_MS=100; export SIM_FLUSH_MS
gone "beside the link's own flush it goes" 1/1 -i 60
unset SIM_FLUSH_MS
capture window -t 4 -n 400 -i 1 -W 50:90 -Y 200 -S
plain_too 'beside threads that launch: the same job' -t 4 -n 400 -S
is "$(sum step) $(sum bye) $(job finalized)/$(job detached)" '41 1 0/0' 'and CUPTI stays'
capture window -t 2 -n 12 -K 60 -W 3:6 -Y 20 -S
plain_too 'CUPTI does not go beside a capture: the same job' -t 2 -n 12 -K 60 -S
is "$(sum bye) $(job finalized)" '1 0' 'and it stays'
# no wait for the device at the window's end, as where it takes too long
capture window -n 30 -W 5:9 -B 400 -Y 20 -w 500
is "$(sum step) $(sum bye) $(job finalized)/$(job detached)" '5 1 0/-1' 'CUPTI stays where a thread is in a call since the window'
capture window -n 30 -W 5:9 -Y 900 -Z -A 300
plain_too 'the job exits while calls are watched: the same job' -n 30 -A 300
is "$(sum step) $(sum bye) $(job finalized)" '5 1 0' 'and nothing is asked of CUPTI then'
SIM_FAIL=cuptiFinalize=999; export SIM_FAIL
detach -1 -n 30 -W 2:4 -Y 20 -P 11:20
is "$(job own) $(job finalized)" '10 0' "CUPTI that does not go is the job's profiler's"
unset SIM_FAIL
detach 1 -n 30 -W 2:4 -Y 20 -P 11:20
plain_too "CUPTI has gone, and a profiler of the job's comes: the same job" -n 30 -P 11:20
is "$(job own) $(sum kernel) $(job finalized)" '10 3 1' 'and each has its own records'
# --- a profiler of the job's own --------------------------------------------------------
# own FIRST:LAST KERNELS WHAT OPTS JOBOPTION...: it gets all of its kernels, ours none
own() {
	own_at=$1 own_want=$2 own_what=$3 own_opts=$4
	shift 4
	capture "$own_opts" -n 30 -P "$own_at" "$@"
	plain_too "$own_what: the same job, and its own records" -n 30 -P "$own_at"
	is "$(job own) $(sum kernel) $(job ready) $(grep '^bye' out | sed 's, [0-9]*,,')" \
		"$own_want" "$own_what: we give way, for good"
}
own 11:20 '10 10 -1 bye early' 'a profiler' ''
own 1:30 '30 0 -1 bye early' 'a profiler before cuInit' '' -L
own 11:20 '10 4 -1 bye early' 'a profiler in the window' window -W 7:14
own 11:20 '10 3 -1 bye' 'a profiler behind the window' window -W 2:4
own 11:20 '10 0 -1 bye' 'a profiler before the window' window -W 25:28
own 11:20 '10 0 -1 bye' 'a profiler in the warm-up' window -W 15:18 -U 6

CAPREAD='-d 5'
capture '' -n 60 -i 10 -P 50:55
plain_too 'a profiler when our reader has gone: the same job' -n 60 -P 50:55
CAPREAD=

# --- fork -----------------------------------------------------------------------------
SIM_FORK_HANGS=1
export SIM_FORK_HANGS
for how in exit _exit; do
	since=$(date +%s%N)
	capture '' -n 100 -F $how
	plain_too "a child that ends by $how: the same job" -n 100 -F $how
	took 5 'and nothing hangs'
	is "$(sum kernel) $(sum call) $(sum hello) $(sum bye)" '100 101 1 1' \
		'the parent is recorded, the child is not'
	lacks out '^bad' 'and does not write into its link'
done
capture window -n 100 -W 70:80 -U 40 -i 1 -F exit
plain_too 'a child that begins in the warm-up: the same job' -n 100 -F exit
is "$(sum call) $(sum step) $(sum hello) $(sum bye)" '12 11 1 1' 'and the window is the parent'"'"'s'
unset SIM_FORK_HANGS
capture '' -n 100 -F stay -e kill
is "$(sum bye) $(tail -1 out)" '0 status 137' 'a child that stays does not keep the link open'

SIM_FORK_MS=2500; export SIM_FORK_MS
since=$(date +%s%N)
capture '' -n 50
took 2 'a child made within cuInit does not keep it open either'
unset SIM_FORK_MS
plain_too 'and the job is the same' -n 50
is "$(sum kernel) $(sum bye)" '50 1' 'and recorded'

# --- the reader -----------------------------------------------------------------------
CAPREAD='-q -f launched'
capture '' -n 400000 -D launched -w 100
took_ns=$(job ns_a_launch)
[ "$took_ns" -lt 40000 ]
t_result $? 'a reader that stalls does not stall the job' || diag "$took_ns ns a launch"
# a text, the device or an overhead may be among the lost too
all=$(($(sum kernel) + $(sum call) + $(sum lost_queue) + $(sum lost_cupti)))
[ $all -ge 800001 ] && [ $all -le 800010 ]
t_result $? 'what was lost was counted' || diag "$all of 800001"
[ "$TSAN" ] || [ "$(sum lost_queue)" -gt 0 ]
t_result $? 'and something was lost'
is "$(sum bye)" 1 'it ends properly after that'
CAPREAD='-q -s 3000' real=$JOB
cat >timed <<END
#!/bin/sh
s=\$(date +%s%N)
"$real" "\$@"
echo "\$? \$(((\$(date +%s%N) - s) / 1000000))" >ended
END
chmod +x timed
JOB=./timed
capture '' -n 100000 -A 2500
JOB=$real
read -r status ms <ended
is "$status" 0 'a reader that stays away at the exit: the same status'
[ "$ms" -gt 3400 ] && { [ "$TSAN" ] || [ "$ms" -lt 5400 ]; }
t_result $? 'and a second is waited, no more' || diag "$ms ms"
is "$(cat err)" '' 'and CUPTI is not called behind it, when the reader is back'
SIM_DISABLE_MS=60; export SIM_DISABLE_MS
CAPREAD='-q -d 100'
capture '' -n 2000 -A 1000
is "$(cat err)" '' 'a reader that goes at the exit: CUPTI is switched off before its teardown'
unset SIM_DISABLE_MS
CAPREAD='-q -d 500'
capture '' -n 20000
plain_too 'a reader that goes: the same job' -n 20000
is "$(grep -c '^cut' out)" 1 'and the link was cut'
CAPREAD='-b 700'
capture '' -n 50 -w 200
plain_too 'a reader with too many callers: the same job' -n 50 -w 200
is "$(sum kernel) $(sum bye)" '50 1' 'which is heard when its turn comes'
CAPREAD=-x
capture '' -n 50
plain_too 'nobody listens: the same job' -n 50
CAPREAD=
for fds in -C -X; do
	capture '' -n 50 $fds
	plain_too "a job that closes fds ($fds): the same job" -n 50 $fds
done
capture '' -n 50 -C
is "$(sum kernel) $(sum bye)" '50 1' 'fds up to 255 are not ours'

case $TP_BUILD in */asan|*/tsan) CC=false ;; esac
cat >nothread.c <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int detached = 0;
	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	if (a && pthread_attr_getdetachstate(a, &detached) == 0 && detached)
		return EAGAIN;
	return real(t, a, f, arg);
}
END
if "${CC:-cc}" -D_GNU_SOURCE -fPIC -shared -o nothread.so nothread.c -ldl 2>/dev/null; then
	printf '#!/bin/sh\nLD_PRELOAD=%s/nothread.so exec %s "$@"\n' "$SCRATCH" "$real" >threadless
	chmod +x threadless
	JOB=./threadless
	capture '' -n 50
	plain_too 'no thread for the link: the same job' -n 50
	holds out '^note no thread to be had: nothing is recorded' 'it is said'
	JOB=$real
fi

# --- CUPTI ----------------------------------------------------------------------------
# this machine's own is not looked for
CUDA_HOME=$SCRATCH/none
export CUDA_HOME
# refuses NAME WHY: the job is as before, one note says why, nothing is recorded
refuses() {
	plain_too "$1: the same job" -n 50
	holds out "^note $2" "$1: it is said"
	is "$(sum note) $(sum kernel) $(sum hello) $(sum bye) $(job ready)" '1 0 1 1 -1' \
		"$1: and nothing else"
}
SIM_TAKEN=1; export SIM_TAKEN
capture '' -n 50
refuses 'somebody subscribed before' 'CUPTI: another tool uses it in this process'
unset SIM_TAKEN
for f in cuptiSubscribe cuptiActivityRegisterTimestampCallback \
	cuptiActivityRegisterCallbacks; do
	SIM_FAIL=$f=15; export SIM_FAIL
	capture '' -n 50
	refuses "$f fails" "CUPTI: $f: CUPTI_ERROR_15"
done
SIM_FAIL=cuptiGetCallbackName=1
capture '' -n 50
refuses 'calls without names' 'CUPTI: it names no calls'
SIM_FAIL=cuptiActivityEnable=35
capture '' -n 50
plain_too 'kinds refused: the same job' -n 50
holds out '^note CUPTI: kernels: CUPTI_ERROR_35' 'kinds refused: it is said'
for f in cuptiActivityFlushAll cuptiActivityGetNextRecord cuptiEnableCallback \
	cuptiActivityGetNumDroppedRecords cuptiActivitySetAttribute cuptiActivityDisable; do
	SIM_FAIL=$f=999
	capture 'window' -n 50 -W 2:9
	plain_too "$f fails: the same job" -n 50 -W 2:9
	is "$(sum bye)" 1 "$f fails: a proper end"
done
unset SIM_FAIL
SIM_CUPTI=17; export SIM_CUPTI
capture '' -n 50
refuses 'CUPTI 11' 'libcupti: libcupti.so.13 is of version 17, 12 or 13 is needed'
SIM_CUPTI=28
capture '' -n 50
is "$(sum kernel) $(awk '/^hello/ { print $3 }' out)" '50 cupti=28' 'CUPTI 12 will do'
unset SIM_CUPTI

# no library under these names, whatever this machine has
mkdir cuda
cp "$TP_BUILD"/t/cuda/libcuda.so.1 cuda/
echo 'not a library' >cuda/libcupti.so.13
echo 'not a library' >cuda/libcupti.so.12
LD_LIBRARY_PATH=$SCRATCH/cuda
capture '' -n 50
refuses 'no libcupti' 'libcupti: not found'
mkdir -p home/extras/CUPTI/lib64
cp "$TP_BUILD"/t/cuda/libcupti.so.13 home/extras/CUPTI/lib64/libcupti.so.12
CUDA_HOME=$SCRATCH/home
capture '' -n 50
is "$(sum kernel)" 50 "the toolkit's, under CUDA_HOME"
CUDA_HOME=$SCRATCH/none
TP_CUPTI=$SCRATCH/mine.so; export TP_CUPTI
cp "$TP_BUILD"/t/cuda/libcupti.so.13 mine.so
capture '' -n 50
is "$(sum kernel)" 50 'the one that TP_CUPTI names'
unset TP_CUPTI CUDA_HOME
cp "$TP_BUILD"/t/cuda/libcupti.so.13 cuda/libcupti.so.12
capture '' -n 50
is "$(sum kernel)" 50 'version 12 where 13 is no library'
done_testing
