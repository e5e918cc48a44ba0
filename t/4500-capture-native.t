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
		FROM events ORDER BY ts_ns, dur_ns, cat, name, corr;
	SELECT rank, device, idx, name, ts_ns, dur_ns, host_ts_ns, host_dur_ns FROM steps ORDER BY 2, 3;
	SELECT rank, device, ts_ns, allocated, reserved, delta, addr FROM mem ORDER BY ts_ns;
	SELECT corr, op, file, line, func, how FROM kernel_op ORDER BY corr, op;
	SELECT device_name, sms, capacity, events FROM traces;"
}
views() { # STORE: the rows, without what names the input
	for v in 1 2 3 4 5; do
		"tp-view$v" -j "$1" | grep -v '"kind":"\(head\|end\|view1.import\)"'
	done
}
for what in plain; do
	"$PLAY" json $what.txt >$what.json
	runs 0 "$what: the trace" tp-ingest -q --rank 0 -o $what.t.db $what.json
	capture --memory -- "$PLAY" send $what.txt >$what.z 2>err
	is "$?/$(cat err)" 0/ "$what: the capture, without a word"
	runs 0 "$what: its stream" tp-ingest -q --rank 0 -o $what.s.db $what.z
	dump $what.t.db >$what.t; dump $what.s.db >$what.s
	[ "$(grep -c . $what.t)" -gt 100 ]
	t_result $? "$what: there is something to compare"
	same $what.s $what.t "$what: both stores hold the same, to the ns"
	views $what.t.db >$what.tv; views $what.s.db >$what.sv
	[ "$(grep -c . $what.tv)" -gt 20 ]
	t_result $? "$what: the views show something"
	same $what.sv $what.tv "$what: and so do the views"
	for db in t s; do
		for v in 1 2 3 4 5; do "tp-view$v" -z $what.$db.db; done | tp-rank -j |
			grep '"kind":"\(finding\|cleared\)"' >$what.$db.rank
	done
	same $what.s.rank $what.t.rank "$what: and the findings"
done
done_testing
