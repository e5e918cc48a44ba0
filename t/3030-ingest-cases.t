#!/bin/sh
# The case folders: what their "values" say of loading (counts by category, steps
# by the host's clock, links, exit class).  The views' values are the views' tests.
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || skip_all 'no sqlite3 shell'
[ -d "$TP_SHARED/cases" ] || skip_all 'no case folders (../shared, or $TP_SHARED)'

q() { sqlite3 -separator ' ' "$db" "$@" 2>&1; }

# The store's words for Kineto's categories.
words_of() {
	case $1 in
	kernel) echo "'kernel','comm'" ;;
	gpu_memcpy) echo "'memcpy'" ;;
	gpu_memset) echo "'memset'" ;;
	cuda_runtime) echo "'runtime'" ;;
	python_function) echo "'python'" ;;
	user_annotation) echo "'annotation'" ;;
	*) echo "'$1'" ;;
	esac
}

# check CASE KIND key=value...: one line of the values
check() {
	name="$1: $2 $3 $4 $5"
	kind=$2
	shift 2
	rank=0 n='' dev='' cat='' class='' linked='' wall_ns='' launches='' kernels=''
	set='' bytes='' negative_dur='' bad_totals='' impossible_dur='' host='' device='' events=''
	for word in "$@"; do
		case $word in *=*) eval "${word%%=*}='${word#*=}'" ;; esac
	done
	case $kind in
	count)
		if [ "$cat" = cpu_instant_event ]; then
			got=$(q 'SELECT count(*) FROM mem')
		else
			got=$(q "SELECT count(*) FROM events WHERE cat IN ($(words_of "$cat"))")
		fi
		is "$got" "$n" "$name" ;;
	step|devbusy)
		is "$(q "SELECT DISTINCT host_dur_ns FROM steps WHERE rank = $rank AND idx = $n")" \
			"${wall_ns:-1000000}" "$name" ;;
	whole) is "$(q "SELECT dur_ns FROM steps WHERE rank = $rank")" "$wall_ns" "$name" ;;
	links) is "$(q 'SELECT sum(linked_ops) FROM traces')" "$linked" "$name" ;;
	incomplete)
		is "$(q "SELECT launches, launches - lone, (flags & 2) / 2 FROM step WHERE idx = $n")" \
			"$launches $kernels 1" "$name" ;;
	ranks)
		is "$(q 'SELECT rank FROM traces ORDER BY rank' | paste -sd,)" "$set" "$name" ;;
	trailing) is "$(q 'SELECT trailing_bytes FROM traces')" "$bytes" "$name" ;;
	flagged)
		is "$(q 'SELECT negative_dur, bad_totals, impossible_ops FROM traces')" \
			"${negative_dur:-0} ${bad_totals:-0} ${impossible_dur:-0}" "$name" ;;
	raw) is "$(q 'SELECT count(*) FROM events')" "$events" "$name" ;;
	esac
}

# One line for a person on stderr, where the case asks for one.
said() { # CASE RE
	case $c in "$1"*) holds "$SCRATCH/err" "$2" "$1: stderr says so" ;; esac
}

for dir in "$TP_SHARED"/cases/C*/; do
	c=$(basename "$dir")
	case $c in C47*|C52*|C53*|C55*|C57*|C60*|C63*|C65*|C66*) continue ;; esac
	rm -rf "$SCRATCH/case"
	mkdir "$SCRATCH/case"
	cp "$dir"/* "$SCRATCH/case/"
	cd "$SCRATCH/case" || exit 2
	line=$(sed 's/ *[;&|]*&* *tp-view.*//; s/; echo rc.*//' cmd)
	sh -c "$line" >"$SCRATCH/out" 2>"$SCRATCH/err"
	status=$?
	db=store.db
	class=$(sed -n 's/^exit class=//p' expect.md)
	case $class in OK) want=0 ;; PARTIAL) want=3 ;; *) want=$status ;; esac
	is $status $want "$c: status"
	# the values hold bare quotes and regular expressions only in names
	sed -n '/^```values/,/^```$/p' expect.md | grep -vE '"|^```' >"$SCRATCH/values"
	while read -r kind rest; do
		# shellcheck disable=SC2086 # words are meant
		check "$c" "$kind" $rest </dev/null
	done <"$SCRATCH/values"
	said C01 'trace.json: 2 strings with invalid escapes'
	said C03 'trace.json: 2 names with control characters'
	said C04 'trace.json: 2 names with invalid UTF-8'
	said C05 'trace.json: 4 non-numeric values'
	said C08 'legacy autograd trace'
	said C10 'trace.json: truncated at byte 2566'
	said C12 '720 bytes behind .*another process wrote the same file'
	said C17 '4 events with a negative duration'
	said C18 'device ops without times: 2 of 3'
	said C20 'launch delays below 0: 2 of 2, the worst -5000 ns'
	said C27 'no step marks'
	said C31 'no device activity although 5 launches'
	said C36 'rank7.json: rank 2 by its content'
	said C36 'rank3_trace.json: rank 3 by its name'
	said C36 'world size 4, 3 of these ranks here, absent: 0'
	said C37 'rank 0 as run1_rank0.json is'
	case $c in
	C01*) is "$(q "SELECT text FROM name WHERE text LIKE 'C:%' ORDER BY 1")" \
		'C:\users\pat\train\loop.py(7): <module>
C:\users\pat\train\new_step.py(41): forward' "$c: names"
		is "$(q "SELECT file, line FROM frame WHERE func = 'forward'")" \
			'C:\users\pat\train\new_step.py 41' "$c: anchor" ;;
	C04*) ok sh -c "sqlite3 $db .dump | iconv -f UTF-8 -t UTF-8" -- "$c: UTF-8 inside" ;;
	C14*|C20*|C39*) is "$(q 'SELECT group_concat(d) FROM (SELECT ts - issue_ts AS d
		FROM dev WHERE cat = 0 ORDER BY id >> 40, ts)')" \
		"$(case $c in C14*) echo 100000,250000 ;; C20*) echo -1500,-5000 ;; *)
			[ "$(q "SELECT rank FROM trace WHERE id = 1")" = 0 ] &&
			echo 90000,550000 ;; esac)" "$c: launch delays" ;;
	C51*) is "$(q "SELECT op, file, line, how FROM kernel_op ORDER BY corr" | tail -2)" \
		"aten::mm /home/u/proj/train.py 41 function
autograd::engine::evaluate_function: MmBackward0   op" "$c: anchors" ;;
	esac
	cd "$SCRATCH" || exit 2
done
done_testing
