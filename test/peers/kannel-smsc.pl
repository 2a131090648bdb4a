# An SMSC for Kannel: takes every message, reports it as delivered, and answers a text that asks for it.
# Prints each segment as `submit <recipient> <text>`.
use strict;
use warnings;
use Encode 'encode';
use Net::SMPP;

$| = 1;
my $listener = Net::SMPP->new_listen('127.0.0.1', port => shift, smpp_version => 0x34) or die "no listener: $!";
print "listening\n";
while (1) {
  my $link = $listener->accept or next; # nobody called for a while
  my $count = 0;
  while (my $pdu = $link->read_pdu) {
    my $name = Net::SMPP::pdu_tab->{$pdu->{cmd}}{cmd};
    next if $name =~ /_resp$/;
    my $response = "${name}_resp";
    if ($name ne 'submit_sm') {
      $link->$response(seq => $pdu->{seq}, $name =~ /^bind/ ? (system_id => 'smsc') : ());
      next;
    }
    my $id = sprintf('%08d', ++$count);
    my ($from, $to, $text) = ($pdu->{source_addr}, $pdu->{destination_addr}, $pdu->{short_message});
    $text = substr($text, 1 + ord $text) if $pdu->{esm_class} & 0x40; # without the header of a segment
    print "submit $to $text\n";
    $link->submit_sm_resp(seq => $pdu->{seq}, message_id => $id);
    my ($stat, $err) = $to =~ /1$/ ? ('UNDELIV', '001') : ('DELIVRD', '000');
    $link->deliver_sm(
      async => 1, source_addr => $to, destination_addr => $from, esm_class => 4,
      short_message => "id:$id sub:001 dlvrd:001 submit date:2611221000 done date:2611221001 stat:$stat err:$err text:",
    );
    $link->deliver_sm(async => 1, source_addr => $to, destination_addr => $from, short_message => 'STOP & go')
      if $text =~ /reply please/;
    $link->deliver_sm(
      async => 1, source_addr => $to, destination_addr => $from, data_coding => 8,
      short_message => encode('UTF-16BE', "caf\x{e9} \x{928}\x{92e} \x{1f600}"),
    ) if $text =~ /reply in Unicode/;
  }
}
