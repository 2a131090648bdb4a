import { afterEach, expect, jest, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type GraphRequest, type GraphServer, WABA, graphError } from '@signalbox/test/graph-server';
import { refuse, setup } from '../../test/cloud-api.ts';

afterEach(() => void jest.useRealTimers());

const FOREIGN = '15550999999';

const isList = ({ path }: GraphRequest): boolean => path === `/${WABA}/phone_numbers`;
const onList =
  (answer: ReturnType<GraphServer['intercept']>): GraphServer['intercept'] =>
  (request) =>
    isList(request) ? answer : undefined;

/** Opens a gateway on a clock that stands still, and fakes its interval. */
async function setupWatch(intercept?: GraphServer['intercept']) {
  const real = ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] as const;
  jest.useFakeTimers({ doNotFake: [...real] });
  const clock = { ms: 0 };
  const t = await setup(intercept, { timeoutMs: 60_000 }, () => clock.ms);
  await t.submit(); // waits for the first list
  return {
    ...t,
    clock,
    /** Lets time pass, and waits for the list if it is read then. */
    pass: async (ms: number) => {
      clock.ms += ms;
      jest.advanceTimersByTime(5_000);
      await t.submit({ sender: FOREIGN });
    },
    get lists() {
      return t.graph.requests.filter(isList).length;
    },
  };
}

test.each<[string, ReturnType<GraphServer['intercept']>]>([
  ['fails', graphError(2, {}, 500)],
  ['is limited', graphError(80_008)],
  ['is cut', { cut: true }],
])('a list that %s leaves the known numbers in use, and the state says it', async (_name, answer) => {
  await using t = await setupWatch();
  t.graph.intercept = onList(answer);

  await t.pass(30_000);

  expect(t.gateway.state()).toMatchObject({
    status: 'up',
    reason: expect.stringMatching(/^Serves 2 numbers .* cannot be read: /),
  });
  expect((await t.submit()).result).toBe('accepted');
  expect(await t.submit({ sender: FOREIGN })).toMatchObject({ result: 'throttled', scope: 'sender' });
});

test.each([190, 10, 200])('a list that is refused with %i takes the gateway down', async (code) => {
  await using t = await setupWatch();
  t.graph.intercept = onList(graphError(code, {}, 401));
  await t.pass(30_000);
  expect(t.gateway.state().status).toBe('down');
});

test('a known number does not wait for the list', async () => {
  await using t = await setupWatch();
  t.graph.intercept = onList({ silent: true });
  t.clock.ms += 6 * 60_000;
  expect((await t.submit()).result).toBe('accepted');
  await waitFor(() => t.lists === 2);
});

test('while no number is known the list is read every 5 s, unless Meta refuses the token', async () => {
  await using t = await setupWatch(onList(graphError(2, {}, 500)));
  expect(t.gateway.state().status).toBe('down');

  t.graph.intercept = () => undefined;
  await t.pass(5_000);

  expect(t.gateway.state().status).toBe('up');
});

test('a list that loads ends the alarm of a token, and not that of a missing permission', async () => {
  await using t = await setupWatch(refuse(10));
  expect(t.gateway.state().reason).toContain('lacks a permission');
  await t.pass(30_000);
  expect(t.gateway.state().reason).toContain('lacks a permission');

  t.graph.intercept = refuse(190, {}, 401);
  await t.pass(31_000);
  await t.submit();
  expect(t.gateway.state().status).toBe('down');
  await t.pass(30_000);
  expect(t.gateway.state().status).toBe('up');
});

test('an alarm is logged once, until a message is accepted', async () => {
  await using t = await setupWatch(refuse(10));
  for (let minute = 1; minute <= 3; minute += 1) {
    t.clock.ms += 61_000;
    await t.submit();
  }
  expect(t.alarms).toMatchObject([{ fields: { code: 10 } }]);

  t.graph.intercept = () => undefined;
  t.clock.ms += 61_000;
  expect((await t.submit()).result).toBe('accepted');
  t.graph.intercept = refuse(10);
  await t.submit();
  expect(t.alarms).toHaveLength(2);
});
