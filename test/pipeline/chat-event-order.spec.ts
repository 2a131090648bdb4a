import { expect, test } from '@jest/globals';
import { type ReportedStatus, STATUS_ORDER, wireStatus } from '@signalbox/domain/message-status';
import fc from 'fast-check';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { describeOnEachQueue } from '../support/queue.ts';
import { type ChatEvents, startChatEvents } from '../support/received-chat-events.ts';

const STATUSES: readonly ReportedStatus[] = ['SENT', 'DELIVERED', 'READ'];

/** All three statuses, in any order, some of them repeated. */
const arbitraryStatuses = fc
  .array(fc.constantFrom(...STATUSES), { maxLength: 3 })
  .chain((repeats) =>
    fc.shuffledSubarray([...STATUSES, ...repeats], { minLength: STATUSES.length + repeats.length }),
  );

const arbitraryReports = fc.array(fc.constantFrom<ReportedStatus>('SENT', 'DELIVERED', 'READ', 'FAILED'), {
  minLength: 1,
  maxLength: 6,
});

describeOnEachQueue((queue) => {
  test('reports in any order push Sent, Delivered and Read once each and in this order', async () => {
    await using t = await startChatEvents(queue, { events: ['message.status'] });
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryStatuses, { minLength: 8, maxLength: 8 }), async (reports) => {
        const pushed = await pushedStatuses(t, reports, false);
        expect(pushed).toEqual(reports.map(() => ['Sent', 'Delivered', 'Read']));
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });

  test('late and incomplete reports push each move once, forward only, up to the final status', async () => {
    await using t = await startChatEvents(queue, { events: ['message.status'] });
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryReports, { minLength: 8, maxLength: 8 }), async (reports) => {
        const pushed = await pushedStatuses(t, reports, true);
        for (const [i, statuses] of pushed.entries()) {
          const places = statuses.map((status) =>
            STATUS_ORDER.findIndex((each) => wireStatus(each) === status),
          );
          expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
          expect(places.at(-1)).toBe(Math.max(...reports[i]!.map((status) => STATUS_ORDER.indexOf(status))));
        }
      }),
      { numRuns: 2, endOnFailure: true },
    );
  });
});

/** Stores a separate report for each status, all concurrently, and returns the pushed statuses of each message. */
async function pushedStatuses(
  t: ChatEvents,
  reports: ReportedStatus[][],
  late: boolean,
): Promise<string[][]> {
  const messages = await Promise.all(reports.map(() => t.send()));
  await Promise.all(
    messages.flatMap(({ id }, i) => reports[i]!.map((status) => t.report(id, [status], {}, late))),
  );
  await waitFor(async () => (await t.countOpenReports()) === 0, {
    otherwise: 'some reports were not applied',
  });
  await waitFor(async () => (await t.countWaitingPushes()) === 0, {
    otherwise: 'some pushes were not made',
  });
  return messages.map(({ id }) => t.statusesOf(id));
}
