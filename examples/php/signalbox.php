<?php

// Calls of the Signalbox API for the other examples of this folder. Needs PHP 8.1 or newer and nothing else.

const TRIES = 5;

/** Ends the program with its usage, or when the address or the key of the API is missing. */
function require_usage(bool $isGiven, string $usage): void
{
    if ($isGiven && getenv('SIGNALBOX_URL') && getenv('SIGNALBOX_API_KEY')) {
        return;
    }
    fwrite(STDERR, "Usage: SIGNALBOX_URL=… SIGNALBOX_API_KEY=… $usage\n");
    exit(1);
}

/** A refused request, with the `error` of the answer. */
class Refused extends Exception
{
    public function __construct(public readonly array $error)
    {
        parent::__construct("{$error['code']}: {$error['message']} (request {$error['requestId']})");
    }
}

/**
 * Makes a call and returns the body of its answer. Tries again when that may help: the same idempotency key makes all
 * tries one send.
 */
function call(string $method, string $path, ?array $body = null, ?string $idempotencyKey = null): array
{
    $headers = ['apikey: ' . getenv('SIGNALBOX_API_KEY'), 'content-type: application/json', 'connection: close'];
    if ($idempotencyKey !== null) {
        $headers[] = "idempotency-key: $idempotencyKey";
    }
    $content = $body === null ? '' : json_encode($body);
    $http = ['method' => $method, 'header' => $headers, 'content' => $content, 'timeout' => 30, 'ignore_errors' => true];
    for ($attempt = 1; ; $attempt++) {
        $http_response_header = [];
        $text = @file_get_contents(rtrim(getenv('SIGNALBOX_URL'), '/') . $path, false, stream_context_create(['http' => $http]));
        $answer = $text === false ? null : json_decode($text, true);
        if (is_array($answer) && $answer['error'] === null) {
            return $answer;
        }
        // Without an answer the request may have arrived: the key makes the repeat harmless.
        $failure = is_array($answer) ? new Refused($answer['error']) : new Exception('No answer');
        if ($attempt === TRIES || ($failure instanceof Refused && !$failure->error['retryable'])) {
            throw $failure;
        }
        $waits = preg_grep('/^retry-after:/i', $http_response_header);
        $seconds = $waits ? (int) trim(substr(end($waits), strlen('retry-after:'))) : 1;
        fwrite(STDERR, "{$failure->getMessage()} (trying again in $seconds s)\n");
        sleep($seconds);
    }
}
