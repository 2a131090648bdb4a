import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MESSAGE_STATUSES, type ReportedStatus, STATUS_ORDER, canMove } from './message-status.ts';

const reported = fc.constantFrom(
  ...MESSAGE_STATUSES.filter((status): status is ReportedStatus => status !== 'PENDING'),
);

/** Applies reports in order; returns the final status. */
function follow(reports: ReportedStatus[]): string {
  let status: (typeof MESSAGE_STATUSES)[number] = 'PENDING';
  for (const report of reports) if (canMove(status, report)) status = report;
  return status;
}

test('the final status does not depend on the order or the repetition of reports', () => {
  const orders = fc
    .array(reported, { maxLength: 8 })
    .chain((reports) =>
      fc.tuple(
        fc.constant(reports),
        fc.shuffledSubarray([...reports, ...reports], { minLength: reports.length * 2 }),
      ),
    );
  fc.assert(
    fc.property(orders, ([reports, shuffled]) => {
      expect(follow(shuffled)).toBe(follow(reports));
      expect(follow(reports)).toBe(
        STATUS_ORDER.findLast((status) => status === 'PENDING' || reports.includes(status)),
      );
    }),
  );
});
