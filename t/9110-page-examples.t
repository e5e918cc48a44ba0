#!/bin/sh
# shellcheck disable=SC2016 # what is written to files is for another shell
# The examples of the pages and of README.md: each runs as it stands there, on a
# bundled trace, and prints something.  What needs a job of PyTorch, a GPU or another
# host is run with stand-ins for those: the programs read their options, no more.
. "$(dirname "$0")/lib.sh"
for tool in jq lz4 sqlite3 make; do
	command -v $tool >/dev/null || skip_all "no $tool"
done

# --- taken out: one file an example, NAME.N.cmd ---------------------------------
# Dl lines, and literal blocks that begin with no brace, of the section EXAMPLES
for page in "$TOP"/doc/*.[157]; do
	awk -v to="$(basename "$page")" '
	function plain(s) {
		gsub(/\\\(dq/, "\"", s); gsub(/\\\(aq/, "\047", s)
		gsub(/\\&/, "", s); gsub(/\\e/, "\\", s)
		return s
	}
	/^\.Sh/ { on = /EXAMPLES/ }
	!on { next }
	/^\.Dl/ { n++; sub(/^\.Dl /, ""); print plain($0) >(to "." n ".cmd"); next }
	/^\.Bd -literal/ { block = 1; n++; next }
	/^\.Ed/ { block = 0 }
	block { print plain($0) >(to "." n (/^[ {]/ ? ".data" : ".cmd")) }' "$page"
done
# of README.md those without a $: the others are those of t/9100-examples.t
awk '/^    [a-z]/ && !on { print substr($0, 5) >("README.md." ++n ".cmd") }
	/^    \$/ { on = 1 } !/^    / && !/^$/ { on = 0 }' "$TOP/README.md"
ok test "$(ls ./*.cmd | wc -l)" -gt 30 -- 'the examples are found'
is "$(for page in "$TOP"/doc/*.1; do
	ls "$(basename "$page")".*.cmd >/dev/null 2>&1 || basename "$page"
done)" '' 'each program has one'
# a page fills the line of a Dl: it would break where a shell ends the command
is "$(awk 'length > 72 && /^\.Dl/ { print FILENAME ": " $0 }' "$TOP"/doc/*.[157])" '' \
	'each fits the line of a page'
is "$(awk 'length > 78 { print FILENAME ": " $0 }' tp*.cmd)" '' 'or of a terminal'

# --- where they run -------------------------------------------------------------
mkdir base base/trace stand-in
gzip -dc "$TOP/t/data/demo.json.gz" >trace.json
cp "$TOP/t/data/gloo.rank0.json.gz" base/trace/rank0.json.gz
cp "$TOP/t/data/gloo.rank1.json.gz" base/trace/rank1.json.gz
tp-ingest -q -o base/store.db trace.json
for v in 1 2 3 4 5; do tp-view$v base/store.db; done >base/rows.lz4
awk 'BEGIN {
	print "{\"kind\":\"head\",\"tp\":1,\"program\":\"tp-time\",\"epoch_ns\":\"0\"}"
	for (i = 1; i <= 60; i++)
		printf "{\"kind\":\"step\",\"rank\":0,\"step\":%d,\"start_ns\":%d,\"wall_ns\":%d}\n",
			i, i * 50000000, 50000000
	print "{\"kind\":\"end\",\"records\":60,\"dropped\":0,\"complete\":true}" }' |
	tp-window -z >base/steps.ndjson.lz4
for job in stand-in/python stand-in/torchrun base/train.sh base/simulate; do
	printf '#!/bin/sh\nexit 0\n' >$job
done
printf '#!/bin/sh\nshift\nexec "$@"\n' >stand-in/ssh
chmod +x stand-in/* base/train.sh base/simulate

fresh() {
	rm -rf here
	cp -r base here
	ln -s ../trace.json here/trace.json
}

# why an example cannot be run in earnest
needs() {
	case $1 in
	'make demo'*|'make check'*) echo 'this test is part of it' ;;
	*'ssh '*) echo 'another host, and a job of PyTorch there' ;;
	*cupti*) echo 'a job with a GPU' ;;
	*tp-time*|*tp-capture*|*tp-profile*) echo 'a job of PyTorch' ;;
	esac
}

for file in *.cmd; do
	cmd=$(cat "$file")
	name="${file%.*.cmd}: $(echo "$cmd" | head -1)"
	why=$(needs "$cmd")
	fresh
	case $why in
	'') ;;
	'this test'*) skip 1 "$name: $why"; continue ;;
	*)
		(cd here && PATH=$SCRATCH/stand-in:$PATH GIT_DIR=/nonexistent sh -c "$cmd") \
			>out 2>err </dev/null
		is "$(grep -E 'usage:|unknown|not found|yntax|needs a value' err)" '' \
			"its options: $name # needs $why"
		continue ;;
	esac
	case $cmd in
	*'$@'*)
		printf 'store.db: trace.json\n\t%s\n' "$cmd" >here/Makefile
		rm here/store.db
		cmd='make && ls store.db' ;;
	esac
	(cd here && ls -d ./* >../before && sh -c "$cmd") >out 2>err </dev/null
	is "$?:$(cat err)" 0: "$name"
	(cd here && ls -d ./*) | cmp -s - before || echo made >>out
	case $cmd in *'-o store.db'*) [ ! -s here/store.db ] || echo made >>out ;; esac
	ok test -s out -- 'and gives something'
done

# --- what a page shows to be given --------------------------------------------
literal() { # PAGE WORD: the literal block in which it stands
	awk -v word="$2" '/^\.Ed/ { if (found) printf "%s", b; found = on = 0 }
		on { b = b $0 "\n"; if (index($0, word)) found = 1 }
		/^\.Bd -literal/ { on = 1; b = "" }' "$TOP/doc/$1"
}
runs 0 'the stream by hand' tp-ingest -o hand.db tp-stream.5.1.data
is "$(sqlite3 hand.db 'SELECT group_concat(wall_ns) FROM run_steps')" 54000000,54100000 'is one'
literal tp-rank.1 '"phases"' >plan.json
runs 0 'the schedule' tp-rank -t --schedule plan.json base/rows.lz4
literal tp-causes.5 blocking-copy-in >mine.conf
runs 0 'the cause' tp-rank -t --causes mine.conf base/rows.lz4
literal tp-causes.5 '20us' | while read -r condition; do
	sed "s/take	view2.site:.*/take	view2.site: and-here/" mine.conf |
		awk -v c="$condition" '{ at = index($0, "and-here") }
			at { $0 = substr($0, 1, at - 1) c } { print }' >one.conf
	tp-rank -t --causes one.conf base/rows.lz4 >out 2>err || cat err
done >bad
is "$(cat bad)" '' 'the conditions'
# the columns of the SQL views
for view in events steps mem kernel_op lost run_steps run_startup; do
	page=$(awk -v v="$view" '/^\.It Ic/ { on = $3 == v; next } /^\./ { on = 0 }
		on { printf "%s ", $0 }' "$TOP/doc/tp-store.5" | sed 's/[:.].*//; s/ *$//')
	is "$page" "$(sqlite3 base/store.db "SELECT group_concat(name, ', ')
		FROM pragma_table_info('$view')")" "tp-store(5): the columns of $view"
done
# -h of each program shows one too
for src in "$TOP"/bin/tp-*; do
	prog=$(basename "$src" .c)
	[ -x "$TP_BUILD/bin/$prog" ] || continue
	cmd=$("$prog" -h | sed -n 's/^example: //p')
	[ "$cmd" ] || { echo "$prog: none"; continue; }
	fresh
	(cd here && PATH=$SCRATCH/stand-in:$PATH GIT_DIR=/nonexistent sh -c "$cmd") >out 2>err </dev/null
	st=$?
	[ $st = 0 ] || [ "$(needs "$cmd")" ] || echo "$prog: $cmd: $st: $(cat err)"
	! grep -E 'usage:|unknown|not found|yntax' err
done | sort -u >bad
is "$(cat bad)" '' 'the examples of -h'
done_testing
