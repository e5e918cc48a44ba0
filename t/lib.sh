# lib.sh - TAP for the black-box tests.  A test begins with
#
#	. "$(dirname "$0")/lib.sh"
#	plan 7                       # or finish with `done_testing`
#
# and then stands in a scratch directory of its own ($SCRATCH), which goes when
# all passed and is named when something failed.  $TOP is the checkout.
#
#	ok COND... -- NAME           the command COND succeeds
#	is GOT WANT NAME             two strings
#	runs STATUS NAME CMD...      exit status; output in ./out, ./err
#	holds FILE RE NAME           grep -E finds it
#	lacks FILE RE NAME           grep -E does not
#	same FILE FILE NAME          byte for byte, else a diff
#	skip N WHY                   N tests that can't run here
#	skip_all WHY                 the whole file
# shellcheck shell=sh

TOP=$(cd "$(dirname "$0")/.." && pwd) || exit 2
TP_SHARED=${TP_SHARED:-$TOP/../shared}
export TOP TP_SHARED
if [ -z "${TP_BUILD:-}" ]; then
	TP_BUILD=$TOP/.build/release
	PATH=$TP_BUILD/bin:$PATH
fi
export TP_BUILD PATH

# nothing of the caller's surroundings may show in the results
LC_ALL=C TZ=UTC
export LC_ALL TZ
unset COLUMNS NO_COLOR TERM TP_DEBUG CDPATH ENV BASH_ENV
umask 022
# MODE=asan: let malloc fail as it does elsewhere; leaks have a status of their own
ASAN_OPTIONS=allocator_may_return_null=1:exitcode=99:${ASAN_OPTIONS:-}
LSAN_OPTIONS=exitcode=98:${LSAN_OPTIONS:-}
UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-}
TSAN_OPTIONS=exitcode=97:${TSAN_OPTIONS:-}
export ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS

T_N=0 T_BAD=0 T_PLAN=
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/tp-test.XXXXXX") || exit 2
export SCRATCH
cd "$SCRATCH" || exit 2

t_exit() {
	t_status=$?
	trap - EXIT
	cd /
	if [ $T_BAD = 0 ] && [ $t_status = 0 ] &&
	   [ "${T_PLAN:-$T_N}" = "$T_N" ]; then
		chmod -R u+w "$SCRATCH" 2>/dev/null
		rm -rf "$SCRATCH"
		exit 0
	fi
	echo "# kept: $SCRATCH"
	[ $t_status != 0 ] || t_status=1
	exit $t_status
}
trap t_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

plan() { T_PLAN=$1; echo "1..$1"; }
done_testing() { plan $T_N; }
skip_all() { echo "1..0 # SKIP $*"; T_PLAN=0 T_N=0; exit 0; }
skip() {
	t_i=0
	while [ $t_i -lt "$1" ]; do
		t_i=$((t_i + 1)) T_N=$((T_N + 1))
		echo "ok $T_N # SKIP $2"
	done
}

# on stderr, as TAP has it: prove shows it
diag() { printf '%s\n' "$*" | sed 's/^/# /' >&2; }

# t_result STATUS NAME
t_result() {
	T_N=$((T_N + 1))
	if [ "$1" = 0 ]; then
		echo "ok $T_N - $2"
		return 0
	fi
	T_BAD=$((T_BAD + 1))
	echo "not ok $T_N - $2"
	return 1
}

ok() {
	t_cmd=0
	for t_a in "$@"; do
		[ "$t_a" != -- ] || break
		t_cmd=$((t_cmd + 1))
	done
	# run the words before --, with the name that stands behind it
	t_all=$#
	eval "t_name=\${$t_all}"
	t_i=0
	while [ $t_i -lt $t_cmd ]; do
		set -- "$@" "$1"
		shift
		t_i=$((t_i + 1))
	done
	shift $((t_all - t_cmd))
	"$@" >ok.out 2>&1
	t_st=$?
	# shellcheck disable=SC2154 # t_name is set by the eval
	t_result $t_st "$t_name" || { diag "status $t_st: $*"; diag "$(head -20 ok.out)"; }
	rm -f ok.out
}

is() {
	[ "$1" = "$2" ]
	t_result $? "$3" || { diag "got:  $1"; diag "want: $2"; }
}

runs() {
	t_want=$1 t_name=$2
	shift 2
	"$@" >out 2>err
	t_st=$?
	[ $t_st = "$t_want" ]
	t_result $? "$t_name" || {
		diag "status $t_st, want $t_want: $*"
		diag "$(head -20 err)"
	}
}

holds() {
	grep -Eq -e "$2" "$1"
	t_result $? "$3" || { diag "no match for: $2"; diag "$(head -20 "$1")"; }
}

lacks() {
	! grep -Eq -e "$2" "$1"
	t_result $? "$3" || { diag "matches: $2"; diag "$(grep -E -e "$2" "$1" | head -5)"; }
}

same() {
	cmp -s "$1" "$2"
	t_result $? "$3" || diag "$(diff -u "$2" "$1" 2>&1 | head -30)"
}
