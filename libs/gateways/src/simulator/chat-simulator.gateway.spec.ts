import { expect, test } from '@jest/globals';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { WAIT, describeGateway } from '../../test/gateway.conformance.ts';
import type { OutgoingChatMessage } from '../chat-app-gateway.ts';
import { chatSimulatorCallbacks, type SimulatorStatus, chatSimulatorCallback } from './chat-callback.ts';
import { chatScript } from './chat-script.ts';
import { ChatSimulatorGateway, type SimulatedStep } from './chat-simulator.gateway.ts';

const MESSAGE: OutgoingChatMessage = {
  messageId: '1234',
  accountId: 'a',
  sender: '15550100001',
  recipient: '919800001234',
  kind: 'text',
  template: null,
  content: { body: 'Hello' },
  attempt: 1,
};

describeGateway<OutgoingChatMessage>('ChatSimulatorGateway', {
  open: () => {
    const reports: GatewayReport[] = [];
    const run = async (step: SimulatedStep): Promise<void> => void reports.push(...callBack(step));
    const schedule = async (steps: SimulatedStep[]): Promise<void> => {
      for (const { script, messageIds } of steps)
        for (const step of chatScript(script).steps.keys()) await run({ script, step, messageIds });
    };
    return { gateway: new ChatSimulatorGateway({ schedule, run }, 1), reports };
  },
  message: (fields) => ({ ...MESSAGE, ...fields }),
});

/** Returns the reports that a step's callback is read as. */
function callBack({ script, step, messageIds }: SimulatedStep): GatewayReport[] {
  const report = chatScript(script).steps[step];
  if (report === undefined || report === 'reply') return [];
  const { status, errCode, description } = report;
  const statuses = messageIds.map((messageId): SimulatorStatus => {
    const word = status.toLowerCase() as SimulatorStatus['status'];
    return { messageId, status: word, errCode, description, timestamp: new Date().toISOString() };
  });
  return chatSimulatorCallbacks([]).read(chatSimulatorCallback({ statuses })).reports;
}

/**
 * Builds a message to the number of a script; its id is the last four digits, so that assertions read as the script
 * does.
 */
const message = (digits: string, attempt = 1): OutgoingChatMessage => ({
  ...MESSAGE,
  messageId: digits,
  recipient: `91980000${digits}`,
  attempt,
});

function setup({ fails = false, delayMs = 5 } = {}) {
  const calls: string[] = [];
  const note = (call: string) => async (steps: SimulatedStep[]) => {
    if (fails) throw new Error('the queue is unreachable');
    calls.push(
      ...steps.map(({ script, step, messageIds }) => `${call}: ${script} ${step} ${messageIds.join()}`),
    );
  };
  const schedule = (steps: SimulatedStep[], afterMs: number): Promise<void> =>
    note(`in ${afterMs} ms`)(steps);
  const gateway = new ChatSimulatorGateway({ schedule, run: (step) => note('now')([step]) }, delayMs);
  const submit = async (...messages: OutgoingChatMessage[]) =>
    (await gateway.submit(messages, WAIT)).map(({ messageId, result }) => `${messageId} ${result}`);
  return { gateway, calls, submit };
}

const steps = (name: string): string[] =>
  chatScript(name).steps.map((step) => (step === 'reply' ? step : `${step.status} ${step.errCode}`));

test.each([
  ['0001', ['FAILED 001']],
  ['0002', ['FAILED 002']],
  ['0005', ['SENT 000', 'SENT 000', 'DELIVERED 000', 'DELIVERED 000', 'READ 000', 'READ 000']],
  ['0006', []],
  ['0007', ['SENT 000', 'DELIVERED 000', 'READ 000', 'reply']],
  ['0008', ['READ 000', 'DELIVERED 000', 'SENT 000']],
  ['plain', ['SENT 000', 'DELIVERED 000', 'READ 000']],
])('script %s calls back about %j', (name, wanted) => {
  expect(steps(name)).toEqual(wanted);
});

test('messages of one script share their callbacks', async () => {
  const { calls, submit } = setup();
  expect(
    await submit(message('1234'), message('0001'), message('5678'), message('0006'), message('0009')),
  ).toEqual(['1234 accepted', '0001 accepted', '5678 accepted', '0006 accepted', '0009 unconfirmed']);
  expect(calls).toEqual(['in 5 ms: plain 0 1234,5678', 'in 5 ms: 0001 0 0001', 'in 5 ms: 0009 0 0009']);
});

test('0003 is throttled twice, then accepted', async () => {
  const { calls, submit } = setup();
  expect(await submit(message('0003'), message('0003', 2))).toEqual(['0003 throttled', '0003 throttled']);
  expect(calls).toEqual([]);
  expect(await submit(message('0003', 3))).toEqual(['0003 accepted']);
  expect(calls).toEqual(['in 5 ms: 0003 0 0003']);
});

test('0004 calls back before its submit returns', async () => {
  const { calls, submit } = setup();
  expect(await submit(message('0004'))).toEqual(['0004 accepted']);
  expect(calls).toEqual(['now: 0004 0 0004']);
});

test('a message whose callbacks cannot be scheduled is throttled', async () => {
  const { submit } = setup({ fails: true });
  expect(await submit(message('1234'), message('0004'), message('0006'))).toEqual([
    '1234 throttled',
    '0004 throttled',
    '0006 throttled',
  ]);
});

test('a message is throttled when scheduling takes longer than a second', async () => {
  const stuck = (): Promise<never> => new Promise(() => undefined);
  const gateway = new ChatSimulatorGateway({ schedule: stuck, run: stuck }, 5);
  expect(await gateway.submit([message('1234')], WAIT)).toEqual([
    { messageId: '1234', result: 'throttled', scope: 'gateway', retryAfterMs: 50 },
  ]);
});

test('query restarts the scripts immediately', async () => {
  const { gateway, calls } = setup();
  await gateway.query([message('1234'), message('0006'), message('0008')]);
  expect(calls).toEqual(['in 0 ms: plain 0 1234', 'in 0 ms: 0008 0 0008']);
});

test('close ends a pending submit and refuses further messages', async () => {
  const { gateway, submit } = setup({ delayMs: 60_000 });
  const pending = submit(message('0009'));
  await gateway.close();
  expect(await pending).toEqual(['0009 unconfirmed']);
  expect(await submit(message('1234'))).toEqual(['1234 throttled']);
});
