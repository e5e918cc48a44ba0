#!/bin/sh
# -h of every program fits a terminal, and says what the page's synopsis says.
. "$(dirname "$0")/lib.sh"

letters() { # of the synopsis: each one behind Fl, or in a bundle
	grep -o 'Fl [A-Za-z0-9][A-Za-z0-9]*' | cut -c4- | grep -o . | sort -u
}
synopsis() { sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$1"; }

for src in "$TOP"/bin/tp-*; do
	# those in sh too; what make leaves there is a link
	[ ! -h "$src" ] || continue
	prog=$(basename "$src" .c)
	page=$TOP/doc/$prog.1
	runs 0 "$prog -h" "$prog" -h
	is "$(wc -c <err | tr -d ' ')" 0 "$prog -h is no error"
	[ "$(wc -l <out)" -le 24 ] && [ "$(awk '{ print length }' out | sort -n | tail -1)" -le 80 ]
	t_result $? "$prog -h fits 24 lines of 80 columns" || diag "$(wc -l <out) lines"
	"$prog" --help >again
	same again out "$prog --help is the same"
	runs 0 "$prog -V" "$prog" -V
	holds out "^$prog [0-9.]+ \(stream 1, store 1\) sqlite [0-9.]+ lz4 [0-9.]+ yajl [0-9.]+$" \
		"$prog -V names stream, store and libraries"
	"$prog" --no-such-option >out 2>err
	st=$?
	case $prog in tp-time|tp-capture) want=125 ;; *) want=2 ;; esac
	is "$st,$(wc -c <out | tr -d ' ')" "$want,0" "$prog: a bad option is status $want"
	[ -e "$page" ] || { skip 1 "$prog has no page yet"; continue; }
	# forms: "-x, --name" in -h; the synopsis has one of the two
	sed -n 's/^  \(-.\), --\([a-z-]*\).*/\1 \2/p; s/^      --\([a-z-]*\).*/- \1/p' again >forms
	synopsis "$page" >syn
	while read -r letter name; do
		case $name in help|version) continue ;; esac
		grep -q -e "Fl -$name\( \|\$\)" syn ||
			{ [ "$letter" != - ] && letters <syn | grep -qx -e "${letter#-}"; } ||
			echo "not in the page: --$name"
	done <forms >wrong
	{
		grep -o 'Fl -[a-z][a-z-]*' syn | cut -c5- | while read -r name; do
			grep -q " $name\$" forms || echo "not in -h: --$name"
		done
		letters <syn | while read -r letter; do
			grep -q "^-$letter " forms || echo "not in -h: -$letter"
		done
	} >>wrong
	is "$(cat wrong)" '' "$prog.1 and -h have the same options"
done
done_testing
