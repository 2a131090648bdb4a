import { expect, test } from '@jest/globals';
import { type ReportedStatus, STATUS_ORDER, wireStatus } from '@signalbox/domain/message-status';
import fc from 'fast-check';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { describeOnEachQueue } from '../support/queue.ts';
import { type ToldChats, startToldChats } from '../support/received-chat-events.ts';

const LIFE: readonly ReportedStatus[] = ['SENT', 'DELIVERED', 'READ'];

/** All three statuses, some of them several times, in any order. */
const arbitraryLife = fc
  .array(fc.constantFrom(...LIFE), { maxLength: 3 })
  .chain((repeats) =>
    fc.shuffledSubarray([...LIFE, ...repeats], { minLength: LIFE.length + repeats.length }),
  );

const arbitraryReports = fc.array(fc.constantFrom<ReportedStatus>('SENT', 'DELIVERED', 'READ', 'FAILED'), {
  minLength: 1,
  maxLength: 6,
});

describeOnEachQueue((queue) => {
  test('reports in any order push Sent, Delivered and Read once each and in this order', async () => {
    await using t = await startToldChats(queue, { events: ['message.status'] });
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryLife, { minLength: 8, maxLength: 8 }), async (lives) => {
        const told = await tell(t, lives, false);
        expect(told).toEqual(lives.map(() => ['Sent', 'Delivered', 'Read']));
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });

  test('late and incomplete reports push each move once, forward only, up to the final status', async () => {
    await using t = await startToldChats(queue, { events: ['message.status'] });
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryReports, { minLength: 8, maxLength: 8 }), async (lives) => {
        const told = await tell(t, lives, true);
        for (const [i, statuses] of told.entries()) {
          const places = statuses.map((status) =>
            STATUS_ORDER.findIndex((each) => wireStatus(each) === status),
          );
          expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
          expect(places.at(-1)).toBe(Math.max(...lives[i]!.map((status) => STATUS_ORDER.indexOf(status))));
        }
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
});

/** Reports the statuses of each message, one by one and all together, and returns the pushed ones of each message. */
async function tell(t: ToldChats, lives: ReportedStatus[][], late: boolean): Promise<string[][]> {
  const messages = await Promise.all(lives.map(() => t.send()));
  await Promise.all(
    messages.flatMap(({ id }, i) => lives[i]!.map((status) => t.report(id, [status], {}, late))),
  );
  await waitFor(async () => (await t.countOpenReports()) === 0, {
    timeoutMs: 15_000,
    otherwise: 'reports are open',
  });
  await waitFor(async () => (await t.countWaitingPushes()) === 0, {
    timeoutMs: 15_000,
    otherwise: 'pushes wait',
  });
  return messages.map(({ id }) => t.statusesOf(id));
}
