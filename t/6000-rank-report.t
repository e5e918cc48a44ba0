#!/bin/sh
# tp-rank: the report and the records of two invented jobs, their numbers, and
# that only the set of rows counts.  `GOLDEN=write prove t/6000*` rewrites.
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"
gold=$TOP/t/golden

golden() { # NAME OUTPUT
	[ "${GOLDEN:-}" != write ] || cp "$2" "$gold/$1"
	same "$2" "$gold/$1" "$1 is as it was"
}

# Each stream's rows in another order, and the views in another order too.
shuffled() { # FILE
	perl -e '
		my (@stream, $now);
		while (<>) {
			push @stream, $now = { rows => [] } if /"kind":"head"/;
			if (/"kind":"(head|run|end)"/) { $now->{$1} = $_ } else { push @{$now->{rows}}, $_ }
		}
		for (reverse @stream) {
			print $_->{head}, (reverse sort { substr($a, 20) cmp substr($b, 20) } @{$_->{rows}}),
				$_->{run}, $_->{end};
		}' "$1"
}

# The numbers of a finding or of all of them.
sums() { # RECORDS ROWS
	perl -MJSON::PP -e '
		my (%charged, $bad, $cost, $whole);
		while (<>) {
			my $r = decode_json($_);
			if ($r->{kind} eq "finding" && $r->{share_of}) {
				$bad++ for grep { $charged{$_}++ } @{$r->{charged}};
				$bad++ unless @{$r->{charged}};
				$cost += $r->{cost_ns} unless $r->{charged}[0] =~ /^view1/;
			}
			$whole += $r->{idle_ns} + $r->{busy_ns} if $r->{kind} eq "view1.step";
		}
		print $bad ? "charged twice or not at all" : $cost > $whole ? "$cost > $whole" : "fits", "\n";
	' "$1" "$2"
}

for job in rank-train rank-two; do
	in=$gold/$job/in
	want=0
	[ $job = rank-train ] || want=3
	[ $job = rank-train ] && only='' || only=1,2,3,4
	runs $want "$job: the report" tp-rank -t "$in"
	mv out $job.md
	golden $job/report.md $job.md
	runs $want "$job: the records" tp-rank -j "$in"
	mv out $job.rec
	sed '1s/.*/HEAD/' $job.rec >$job.body
	golden $job/records $job.body
	ok perl "$TOP/t/tools/rank-numbers.pl" $job.md $job.rec "$in" -- \
		"$job: every number of parts 2 and 3 is in a row"
	sed '/^## 2/,$s/at most [0-9.]*/at most 77.7/' $job.md >wrong.md
	runs 1 "$job: and a number of nobody's is noticed" \
		perl "$TOP/t/tools/rank-numbers.pl" wrong.md $job.rec "$in"
	is "$(sums $job.rec "$in")" fits "$job: each key once, never more than there was"
	is "$(awk 'length > 80 && !/`/' $job.md)" '' "$job: fits 80 columns"
	shuffled "$in" >mixed
	ok test -s mixed -- "$job: rows in another order"
	tp-rank -t mixed >mixed.md 2>/dev/null
	same mixed.md $job.md "$job: the order of rows makes no difference to the report"
	tp-rank -j mixed 2>/dev/null | sed '1s/.*/HEAD/' >mixed.body
	same mixed.body $job.body "$job: nor to the records"
	cat "$in" mixed >twice
	tp-rank -t twice >twice.md 2>/dev/null
	same twice.md $job.md "$job: the same rows twice count once"
	[ -z "$only" ] || runs 0 "$job: --only says that the rest is not meant" \
		tp-rank -t --only "$only" "$in"
done

# steps 9 to 11: 10 does not come before 9
sed '/"view1.step"/s/\(step":\|0:\|Step#\)\([789]\)/\1+\2/g; s/+7/9/g; s/+8/10/g; s/+9/11/g' \
	"$gold/rank-train/in" | tp-rank -t 2>/dev/null >steps.md
is "$(awk '/^Step by step/ { on = 1 } /^Memory/ { on = 0 } on && $1 + 0 { printf "%s ", $1 }' steps.md)" \
	'9 10 11 ' 'steps are in order of their numbers'

# through a pipe, and in the other faces
runs 0 'records go to a file in LZ4 frames' sh -c 'tp-rank -z <"$1" >z' - "$gold/rank-train/in"
runs 3 'and tp-rank passes them on, though no view is there' tp-rank -j z
sed -n '/"kind":"finding"/p' rank-train.rec >want
sed -n '/"kind":"finding"/p' out >got
same got want 'findings are records like any other'
done_testing
