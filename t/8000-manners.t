#!/bin/sh
# shellcheck disable=SC2086,SC2046,SC3045,SC2164 # the words of a command stand in one variable
# Manners: what every program does alike, whatever it is asked for and however it
# is started.  One table of commands, one list of manners.
. "$(dirname "$0")/lib.sh"
for need in python3 lz4 sqlite3; do
	command -v $need >/dev/null || skip_all "no $need"
done
[ -r "$TP_BUILD/t/fault.so" ] || skip_all 'the shim is not built (make tests)'
export PYTHONDONTWRITEBYTECODE=1 GIT_DIR=/nonexistent
mkdir tmp in
export TMPDIR="$SCRATCH/tmp"

# --- the table -----------------------------------------------------------------
# row PROGRAM: a command that does its job (args, from a folder beside in/), what
# it reads (in; - is stdin), the status of its own failures (own), and whether the
# output holds times (timed)
JOB="env -u LD_PRELOAD python3 -I -S $TOP/t/tools/stand_in.py $SCRATCH/in/rank0.json"
row() {
	own=2 timed='' in=../in/s.db
	case $1 in
	tp-time) own=125 in='' timed=y args="-q -j -- $JOB" ;;
	tp-capture) own=125 in=- timed=y args="-q -j -- $JOB" stdin=steps.lz4 ;;
	tp-window) in=../in/timed.lz4 args="-j $in" ;;
	tp-ingest) in=../in/rank0.json args="-j $in" ;;
	tp-view[1-5]|tp-trace) args="-j $in" ;;
	tp-rank) in=- args=-j stdin=rows.lz4 ;;
	tp-views) args="-o views $in" ;;
	tp-profile) in='' timed=y args="-q -w ws -- $JOB" ;;
	*) return 1 ;;
	esac
	case $1 in tp-trace) args=$in ;; esac
	[ "$in" = - ] || stdin=/dev/null
	case $stdin in /*) ;; *) stdin=$SCRATCH/in/$stdin ;; esac
}

# go [ENV...] -- PROGRAM [ARGS]: in a folder of its own; status in $st, ../out, ../err,
# and $sum is of all that came out
go() {
	pre=
	while [ "$1" != -- ]; do pre="$pre $1"; shift; done
	shift
	prog=$1
	shift
	[ $# -gt 0 ] || set -- $args
	rm -rf w
	mkdir w
	cd w || exit 2
	env $pre $prog "$@" <"${from:-$stdin}" >../out 2>../err
	st=$?
	cd ..
	sum=$(sum_of)
}
sum_of() {
	{
		cat out
		if [ "$timed" ]; then find w -type f | sort; else find w -type f -exec cat {} +; fi
	} | if [ "$timed" ]; then
		sed 's/[0-9][0-9]*/0/g; s|/[^" ]*/tp-[A-Za-z0-9]*/|/tp-/|g; s|rank0[.][^/"]*json|rank0.json|g'
	else
		cat
	fi | cksum
}
# a failure that is told: the status, at least a line, each with the program's name
told() { # STATUS NAME
	[ $st = "$1" ] && [ -s err ] && ! grep -qv '^tp-[a-z0-9]*: ' err
	t_result $? "$prog: $2" || { diag "status $st, want $1"; diag "$(head -5 err)"; }
}
as_ever() { # NAME: the status and bytes of the plain run
	[ "$st $sum" = "0 $ref" ]
	t_result $? "$prog: $1" || { diag "status $st"; diag "$(head -5 err)"; }
}
shim() { # FAULT
	[ -s state ] || head -c 1024 /dev/zero >state
	echo "LD_PRELOAD=$preload TP_FAULT=$1 TP_FAULT_STATE=$SCRATCH/state"
}
case $TP_BUILD in
*asan) preload=$(${CC:-gcc} -print-file-name=libasan.so):$TP_BUILD/t/fault.so ;;
*) preload=$TP_BUILD/t/fault.so ;;
esac

# --- what they read --------------------------------------------------------------
python3 - "$TOP/t/tools" in <<'END' || exit 2
import os, sys
sys.path.insert(0, sys.argv[1])
import hurt
for rank in range(2):
    hurt.small_trace("%s/rank%d.json" % (sys.argv[2], rank), rank, 2, us=900, shift_us=rank)
END
(cd in && tp-ingest -q -o s.db rank0.json rank1.json &&
	for v in 1 2 3 4 5; do tp-view$v -z s.db; done >rows.lz4 &&
	tp-time -q -o timed.lz4 -- $JOB && tp-window -o steps.lz4 timed.lz4) || exit 2

# a name that is all that a name may be
odd='-a b
c"%s.d'

for src in "$TOP"/bin/tp-*; do
	[ ! -h "$src" ] || continue
	prog=$(basename "$src" .c)
	row "$prog" || { t_result 1 "$prog has a row in the table"; continue; }
	case $src in *.c) shell='' ;; *) shell=y ;; esac

	go -- $prog
	ref=$sum
	as_ever 'does its job'
	is "$(ls -A tmp)" '' "$prog: and leaves nothing in TMPDIR"

	# asked for help
	for option in -h -V; do
		go -- $prog $option
		[ $st = 0 ] && [ -s out ] && [ ! -s err ]
		t_result $? "$prog: $option"
		(cd w && $prog $option >/dev/full 2>../err)
		st=$?
		[ "$shell" ] && [ $st != 0 ] || told $own "$option, no room"
	done
	go -- $prog --no-such-option
	[ "$shell" ] || told $own 'an unknown option'
	is "$st,$(wc -c <out)" "$own,0" "$prog: an unknown option is status $own"

	# started oddly
	go -- $prog
	as_ever 'the same bytes twice'
	go LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 TZ=Asia/Kathmandu -- $prog
	as_ever 'in another locale and time zone'
	[ "$shell" ] || { # text for a person does fit it
		go COLUMNS=40 NO_COLOR=1 TERM=vt100 -- $prog
		as_ever 'told of another terminal'
	}
	go -u TMPDIR -- $prog
	as_ever 'without TMPDIR'
	(ulimit -n 64; go -- $prog; [ "$st $sum" = "0 $ref" ])
	t_result $? "$prog: with 64 descriptors"
	# the shell itself knows no closed stdin or stdout
	if [ ! "$shell" ]; then
		[ "$in" = - ] || {
			rm -rf w; mkdir w; cd w || exit 2
			$prog $args <&- >../out 2>../err; st=$?
			cd ..; sum=$(sum_of)
			as_ever 'stdin closed'
		}
		rm -rf w; mkdir w; cd w || exit 2
		$prog $args <$stdin >../out 2>&-; st=$?
		cd ..; sum=$(sum_of)
		as_ever 'stderr closed'
		(cd w && $prog $args <$stdin 2>../err >&-)
		st=$?
		told $own 'stdout closed'
		(cd w && $prog $args <$stdin >/dev/full 2>../err)
		st=$?
		told $own 'no room'
		go $(shim 'read:1+:one') -- $prog
		as_ever 'a byte at each read'
		go $(shim 'write:1+:one') -- $prog
		as_ever 'a byte at each write'
		# nobody reads; and that SIGPIPE was ignored is not ours to keep.  The
		# job of one that runs one goes on, and a line tells
		want=141,0
		[ $own != 125 ] || want=0,1
		for ignore in : "trap '' PIPE"; do
			(eval "$ignore"; cd w
			{ sleep 0.1; $prog $args <$stdin 2>../err; echo $? >../st; } | :)
			is "$(cat st),$(wc -l <err)" "$want" "$prog: the reader is gone ($ignore)"
		done
	fi
	is "$(ls -A tmp)" '' "$prog: nothing is left in TMPDIR"

	# what it reads is empty, absent, a folder, or oddly named
	case $prog in
	tp-time|tp-profile) continue ;;
	esac
	: >empty
	if [ "$in" = - ]; then
		from=$SCRATCH/empty
		go -- $prog
		from=
	else
		go -- $prog $(echo $args | sed "s|$in|../empty|")
	fi
	[ $st = $own ] || [ $st = 3 ]
	t_result $? "$prog: empty input is a failure" || diag "status $st"
	is "$([ -s err ] && ! grep -v '^tp-' err)" '' "$prog: and told"
	[ "$in" != - ] || continue
	for name in nowhere .; do
		go -- $prog $(echo $args | sed "s|$in|$name|")
		told 2 "input that is ${name#.}${name#nowhere}"
	done
	cp "in/${in##*/}" "./$odd"
	rm -rf w; mkdir w; cd w || exit 2
	case $prog in
	tp-views) $prog -o "$odd" -- "../$odd" >../out 2>../err ;;
	tp-trace) $prog -o "$odd" -- "../$odd" >../out 2>../err ;;
	tp-ingest) $prog -q -o "$odd" -- "../$odd" >../out 2>../err ;;
	*) $prog -t -o "$odd" -- "../$odd" >../out 2>../err ;;
	esac
	st=$?
	cd ..
	is "$st,$(wc -c <err),$(find w ! -name '*.txt' -print0 | tr -cd '\0' | wc -c)" 0,0,2 "$prog: an odd name of input and output" ||
		diag "$(cat err)"
	rm -f "./$odd"
done

# --- a folder that is not to be written in -----------------------------------------
# root may write anywhere
as=
if [ "$(id -u)" = 0 ]; then as='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all'; fi
chmod 755 "$SCRATCH"
chmod 777 tmp
# what counts the lines writes beside the objects else
case $TP_BUILD in */cov) mkdir -m 777 gcov; export GCOV_PREFIX="$SCRATCH/gcov" ;; esac
mkdir -p shut/views
cp in/s.db shut
chmod -R a+rX in shut
chmod 555 shut shut/views
for prog in tp-window tp-ingest tp-view1 tp-view2 tp-view3 tp-view4 tp-view5 tp-rank tp-trace tp-time \
	tp-capture tp-views tp-profile; do
	row $prog
	if ! $as $prog -V >/dev/null 2>&1; then skip 2 'nobody cannot run the programs'; continue; fi
	before=$(ls -lR shut | cksum)
	case $prog in
	tp-time|tp-capture) set -- -q -o "$SCRATCH/shut/x" -- true ;;
	tp-profile) set -- -q -w "$SCRATCH/shut/ws" -- true ;;
	tp-views) set -- -o "$SCRATCH/shut/views" in/s.db ;;
	tp-ingest) set -- -q -o "$SCRATCH/shut/s.db" in/rank1.json ;;
	tp-window) set -- -o "$SCRATCH/shut/x" in/timed.lz4 ;;
	tp-rank) set -- -o "$SCRATCH/shut/x" ;;
	*) set -- -o "$SCRATCH/shut/x" in/s.db ;;
	esac
	[ $prog != tp-capture ] || set -- -q -d "$SCRATCH/shut/x" --window 3:4 -- true
	$as $prog "$@" <$stdin >out 2>err
	st=$?
	[ $prog = tp-profile ] && [ $st = 2 ] || told $own 'where nothing may be written'
	is "$(ls -lR shut | cksum)" "$before" "$prog: and nothing is"
done
row tp-view1
if $as tp-view1 -V >/dev/null 2>&1; then
	is "$(cd shut && $as tp-view1 -j s.db 2>&1 | cksum)" "$(cd in && tp-view1 -j s.db | cksum)" \
		'a store is read where nothing may be written'
else
	skip 1 'nobody cannot run the programs'
fi
chmod -R u+w shut
is "$(ls -A tmp)" '' 'nothing is left in TMPDIR'
done_testing
