# common.sh - what the programs in sh share: words, options, the programs beside
# them.  One that sources this has set
#	prog, here   its name; the folder that it lies in, with the other programs
#	usage, what  the usage line; the lines of -h between it and the options
#	options      a table of its options, one a line: LETTER NAME WORD HELP, with
#	             - for no letter and for no word; -h and -V come by themselves
#	example      the example of -h
#	take         what it does with an option or an operand: see parse_options
# shellcheck shell=sh
# shellcheck disable=SC2154 # these

say() { printf '%s: %s\n' "$prog" "$*" >&2; }
fail() { say "$*"; exit 2; }
bad_usage() { say "$*"; say "usage: $usage"; exit 2; }

# --- options ------------------------------------------------------------------
all_options() {
	printf '%s\n' "$options" 'h help - show this and exit' 'V version - show versions and exit'
}
# as the programs in C show theirs (lib/opt.h)
help() {
	{
		printf '%s\n' "usage: $usage" "$what" ''
		all_options | awk '
		{
			form[NR] = ($1 == "-" ? "      --" : "  -" $1 ", --") $2 ($3 == "-" ? "" : " " $3)
			if (length(form[NR]) > width) width = length(form[NR])
			sub(/^[^ ]+ [^ ]+ [^ ]+ /, "")
			help[NR] = $0
		}
		END { for (i = 1; i <= NR; i++) printf "%-" width "s  %s\n", form[i], help[i] }'
		printf '%s\n' '' "example: $example" "See ${usage%% *}(1)."
	} | cat || exit 2 # it knows whether they could be written
}
version() { "$here/tp-view1" --version | sed "s/^[^ ]*/${usage%% *}/" || exit 2; }

# find_option FORM: its line of the table, as $letter, $name and $word
find_option() {
	while read -r letter name word _; do
		case $1 in "-$letter"|"--$name") return 0 ;; esac
	done <<END
$(all_options)
END
	return 1
}
# parse_options WORD...: calls `take --NAME [VALUE]` for each option, in whichever form
# it came, and `take -- OPERAND` for each operand, which ends with 1 where a command
# begins, whose options are its own.  Then $left says how many words are left of it.
parse_options() {
	while [ $# -gt 0 ]; do
		option=$1 value='' attached=''
		case $1 in
		--) shift; break ;;
		--?*=*) option=${1%%=*} value=${1#*=} attached=y ;;
		--?*|-?) ;;
		-?*) value=${1#-?} option=${1%"${1#-?}"} attached=y ;;
		*)
			take -- "$1" || break
			shift
			continue ;;
		esac
		shift
		find_option "$option" || bad_usage "unknown option $option"
		if [ "$word" != - ]; then
			if [ ! "$attached" ]; then
				[ $# -ge 1 ] || bad_usage "--$name needs $word"
				value=$1
				shift
			fi
			[ "$value" ] || bad_usage "--$name '': not $word"
			take "--$name" "$value"
			continue
		fi
		case $attached,$option in
		y,--*) bad_usage "$option takes no argument" ;;
		y,*) set -- "-$value" "$@" ;; # several letters at once
		esac
		case $name in
		help|version) $name; exit 0 ;;
		*) take "--$name" ;;
		esac
	done
	# behind -- nothing is an option
	while [ $# -gt 0 ] && take -- "$1"; do shift; done
	left=$#
}

# --- the rest -------------------------------------------------------------------
# checked PROGRAM OPTION...: what is passed on is looked at by whom it is for, before
# an hour has passed; the options are such that it runs without a job or an input
checked() {
	program=$1
	shift
	words=$("$here/$program" "$@" 2>&1 >/dev/null </dev/null)
	case $? in
	2|125) bad_usage "$(printf '%s\n' "$words" | sed "s/^$program: //; q")" ;;
	esac
}

# quote WORD...: as they would be typed, also for eval
quote() {
	between=
	for word in "$@"; do
		case $word in
		*[!A-Za-z0-9_./:=,+@%-]*|'')
			# what ends in a newline keeps it: a quote comes behind it
			word=$(printf '%s\n' "$word" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/'/") ;;
		esac
		printf '%s%s' "$between" "$word"
		between=' '
	done
}

make_folder() { # FOLDER
	words=$(LC_ALL=C mkdir -p -- "$1" 2>&1) || fail "$1: cannot be made: ${words##*: }"
}
