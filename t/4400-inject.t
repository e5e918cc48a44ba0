#!/bin/sh
# The capture library in a job without a GPU: t/cuda plays CUDA, job the job, capread
# tp-capture's end of the socket.  What comes is what was done.
. "$(dirname "$0")/lib.sh"
. "$TOP/t/inject.sh"

# --- the library as it lies there ---------------------------------------------------
nm -D --defined-only "$LIB" | awk '{ print $3 }' | sort | tr '\n' ' ' >names
is "$(cat names)" 'InitializeInjection InitializeInjectionNvtx2 tp_capture_detach tp_capture_hold tp_capture_leave tp_capture_python tp_capture_range tp_capture_ready tp_capture_release tp_capture_start tp_capture_step tp_capture_stop tp_capture_warm tp_capture_watch ' \
	'it exports its entry points alone'
case $TP_BUILD in
*/asan|*/cov) skip 1 'instrumented' ;;
*)
	nm -D --undefined-only "$LIB" | awk '{ sub("@.*", "", $2); print $2 }' >wants
	lacks wants '^(exit|_exit|_Exit|quick_exit|abort|raise|kill|printf|puts|putchar|perror|fwrite|fputs|fputc|v?fprintf|v?dprintf|syslog|stdout|stderr|signal|sigaction|execve|fork|system|setenv|putenv|__assert_fail)$' \
		'it has no way to print, to end the process or to change its signals'
	;;
esac

# --- counts ---------------------------------------------------------------------------
capture '' -t 4 -n 500 -d 30 -c 20 -p 5 -s 10 -g 6 -q 100 -m 8 -k 7
is "$(job kernels) $(job calls)" '2288 2349' 'the job did what was asked'
is "$(sum kernel) $(sum memset) $(sum sync)" "$(job kernels) $(job sets) 1" \
	'all kernels, sets and waits came'
is "$(sum memcpy)" "$(($(job copies) + $(job peers)))" 'all copies, between devices too'
is "$(sum call)" "$(job calls)" 'each call once: none of a driver inside a runtime call, no query'
is "$(sum hello) $(sum bye) $(sum dropped) $(sum note) $(sum mem)" '1 1 0 0 0' \
	'one hello, one bye, nothing lost'
lacks out '^bad' 'the wire keeps its promises'
is "$(awk '$1 == "call" && $2 ~ /^cu[A-Z]/ { print $2 }' out | sort | uniq -c | xargs)" \
	'120 cuLaunchKernelEx' 'a driver call that stands alone is a call'
is "$(awk '$1 == "op" && $NF == "graph" { n++ } END { print n }' out)" 192 \
	'nodes of graphs are marked'
is "$(awk '$1 == "op" && $2 == "kernel" { print $3 }' out | sort -u | xargs)" \
	"graph_kernel kernel_0 kernel_1 kernel_2 kernel_3 kernel_4 kernel_5 kernel_6 triton_kernel" \
	'kernels have their names'
is "$(awk '$1 == "text" { n[$3]++ } END { for (t in n) if (n[t] > 4) print t }' out)" '' \
	'each text was sent once, or by threads that met it at once'
is "$(awk '$1 == "call" { print $3 }' out | sort -u | wc -l)" 4 'calls belong to four threads'

# --- clocks ---------------------------------------------------------------------------
# an op starts after its call did; all lie between the job's start and now
cat >clock.awk <<'AWK'
function at(key) { for (i = 1; i <= NF; i++) if (index($i, key "=") == 1)
	return substr($i, length(key) + 2) + 0 }
$1 == "call" { start[at("corr")] = at("start"); last = at("end") > last ? at("end") : last
	if (!first || at("start") < first) first = at("start") }
$1 == "op" && $2 != "sync" { n++
	op[n] = at("start"); of[n] = at("corr"); if (at("end") < at("start")) late++ }
END { for (i = 1; i <= n; i++) if (!(of[i] in start)) lone++	# a call's record may come behind its op's
	else if (op[i] < start[of[i]] - 2000000 || op[i] > last) off++
	print n, lone + 0, late + 0, off + 0, (last - first < 60e9) }
AWK
is "$(awk -f clock.awk out)" '2452 0 0 0 1' 'ops have their call, and the same clock as it'

# --- ranges, steps, the window --------------------------------------------------------
capture '' -n 3 -v 8 -o 5 -N
is "$(sum range)" 13 'ranges of NVTX, none from before the link'
is "$(awk '$1 == "range" && $2 == 2 { print $3, $NF }' out | xargs)" \
	'aten::add seq=0 aten::add seq=1 aten::add seq=2 aten::add seq=3 aten::add seq=4' \
	'operators have one name, and their sequence numbers'
is "$(awk '$1 == "range" && $2 == 0 { print $3 }' out | sort | uniq -c | xargs)" \
	'4 inner 4 outer' 'ranges nest'

capture '' -V
is "$(awk '$1 == "range" { sub(/ tid=.*/, ""); sub(/range 0 /, ""); n[$0]++ }
	END { for (r in n) print r "=" n[r] }' out | LC_ALL=C sort | tr '\n' ' ')" \
	'deep=64 domain a=2 domain b=1 plain=1 registered=1 started=1 wide é€😀=1 ' \
	'NVTX in all its ways: domains that cross, wide and registered names, bad ends'
# of three that cross, each ends at its own pop: in the order of their beginnings
is "$(awk '$1 == "range" && /domain a|domain b|plain/ { sub(/ tid=.*/, ""); print $3 $4 }' \
	out | head -3 | xargs)" 'domaina domainb plain' 'domains nest by themselves'
is "$(sum bye)" 1 'and to the end'

capture 'lines,window' -n 20 -W 5:9
is "$(sum kernel) $(sum step) $(job ready)" '5 5 1' 'a window: its launches and steps alone'
is "$(sum call)" 6 'and its calls, with the wait at its end'
is "$(awk '$1 == "step" { print $2 }' out | xargs)" '5 6 7 8 9' 'steps have their numbers'
is "$(awk '$1 == "range" && $2 == 3 { print $3, $7, $NF }' out | sort -u | head -1)" \
	'forward file=model.py:14 open' "what the hook left open ends with the launch, and has its line"
awk 'function at(key) { for (i = 1; i <= NF; i++) if (index($i, key "=") == 1)
		return substr($i, length(key) + 2) + 0 }
	$1 == "call" && $2 ~ /Launch/ { call[++c] = at("start") }
	$1 == "range" && $2 == 3 { range[++r] = at("end") }
	END { for (i = 1; i <= r; i++) n += call[i] == range[i]; print n }' out >ends
is "$(cat ends)" 5 'to the ns of that launch'
capture 'window' -n 20
is "$(sum kernel) $(sum call) $(sum bye) $(sum device)" '0 0 1 0' \
	'a window that never opens: nothing but the link'

# --- a warm-up ------------------------------------------------------------------------
# with pauses, in which each kernel ends: what is sent is the window's, as without
capture 'lines,window' -n 20 -W 9:12 -i 10
summary() { grep -E '^sum (call|op|kernel|range|step|mem|device|dropped|note|bye|lost)' out; grep '^bye' out | cut -d' ' -f3-; }
summary >without
started=$(sum overhead)
capture 'lines,window' -n 20 -W 9:12 -i 10 -U 6
summary >with
is "$(sum kernel) $(sum call) $(sum step)" '4 5 4' 'a warm-up: the window has its launches and steps alone'
same with without 'and all else that it has without one'
is "$started $(sum overhead)" '1 0' "but CUPTI's own start, which lies before it"
capture 'window,memory' -n 9 -W 30:35 -U 25 -c 4 -s 2 -m 2 -g 1 -o 5
is "$(sum call) $(grep -cE '^(op|mem|overhead|range)' out) $(sum dropped) $(grep '^bye' out | cut -d' ' -f3-)" '0 0 0 ' \
	'a warm-up alone: nothing, and nothing is lost'
# the sum is of all texts of the calls, kernels and ranges
[ "$(sum text)" -ge 6 ]
t_result $? 'but names are told in it' || diag "$(sum text)"
# kernels of 20 ms, one behind the other: at the window's begin two of the warm-up are
# still to come, and take its time
capture 'window' -n 8 -W 5:8 -U 2 -l 20000000
is "$(sum kernel) $(sum call)" '6 5' 'what the device still does when it ends is sent, without its call'

capture 'memory' -m 3
is "$(awk '$1 == "mem" { print $2 }' out | xargs)" \
	'1048576 -1048576 1048576 -1048576 1048576 -1048576' 'memory, when asked for'

# --- as it happens --------------------------------------------------------------------
capture '' -n 3 -w 1500 &
pid=$!
sleep 1.2
is "$(grep -c '^op kernel' out)" 3 'what is recorded comes out within a second'
wait $pid

# --- bounds ---------------------------------------------------------------------------
"$TP_BUILD/t/cuda/job" -n 100000 >plain
CAPREAD=-q
capture '' -n 100000
CAPREAD=
got=$(($(job max_rss_kib) - $(sed 's/.*max_rss_kib=//' plain)))
[ "$TSAN" ] || [ $got -lt 65536 ]
t_result $? 'the library takes less than 64 MiB' || diag "$got KiB"
all=$(($(sum kernel) + $(sum call) + $(sum lost_queue) + $(sum lost_cupti)))
[ $all -ge 200001 ] && [ $all -le 200010 ]
t_result $? 'what did not come was counted' || diag "$all of 200001"
CAPREAD=-q
capture '' -n 270000 -k 270000 -w 300 -z 5
CAPREAD=
is "$(sum bye)" 1 'more names than are remembered'
lacks out '^bad' 'those that are used again are sent again'
done_testing
