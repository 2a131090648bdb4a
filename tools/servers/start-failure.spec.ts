import { expect, test } from '@jest/globals';
import { explainStartFailure } from './start-failure.ts';

const STARTED = event({ level: 'info', event: 'process.started' });
const QUEUE_LOST = event({
  level: 'warn',
  event: 'dependency.lost',
  dependency: 'queue',
  error: { message: 'queue did not answer within 2000 ms' },
});

test.each([
  [
    'the problems of its settings',
    [
      'the configuration is not usable:',
      '  - PORT must be a number',
      '  - SECRETS_KEY must be 32 random bytes',
    ],
    'PORT must be a number; SECRETS_KEY must be 32 random bytes. Correct it in the environment, and start again.',
  ],
  [
    'its last error with the advice of the line',
    [
      QUEUE_LOST,
      event({ level: 'error', error: { message: 'address in use', advice: 'Set another port.' } }),
      STARTED,
    ],
    'address in use. Set another port.',
  ],
  [
    'an error of several lines as one',
    [event({ level: 'error', error: { message: 'The file is wrong:\n  gateways[0] has no name' } })],
    'The file is wrong: gateways[0] has no name. Look at its lines above.',
  ],
  [
    'a file that does not exist',
    [event({ level: 'error', error: { message: "no such file, open '/gateways.yaml'", code: 'ENOENT' } })],
    "no such file, open '/gateways.yaml'. Correct the setting that names this path.",
  ],
  [
    'the setting of a server that does not answer',
    [QUEUE_LOST, STARTED],
    'queue did not answer within 2000 ms. Check QUEUE_URL, and that its server runs.',
  ],
  [
    'the error that ended Node',
    [
      STARTED,
      'file:///main.js:3',
      '  wrong',
      'SyntaxError: Unexpected identifier',
      '    at here',
      '',
      'Node.js v24',
    ],
    'SyntaxError: Unexpected identifier. Look at its lines above.',
  ],
  ['nothing where no line has a reason', [STARTED, 'hello'], undefined],
])('the reason of a failed start is %s', (_, lines, reason) => {
  expect(explainStartFailure(lines)).toBe(reason);
});

function event(fields: object): string {
  return JSON.stringify({ app: 'api', ...fields });
}
