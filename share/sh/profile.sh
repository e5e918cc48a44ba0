# profile.sh - what tp-profile does beside its stages: whose folder it is that they
# work in, and what -n shows.
# shellcheck shell=sh
# shellcheck disable=SC2154 # the options, and dir, are tp-profile's

# Which code this is: the commit; with changes on top, a hash of them too, so
# that a changed script is not taken for the one that was measured.
identity() {
	sha=$(git rev-parse HEAD 2>/dev/null) || { echo no-commit; return; }
	if git diff --quiet HEAD -- 2>/dev/null; then
		echo "$sha"
	else
		echo "$sha-dirty-$(git diff HEAD -- | git hash-object --stdin | cut -c1-12)"
	fi
}

# a first run that failed leaves no product: its place is free
is_free() {
	for word in steps.ndjson.lz4 startup.json trace store.db views report.md; do
		[ ! -e "$dir/$word" ] || return 1
	done
}
# claim COMMAND [ARG...]: notes what the products here are made with, and refuses where
# other options or another command made one
claim() {
	{
		# shellcheck disable=SC2086 # one flag
		printf '%s ' ${steps:+"--steps $steps"} ${active:+"--active $active"} \
			${rule:+"--step $(quote "$rule")"} ${schedule:+"--schedule $schedule"} \
			${capacity:+"--capacity-gb $capacity"} ${scope:+"--scope $(quote "$scope")"} \
			"--engine $engine" $stacks --
		quote "$@"
	} >"$dir/.command.$$"
	if is_free; then
		rm -f "$dir/partial"
	elif [ -e "$dir/command" ] && ! cmp -s "$dir/command" "$dir/.command.$$"; then
		rm -f "$dir/.command.$$"
		fail "$dir: holds another run, $(tr '[:cntrl:]' ' ' <"$dir/command"): choose another -w, or rm -r $(quote "$dir")"
	fi
	mv -f -- "$dir/.command.$$" "$dir/command" || exit 2
}

# the pipeline, as it would be typed
plan() { # COMMAND [ARG...]
	to=$(quote "$dir") job=$(quote "$@")
	by=${rule:+--step $(quote "$rule") }
	own=${scope:+ --scope $(quote "$scope")}
	holds=${capacity:+ --capacity-gb $capacity}
	window='' from=" <$to/steps.ndjson.lz4"
	# engine cupti reads no stream: its window is put on the command line
	[ "$engine" = torch ] || window=' --window FIRST:LAST' from=''
	cat <<END || exit 2
mkdir -p $to
tp-time ${steps:+--steps $steps }$by-o $to/.timed -- $job
tp-window ${active:+--active $active }${schedule:+--schedule $schedule }-o $to/steps.ndjson.lz4 $to/.timed
(echo '['; tp-window -j $to/steps.ndjson.lz4 | grep '^{"kind":"startup"' | sed '\$!s/\$/,/'; echo ']') >$to/startup.json
tp-capture -d $to/trace $capture$window --then stop $by-- $job$from
tp-ingest$own -o $to/store.db $to/steps.ndjson.lz4 $to/trace/rank*
tp-views -o $to/views$holds $to/store.db
(for v in 1 2 3 4; do tp-view\$v $to/store.db; done; tp-view5$holds $to/store.db) | tp-rank$own -t -o $to/report.md
END
}
