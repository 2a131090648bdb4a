import { expect, test } from '@jest/globals';
import type { OutgoingChatMessage } from '../chat-app-gateway.ts';
import { chatScript } from './chat-script.ts';
import { ChatSimulatorGateway, type SimulatedStep } from './chat-simulator.gateway.ts';

/** A message to the number of a script; its id is the last four digits, so that assertions read as the script does. */
const message = (digits: string, attempt = 1): OutgoingChatMessage => ({
  messageId: digits,
  sender: '15550100001',
  recipient: `91980000${digits}`,
  kind: 'text',
  template: null,
  content: { body: 'Hello' },
  attempt,
});

function setup({ fails = false, delayMs = 5 } = {}) {
  const told: string[] = [];
  const tell = (what: string) => async (steps: SimulatedStep[]) => {
    if (fails) throw new Error('the queue is away');
    told.push(
      ...steps.map(({ script, step, messageIds }) => `${what}: ${script} ${step} ${messageIds.join()}`),
    );
  };
  const later = (steps: SimulatedStep[], afterMs: number): Promise<void> => tell(`in ${afterMs} ms`)(steps);
  const gateway = new ChatSimulatorGateway({ later, now: (step) => tell('now')([step]) }, delayMs);
  const submit = async (...messages: OutgoingChatMessage[]) =>
    (await gateway.submit(messages)).map(({ messageId, result }) => `${messageId} ${result}`);
  return { gateway, told, submit };
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

test('messages of one script share their callbacks, and those without any have none', async () => {
  const { told, submit } = setup();
  expect(
    await submit(message('1234'), message('0001'), message('5678'), message('0006'), message('0009')),
  ).toEqual(['1234 accepted', '0001 accepted', '5678 accepted', '0006 accepted', '0009 unconfirmed']);
  expect(told).toEqual(['in 5 ms: plain 0 1234,5678', 'in 5 ms: 0001 0 0001', 'in 5 ms: 0009 0 0009']);
});

test('a message that is throttled twice is taken at the third start', async () => {
  const { told, submit } = setup();
  expect(await submit(message('0003'), message('0003', 2))).toEqual(['0003 throttled', '0003 throttled']);
  expect(told).toEqual([]);
  expect(await submit(message('0003', 3))).toEqual(['0003 accepted']);
  expect(told).toEqual(['in 5 ms: 0003 0 0003']);
});

test('an early callback is made before the submit is answered', async () => {
  const { told, submit } = setup();
  expect(await submit(message('0004'))).toEqual(['0004 accepted']);
  expect(told).toEqual(['now: 0004 0 0004']);
});

test('what cannot be remembered is not taken', async () => {
  const { submit } = setup({ fails: true });
  expect(await submit(message('1234'), message('0004'), message('0006'))).toEqual([
    '1234 throttled',
    '0004 throttled',
    '0006 throttled',
  ]);
});

test('nobody waits long for a memory that is stuck', async () => {
  const stuck = (): Promise<never> => new Promise(() => undefined);
  const gateway = new ChatSimulatorGateway({ later: stuck, now: stuck }, 5);
  expect(await gateway.submit([message('1234')])).toEqual([
    { messageId: '1234', result: 'throttled', retryAfterMs: 50 },
  ]);
});

test('asked again, it begins the scripts again, at once', async () => {
  const { gateway, told } = setup();
  await gateway.query([message('1234'), message('0006'), message('0008')]);
  expect(told).toEqual(['in 0 ms: plain 0 1234', 'in 0 ms: 0008 0 0008']);
});

test('closed, it takes nothing, and waits for no submit that times out', async () => {
  const { gateway, submit } = setup({ delayMs: 60_000 });
  const pending = submit(message('0009'));
  await gateway.close();
  expect(await pending).toEqual(['0009 unconfirmed']);
  await expect(submit(message('1234'))).rejects.toThrow('closed');
});
