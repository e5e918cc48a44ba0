#!/bin/sh
# Engine cupti without a GPU: wireplay stands in for the capture library.  What it
# sends gives the stream, the store, the views and the report that a trace of
# torch.profiler of the same events gives, to the ns.
. "$(dirname "$0")/lib.sh"
PLAY=$TP_BUILD/t/wireplay
[ -x "$PLAY" ] || skip_all 'no wireplay (make tests)'
mkdir -p bin lib share tmp
cp "$TP_BUILD/bin/tp-capture" bin/
: >lib/libtpcapture.so
ln -s "$TOP/share" share/tp
TMPDIR=$SCRATCH/tmp
export TMPDIR
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
CAPTURE=$SCRATCH/bin/tp-capture
capture() { "$CAPTURE" --engine cupti "$@"; }

# Three steps of three launches, a copy each way and a read-back, by one thread, and
# the backward pass by another.
describe() { # FRAMES: with stacks or without
	cat <<-END
	hello 4711 1790857026123456789
	device 0 132 150109880320 NVIDIA H200
	END
	[ -z "$1" ] || cat <<-END
	code 1 60 /home/u/train.py main
	code 2 38 /home/u/train.py grad_norm
	code 3 100 /usr/lib/python3.12/site-packages/torch/_tensor.py item
	stack 1 1:67
	stack 2 2:42 1:68
	stack 3 3:120 2:43 1:68
	END
	awk -v frames="$1" 'function call(tid, name, len, stack) {
			printf "call %d runtime %d %d %d %d %s\n", tid, t, t + len, ++corr,
				frames ? stack : 0, name
			t += len + 1501 }
		function op(what, len, words) {
			g = g > t - 900 ? g + 137 : t - 900
			printf "%s %d %d %d 0 7 %s\n", what, g, g + len, corr, words; g += len }
		BEGIN { g = 0; for (s = 1; s <= 3; s++) { from = t
			call(11, "cudaMemcpyAsync_v3020 | cudaMemcpyAsync", 9003, 1)
			op("memcpy", 3001, "4096 1 1 3 | Memcpy HtoD (Pageable -> Device)")
			call(11, "cudaMemsetAsync_ptsz_v7000 | cudaMemsetAsync", 3002, 1)
			op("memset", 801, "4096 3 | Memset (Device)")
			for (i = 0; i < 12; i++) {
				call(i < 9 ? 11 : 12, "cudaLaunchKernel", 4007, i < 9 ? 2 : 0)
				op("kernel", 7001 + i, "264 _Z6kernelIfEvPT_i | void kernel<float>(float*, int)") }
			call(11, "cuLaunchKernelEx", 2005, 1)
			op("kernel", 90011, "132 ncclDevKernel_AllReduce_Sum_bf16_RING_LL")
			call(11, "cudaMemcpyAsync", 5003, 3)
			op("memcpy", 1201, "4 2 3 2 | Memcpy DtoH (Device -> Pinned)")
			call(11, "cudaStreamSynchronize", 120000, 3)
			printf "sync %d %d %d 0 7 3 | Stream Sync\n", t - 100000, t - 2000, corr
			printf "overhead %d %d Buffer Flush\n", t + 100, t + 900
			t += 200000
			printf "range 11 1 %d %d -1 Optimizer.step#SGD.step\n", t - 50000, t - 20000
			printf "range 11 2 %d %d %d aten::add\n", from + 100, from + 300, s
			if (!frames) printf "mem 11 %d 2097152 4096 0 3 %d\n", t - 9, s * 2097152
			printf "step 11 %d %d %d\n", s, from, t } }'
	[ -n "$1" ] || echo 'kernel 0 0 77 0 7 1 lost_times'
	echo bye
}
describe '' >plain.txt
describe y >frames.txt

# --- one description, both ways ---------------------------------------------------
dump() { # STORE: all that the two know
	sqlite3 "$1" "SELECT rank, device, stream, pid, tid, cat, name, ts_ns, dur_ns, corr, nbytes
		FROM events ORDER BY ts_ns, dur_ns, cat, name, corr, rank;
	SELECT rank, device, idx, name, ts_ns, dur_ns, host_ts_ns, host_dur_ns FROM steps ORDER BY 1, 2, 3;
	SELECT rank, device, ts_ns, allocated, reserved, delta, addr FROM mem ORDER BY ts_ns, rank;
	SELECT corr, op, file, line, func, how FROM kernel_op ORDER BY corr, op, rank;
	SELECT device_name, sms, capacity, events FROM traces ORDER BY rank;"
}
views() { # STORE: the rows, without what names the input
	for v in 1 2 3 4 5; do
		"tp-view$v" -j "$1" | grep -v '"kind":"\(head\|end\|view1.import\)"'
	done
}
"$PLAY" json plain.txt >plain.json
runs 0 "plain: the trace" tp-ingest -q --rank 0 -o plain.t.db plain.json
capture --memory -- "$PLAY" send plain.txt >plain.z 2>err
is "$?/$(cat err)" 0/ "plain: the capture, without a word"
runs 0 "plain: its stream" tp-ingest -q --rank 0 -o plain.s.db plain.z
dump plain.t.db >plain.t; dump plain.s.db >plain.s
[ "$(grep -c . plain.t)" -gt 100 ]
t_result $? "plain: there is something to compare"
same plain.s plain.t "plain: both stores hold the same, to the ns"
views plain.t.db >plain.tv; views plain.s.db >plain.sv
[ "$(grep -c . plain.tv)" -gt 20 ]
t_result $? "plain: the views show something"
same plain.sv plain.tv "plain: and so do the views"
for db in t s; do
	for v in 1 2 3 4 5; do "tp-view$v" -z plain.$db.db; done | tp-rank -j |
		grep '"kind":"\(finding\|cleared\)"' >plain.$db.rank
done
same plain.s.rank plain.t.rank "plain: and the findings"

# --- memory of a job that has an allocator of its own ------------------------------
# CUDA tells what was reserved of it; what was allocated must look like nothing
sed '1s/$/ python/' plain.txt >python.txt
capture --memory -- "$PLAY" send python.txt 2>err | tp-ingest -q -o reserved.db
is "$(sqlite3 reserved.db 'SELECT count(allocated), max(reserved) FROM mem')" '0|6291456' \
	'Python in the process: reserved is known, allocated is not'
tp-view5 -j reserved.db >reserved
is "$(grep -c allocated reserved)/$(grep -c '"kind":"view5.step"' reserved)" 0/0 'no row says allocated'
holds reserved '"peak_reserved_bytes":6291456,.*"headroom_bytes":150103588864,"flags":\["reserved_only"\]' \
	'the device has peak and headroom of what was reserved'
tp-view5 -t reserved.db >out
holds out '^  peak allocated unknown, peak reserved 6.00 MiB$' 'the text says what is unknown'
report() { for v in 1 2 3 4 5; do "tp-view$v" -z "$1"; done | tp-rank -t | tr '\n' ' '; }
report reserved.db >out
holds out 'at most 6.00 MiB reserved of .*; how much of it was allocated is not known' 'so does the report'
capture --memory --window 1:3 -- "$PLAY" send python.txt 2>err | tp-ingest -q -o changes.db
report changes.db >out
holds out 'Memory of device 0: changes alone were recorded' 'in a window changes are all'
tp-view5 -t changes.db >out
holds out '^  of what CUDA gave out;' 'whose they are is said'
report plain.s.db >out
lacks out 'not known|not recorded' 'all of it is known of another program'

# --- frames ---------------------------------------------------------------------
# What merging must give stands beside what was sent, as `python` and `annotation`.
cat >frames.txt <<'END'
hello 4711 1790857026123456789
code 1 60 /home/u/train.py main
code 2 38 /home/u/model.py Net.forward
code 3 90 /opt/lib/python3.12/site-packages/torch/nn/functional.py linear
code 4 7 /home/u/train.py log
stack 1 1:67
stack 2 3:95 2:42 1:67
stack 3 3:95 2:43 1:67
stack 4 4:9 1:68
stack 5 3:99
# one call of forward, two of linear, from two lines
call 11 runtime 1000 2000 1 1 cudaLaunchKernel
call 11 runtime 3000 4000 2 2 cudaLaunchKernel
call 11 runtime 5000 6000 3 2 cudaLaunchKernel
call 11 runtime 7000 8000 4 3 cudaLaunchKernel
kernel 9000 9900 4 0 7 132 some_kernel
kernel 10000 10900 9 0 7 132 some_kernel
python 11 1000 2000 /home/u/train.py(67): main [line]
python 11 2000 8000 /home/u/model.py(38): Net.forward
python 11 2000 6000 /opt/lib/python3.12/site-packages/torch/nn/functional.py(90): linear
python 11 2000 6000 /home/u/model.py(42): Net.forward [line]
python 11 6000 8000 /opt/lib/python3.12/site-packages/torch/nn/functional.py(90): linear
python 11 6000 8000 /home/u/model.py(43): Net.forward [line]
# another thread: no code of the user's, and a call without a stack between
call 12 runtime 3500 3600 5 5 cudaLaunchKernel
call 12 runtime 3700 3800 6 0 cudaLaunchKernel
call 12 runtime 3900 4000 7 5 cudaLaunchKernel
python 12 3500 4000 /opt/lib/python3.12/site-packages/torch/nn/functional.py(90): linear
# 1 ms later at most: the line reaches back; later it does not, main goes on
call 11 runtime 1008000 1009000 8 4 cudaLaunchKernel
python 11 8000 1009000 /home/u/train.py(7): log
python 11 8000 1009000 /home/u/train.py(9): log [line]
call 11 runtime 2009001 2010000 9 4 cudaLaunchKernel
python 11 2009001 2010000 /home/u/train.py(9): log [line]
call 11 runtime 5000000 5001000 10 1 cudaLaunchKernel
python 11 5000000 5001000 /home/u/train.py(67): main [line]
python 11 1000 5001000 /home/u/train.py(60): main
line 11 8000 1008000 30 /home/u/wait.py hold | /home/u/wait.py(30): hold [line]
line 11 8500 1007000 280 /opt/site-packages/torch/_tensor.py backward | /opt/site-packages/torch/_tensor.py(280): backward
range 11 0 100 900 -1 an NVTX range
bye
END
sed -i 's/^python 11 8000 1009000 .*log$/python 11 8000 2010000 \/home\/u\/train.py(7): log/' frames.txt
"$PLAY" json frames.txt >frames.json
tp-ingest -q -o frames.t.db frames.json
capture -- "$PLAY" send frames.txt 2>err | tp-ingest -q -o frames.s.db
dump frames.t.db >frames.t; dump frames.s.db >frames.s
is "$(grep -c '|python|' frames.t)" 14 'frames: there are some'
report frames.s.db >out
holds out 'What memory the job took was not recorded[.]' 'no memory is no memory used'
same frames.s frames.t 'frames: merged as they should be, lines and threads'
holds frames.s '^4\|.*\|/home/u/model.py\|43\|Net.forward\|line' 'a launch has its executing line'
capture --no-lines -j -- printenv TP_CAPTURE_OPTS >out 2>err
is "$(head -1 err)" '' '--no-lines asks for none'
capture --memory -j -- printenv TP_CAPTURE_OPTS >out 2>err
is "$(head -1 err)" 'lines,memory' 'else lines'

# --- while the job runs -----------------------------------------------------------
sed '/^bye/d' plain.txt >live.txt
printf 'mark sent\nwait heard\nbye\n' >>live.txt
ms() { echo $(($(date "$@" +%s%N) / 1000000)); }
# once of three times: a machine that is busy may hold anybody up for a second
for try in 1 2 3; do
	rm -f sent heard
	capture -- "$PLAY" send live.txt 2>err | tp-ingest -q -j 2>/dev/null | {
		grep -m1 -q '"kind":"event"'
		ms >first
		touch heard
		cat >rest
	}
	took=$(($(cat first) - $(ms -r sent)))
	[ $took -ge 1000 ] || break
done
[ $took -lt 1000 ]
t_result $? 'an event is there within a second, while the job runs' || diag "$try: $took ms"
"$PLAY" send plain.txt 2>/dev/null
is $? 1 'wireplay by itself has nobody to tell'
capture -j -- "$PLAY" send plain.txt by 7 2>err >slow.json
capture -j -- "$PLAY" send plain.txt 2>err >fast.json
sed 1d slow.json >a; sed 1d fast.json >b
same a b 'pieces of 7 bytes are the same records'

# --- memory -------------------------------------------------------------------------
for n in 20 1000; do
	"$TP_BUILD/t/measure" "$CAPTURE" --engine cupti -- "$PLAY" steps $n 3>m >steps.$n 2>err
	cut -d' ' -f3 m >rss.$n
done
# the sanitizer keeps what was freed for a while
case $TP_BUILD in */asan) more=65536 ;; *) more=2048 ;; esac
[ "$(cat rss.1000)" -lt $(($(cat rss.20) + more)) ]
t_result $? 'memory does not grow with the steps' || diag "$(cat rss.20 rss.1000)"
is "$(tp-ingest -j steps.1000 2>/dev/null | grep -c '"name":"cudaLaunchKernel"')" 100000 'and all is there'

# --- several processes --------------------------------------------------------------
# it stays for a second: its environment is read where it still is
sed 's/4711/4712/; s/^bye/mark heard\nwait late\nbye/' plain.txt >second.txt
cat >two.sh <<END
rm -f sent heard late
(sleep 1; : >late) &
RANK=1 WORLD_SIZE=2 "$PLAY" send live.txt &
while ! [ -e sent ]; do sleep 0.02; done
RANK=0 WORLD_SIZE=2 "$PLAY" send second.txt
wait
exit 7
END
runs 7 'two processes: the status is the job'"'"'s' "$CAPTURE" --engine cupti -j -- sh two.sh
is "$(grep -c '"kind":"head"' out)/$(grep -c '"complete":true' out)" 2/2 'a segment each, the second behind'
is "$(grep -o '"kind":"run","rank":[01],"rank_from":"content","world_size":2' out | tr -dc '01\n' | tr '\n' ' ')" '1 0 ' \
	'with the ranks that their environment has'
tp-ingest -q -o two.db out
is "$(sqlite3 two.db 'SELECT rank, count(*) FROM steps GROUP BY rank' | tr '\n' ' ')" '0|3 1|3 ' 'a store of both'
runs 7 'into a folder' "$CAPTURE" --engine cupti -d two -- sh two.sh
is "$(cd two && echo .[!.]* rank*)" ".[!.]* rank0.$(hostname).4712.tp.lz4 rank1.$(hostname).4711.tp.lz4" \
	'a file each, nothing else'
runs 0 'which are streams' tp-ingest -q -o files.db two/rank*
dump two.db >a; dump files.db >b
same b a 'of the same'

# --- what goes wrong ----------------------------------------------------------------
end() { sed -n 's/.*\("complete":[a-z]*\).*/\1/p' "$1" | tr '\n' ' '; }
sed 's/^bye/die/' plain.txt >killed.txt
runs 137 'a process that is killed' "$CAPTURE" --engine cupti -j -- "$PLAY" send killed.txt
is "$(end out)" '"complete":false ' 'its stream is not complete'
holds err '1 process ended without a word' 'which is told'
is "$(grep -c '"kind":"event"' out)" "$(grep -c '"kind":"event"' fast.json)" 'what came is there'
"$PLAY" wire plain.txt >plain.wire
size=$(wc -c <plain.wire)
for cut in 8 39 41 700 $((size - 1)); do
	capture -j -- "$PLAY" send plain.txt cut $cut >out 2>err
	echo "$?/$(tail -1 out | grep -c '"complete":false')" >>cuts
done
is "$(tr '\n' ' ' <cuts)" '125/1 125/1 125/1 0/1 0/1 ' 'cut anywhere: not complete'
sed 's/^bye/early/' plain.txt >early.txt
runs 0 'a process in which recording ended early' "$CAPTURE" --engine cupti -j -- "$PLAY" send early.txt
is "$(end out)" '"complete":false ' 'its stream is not complete'
lacks err 'without a word' 'though it was taken leave of'
sed 's/^bye/dropped 3 4\nnote a word to the person\nnote a word to the person\nbye/' plain.txt >dropped.txt
runs 0 'records that were dropped' "$CAPTURE" --engine cupti -j -- "$PLAY" send dropped.txt
is "$(end out)$(grep -o '"dropped":7,"complete"' out)" '"complete":false "dropped":7,"complete"' 'are in the end'
holds err '7 records dropped' 'and told'
is "$(grep -c 'a word to the person' err)" 1 'what the library says is told once'
sed 's/^bye/bye 3/' plain.txt >missing.txt
runs 0 'records that were sent and did not come' "$CAPTURE" --engine cupti -j -- "$PLAY" send missing.txt
is "$(end out)$(grep -o '"dropped":3,"complete"' out)" '"complete":false "dropped":3,"complete"' 'the end counts them'
holds err '^tp-capture: 3 records are missing' 'which is told'
sed 's/^bye/bye -3/' plain.txt >surplus.txt
runs 0 'a count that is too small' "$CAPTURE" --engine cupti -j -- "$PLAY" send surplus.txt
is "$(end out)" '"complete":false ' 'is none'
sed 's/^bye/unknown 11 5000 6000\nbye/' plain.txt >unknown.txt
runs 0 'a name that nobody told' "$CAPTURE" --engine cupti -j -- "$PLAY" send unknown.txt
is "$(end out)$(grep -c '"name":"(name lost)"' out)" '"complete":false 1' 'is said to be lost where it stood'
holds err '^tp-capture: 1 name of calls, kernels or frames lost' 'and at the end'
# room for the links of some of twelve processes
cat >many.sh <<END
i=0; rm -f here.*
there() { ls here.* 2>/dev/null | wc -l; }
while [ \$i -lt 12 ]; do
	sed "s/4711/\$((5000 + i))/; s/^bye/mark here.\$i\nwait all\nbye/" plain.txt >many.\$i
	{ "$PLAY" send many.\$i; : >here.\$i; } &
	i=\$((i + 1))
done
i=0
# all have called, or were turned away; then those that call are heard
while [ \$(there) -lt 12 ] && [ \$i -lt 100 ]; do i=\$((i + 1)); sleep 0.1; done
sleep 1; : >all; wait; exit 5
END
runs 5 'no descriptor for a process' sh -c "ulimit -n 20; exec '$CAPTURE' --engine cupti -j -- sh many.sh"
# which of the two needs a descriptor first is a matter of the moment
holds err '^tp-capture: ([0-9]+ process(es)? not recorded: too many at once|.*: Too many open files)' \
	'is told'
# more processes at a time than are heard: 1024 (NATIVE_LINKS_MAX) of 1029
cat >crowd.pl <<'END'
use Socket;
alarm 20;
for my $i (1 .. 1029) {
	socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
	connect($s, pack_sockaddr_un("$ENV{TP_CAPTURE}/c")) or die "connect: $!";
	push @held, $s;
}
# the last ones are turned away at once, the others not
sysread($_, $byte, 1) and die for @held[1024 .. 1028];
$SIG{ALRM} = sub { exit 0 };
alarm 1;
sysread($held[1023], $byte, 1);
die "the last that there is room for was turned away";
END
# shellcheck disable=SC3045 # dash and bash have it
if (ulimit -n 2100) 2>/dev/null; then
	runs 5 'more processes than are heard' sh -c "ulimit -n 2100; exec '$CAPTURE' --engine cupti -j -- \
		sh -c 'perl crowd.pl && sleep 0.5 && \"$PLAY\" send plain.txt && exit 5'"
	is "$(grep -v 'status 5' err)" 'tp-capture: 5 processes not recorded: too many at once' 'is told, with their number'
	is "$(end out)$(grep -c '"kind":"event"' out)" "\"complete\":true $(grep -c '"kind":"event"' fast.json)" \
		'when they have gone there is room again'
else
	skip 3 'no 2100 descriptors to be had'
fi
# every byte of a head, and of a hello: wrong in three ways
i=0
while [ $i -lt 64 ]; do
	for byte in '\000' '\377' '\101'; do
		{ head -c $i plain.wire; printf '%b' "$byte"; tail -c +$((i + 2)) plain.wire; } >bad.$i.$byte
		printf '"%s" raw "bad.%d.%s"\n' "$PLAY" $i "$byte"
	done
	i=$((i + 1))
done >bad.sh
printf 'echo went on >&2\n' >>bad.sh
runs 0 'bytes that nobody should send' "$CAPTURE" --engine cupti -j -- sh bad.sh
holds err '^went on$' 'the job goes on'
lacks err 'rror|verflow' 'and nothing of ours does not'
# some were names, which are missing now
mv out bytes.json
runs 3 'what comes of it is a stream' tp-ingest -q -n bytes.json
rm -f bad.*
runs 0 'nobody reads on' sh -c "{ '$CAPTURE' --engine cupti -j -- '$PLAY' steps 300; echo \$? >st; } | head -c 1000 >/dev/null"
is "$(cat st)" 0 'the job ends as it would'
# the first process has ended, the reader goes, and two are on their way to TMPDIR: one
# goes on, and one is silent
cat >deaf.sh <<END
"$PLAY" send live.txt &
echo \$! >first.pid
while ! [ -e sent ]; do sleep 0.02; done
"$PLAY" send later.txt &
"$PLAY" send silent.txt &
while ! [ -e later ] || ! [ -e silent ]; do sleep 0.02; done
first=\$(cat first.pid); : >heard; wait \$first; sleep 0.5; : >gone
i=0
while [ -n "\$(find "$TMPDIR" -name 'segment.*')" ] && [ \$i -lt 50 ]; do i=\$((i + 1)); sleep 0.1; done
find "$TMPDIR" -name 'segment.*' >left
: >on; wait; exit 4
END
rm -f sent heard gone on
sed '/^bye/d; s/4711/4712/' plain.txt >later.txt
{ sed 's/4712/4713/' later.txt; printf 'mark silent\nwait on\nbye\n'; } >silent.txt
printf 'mark later\nwait gone\nstep 11 9 1 2\nmark more\nwait on\nbye\n' >>later.txt
{ "$CAPTURE" --engine cupti -j -- sh deaf.sh 2>err; echo $? >st; } |
	{ while ! [ -e later ] || ! [ -e silent ]; do sleep 0.02; done; head -c 100 >/dev/null; }
is "$(cat st)/$(cat left)" 4/ 'what waits for its turn goes with the reader'
runs 125 'a disk that is full' sh -c "'$CAPTURE' --engine cupti -j -- '$PLAY' send plain.txt >/dev/full"
is "$(grep -c . err)" 1 'is told in a line'

# --- one line for each ----------------------------------------------------------------
told() { # STATUS RE NAME WORDS
	runs "$1" "$3" "$CAPTURE" --engine cupti "$4" -- sh -c 'echo out; echo err >&2'
	is "$(grep -c . err)" "$5" "$3: a line"
	holds err "$2" "$3: the one"
}
told 125 'the capture library was not started: no process of the job used CUDA' 'no CUDA' -j 3
CUDA_INJECTION64_PATH=/x/other.so
export CUDA_INJECTION64_PATH
told 0 'CUDA_INJECTION64_PATH is set to /x/other.so' 'a tool of the user' -j 3
unset CUDA_INJECTION64_PATH
mv lib nolib
told 125 'libtpcapture.so: not found' 'no library' -j 3
runs 125 'no library, asked' "$CAPTURE" --engine cupti --check
holds err '^tp-capture: lib/libtpcapture.so: not found' 'is the same'
mv nolib lib
runs 125 'both engines' "$CAPTURE" --engine both -- true
holds err 'only one of them can have CUPTI' 'are refused'
runs 125 'an option of the other engine' "$CAPTURE" --engine cupti --shapes -- true
runs 125 'a bad expression' "$CAPTURE" --engine cupti --step-nvtx '(' -- true
runs 3 'the output of the job' "$CAPTURE" --engine cupti -q -d d -- sh -c "'$PLAY' send plain.txt; cat; echo err >&2; exit 3" <two.sh
same out two.sh 'is as it was with -d, stdin too'
is "$(cat err)" err 'and its stderr'
sed 's/^range 11 1 \([0-9]*\) \([0-9]*\) -1 .*/range 11 0 \1 \2 -1 iteration 7/; /^step/d' plain.txt >nvtx.txt
capture --step-nvtx '^iter' -- "$PLAY" send nvtx.txt | tp-ingest -q -o nvtx.db
is "$(sqlite3 nvtx.db 'SELECT name FROM steps' | tr '\n' ' ')" 'ProfilerStep#1 ProfilerStep#2 ProfilerStep#3 ' \
	'steps by NVTX ranges'
is "$(find tmp -mindepth 1)" '' 'nothing of ours is left'
done_testing
