import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { newWebhookSecret, secretKey, signatureHeaders } from '@signalbox/domain/webhooks/push-signature';
import { type Language, SNIPPETS } from '../../apps/dashboard/src/pages/webhooks/snippets.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The `js` blocks of docs/webhooks.md: with the package of Standard Webhooks, and by hand. */
const [PACKAGE_BLOCK, HAND_BLOCK] = Array.from(
  readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8').matchAll(/^```js\n(.*?)^```/gms),
  ([, code = '']) => code,
);

interface Program {
  /** Checks whether the interpreter is there. */
  probe: readonly string[];
  /** Files to write to one folder. */
  files: Record<string, string>;
  command: readonly string[];
}

/** Programs that read `{ secret, headers, payload }` from stdin and print true or false. */
const PROGRAMS: Record<Language, Program> = {
  'Node.js': node(SNIPPETS['Node.js']),
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

function node(code: string): Program {
  return {
    probe: [process.execPath, '--version'],
    files: {
      'verify.mjs': code,
      'main.mjs': `import { readFileSync } from 'node:fs';
import { isSigned } from './verify.mjs';
const { secret, headers, payload } = JSON.parse(readFileSync(0, 'utf8'));
console.log(isSigned(secret, headers, payload));`,
    },
    command: [process.execPath, 'main.mjs'],
  };
}

const [IMPORT, ...CHECK] = PACKAGE_BLOCK!.trimEnd().split('\n');

/** The check with the package, which throws. */
const PACKAGE_CHECK = `${IMPORT}
export function isSigned(secret, headers, rawBody) {
  process.env.WEBHOOK_SECRET = secret;
  const request = { headers };
  try {
    ${CHECK.join('\n')}
    return true;
  } catch {
    return false;
  }
}`;

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

test.each([
  ...installed.map(([name, program]) => [`the ${name} snippet`, program, ['POST', 'GET']] as const),
  ['the check of docs/webhooks.md by hand', node(`${HAND_BLOCK}\nexport { isSigned };`), ['POST', 'GET']],
  ['the check of docs/webhooks.md with a package', node(PACKAGE_CHECK), ['POST']],
] as const)('%s accepts a push and no forged one', (_, program, methods) => {
  const secret = newWebhookSecret();

  for (const method of methods) {
    const { url, body } = PAYLOADS[method];
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
    const odd = { ...sign(secret), 'webhook-signature': `v1,${'A'.repeat(43)}\u00e9` };
    expect(run(program, { secret, headers: odd, payload })).toBe('false');
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
    symlinkSync(join(ROOT, 'test/node_modules'), join(folder, 'node_modules'));
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
