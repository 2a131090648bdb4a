import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import type { Gateway, OutgoingMessage } from '../src/gateway.ts';

/** An open gateway, and all that it has reported, on its connection or by callback. */
export interface GatewayUnderTest<Message extends OutgoingMessage> {
  gateway: Gateway<Message>;
  reports: GatewayReport[];
}

/** The parts of a conformance run that depend on the gateway. */
export interface GatewayConformance<Message extends OutgoingMessage> {
  /** Opens a gateway that shares nothing in memory with those opened before. */
  open: () => GatewayUnderTest<Message>;
  /** Builds a message for a recipient that the upstream knows, or for the one given. */
  message: (fields: Partial<OutgoingMessage> & { messageId: string }) => Message;
}

const ID = '0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90';
const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `${ID}:${i + 1}`);

/** Declares the tests that every gateway must pass, on either channel. */
export function describeGateway<Message extends OutgoingMessage>(
  name: string,
  conformance: GatewayConformance<Message>,
): void {
  describe(`${name} conforms to the gateway port`, () => {
    describeSubmit(conformance);
    describeReports(conformance);
  });
}

function describeSubmit<Message extends OutgoingMessage>({
  open,
  message,
}: GatewayConformance<Message>): void {
  const messagesOf = (count: number): Message[] => ids(count).map((messageId) => message({ messageId }));

  test('submit returns one outcome per message in the order of the batch', async () => {
    const t = open();
    const outcomes = await t.gateway.submit(messagesOf(50));
    expect(outcomes.map(({ messageId }) => messageId)).toEqual(ids(50));
    await t.gateway.close();
  });

  test('submit returns no outcome for an empty batch', async () => {
    const t = open();
    expect(await t.gateway.submit([])).toEqual([]);
    await t.gateway.close();
  });

  test('submit returns the same outcome for a repeated message', async () => {
    const t = open();
    const [first, second] = [await t.gateway.submit(messagesOf(1)), await t.gateway.submit(messagesOf(1))];
    expect(second).toEqual(first);
    await t.gateway.close();
  });

  test.each(['1', '919800000000', '919800001234', '999999999999999'])(
    'submit returns an outcome for any recipient, such as %s',
    async (recipient) => {
      const t = open();
      const [messageId] = ids(1) as [string];
      const outcomes = await t.gateway.submit([message({ messageId, recipient })]);
      expect(outcomes).toEqual([{ messageId, result: expect.any(String) }]);
      await t.gateway.close();
    },
  );
}

function describeReports<Message extends OutgoingMessage>({
  open,
  message,
}: GatewayConformance<Message>): void {
  const messagesOf = (count: number): Message[] => ids(count).map((messageId) => message({ messageId }));

  test('every accepted message is reported under its id, with an error code and a time', async () => {
    const t = open();
    const outcomes = await t.gateway.submit(messagesOf(10));
    await expectReported(
      t,
      outcomes.flatMap((o) => (o.result === 'accepted' ? [o.messageId] : [])),
    );
    for (const report of t.reports) {
      expect(ids(10)).toContain(report.messageId);
      expect(report.errCode).toMatch(/^\d{3}$/);
      expect(report.reportedAt.getTime()).not.toBeNaN();
    }
    await t.gateway.close();
  });

  test('query regenerates the reports that a dead process lost', async () => {
    const dead = open();
    await dead.gateway.submit(messagesOf(3));
    const t = open();
    await t.gateway.query(messagesOf(3).map(({ messageId, recipient }) => ({ messageId, recipient })));
    await expectReported(t, ids(3));
    await Promise.all([dead.gateway.close(), t.gateway.close()]);
  });

  test('query accepts messages that the gateway never saw', async () => {
    const t = open();
    await expect(t.gateway.query([{ messageId: `${ID}:7`, recipient: '1' }])).resolves.toBeUndefined();
    await t.gateway.close();
  });

  test('close loses no report of a submitted message', async () => {
    const t = open();
    await t.gateway.submit(messagesOf(5));
    await t.gateway.close();
    await expectReported(t, ids(5));
  });

  test('close is repeatable, and submit rejects after it', async () => {
    const t = open();
    await t.gateway.close();
    await t.gateway.close();
    await expect(t.gateway.submit(messagesOf(1))).rejects.toThrow('closed');
  });
}

/** Waits until each message has a report that ends it. */
async function expectReported(
  { reports }: { reports: GatewayReport[] },
  messageIds: string[],
): Promise<void> {
  const deadline = Date.now() + 5_000;
  const missing = (): string[] =>
    messageIds.filter((id) => !reports.some((r) => r.messageId === id && r.status !== 'SENT'));
  while (missing().length > 0 && Date.now() < deadline) await sleep(2);
  expect(missing()).toEqual([]);
}
