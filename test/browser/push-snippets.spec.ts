import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { newWebhookSecret, secretKey, signatureHeaders } from '@signalbox/domain/webhooks/push-signature';
import { type Language, SNIPPETS } from '../../apps/dashboard/src/pages/webhooks/snippets.ts';

interface Program {
  /** Checks whether the interpreter is there. */
  probe: readonly string[];
  /** Files to write to one folder. */
  files: Record<string, string>;
  command: readonly string[];
}

/** Programs that read `{ secret, headers, payload }` from stdin and print true or false. */
const PROGRAMS: Record<Language, Program> = {
  'Node.js': {
    probe: [process.execPath, '--version'],
    files: {
      'verify.mjs': SNIPPETS['Node.js'],
      'main.mjs': `import { readFileSync } from 'node:fs';
import { isSigned } from './verify.mjs';
const { secret, headers, payload } = JSON.parse(readFileSync(0, 'utf8'));
console.log(isSigned(secret, headers, payload));`,
    },
    command: [process.execPath, 'main.mjs'],
  },
  Python: {
    probe: ['python3', '--version'],
    files: {
      'main.py': `${SNIPPETS.Python}
import json
import sys
given = json.load(sys.stdin)
print(str(is_signed(given["secret"], given["headers"], given["payload"].encode())).lower())`,
    },
    command: ['python3', 'main.py'],
  },
  PHP: {
    probe: ['php', '--version'],
    files: {
      'main.php': `${SNIPPETS.PHP}
$given = json_decode(stream_get_contents(STDIN), true);
echo is_signed($given['secret'], $given['headers'], $given['payload']) ? 'true' : 'false';`,
    },
    command: ['php', 'main.php'],
  },
  Go: {
    probe: ['go', 'version'],
    files: {
      'go.mod': 'module example.com/push\n\ngo 1.19\n',
      'push/push.go': SNIPPETS.Go,
      'main.go': `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"example.com/push/push"
)

func main() {
	var given struct {
		Secret, Payload string
		Headers         map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	headers := http.Header{}
	for name, value := range given.Headers {
		headers.Set(name, value)
	}
	fmt.Println(push.IsSigned(given.Secret, headers, []byte(given.Payload)))
}
`,
    },
    command: ['go', 'run', '.'],
  },
};

const PAYLOADS = {
  POST: {
    url: 'https://example.com/reports',
    body: '{"status":"Delivered","mobileNumber":"919800000100","statusDescription":"Zugestellt – ✓"}',
  },
  GET: { url: 'https://example.com/reports?status=Delivered&senderName=A%20B', body: undefined },
};

const isInstalled = ({ probe: [interpreter = '', ...flags] }: Program): boolean =>
  spawnSync(interpreter, flags).status === 0;

/** Programs whose interpreter is there; Node.js always is. */
const installed = Object.entries(PROGRAMS).filter(([, program]) => isInstalled(program));

test.each(installed)('the %s snippet accepts a push and no forged one', (_, program) => {
  const secret = newWebhookSecret();

  for (const { url, body } of Object.values(PAYLOADS)) {
    const payload = body ?? url.slice('https://example.com'.length);
    const sign = (key: string, at = new Date()) => headersOf(key, at, url, body);
    const other = newWebhookSecret();

    expect(run(program, { secret, headers: sign(secret), payload })).toBe('true');
    expect(run(program, { secret: other, headers: sign(secret), payload })).toBe('false');
    expect(run(program, { secret, headers: sign(secret), payload: `${payload} ` })).toBe('false');
    expect(run(program, { secret, headers: sign(secret, new Date(Date.now() - 600_000)), payload })).toBe(
      'false',
    );
    expect(run(program, { secret, headers: {}, payload })).toBe('false');
  }
});

/** Headers of a push that is signed with a replaced secret as well. */
function headersOf(secret: string, at: Date, url: string, body: string | undefined): Record<string, string> {
  const keys = [secretKey(newWebhookSecret()), secretKey(secret)] as [
    ReturnType<typeof secretKey>,
    ReturnType<typeof secretKey>,
  ];
  return { ...signatureHeaders(keys, 'a-report_a-webhook', at, { url, body }) };
}

function run({ files, command }: Program, given: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'snippet-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFile(folder, name, text);
    const [interpreter = '', ...args] = command;
    const { stdout, stderr } = spawnSync(interpreter, args, {
      cwd: folder,
      input: JSON.stringify(given),
      encoding: 'utf8',
    });
    return stdout.trim() || stderr;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeFile(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
