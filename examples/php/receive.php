<?php

// Prints each delivery report and chat-app event once, after a check of the signature over the raw body.
// The built-in server of PHP calls this file for each request; so does any other, with an endpoint that leads here.
//
//   WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:8080 examples/php/receive.php

const TOLERANCE_SECONDS = 300;

/** True when one of the signatures is valid and the call is not an old one. */
function is_signed(string $secret, string $payload): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $at = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($at) || abs(time() - (int) $at) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$payload", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

/** True for the first report with an id. In production: a unique column, written with what the report changes. */
function is_first(string $id): bool
{
    $folder = sys_get_temp_dir() . '/signalbox-seen';
    @mkdir($folder, 0700);
    return @fopen($folder . '/' . hash('sha256', $id), 'x') !== false;
}

/** The report of an SMS, or the event of a chat-app message. */
function line_of(array $report): string
{
    if (isset($report['type'])) {
        ['messageId' => $id, 'from' => $from, 'to' => $to, 'status' => $status] = $report['data'];
        return "{$report['type']} $id $from > $to $status";
    }
    $names = ['messageId', 'mobileNumber', 'status', 'errCode', 'statusDescription'];
    return implode(' ', array_map(fn ($name) => $report[$name], $names));
}

$secret = getenv('WEBHOOK_SECRET') ?: '';
$body = file_get_contents('php://input');
if (!str_starts_with($secret, 'whsec_') || !is_signed($secret, $body)) {
    http_response_code(401);
    exit;
}
$call = json_decode($body, true); // a batch is an array, and each report in it has its own id
$reports = array_is_list($call) ? $call : [['id' => $_SERVER['HTTP_WEBHOOK_ID'], 'body' => $call]];
foreach ($reports as ['id' => $id, 'body' => $report]) {
    if (is_first($id)) {
        file_put_contents('php://stdout', line_of($report) . "\n");
    }
}
http_response_code(204); // a 2xx ends the push; anything else causes a retry
