# An SMSC of Net::SMPP: takes every message, names it in one of several forms and reports it. One line of output for each.
# Usage: perl perl-smsc.pl [port [form of ids [1 to report before the answer [first id]]]]
use strict;
use warnings;
use Net::SMPP;
use POSIX 'strftime';

my ($port, $form, $is_early, $count) = @ARGV;
$port //= 2775;
$form //= 'plain';
$count //= 1_000_000;
$| = 1;
$SIG{__WARN__} = sub { };
my $listener = Net::SMPP->new_listen('127.0.0.1', port => $port, smpp_version => 0x34) or die "no listener: $!";
print "listening\n";

# The id in the answer and the one in the receipt.
sub ids {
  my $n = ++$count * 7;
  return (sprintf('%x', $n), $n) if $form eq 'hex-answer';
  return ($n, sprintf('%x', $n)) if $form eq 'decimal-answer';
  return (sprintf('%X', $n), sprintf('%x', $n)) if $form eq 'upper-answer';
  return ($n, sprintf('%010d', $n)) if $form eq 'zeros-receipt';
  return (sprintf('0c1d6e2e-3b1a-4a5c-9d0e-%012x', $n), sprintf('0c1d6e2e-3b1a-4a5c-9d0e-%012x', $n)) if $form eq 'uuid';
  return ('A1', 'A1') if $form eq 'same';
  return ('', '') if $form eq 'empty';
  return ($n, $n);
}

while (1) {
  my $link = $listener->accept or next; # nobody called for a while
  while (my $pdu = $link->read_pdu) {
    my $name = Net::SMPP::pdu_tab->{$pdu->{cmd}}{cmd};
    next if $name =~ /_resp$/;
    my $response = "${name}_resp";
    if ($name ne 'submit_sm') {
      $link->$response(seq => $pdu->{seq}, $name =~ /^bind/ ? (system_id => 'smsc') : ());
      next;
    }
    my ($from, $to) = ($pdu->{source_addr}, $pdu->{destination_addr});
    my $tlv = defined $pdu->{0x1400} ? unpack('H*', $pdu->{0x1400}) : '-';
    printf "submit %s %d %d %s %s\n", $to, $pdu->{esm_class}, $pdu->{data_coding}, $tlv, unpack('H*', $pdu->{short_message});
    my ($answered, $reported) = ids();
    my $now = strftime('%y%m%d%H%M%S', gmtime);
    my ($stat, $err) = $to =~ /1$/ ? ('UNDELIV', '027') : ('DELIVRD', '000');
    my @receipt = (
      async => 1, source_addr => $to, destination_addr => $from, esm_class => 4,
      short_message => "id:$reported sub:001 dlvrd:001 submit date:$now done date:$now stat:$stat err:$err text:",
    );
    $link->deliver_sm(@receipt) if $is_early;
    $link->submit_sm_resp(seq => $pdu->{seq}, message_id => $answered);
    $link->deliver_sm(@receipt) if !$is_early;
    next if $pdu->{short_message} !~ /reply please/;
    # two segments, the last one first
    for my $position (2, 1) {
      my $text = $position == 1 ? 'STOP ' : 'please';
      $link->deliver_sm(
        async => 1, source_addr => $to, destination_addr => $from, esm_class => 0x40,
        short_message => pack('C6', 5, 0, 3, 9, 2, $position) . $text,
      );
    }
  }
}
