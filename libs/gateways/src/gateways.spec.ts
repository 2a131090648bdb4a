import { expect, test } from '@jest/globals';
import { Gateways } from './gateways.ts';
import { SimulatorGateway } from './simulator/simulator.gateway.ts';
import type { OutgoingSms } from './sms-gateway.ts';

class NamedSimulator extends SimulatorGateway {
  constructor(name: string, ratePerSecond: number | null = null) {
    super({ name, delayMs: 0, ratePerSecond });
  }
}

const sms = (sender: string): OutgoingSms => ({
  messageId: '1',
  accountId: 'a',
  sender,
  recipient: '919800001111',
  type: 'TRANS',
  text: 'Hello',
  segments: 1,
  encoding: 'GSM-7',
  messageClass: null,
  dlt: null,
  expiresAt: null,
  attempt: 1,
});

test('messages are grouped by the gateway chosen for each, in order', () => {
  const [a, b] = [new NamedSimulator('a'), new NamedSimulator('b')];
  const gateways = new Gateways<OutgoingSms>([a, b], {
    choose: ({ sender }, [first, second = first]) => (sender.startsWith('B') ? second : first),
  });

  expect(gateways.group([sms('A1'), sms('B1'), sms('A2')])).toEqual([
    { gateway: a, messages: [sms('A1'), sms('A2')] },
    { gateway: b, messages: [sms('B1')] },
  ]);
  expect(gateways.group([])).toEqual([]);
});

test('one gateway gets the batch itself', () => {
  const batch = [sms('A1'), sms('A2')];
  const [group] = new Gateways<OutgoingSms>([new NamedSimulator('a')]).group(batch);
  expect(group?.messages).toBe(batch);
});

test('two gateways of one name are refused', () => {
  expect(() => new Gateways([new NamedSimulator('a'), new NamedSimulator('a')])).toThrow(
    'share a name: a, a',
  );
});

test.each([
  [[10, 20], 30],
  [[10, null], null],
])('gateways of the rates %j accept %s messages per second together', (rates, total) => {
  const [first, second] = rates.map((rate, i) => new NamedSimulator(String(i), rate));
  expect(new Gateways([first!, second!]).ratePerSecond).toBe(total);
});
