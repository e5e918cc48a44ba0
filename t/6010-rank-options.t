#!/bin/sh
# tp-rank: options, what is missing, what is damaged.
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"
in=$TOP/t/golden/rank-train/in

view() { # N...: the streams of these views
	for v_n in "$@"; do
		awk -v v="tp-view$v_n" '/"kind":"head"/ { on = index($0, "\"" v "\"") } on' "$in"
	done
}

# views that are not there
view 1 2 3 >some
runs 3 'a missing view is status 3' tp-rank -t some
is "$(cat err)" 'tp-rank: no rows of tp-view4, tp-view5: what they show was not looked at' 'they are named'
holds out '\*\*Not looked at\*\*: overlap and exposure \(view 4\), memory \(view 5\)' 'the report says so'
lacks out 'Communication outside|memory left at the peak' 'and claims nothing of them'
runs 0 '--only makes it meant' tp-rank -t --only 1,2,3 some
is "$(cat err)" '' 'and silent'
runs 3 '--only 4 of rows without it' tp-rank -t --only 4 some
runs 2 '--only 6' tp-rank --only 6 some
runs 2 '--only 1,' tp-rank --only 1, some
view 2 >two
runs 0 'view 2 alone' tp-rank -t --only 2 two
holds out 'tiny-kernels' 'has idle findings'
lacks out 'float32-matmul|Double precision' 'and nothing of kernels'
holds out 'idle 180 ms of a step of 180 ms' 'rows without a wall: what is idle is all that is known'
sed 's/"device":"0","idle_ns":180000000/"device":"0","wall_ns":240000000,"idle_ns":180000000/' two >walled
runs 0 'view 2 alone, with its wall' tp-rank -t --only 2 walled
holds out 'idle 180 ms of a step of 240 ms' 'a step is not all idle'

# nothing at all to rank
runs 2 'no record' tp-rank -t /dev/null
is "$(cat out err)" 'tp-rank: /dev/null: cut short: no record came' 'is one line and no report'
for v in 1 2 3 4 5; do
	echo "{\"kind\":\"head\",\"tp\":1,\"program\":\"tp-view$v\",\"epoch_ns\":\"0\",\"prov\":[]}"
done >heads
runs 2 'heads of views that failed' tp-rank -t heads
is "$(cat out err)" 'tp-rank: heads: cut short: 5 heads with no record and no end' 'so are they'
sed 's/$/\n{"kind":"end","records":0,"dropped":0,"complete":true}/' heads >bare
runs 0 'views that had nothing to show' tp-rank -t bare
holds out 'Nothing to judge' 'are no steps'

# cut and damaged streams
sed '$d' "$in" >cut.rec
runs 3 'a stream with no end' tp-rank -t cut.rec
holds out 'float32-matmul' 'is used as far as it came'
sed '3s/^.//' "$in" >broken
runs 3 'a line that is no record' tp-rank -t broken
sed 's/"idle_ns":60000000,"host/"idle_ns":1,"host/' "$in" >less
runs 2 'more charged than there was' tp-rank -t less
holds err 'view2.site adds up to .* ns, view1.step has .* ns' 'with the numbers'
sed 's/"cost_ns":45000000/"cost_ns":44000000/' "$in" | cat - "$in" >both
runs 3 'one key, two values' tp-rank -t both
holds err '^tp-rank: 1 row left out: the key of another and other values$' 'is said'
runs 2 'no such file' tp-rank -t nowhere

# output
echo old >kept
runs 2 'a failure' tp-rank -t -o kept less
is "$(cat kept)" old 'leaves the output file alone'
runs 0 'an output file' tp-rank -t -o report.md "$in"
is "$(wc -c <out)" 0 'stdout stays empty'
holds report.md '^# Why the job is slow' 'the file has the report'
runs 2 'a full device' sh -c 'tp-rank -t "$1" >/dev/full' - "$in"

# records of others pass, as a stream of their own
view 1 2 3 5 >mine
cat >others <<'END'
{"kind":"head","tp":1,"program":"tp-other","version":"0.1","epoch_ns":"5","prov":[]}
{"kind":"strange","start_ns":7,"x":[1,{"y":2}]}
{"kind":"end","records":1,"dropped":0,"complete":true}
END
cat mine others >all
runs 2 'none but unknown records' tp-rank -t others
is "$(cat out err)" 'tp-rank: no rows of a view came: they are made of a store, as in tp-view1 store.db' \
	'are nothing to rank'
runs 0 'unknown records' tp-rank -j --only 1,2,3,5 all
holds out '^\{"kind":"strange","start_ns":7,"x":\[1,\{"y":2\}\]\}$' 'pass unchanged'
is "$(grep -c '"kind":"head"' out)" 2 'under a head of their own'
is "$(sed -n '/strange/{n;p;}' out | grep -c '"kind":"end"')" 1 'and their own end'

# where operations are missing no idle is certain
sed 's/"in_run_ns":20000000,/&"flags":["incomplete"],/' "$in" >lost
runs 0 'steps that lost operations' tp-rank -t lost
lacks out 'read-back-item' 'give no finding'
holds out '^15.0 ms a step of it lies in steps whose operations' 'and the report says how much'

# --top, --scope, --schedule, --causes
runs 0 '--top 2' tp-rank -t --top 2 "$in"
is "$(grep -c '^### [0-9]' out)" 2 'shows two'
tp-rank -j --top 2 "$in" >top.rec
tp-rank -j "$in" >all.rec
is "$(grep -c '"kind":"finding"' top.rec)" "$(grep -c '"kind":"finding"' all.rec)" 'records are never cut'
runs 2 '--top -1' tp-rank --top=-1 "$in"
sed 's#"model.py"#"/lib/model.py"#; s#"train.py"#"/job/train.py"#' "$in" >paths
runs 0 '--scope' tp-rank -j --scope /job paths
is "$(grep '"file":"/lib/model.py"' out | grep -c '"in_scope":false')" \
	"$(grep -c '"kind":"finding".*"file":"/lib/model.py"' out)" 'what lies elsewhere is not in scope'
holds out '"file":"/job/train.py".*"in_scope":true' 'what lies under it is'
runs 0 '--scope of a name that only begins alike' tp-rank -j --scope /jo paths
lacks out '"in_scope":true' 'is not it'
echo '{"phases":[{"name":"clip","kind":"repeated","runs_on":"host"},
 {"name":"evaluation","kind":"periodic","every":50}]}' >plan.json
runs 0 '--schedule' tp-rank -t --schedule plan.json "$in"
holds out 'in the phase clip' 'names a wait by its phase'
holds out 'in the phase$|phase evaluation|evaluation \(periodic' 'and periodic work by its distance'
for bad in '{}' '{"phases":[{"name":"x"}]}' '{"phases":[{"name":"x","kind":"often"}]}' '[' ; do
	echo "$bad" >plan.json
	runs 2 "a schedule $bad" tp-rank -t --schedule plan.json "$in"
done
cat >mine.conf <<'END'
cause my-norm
	title	{func} normalises
	take	view3.kernel: name ~ "norm_kernel"
	why	It does.
	direction	Ask why.
	effort	low
	numerics	unchanged
	clear	Norms
END
runs 0 'a cause of the user' tp-rank -t --causes mine.conf "$in"
holds out '`clip \(train.py:45\)` normalises' 'fires'
sed 's/norm_kernel/never/' mine.conf >none.conf
runs 0 'and when nothing fits' tp-rank -t --causes none.conf "$in"
holds out 'Nothing at all of these: Norms' 'is cleared'
sed 's/take/steal/' mine.conf >bad.conf
runs 2 'a file with a mistake' tp-rank -t --causes bad.conf "$in"
holds err 'bad.conf:3: unknown word' 'is named with its line'
: >none.conf
runs 2 'a file without a cause' tp-rank -t --causes none.conf "$in"
is "$(cat err)" 'tp-rank: none.conf: no cause in it' 'is refused'
# a store is no stream: one line, and what reads it
printf '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1}]}' >t.json
tp-ingest -q -o s.db t.json 2>err
runs 2 'a store in place of rows' tp-rank -j s.db
is "$(cat err)" 'tp-rank: s.db: a store, no stream of records: the views read it, as in tp-view1 s.db' \
	'is named'
runs 2 'on stdin too' sh -c 'tp-window <s.db'
holds err '^tp-window: stdin: a store' 'is named'
done_testing
