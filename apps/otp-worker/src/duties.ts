import {
  closeEnded,
  expireVerifications,
  sweepGuardCounts,
  sweepNumbers,
  sweepQuotas,
  sweepVerifications,
} from '@signalbox/database/verify/maintenance';
import type { Duty } from '@signalbox/messaging/maintenance/duty';
import { rescue } from '@signalbox/messaging/maintenance/lost-jobs';
import { walked } from '@signalbox/messaging/maintenance/walked';
import { OtpFlow } from './otp.flow.ts';
import { OtpMaker } from './otp.maker.ts';

/**
 * Maintenance of verifications. Statements skip rows that another pass has locked, so passes of several workers may
 * overlap.
 */
export const OTP_DUTIES: readonly Duty[] = [
  { name: 'expire verifications', everyMs: 1_000, run: ({ db }) => expireVerifications(db) },
  { name: 'close ended verifications', everyMs: 1_000, run: ({ db }) => closeEnded(db) },
  { name: 'take steps', everyMs: 1_000, run: ({ get }) => get(OtpFlow).pass() },
  rescue('verifications', (ids, { get }) => get(OtpMaker).make(ids)),
  {
    name: 'sweep verifications',
    everyMs: 60_000,
    sweep: ({ db }) => sweepVerifications(db),
    logEvent: 'rows.deleted',
  },
  {
    name: 'sweep guard counts',
    everyMs: 3_600_000,
    lock: 'guard counts',
    sweep: ({ db }) => sweepGuardCounts(db),
  },
  {
    name: 'sweep numbers',
    everyMs: 3_600_000,
    lock: 'numbers',
    pauseFactor: 1,
    sweep: walked(0, sweepNumbers),
  },
  { name: 'sweep quotas', everyMs: 3_600_000, lock: 'quotas', pauseFactor: 1, sweep: walked(0, sweepQuotas) },
];
