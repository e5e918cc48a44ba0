#!/bin/sh
# tp-rank: of thousands of losses at one place the report holds the same few,
# whatever order they come in.
. "$(dirname "$0")/lib.sh"
in=$TOP/t/golden/rank-train/in

# view 2's stream with 2002 losses at the site of the golden one, the 1234th costing
# most, in steps of STEP
losses() { # STEP
	seq 1 2002 | awk -v step="$1" -v k=1234 -v in_file="$in" '
	BEGIN { while ((getline line < in_file) > 0) {
			if (line ~ /"kind":"view2.loss"/ && line ~ /"loss":"gap"/ && !like) like = line
			else if (line ~ /"kind":"head"/) { on = line ~ /"tp-view2"/; if (on) print line }
			else if (on && line !~ /"kind":"end"/) rows[++n] = line }
		for (i = 1; i <= n; i++) print rows[i] }
	{ $1 = $1 * step % 2003; r = like
	  sub(/"key":"[^"]*"/, sprintf("\"key\":\"view2.loss:1:0:gap@%06d\"", $1), r)
	  sub(/"cost_ns":[0-9]+/, "\"cost_ns\":" ($1 == k ? 987654321 : 60000 + $1), r)
	  print r; m++ }
	END { print "{\"kind\":\"end\",\"records\":" n + m ",\"dropped\":0,\"complete\":true}" }'
}
losses 1 >up
losses 2002 >down
losses 1237 >mixed
runs 0 'thousands of losses' tp-rank -j --only 2 up
grep -v '"kind":"head"' out >records
holds records 'view2.loss:1:0:gap@001234' 'the heaviest is evidence'
holds records 'gap@002002' 'and the next one'
lacks records 'gap@000500' 'a light one is not'
for order in down mixed; do
	tp-rank -j --only 2 "$order" | grep -v '"kind":"head"' >other
	cmp -s records other
	t_result $? "the same records when they come in another order: $order"
done
tp-rank -t --only 2 up >report
tp-rank -t --only 2 mixed | cmp -s - report
t_result $? 'and the same report'
done_testing
