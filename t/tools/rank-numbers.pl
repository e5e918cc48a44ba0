#!/usr/bin/perl
# rank-numbers.pl REPORT RECORDS... - does every number of parts 2 and 3 of a
# report occur in a row?  Prints those that do not and exits 1.
#
# A row's number may appear as itself, with commas, as a time, a size or a share:
# the same formats as lib/num.h, worked out here a second time in integers.
use strict;
use warnings;
use JSON::PP;

my %known;

sub rounded { my ($n, $d) = @_; return int(($n * 2 + $d) / (2 * $d)); }

sub with_unit {
	my ($n, $base, @unit) = @_;
	my $k = 0;
	my $size = 1;
	while ($k < $#unit && rounded($n, $size) >= $base) { $k++; $size *= $base; }
	return "$n $unit[0]" if $k == 0;
	my $digits = 2;
	my $r = rounded($n * 100, $size);
	while ($digits > 0 && $r >= 1000) { $digits--; $r = rounded($n * 10 ** $digits, $size); }
	return sprintf("%.${digits}f %s", $r / 10 ** $digits, $unit[$k]);
}

sub commas { my $n = reverse shift; $n =~ s/(\d{3})(?=\d)/$1,/g; return scalar reverse $n; }

sub learn {
	my ($v) = @_;
	if (ref $v eq 'HASH') { learn($_) for values %$v; return; }
	if (ref $v eq 'ARRAY') { learn($_) for @$v; return; }
	return unless defined $v && $v =~ /^-?\d+(\.\d+)?$/;
	if ($v =~ /\./ || $v == 0 || $v == 1) {
		my ($micro) = rounded($v * 1_000_000, 1);
		$known{sprintf('%.1f %%', rounded($micro, 1000) / 10)} = 1;
	}
	return if $v =~ /[.-]/;
	$known{$_} = 1 for ($v, commas($v), with_unit($v, 1000, qw(ns us ms s)),
		with_unit($v, 1000, qw(B KB MB GB TB)));
}

my $report = shift @ARGV;
for my $file (@ARGV) {
	open my $fh, '<', $file or die "$file: $!\n";
	while (<$fh>) { learn(JSON::PP->new->utf8->decode($_)) if /^\{/; }
	close $fh;
}

open my $fh, '<', $report or die "$report: $!\n";
my $text = do { local $/; <$fh> };
close $fh;
$text =~ s/.*?^## 2\. //ms or die "$report: no part 2\n";
# headings and list numbers count findings; a name between backticks is a name
$text =~ s/^### \d+\. //mg;
$text =~ s/^(## |)\d+\. //mg;
$text =~ s/as in finding \d+//g;
$text =~ s/`[^`]*`//g;
$text =~ s/\s+/ /g;

my $bad = 0;
my $seen = 0;
while ($text =~ /(?<![\w.,])(\d[\d,]*(?:\.\d+)?)( (?:ns|us|ms|s|B|KB|MB|GB|TB|%))?(?![\w])/g) {
	my ($n, $unit) = ($1, $2 // '');
	$n =~ s/,$//;
	$seen++;
	next if $known{"$n$unit"};
	print "$n$unit is in no row\n";
	$bad = 1;
}
print "$seen numbers\n";
exit($bad || !$seen);
