<?php

// Sends one SMS to every number of a file, a number on each line, and prints the progress for up to a minute.
// Run again within 48 hours it sends nothing twice: the idempotency key of a call is the hash of its body.
//
//   php examples/php/bulk.php numbers.txt "The shop opens at nine."

require __DIR__ . '/signalbox.php';

const NUMBERS_PER_CALL = 1_000;
const FOLLOWED_SECONDS = 60;

function follow_until_ended(string $id): void
{
    for ($second = 0; $second < FOLLOWED_SECONDS; $second++) {
        $statuses = call('GET', "/v1/sms/$id")['data']['statuses'];
        $counts = array_map(fn ($status, $count) => "$status $count", array_keys($statuses), $statuses);
        echo "$id ", implode(', ', $counts), "\n";
        if ($statuses['Pending'] + $statuses['Sent'] === 0) {
            return;
        }
        sleep(1);
    }
}

require_usage($argc === 3 && is_readable($argv[1]), 'php bulk.php <file of numbers> <text>');
try {
    $numbers = preg_split('/\s+/', file_get_contents($argv[1]), -1, PREG_SPLIT_NO_EMPTY);
    if (!$numbers) {
        throw new Exception("{$argv[1]} has no numbers.");
    }
    foreach (array_chunk($numbers, NUMBERS_PER_CALL) as $to) {
        $body = ['sender' => 'SIGNALBX', 'to' => $to, 'text' => $argv[2], 'type' => 'TRANS', 'campaignName' => 'example'];
        $sent = call('POST', '/v1/sms', $body, hash('sha256', json_encode($body)));
        echo "{$sent['id']} {$sent['totalCount']} accepted\n";
        follow_until_ended($sent['id']);
    }
} catch (Exception $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
