#!/bin/sh
# tp-rank on jobs with known faults: what was planted is among the first five
# findings, at the right function, and where nothing was planted nothing of the
# host is found.
# shellcheck disable=SC2016
. "$(dirname "$0")/lib.sh"
planted=$TP_SHARED/workloads/planted.tsv
[ -r "$planted" ] || skip_all "no $planted"
for v in 1 2 3 4 5; do
	command -v tp-view$v >/dev/null || skip_all "no tp-view$v"
done

# JOB: its store, rows and records
judge() {
	for kind in stack mem prof; do
		trace=$TP_SHARED/traces/h200/$1.$kind.json.gz
		[ ! -r "$trace" ] || break
	done
	tp-ingest -o "$1.db" "$trace" 2>/dev/null &&
		for v in 1 2 3 4 5; do tp-view$v -j "$1.db"; done >"$1.rows" &&
		tp-rank -j "$1.rows" >"$1.rec"
}

for job in gpt_item cnn_loader rnn_tiny gpt_clean graphs prefetch curriculum; do
	ok judge $job -- "$job is judged"
	tp-rank -t $job.rows >$job.md
	ok perl "$TOP/t/tools/rank-numbers.pl" $job.md $job.rec $job.rows -- \
		"$job: every number of parts 2 and 3 is in a row"
	is "$(awk 'length > 80 && !/`/ && !/^    /' $job.md)" '' "$job: fits 80 columns"
done

# Each planted cause that a trace can show: what share of the wall the rows give
# it, and at which place the first finding is that names it.
cat >check.pl <<'END'
use strict; use warnings; use JSON::PP;
my %fits = (
	sync => qr/^(read-back|synchronize|wait)/, host => qr/^(unfused|tiny|host-bound|read-back)/,
	input => qr/^loader/, transfer => qr/^(blocking|large)-cop/, precision => qr/^float/,
);
my $planted = shift;
open my $fh, '<', $planted or die;
while (<$fh>) {
	chomp;
	my ($job, $cause, $file, undef, $func) = split /\t/;
	next if /^#/ || !$fits{$cause};
	my (@finding, $wall, $charge);
	open my $rows, '<', "$job.rows" or die;
	while (<$rows>) {
		my $r = decode_json($_);
		$wall += $r->{wall_ns} if $r->{kind} eq 'view1.step' && !$r->{any_device};
		next unless !defined $r->{func} || $r->{func} eq $func;
		my $site = $r->{kind} eq 'view2.site';
		$charge += $r->{cost_ns} if $site && $r->{cause} eq $cause;
		$charge += $r->{own_ns} if $r->{kind} eq 'view3.kernel' &&
			($cause eq 'transfer' ? $r->{class} eq 'copy' : $cause eq 'precision');
	}
	open my $rec, '<', "$job.rec" or die;
	while (<$rec>) { my $r = decode_json($_); push @finding, $r if $r->{kind} eq 'finding'; }
	my $at = 0;
	for my $f (reverse @finding[0 .. ($#finding < 4 ? $#finding : 4)]) {
		$at = $f->{rank_no} if $f->{cause} =~ $fits{$cause} &&
			(!defined $f->{func} || $f->{func} eq $func);
	}
	my $share = $charge ? $charge / $wall : 0;
	print "$job $cause $func: ", $share < 0.01 ? 'below 1 %' : $at ? "found" : 'not found', "\n";
}
END
perl check.pl "$planted" >found 2>err
ok test -s found -- 'the list of planted causes is read'
is "$(grep -c ': found' found)" "$(grep -vc 'below 1 %' found)" 'all of at least 1 % are found'
diag "$(cat found err)"

# where the device binds, nothing of the host is dear, and no cost exceeds its place
cat >host.pl <<'END'
use strict; use warnings; use JSON::PP;
my ($last, @bad);
while (<>) {
	my $r = decode_json($_);
	next unless $r->{kind} eq 'finding' && defined $r->{cost_share};
	push @bad, $r->{title} if $r->{charged}[0] =~ /^view2/ && $r->{cost_share} > 0.03;
}
print join("\n", @bad);
END
is "$(perl host.pl gpt_clean.rec)" '' 'gpt_clean: no finding of the host above 3 %'
is "$(perl host.pl prefetch.rec)" '' 'prefetch: no finding of the host above 3 %'
holds prefetch.rec '"kind":"cleared".*"cause":"large-copies"' 'prefetch: the copies are cleared'
holds prefetch.rec '"kind":"cleared".*"cause":"blocking-copy-in"' 'prefetch: also as blocking ones'
holds prefetch.rec '"rank_no":1,.*"cause":"float32-matmul".*"func":"main"' \
	'prefetch: the matrix products come first'
holds gpt_clean.md '^\*\*The device works\.\*\*' 'gpt_clean: the first line says that the device works'
holds cnn_loader.md '^\*\*The device waits\.\*\*' 'cnn_loader: and here that it waits'
done_testing
