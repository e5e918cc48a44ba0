#!/bin/sh
# The programs in sh find the others, and share/, from where they lie: in the tree,
# in .build, installed, by links and PATH, in a folder with any name; in every shell.
. "$(dirname "$0")/lib.sh"
export GIT_DIR=/nonexistent
tp-ingest -q -o s.db "$TOP/t/data/gloo.rank0.json.gz" 2>err || diag "$(cat err)"

# as make install lays them
own="$SCRATCH/it's a \$HOME/bin"
mkdir -p "$own" "$own/../share" links alone
ln -s "$TOP/share" "$own/../share/tp"
for p in "$TP_BUILD"/bin/tp-*; do
	case $p in
	*.[od]) ;;
	*/tp-profile|*/tp-views) cp "$p" "$own" && cp "$p" alone ;;
	*) ln -s "$p" "$own" ;;
	esac
done
for p in tp-profile tp-views; do
	ln -s "$own/$p" "links/one-$p"
	ln -s "one-$p" "links/$p"
done

tp-profile -q -n --scope 'a b' -- true "it's" >plan
tp-views -o views s.db
is "$(wc -l <plan | tr -d ' ')/$(ls views | wc -l | tr -d ' ')" 8/5 'a plan and the views'
both() { # NAME PREFIX [COMMAND...]: the same of PREFIXprofile and PREFIXviews
	name=$1 at=$2
	shift 2
	rm -rf new
	{
		"$@" "${at}profile" -q -n --scope 'a b' -- true "it's" | cmp - plan &&
			"$@" "${at}views" -o new s.db && diff -r views new
	} >said 2>&1
	is "$?:$(cat said)" 0: "$name"
}
both 'in .build' "$TP_BUILD/bin/tp-"
both 'installed' "$own/tp-"
both 'by a link to a link' links/tp-
both 'by a link in PATH' tp- env "PATH=$SCRATCH/links:$PATH"
both 'whatever CDPATH is' links/tp- env CDPATH=/:/usr
for sh in dash 'bash --posix' bash ksh mksh yash 'busybox sh'; do
	command -v "${sh%% *}" >/dev/null || continue
	# shellcheck disable=SC2086 # words
	both "run by $sh" "$own/tp-" $sh
done
# which in a mode other than release has none of the others beside it
"$TOP/bin/tp-profile" -q -n --scope 'a b' -- true "it's" >out 2>&1
same out plan 'in the tree'

for p in tp-profile tp-views; do
	runs 2 "$p without share/" alone/$p -h
	is "$(cat out err)" "$p: share/sh/common.sh: not found beside $SCRATCH/alone" 'is one line'
done
done_testing
