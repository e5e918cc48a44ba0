#!/bin/sh
# shellcheck disable=SC2012 # the names that ls shows are ours
# tp-profile: from an unedited script to the report, resumed, and by commit.
. "$(dirname "$0")/lib.sh"
PY=$("$TOP/t/torch-python" 2>/dev/null) || skip_all 'no torch (t/torch-python --make)'
command -v git >/dev/null || skip_all 'no git'
export PYTHONWARNINGS=ignore OMP_NUM_THREADS=1
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
	GIT_COMMITTER_EMAIL=a@b
mkdir job
cd job || exit 2
cp "$TOP/t/jobs/steady.py" train.py
printf 'profile/\n../out\n' >.gitignore

tp-profile -n --steps 9 -- "$PY" 'a b.py' >../plan 2>/dev/null
is "$(wc -l <../plan | tr -d ' ')/$(ls)" 8/train.py '-n shows the pipeline and runs nothing'
# shellcheck disable=SC2016 # the words of the plan
holds ../plan "^tp-time --steps 9 -o ./profile/commits/no-commit/.timed -- .* 'a b.py'$" 'as it would be typed'

git init -q . && git add -A && git commit -q -m one
sha=$(git rev-parse HEAD)
runs 0 'a clean commit' tp-profile -- "$PY" train.py 16 5
dir=profile/commits/$sha
is "$(ls -A "$dir" | tr '\n' ' ')" 'command report.md startup.json steps.ndjson.lz4 store.db trace views ' \
	'has every product'
holds out '^warm-up [0-9.]+ s, step [0-9.]+ ms, peak host [0-9.]+ GB: /' 'one line at the end'
is "$(sed -n 's/.*, step \([0-9.]*\) ms, .*/\1/p' out)" "$(tp-view1 -j "$dir/store.db" |
	sed -n 's/.*"plain_median_ns":\([0-9]*\).*/\1/p' | awk '{ printf "%.1f", $1 / 1e6 }')" \
	"with the report's step"
is "$(grep -c median_us out)" 1 'the job printed what it prints, the profiled run ended early'
ok "$PY" -m json.tool "$dir/startup.json" /dev/null -- 'startup.json is JSON'
holds "$dir/report.md" '^# Why' 'a report'
is "$(ls "$dir/views" | wc -l | tr -d ' ')" 5 'five views'
before=$(cat "$dir"/*.lz4 "$dir/store.db" "$dir/report.md" | cksum)
runs 0 'a second time' tp-profile -- "$PY" train.py 16 5
is "$(cat "$dir"/*.lz4 "$dir/store.db" "$dir/report.md" | cksum)" "$before" 'nothing is made again'
rm -rf "$dir/report.md" "$dir/store.db"
: >"$dir/.timed"
runs 0 'after a run that was cut off' tp-profile -q -- "$PY" train.py 16 5
is "$(ls -A "$dir" | wc -l | tr -d ' ')/$(cat err)" 7/ 'what was missing is made, what was half is gone'
runs 2 'another command' tp-profile -- "$PY" train.py 17 5
holds err 'holds another run' 'is not taken for this one'

echo '# changed' >>train.py
runs 2 'a job that fails' tp-profile -q -- "$PY" train.py nonsense
holds err 'the timed run ended with status 1' 'is told'
is "$(ls -A profile/commits/"$sha"-dirty-*)" command 'and leaves no product'
runs 2 'a job without steps' tp-profile -q -w other -- "$PY" -c 'print(1)'
holds err 'no steps to choose a window from' 'is told'
cp "$TOP/t/jobs/own_profiler.py" own.py
runs 2 'a script whose own profiler has the window' tp-profile -q -w own --steps 8 -- "$PY" own.py
holds err "^tp-profile: the profiled run left no trace: the script's own profiler had the window, and ours gave way: run the job without" \
	'is told, with what to do'
dir=$(echo own/commits/*)
mkdir "$dir/trace" && cp own.json "$dir/trace/rank0.json"
runs 0 'its own trace in that place' tp-profile -q -w own --steps 8 -- "$PY" own.py
holds "$dir/report.md" '^The whole run: ' 'is gone on with, beside the timed run'
tp-profile -n -- true 2>err >out
holds err 'the tree is dirty' 'a dirty tree is told'
done_testing
