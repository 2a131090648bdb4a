<?php

// Sends one SMS to one or more numbers, and prints the id of each message.
//
//   php examples/php/send.php 919800000100,919800000101 "Your order has shipped."

require __DIR__ . '/signalbox.php';

require_usage($argc === 3, 'php send.php <number>[,<number>…] <text>');
try {
    $sms = ['sender' => 'SIGNALBX', 'to' => $argv[1], 'text' => $argv[2], 'type' => 'TRANS'];
    $sent = call('POST', '/v1/sms', $sms, bin2hex(random_bytes(16)));
    foreach ($sent['data'] as ['recipient' => $recipient, 'messageId' => $messageId]) {
        echo "$recipient $messageId\n";
    }
} catch (Exception $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
