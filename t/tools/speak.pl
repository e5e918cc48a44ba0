# speak.pl FILE... - a job that plays the hook (share/hook/tp_hook): sends each
# FILE's lines to tp-time's or tp-capture's socket, over a link of its own.  @DIR@
# in a line is the folder that conf.json gives for traces.  Ends with status 7.
use strict;
use warnings;
use IO::Socket::UNIX;
use JSON::PP;

my $place = $ENV{TP_HOOK} or die "no hook is asked for\n";
sub slurp { local (@ARGV, $/) = @_; <> }
my $conf = decode_json(slurp("$place/conf.json"));
my $dir = $conf->{window} ? $conf->{window}{dir} : '';

open my $entered, '>', "$place/python" or die "$place: $!\n";
close $entered;
for my $file (@ARGV) {
	my $link = IO::Socket::UNIX->new(Peer => $conf->{socket}) or die "no link: $!\n";
	(my $said = slurp($file)) =~ s/\@DIR\@/$dir/g;
	while ($said =~ s/^put (\S+) (.*)\n//m) {
		open my $out, '>', $1 or die "$1: $!\n";
		print $out $2;
		close $out or die "$1: $!\n";
	}
	local $SIG{PIPE} = 'IGNORE'; # the other end may hang up on us
	print $link $said;
	close $link;
}
exit 7;
