import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { type ApiCall, curlOf } from './curl.ts';

/** Prints its arguments as the shell passes them to curl. */
function argumentsOf(call: ApiCall): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${curlOf(call, 'https://sms.example.com')}`;
  const env = { SIGNALBOX_API_KEY: 'a key' };
  return execFileSync('sh', ['-c', script], { encoding: 'utf8', env }).split('\0').slice(0, -1);
}

test('a call with a body is a POST, and a shell passes the body on unchanged', () => {
  const body = { text: `it's "$HOME" \`x\`\nnext` };
  const given = argumentsOf({ path: '/v1/sms', body });

  expect(given).toEqual(expect.arrayContaining(['https://sms.example.com/v1/sms', 'apikey: a key']));
  expect(given).not.toContain('-X');
  expect(JSON.parse(given.at(-1)!)).toEqual(body);
});

test('a method that the body does not imply is named', () => {
  expect(argumentsOf({ method: 'DELETE', path: "/v1/x?q='" }).slice(-2)).toEqual(['-X', 'DELETE']);
});
