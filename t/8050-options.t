#!/bin/sh
# What is wrong on a command line: one line in one form and the usage, the status of
# the page, and nothing done: no job is run, no file made.
. "$(dirname "$0")/lib.sh"
export GIT_DIR=/nonexistent
tp-ingest -q -o s.db "$TOP/t/data/gloo.rank0.json.gz" 2>err || diag "$(cat err)"
{
	echo '{"kind":"head","tp":1,"program":"tp-time","epoch_ns":"1700000000000000000"}'
	for i in 1 2 3 4 5 6 7 8; do
		echo "{\"kind\":\"step\",\"rank\":0,\"step\":$i,\"start_ns\":${i}000000,\"wall_ns\":900000}"
	done
	echo '{"kind":"end","records":8,"dropped":0,"complete":true}'
} >steps
tp-view1 -z s.db >rows
mkdir folder
echo 'exit 0' >plain
printf '#!/nonexistent/shell\n' >shell-less
chmod +x shell-less
files() { ls -A | grep -v '^\(out\|err\|bad\)$'; }
before=$(files)

# STATUS, command line (a program and words), what is said first; - ends a value
# shellcheck disable=SC2120 # set by what it reads
wrong() {
	while IFS='|' read -r status line said; do
		eval "set -- $line"
		"$@" >out 2>err </dev/null
		got="$?:$(wc -c <out)"
		[ "$got" = "$status:0" ] && [ "$(head -1 err)" = "$1: $said" ] &&
			sed -n 2p err | grep -q "^$1: usage: $1 " && [ "$(wc -l <err)" = 2 ] ||
			echo "$line: $got: $(cat err)"
		[ "$(files)" = "$before" ] ||
			{ echo "$line: made something: $(files)"; rm -rf new profile views; }
	done
}
wrong >bad <<'END'
125|tp-time|no command given
125|tp-time -o new --|no command given
125|tp-time --nope true|unknown option --nope
125|tp-time -x true|unknown option -x
125|tp-time --ste auto true|unknown option --ste
125|tp-time --steps|--steps needs N
125|tp-time -q=1 true|unknown option -=
125|tp-time --quiet=1 true|--quiet takes no argument
125|tp-time --steps 0 -o new touch new|--steps '0': not a number from 1
125|tp-time --steps 1x touch new|--steps '1x': not a number from 1
125|tp-time --step line touch new|--step 'line': not auto, optimizer, forward, FILE:LINE or MODULE:FUNC
125|tp-time --step x.py: touch new|--step 'x.py:': not auto, optimizer, forward, FILE:LINE or MODULE:FUNC
125|tp-capture --window 1:2 -d new|no command given
125|tp-capture --window 16:14 touch new|--window '16:14': not A or A:B, with A from 1, B from A, and at most 100000 steps
125|tp-capture --window 0 touch new|--window '0': not A or A:B, with A from 1, B from A, and at most 100000 steps
125|tp-capture --window 1:200000 -d new true|--window '1:200000': not A or A:B, with A from 1, B from A, and at most 100000 steps
125|tp-capture --window '' true|--window '': not A or A:B, with A from 1, B from A, and at most 100000 steps
125|tp-capture --window 1:2 --step 'a b' true|--step 'a b': not auto, optimizer, forward, FILE:LINE or MODULE:FUNC
125|tp-capture --window 1 --warmup -1 true|--warmup '-1': not a number from 0
125|tp-capture --then wait true|--then 'wait': not continue or stop
125|tp-capture --engine both true|--engine 'both': not torch or cupti (only one of them can have CUPTI)
125|tp-capture --operators true|--operators, --step-nvtx and --check are of engine cupti
125|tp-capture --check|--operators, --step-nvtx and --check are of engine cupti
125|tp-capture --engine cupti --step-nvtx '[' true|--step-nvtx '[': not a regular expression
2|tp-window --active 0 steps|--active '0': not a number from 1
2|tp-window --active 1001 steps|--active, --warmup: not above 1000
2|tp-window --warmup x steps|--warmup 'x': not a number from 0
2|tp-window steps rows|one stream at a time
2|tp-window -t steps --rank|--rank needs N
2|tp-ingest --rank -3 rows -o new|--rank '-3': not a number from 0
2|tp-ingest --rank 1 rows steps -o new|--rank: not for more than one input
2|tp-view1 -o new|no store given
2|tp-view1 s.db s.db -o new|one store at a time
2|tp-view2 --step 16:14 s.db -o new|--step '16:14': not N or N:M, with N from 0 and M from N
2|tp-view3 --step -1 s.db -o new|--step '-1': not N or N:M, with N from 0 and M from N
2|tp-view4 --clock wall s.db|--clock 'wall': not drain or host
2|tp-view5 --capacity-gb 0 s.db|--capacity-gb '0': not a size above 0, in GiB or with a unit
2|tp-trace s.db -o new --step a|--step 'a': not N or N:M, with N from 0 and M from N
2|tp-rank --only 6 rows|--only '6': not views 1 to 5 with commas between
2|tp-rank --top -1 rows -o new|--top '-1': not a number from 0
2|tp-views|no store given
2|tp-views s.db s.db|one store at a time
2|tp-views s.db --clock wall|--clock 'wall': not drain or host
2|tp-views s.db --step=5:4 -o new|--step '5:4': not N or N:M, with N from 0 and M from N
2|tp-views s.db --capacity-gb=x|--capacity-gb 'x': not a size above 0, in GiB or with a unit
2|tp-views s.db --all=1|--all takes no argument
2|tp-views s.db -o|--output needs DIR
2|tp-views -x s.db|unknown option -x
2|tp-views -xo new s.db|unknown option -x
2|tp-profile|no command given
2|tp-profile -w new --|no command given
2|tp-profile --nope touch new|unknown option --nope
2|tp-profile --steps|--steps needs N
2|tp-profile -w new --steps=0 touch new|--steps '0': not a number from 1
2|tp-profile --active x touch new|--active 'x': not a number from 1
2|tp-profile --schedule 0 touch new|--schedule '0': not EVERY or EVERY+FIRST, from 1, with commas between
2|tp-profile --step '' touch new|--step '': not RULE
2|tp-profile --step here touch new|--step 'here': not auto, optimizer, forward, FILE:LINE or MODULE:FUNC
2|tp-profile --capacity-gb none touch new|--capacity-gb 'none': not a size above 0, in GiB or with a unit
2|tp-profile --engine both touch new|--engine 'both': not torch or cupti
2|tp-profile --quiet=y touch new|--quiet takes no argument
2|tp-profile -q=1 touch new|unknown option -=
2|tp-profile -w new -nq|no command given
END
is "$(cat bad)" '' 'what is wrong'

# the command itself: 127 not found, 126 cannot be run, one line, no result
for prog in tp-time tp-capture; do
	for engine in '' '--engine cupti'; do
		case $prog$engine in
		tp-time) options='-o new' ;;
		tp-time*) continue ;;
		*) options="-d new --window 1:2 $engine" ;;
		esac
		while IFS='|' read -r status command said; do
			# shellcheck disable=SC2086 # options
			$prog $options -- "$command" >out 2>err </dev/null
			[ $? = "$status" ] && [ "$(cat out err)" = "$prog: $said" ] && [ ! -e new ] ||
				echo "$prog $options $command: $(cat out err; ls -d new)"
			rm -rf new
		done <<'END'
127|nowhere|nowhere: command not found
127||'': command not found
127|./nowhere|./nowhere: No such file or directory
127|./shell-less|./shell-less: No such file or directory
126|./plain|./plain: Permission denied
126|./folder|./folder: Permission denied
END
	done
done >bad
is "$(cat bad)" '' 'a command that cannot be run'
runs 2 'by tp-profile' tp-profile -q -w new nowhere
is "$(cat out err)" 'tp-time: nowhere: command not found
tp-profile: the timed run ended with status 127' 'too'
rm -rf new

# in any order, and in any form
runs 0 'options behind the operand' tp-view1 s.db -t -o new --top=3
rm new
runs 0 'those of a command are its own' tp-time -q -o new sh -c 'test "$1" = -o' sh -o
runs 0 '-- ends ours' tp-time -q -o new -- test -n -- 
rm -rf new
for form in '-q -n -w new --steps 3' '-qn -wnew --steps=3' '--dry-run --quiet --workspace=new --steps=3'; do
	# shellcheck disable=SC2086
	tp-profile $form true >plan 2>err || cat err
	cksum <plan
done | sort -u >plans
is "$(wc -l <plans | tr -d ' ')" 1 'letters at once, and a value behind ='
for form in '-o new --top 3 --rank 0' '-onew --top=3 --rank=0'; do
	rm -rf new
	# shellcheck disable=SC2086
	tp-views $form s.db >out 2>err || cat err
	cat new/* | cksum
done | sort -u >views
is "$(wc -l <views | tr -d ' ')" 1 'of tp-views too'
done_testing
