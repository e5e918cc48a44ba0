#!/bin/sh
# tp-window: the case of start-up, checkpoints and one stall; passing on; what
# it says when there is nothing to say.
. "$(dirname "$0")/lib.sh"
plan 31
# stream FROM TO: STEP MS lines on stdin as a stream
stream() {
	awk 'BEGIN { print "{\"kind\":\"head\",\"tp\":1,\"program\":\"tp-time\",\"version\":\"0\",\"host\":\"h\",\"epoch_ns\":\"5\",\"prov\":[]}" }
	NF == 2 { printf "{\"kind\":\"step\",\"rank\":0,\"step\":%d,\"start_ns\":0,\"wall_ns\":%.0f,\"new\":[1]}\n", $1, $2 * 1000000; n++ }
	NF > 2 { print; n++ }
	END { printf "{\"kind\":\"end\",\"records\":%d,\"dropped\":0,\"complete\":true,\"job_status\":0}\n", n }'
}
series() { # the case's series
	awk 'BEGIN { split("9000 400 300 150 120", b)
	for (i = 1; i <= 60; i++) print i, i <= 5 ? b[i] : i % 10 == 0 ? 350 : i == 37 ? 900 : 100 + i % 3 / 10 }'
}
window() { sed -n 's/^{"kind":"window",//p' out; }
key() { window | grep -o "\"$1\":[0-9]*" | head -1 | cut -d: -f2; }

series | stream >s.json
runs 0 'the case of checkpoints and a stall' tp-window -j s.json
first=$(key first_step) n=$(key steps)
ok test "$first" -ge 7 -- 'the window begins after start-up and a step to warm up'
is "$n" 3 'three steps'
hit=$(seq "$first" $((first + n - 1)) | awk '$1 % 10 == 0 || $1 == 37' | wc -l)
is "$((hit))" 0 'none of them periodic or odd'
is "$(key typical_ns)" 100100000 'the typical step is the median'
is "$(key startup_steps)" 5 'start-up is told apart'
holds out '"periodic":\[\{"every":10,"first_step":10,"count":6' 'checkpoints are found'
holds out '"odd":\[37\]' 'the stall too'
holds out '"reason":"one regime, 60 steps: .*confidence high"' 'and it is said in words'
grep '"step"' s.json >want
grep '"step"' out >got
same got want 'records go on unchanged'
is "$(tail -1 out)" "$(sed 's/"records":60/"records":61/' s.json | tail -1)" \
	'the end counts one more'
holds out '"kind":"head".*"program":"tp-window".*"epoch_ns":"5".*"prov":\[\{"program":"tp-window"' 'and the head says who'

cat s.json s.json >two.json
tp-window -j two.json >out
is "$(grep -c '"kind":"window"' out) $(grep -c '"kind":"end"' out)" '2 2' 'a stream each, a window each'
tp-window -j s.json | tp-window -j --active 5 >out
is "$(grep -c '"kind":"window"' out) $(key steps)" '1 5' 'an earlier choice is replaced'
tp-window -j --schedule 7 s.json >out
first=$(key first_step)
is "$(seq "$first" $((first + 2)) | awk '$1 % 7 == 0' | wc -l | tr -d ' ')" 0 '--schedule is avoided'

# as tp-time marks them where another module takes the lead
late() { awk -v to="$1" '/"step":/ { match($0, /"step":[0-9]+/)
	if (substr($0, RSTART + 7, RLENGTH - 7) + 0 <= to) sub(/}$/, ",\"late\":1}") } { print }'; }
awk 'BEGIN { for (i = 1; i <= 40; i++) print i, 10 }' | stream | late 20 >late.json
tp-window -j late.json >out
is "$(key first_step)" 24 'not where steps are known late, nor the one behind, nor to warm up'
holds out 'up to step 20 some were known' 'which is said'
awk 'BEGIN { for (i = 1; i <= 9; i++) print i, 10 }' | stream | late 5 >late.json
tp-window -j late.json >out
is "$(key first_step) $(key steps)" '7 3' 'nor in a short series'

# a host that reads its loss every 10 steps and queues the others: they take the
# device 100 ms each
awk 'BEGIN { for (i = 1; i <= 60; i++)
	printf "{\"kind\":\"step\", \"rank\":0, \"step\":%d, \"wall_ns\":%d,\"device_ns\":%d}\n", i,
		i % 10 ? 2500000 : 977500000, 100000000 + i % 3 * 1000 }' | stream >ahead.json
tp-window -j ahead.json >out
is "$(key typical_ns)" 100001000 'where the host runs ahead the device tells what a step takes'
holds out '"clock":"device"' 'which is said'
holds out '"periodic":\[\],"odd":\[\]' 'and that the host waits every 10 steps is no work at a beat'
tp-window -t ahead.json >out
holds out 'typical step 100 ms on the device, which the host runs ahead of' 'in words, too'

series | head -4 | stream >few.json
runs 1 'under five steps: status 1' tp-window -j few.json
holds err 'no window: 4 steps' 'with a line'
is "$(grep -c '"step"' out)/$(window)" 4/ 'the records pass all the same'
series | head -7 | stream >few.json
tp-window -j few.json >out
is "$(key first_step) $(key steps)" '3 3' 'a short series: steps 3, 4, 5'
holds out 'too few to tell' 'which is said'

head -40 s.json >cut.json
runs 3 'a stream that was cut: status 3' tp-window -j cut.json
holds out '"kind":"window"' 'what came is used'
# an evaluation's line, as tp-time names it in the long steps
series | awk '$1 > 5 && $1 % 10 == 0 { printf "{\"kind\":\"step\",\"rank\":0,\"step\":%d,\"wall_ns\":%.0f, \"lines\": [{\"file\":\"/t.py\",\"line\":31,\"func\":\"main\",\"dur_ns\":1}] }\n", $1, $2 * 1000000; next } { print }' | stream >s.json
tp-window -j s.json >out
holds out '"every":10,"first_step":10,"count":6,"each_ns":[0-9]*,"file":"/t.py","line":31,"func":"main"' 'periodic steps carry their line'
tp-window -t s.json >out
holds out '^ *\^\^+$' 'text marks the window'
