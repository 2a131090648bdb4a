<?php

// Sends a one-time password to a number, asks for it, and checks what was typed.
//
//   php examples/php/verify.php 919800000100

require __DIR__ . '/signalbox.php';

/** Finds the settings of the codes, which are made once. */
function find_or_create_config(string $name): string
{
    foreach (call('GET', '/v1/verify/configs?limit=200')['data'] as $config) {
        if ($config['name'] === $name) {
            return $config['id'];
        }
    }
    return call('POST', '/v1/verify/configs', ['name' => $name, 'sender' => 'SIGNALBX'])['data']['id'];
}

function is_correct(string $verifyId, string $otp): bool
{
    try {
        call('POST', '/v1/verify/validate', ['verifyId' => $verifyId, 'otp' => $otp]);
    } catch (Refused $refused) {
        if ($refused->error['code'] !== 'otp_incorrect') {
            throw $refused;
        }
        echo "Wrong, {$refused->error['attemptsRemaining']} attempts left. Type it again:\n";
        return false;
    }
    echo "Correct.\n";
    return true;
}

require_usage($argc === 2, 'php verify.php <number>');
try {
    $body = ['configId' => find_or_create_config('example'), 'to' => $argv[1]];
    $verifyId = call('POST', '/v1/verify', $body, bin2hex(random_bytes(16)))['data'];
    echo "A code is on its way to $argv[1]. Type it:\n";
    while (($line = fgets(STDIN)) !== false && !is_correct($verifyId, trim($line)));
} catch (Exception $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
