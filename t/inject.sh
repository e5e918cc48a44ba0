# inject.sh - what the tests of the capture library share.
#	capture OPTS JOBOPTION...   a job under the library, TP_CAPTURE_OPTS=OPTS: ./out
#	                            has capread's lines and the job's, ./err the rest;
#	                            $CAPREAD its options
#	job KEY                     a count that the job said
#	sum TYPE                    how many records of a type came
# shellcheck shell=sh
LIB=$TP_BUILD/lib/libtpcapture.so
JOB=$TP_BUILD/t/cuda/job
[ -e "$LIB" ] || skip_all 'no capture library: no headers of CUDA'
[ -x "$JOB" ] || skip_all 'no t/cuda (make tests)'
CAPREAD=
# a forked child of a process with threads has no say in what they hold
ASAN_OPTIONS=detect_leaks=0:$ASAN_OPTIONS
LD_LIBRARY_PATH=$TP_BUILD/t/cuda
export LD_LIBRARY_PATH
unset TP_CUPTI
CUDA_HOME=$SCRATCH/no-cuda # a real one would stand in for ours that fails
export CUDA_HOME

# the thread sanitizer changes what is measured of time and memory, and must not
# mind that the job closes an fd of ours (job -X)
TSAN=
case $TP_BUILD in
*/tsan)
	TSAN=1 TSAN_OPTIONS=suppressions=$SCRATCH/tsan.supp:$TSAN_OPTIONS
	echo 'race:^main$' >tsan.supp
	;;
esac

capture() {
	t_opts=$1
	shift
	mkdir -p link
	rm -f link/c
	# shellcheck disable=SC2086 # options, one a word
	TP_CAPTURE=$SCRATCH/link TP_CAPTURE_OPTS=$t_opts CUDA_INJECTION64_PATH=$LIB \
		NVTX_INJECTION64_PATH=$LIB \
		"$TP_BUILD/t/capread" $CAPREAD link "$JOB" "$@" >out 2>err
}
job() { sed -n "s/^kernels=/ &/; s/.* $1=\([0-9-]*\).*/\1/p" out; }
sum() { awk -v type="$1" '$1 == "sum" && $2 == type { print $3 }' out; }
