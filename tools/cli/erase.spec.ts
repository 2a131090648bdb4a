import { expect, test } from '@jest/globals';
import { runCli } from '@signalbox/test/run-cli';

const NO_DATABASE = 'postgres://127.0.0.1:1/none';

test('a --dry-run that npm took for itself is refused, and erases nothing', async () => {
  const env = { DATABASE_URL: NO_DATABASE, npm_config_dry_run: 'true' };

  expect(await runCli(env, 'erase', '919800000177')).toEqual({
    code: 1,
    output: expect.stringMatching(/^npm took --dry-run for itself: write -- before erase,/),
  });
});
