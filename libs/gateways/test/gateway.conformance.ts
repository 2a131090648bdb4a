import { describe, expect, test } from '@jest/globals';
import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Gateway, OutgoingMessage, SubmitOptions } from '../src/gateway.ts';

/** An open gateway, and all that it has reported, on its connection or by callback. */
export interface GatewayUnderTest<Message extends OutgoingMessage> {
  gateway: Gateway<Message>;
  reports: GatewayReport[];
  /** Ends the upstream once the gateway is closed. */
  end?: () => Promise<void>;
}

type Open<Message extends OutgoingMessage> = () =>
  | GatewayUnderTest<Message>
  | Promise<GatewayUnderTest<Message>>;

/** The parts of a conformance run that depend on the gateway. */
export interface GatewayConformance<Message extends OutgoingMessage> {
  /** Opens a gateway that is up, and shares nothing in memory with those opened before. */
  open: Open<Message>;
  /** Builds a message for a recipient that the upstream knows, or for the one given. */
  message: (fields: Partial<OutgoingMessage> & { messageId: string }) => Message;
  /** Opens a gateway whose upstream takes every message and answers none. */
  openSilent?: Open<Message>;
  /** Opens a gateway whose upstream cannot be reached. */
  openDown?: Open<Message>;
  /** False for a gateway that cannot be asked for the reports of a process that died. */
  canQuery?: boolean;
}

/** Options of a submit that may take as long as it needs. */
export const WAIT: SubmitOptions = { deadlineMs: 30_000, signal: new AbortController().signal };

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
    describeEnd(conformance);
    if (conformance.openSilent) describeSilence(conformance, conformance.openSilent);
    if (conformance.openDown) describeOutage(conformance, conformance.openDown);
  });
}

/** Runs a test on an open gateway, and closes it. */
async function on<Message extends OutgoingMessage>(
  open: Open<Message>,
  run: (t: GatewayUnderTest<Message>) => Promise<void>,
): Promise<void> {
  const t = await open();
  try {
    await run(t);
  } finally {
    await t.gateway.close();
    await t.end?.();
  }
}

function messagesOf<Message extends OutgoingMessage>(
  { message }: GatewayConformance<Message>,
  count: number,
): Message[] {
  return ids(count).map((messageId) => message({ messageId }));
}

function describeSubmit<Message extends OutgoingMessage>(conformance: GatewayConformance<Message>): void {
  const { open, message } = conformance;

  test('submit returns one outcome per message in the order of the batch', () =>
    on(open, async ({ gateway }) => {
      const outcomes = await gateway.submit(messagesOf(conformance, 50), WAIT);
      expect(outcomes.map(({ messageId }) => messageId)).toEqual(ids(50));
    }));

  test('submit returns no outcome for an empty batch', () =>
    on(open, async ({ gateway }) => {
      expect(await gateway.submit([], WAIT)).toEqual([]);
    }));

  test('submit returns the same result for a repeated message', () =>
    on(open, async ({ gateway }) => {
      const [first] = await gateway.submit(messagesOf(conformance, 1), WAIT);
      const [second] = await gateway.submit(messagesOf(conformance, 1), WAIT);
      expect(second?.result).toBe(first?.result);
    }));

  test.each(['1', '919800000000', '919800001234', '999999999999999'])(
    'submit returns an outcome for any recipient, such as %s',
    (recipient) =>
      on(open, async ({ gateway }) => {
        const [messageId] = ids(1) as [string];
        const outcomes = await gateway.submit([message({ messageId, recipient })], WAIT);
        expect(outcomes).toMatchObject([{ messageId, result: expect.any(String) }]);
      }),
  );
}

function describeReports<Message extends OutgoingMessage>(conformance: GatewayConformance<Message>): void {
  const { open, canQuery = true } = conformance;

  test('every accepted message is reported under its id, with an error code and a time', () =>
    on(open, async (t) => {
      const outcomes = await t.gateway.submit(messagesOf(conformance, 10), WAIT);
      await expectReported(
        t,
        outcomes.flatMap((o) => (o.result === 'accepted' ? [o.messageId] : [])),
      );
      for (const report of t.reports) {
        expect(ids(10)).toContain(report.messageId);
        expect(report.errCode).toMatch(/^\d{3}$/);
        expect(report.reportedAt.getTime()).not.toBeNaN();
      }
    }));

  test('query accepts messages that the gateway never saw', () =>
    on(open, async ({ gateway }) => {
      const unseen = { messageId: `${ID}:7`, recipient: '1' };
      expect([[], [unseen]]).toContainEqual(await gateway.query([unseen]));
    }));

  if (!canQuery) return;

  test('query regenerates the reports that a dead process lost', () =>
    on(open, (dead) =>
      on(open, async (t) => {
        await dead.gateway.submit(messagesOf(conformance, 3), WAIT);
        await t.gateway.query(
          messagesOf(conformance, 3).map(({ messageId, recipient }) => ({ messageId, recipient })),
        );
        await expectReported(t, ids(3));
      }),
    ));

  test('close loses no report of a submitted message', () =>
    on(open, async (t) => {
      await t.gateway.submit(messagesOf(conformance, 5), WAIT);
      await t.gateway.close();
      await expectReported(t, ids(5));
    }));
}

function describeEnd<Message extends OutgoingMessage>(conformance: GatewayConformance<Message>): void {
  const { open } = conformance;

  test('state is up, or connecting before the first message, with a reason', () =>
    on(open, async ({ gateway }) => {
      const { status, reason, since } = gateway.state();
      expect([status, since.getTime()]).toEqual([
        expect.stringMatching(/^(up|connecting)$/),
        expect.any(Number),
      ]);
      expect(reason).toMatch(/^[A-Z].*\.$/);
    }));

  test('close is repeatable, and a closed gateway says so and throttles', () =>
    on(open, async ({ gateway }) => {
      await gateway.close();
      await gateway.close();
      expect(gateway.state().status).toBe('closed');
      expect(await gateway.submit(messagesOf(conformance, 1), WAIT)).toMatchObject([
        { result: 'throttled', scope: 'gateway' },
      ]);
    }));
}

function describeSilence<Message extends OutgoingMessage>(
  conformance: GatewayConformance<Message>,
  open: Open<Message>,
): void {
  const SAFE = ['throttled', 'unconfirmed'];

  test('messages without an answer by the deadline are unconfirmed, or throttled when never written', () =>
    on(open, async ({ gateway }) => {
      const outcomes = await gateway.submit(messagesOf(conformance, 30), { ...WAIT, deadlineMs: 1_000 });
      expect(outcomes.map(({ messageId }) => messageId)).toEqual(ids(30));
      for (const { result } of outcomes) expect(SAFE).toContain(result);
      expect(outcomes.map(({ result }) => result)).toContain('unconfirmed');
    }));

  test('an aborted submit resolves with what is known', () =>
    on(open, async ({ gateway }) => {
      const caller = new AbortController();
      const submitting = gateway.submit(messagesOf(conformance, 3), { ...WAIT, signal: caller.signal });
      caller.abort();
      for (const { result } of await submitting) expect(SAFE).toContain(result);
    }));
}

function describeOutage<Message extends OutgoingMessage>(
  conformance: GatewayConformance<Message>,
  open: Open<Message>,
): void {
  test('a gateway that cannot be reached throttles every message and says why', () =>
    on(open, async ({ gateway }) => {
      const outcomes = await gateway.submit(messagesOf(conformance, 3), { ...WAIT, deadlineMs: 2_000 });
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ result: 'throttled', scope: 'gateway' });
      expect(gateway.state().reason).toMatch(/^[A-Z].*\.$/);
    }));
}

/** Waits until each message has a report that ends it. */
async function expectReported(
  { reports }: { reports: GatewayReport[] },
  messageIds: string[],
): Promise<void> {
  const missing = (): string[] =>
    messageIds.filter((id) => !reports.some((r) => r.messageId === id && r.status !== 'SENT'));
  await waitFor(() => missing().length === 0, {
    otherwise: () => `messages have no final report: ${missing().join(', ')}`,
  });
}
