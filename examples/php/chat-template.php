<?php

// Creates a chat-app template, waits for its review, sends it, and prints the status of the message.
// The chat account 100001 and its number 15550100001 are those of the demo account.
//
//   php examples/php/chat-template.php 919800000100 Asha

require __DIR__ . '/signalbox.php';

const BODY = ['type' => 'BODY', 'text' => 'Hi {{1}}, your order is on its way.', 'example' => ['body_text' => [['Asha']]]];
const TEMPLATE = [
    'name' => 'example_shipped',
    'category' => 'UTILITY',
    'language' => 'en',
    'chatAccountId' => '100001',
    'components' => [BODY],
];

/** Reads once a second, and prints the status, until it is none of the unfinished ones. */
function follow(string $path, array $unfinished, string $label): void
{
    do {
        ['status' => $status] = call('GET', $path)['data'];
        echo "$label $status\n";
    } while (in_array($status, $unfinished, true) && sleep(1) === 0);
}

require_usage($argc === 3, 'php chat-template.php <number> <name>');
try {
    $found = call('GET', '/v1/chatapp/chatTemplateList?name=' . TEMPLATE['name'] . '&chatAccountId=100001')['data'];
    $id = $found[0]['id'] ?? call('POST', '/v1/chatapp/createChatTemplate', TEMPLATE, bin2hex(random_bytes(16)))['id'];
    follow("/v1/chatapp/getChatTemplate?id=$id", ['Pending'], TEMPLATE['name']);
    $message = [
        'from' => '15550100001',
        'to' => $argv[1],
        'type' => 'template',
        'templateName' => TEMPLATE['name'],
        'components' => ['body' => ['params' => [$argv[2]]]],
    ];
    ['messageId' => $messageId] = call('POST', '/v1/chatapp', $message, bin2hex(random_bytes(16)))['data'][0];
    follow("/v1/messages/$messageId", ['Pending', 'Sent'], $messageId);
} catch (Exception $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
