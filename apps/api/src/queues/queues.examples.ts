import { MESSAGE_ID } from '../docs/example-ids.ts';
import type { JobView, QueueActionView, QueueHistoryView, QueueView } from './queue.view.ts';

/** The name of a queue as /docs shows it. */
export const QUEUE_NAME = 'dlr';

export const QUEUE: QueueView = {
  name: QUEUE_NAME,
  rows: 'report',
  waiting: 12,
  active: 4,
  delayed: 0,
  failed: 1,
  paused: false,
  oldestJobAt: '2026-11-20T23:10:05.210Z',
  runsPerMinute: 840.4,
  failedRunsPerMinute: 0.2,
};

export const QUEUE_HISTORY: QueueHistoryView = {
  ...QUEUE,
  minutes: [
    { minute: '2026-11-20T23:09:00.000Z', completed: 836, failed: 0, waiting: 31, active: 8, delayed: 2 },
  ],
};

export const JOBS: JobView[] = [
  {
    id: '4711',
    state: 'failed',
    kind: 'report',
    rows: [
      {
        id: '019e6f0b-2d31-7c0a-8f5e-5b1d9f0c3a70',
        messageId: MESSAGE_ID,
      },
    ],
    rowCount: 1,
    attempts: 5,
    enqueuedAt: '2026-11-20T23:10:05.210Z',
    dueAt: null,
    startedAt: '2026-11-20T23:10:12.480Z',
    error: 'connect ECONNREFUSED 127.0.0.1:5432',
  },
];

export const QUEUE_PAUSED: QueueView = { ...QUEUE, paused: true };

export const DRAIN_BODIES = {
  'Count the waiting jobs': { dryRun: true },
  'Remove them, and the delayed ones': { delayed: true },
};
export const RETRY_BODIES = { 'Count the failed jobs': { dryRun: true }, 'Retry them': {} };
export const CLEAN_BODIES = {
  'Count the failed jobs': { state: 'failed', dryRun: true },
  'Remove them': { state: 'failed' },
};

export const QUEUE_DRAINED: QueueActionView = { jobs: 12, dryRun: false, queue: { ...QUEUE, waiting: 0 } };

export const JOBS_RETRIED: QueueActionView = { jobs: 1, dryRun: false, queue: { ...QUEUE, failed: 0 } };

export const QUEUE_CLEANED: QueueActionView = { jobs: 1, dryRun: false, queue: { ...QUEUE, failed: 0 } };
