import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { type PingLine, SilenceWatch } from './silence-watch.ts';

const STUCK = 'Postgres answers, but commits nothing';
const SILENT = 'Postgres does not answer';
const SECOND_MS = 1_000;

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

test('a commit that hangs is given up after 2 s, then after twice as long, up to 2 minutes', async () => {
  const t = setup();

  t.server.commits = false;
  await jest.advanceTimersByTimeAsync(450 * SECOND_MS);

  expect(t.patience()).toEqual([2, 4, 8, 16, 32, 64, 120, 120, 120]);
});

test('after a commit the next one that hangs is given up after 2 s again', async () => {
  const t = setup();
  t.server.commits = false;
  await jest.advanceTimersByTimeAsync(10 * SECOND_MS);

  t.server.commits = true;
  await jest.advanceTimersByTimeAsync(10 * SECOND_MS);
  t.server.commits = false;
  t.trials.length = 0;
  await jest.advanceTimersByTimeAsync(10 * SECOND_MS);

  expect(t.patience()).toEqual([2, 4, 8]);
});

test('a trial that begins no commit leaves the patience of the next one', async () => {
  const t = setup();
  await jest.advanceTimersByTimeAsync(0);

  t.server.refusesTrials = true;
  await jest.advanceTimersByTimeAsync(10 * SECOND_MS);
  t.server.refusesTrials = false;
  t.server.commits = false;
  await jest.advanceTimersByTimeAsync(5 * SECOND_MS);

  expect(t.patience()).toEqual([2, 4]);
});

test('Postgres commits nothing once a commit has waited for a second and pings were answered', async () => {
  const t = setup();

  t.server.commits = false;
  await jest.advanceTimersByTimeAsync(5 * SECOND_MS);

  const [first] = t.breaks;
  expect(first?.reason).toBe(STUCK);
  expect(first!.at - t.trials[0]!.at).toBe(SECOND_MS);
});

test('a Postgres that falls silent during a commit counts as silent', async () => {
  const t = setup();

  t.server.commits = false;
  t.server.hangsAtCommit = true;
  await jest.advanceTimersByTimeAsync(5 * SECOND_MS);

  expect(t.breaks.map(({ reason }) => reason)).toEqual([SILENT]);
});

/** The watch of a client whose statement has no answer, and of a server that is asked for nothing else. */
function setup() {
  const server = { answers: true, refusesTrials: false, commits: true, hangsAtCommit: false };
  const trials: { at: number; timeoutMs: number }[] = [];
  const breaks: { at: number; reason: string | undefined }[] = [];
  const openLine = (): PingLine => {
    let bytesRead = 0;
    const hanging: ((error: Error) => void)[] = [];
    const answer = (): Promise<void> => {
      if (!server.answers) return new Promise((_, reject) => hanging.push(reject));
      bytesRead += 1;
      return Promise.resolve();
    };
    return {
      get bytesRead() {
        return bytesRead;
      },
      isWaiting: false,
      breakOff: (reason = new Error('broken')) => hanging.forEach((fail) => fail(reason)),
      connect: answer,
      requirePrimary: () => undefined,
      ping: answer,
      begin: () => (server.refusesTrials ? Promise.reject(new Error('refused')) : answer()),
      commit: (timeoutMs) => {
        trials.push({ at: Date.now(), timeoutMs });
        if (server.hangsAtCommit) server.answers = false;
        if (server.commits) return answer();
        return new Promise((_, reject) => {
          hanging.push(reject);
          setTimeout(() => reject(new Error('Query read timeout')), timeoutMs);
        });
      },
      end: () => Promise.resolve(),
    };
  };
  const client = {
    bytesRead: 0,
    isWaiting: true,
    breakOff: (reason?: Error) => void breaks.push({ at: Date.now(), reason: reason?.message }),
  };
  SilenceWatch.of(`postgres://${expect.getState().currentTestName}`, openLine).add(client);
  return { server, trials, breaks, patience: () => trials.map(({ timeoutMs }) => timeoutMs / SECOND_MS) };
}
