import { ROW_KINDS, type RowKind } from '@signalbox/queues/define-queue';
import { ALL_QUEUES, rowKindOf } from '@signalbox/queues/definitions';
import type { QueueMinute, QueueRate } from '@signalbox/database/ops/queue-minutes';
import { maskNumbers } from '@signalbox/domain/msisdn';
import { JOB_STATES, type JobState, type QueueState, type QueuedJob } from '@signalbox/queues/queue-admin';
import { type Static, Type } from 'typebox';
import { COUNT, FLAG, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';

const RATE = Type.Number({ minimum: 0 });

const QUEUE_MEMBERS = {
  name: oneOf(ALL_QUEUES.map(({ name }) => name)),
  rows: oneOf(ROW_KINDS, 'The rows that its jobs name.'),
  waiting: COUNT,
  active: COUNT,
  delayed: COUNT,
  failed: Type.Integer({ minimum: 0, description: 'Jobs whose attempts all failed, of the last day.' }),
  paused: FLAG,
  oldestJobAt: nullable(TIME, 'When the oldest waiting or active job was enqueued; null when there is none.'),
  runsPerMinute: RATE,
  failedRunsPerMinute: RATE,
};

export const QueueView = model(
  'Queue',
  'A queue of jobs. The rates are the mean of the last five full minutes.',
  QUEUE_MEMBERS,
);
export type QueueView = Static<typeof QueueView>;

const QueueMinuteView = model('QueueMinute', 'A minute of a queue.', {
  minute: TIME,
  completed: Type.Integer({ minimum: 0, description: 'Runs that succeeded.' }),
  failed: Type.Integer({ minimum: 0, description: 'Runs that failed.' }),
  waiting: nullable(COUNT, 'The most waiting jobs that were seen; null while the queue was unreachable.'),
  active: nullable(COUNT),
  delayed: nullable(COUNT),
});
type QueueMinuteView = Static<typeof QueueMinuteView>;

export const QueueHistoryView = model('QueueHistory', 'A queue, with its last hours.', {
  ...QUEUE_MEMBERS,
  minutes: Type.Array(QueueMinuteView, { description: 'Minutes in which a worker ran, the oldest first.' }),
});
export type QueueHistoryView = Static<typeof QueueHistoryView>;

const JobRowView = model('JobRow', 'A row that a job names.', {
  id: TEXT,
  messageId: nullable(TEXT, 'The message of the row, the first of a send; null when it has none.'),
});

export const JobView = model('Job', 'A job. It holds ids of rows, and no facts.', {
  id: TEXT,
  state: oneOf(JOB_STATES),
  kind: oneOf(ROW_KINDS),
  rows: Type.Array(JobRowView, { description: 'At most 20 of them.' }),
  rowCount: COUNT,
  attempts: COUNT,
  enqueuedAt: TIME,
  dueAt: nullable(TIME, 'When a delayed job runs; null for other jobs.'),
  startedAt: nullable(TIME, 'When its last run began; null before the first.'),
  error: nullable(TEXT, 'The error of its last failed run, numbers masked; null when none failed.'),
});
export type JobView = Static<typeof JobView>;

export const QueueActionView = model('QueueAction', 'The outcome of an action on jobs.', {
  jobs: Type.Integer({ minimum: 0, description: 'Jobs that the action concerned, or would concern.' }),
  dryRun: FLAG,
  queue: QueueView,
});
export type QueueActionView = Static<typeof QueueActionView>;

export function queueView(name: string, state: QueueState, rate?: QueueRate): QueueView {
  const { waiting, active, delayed, failed, isPaused, oldestJobAt } = state;
  return {
    name,
    rows: rowKindOf(name),
    waiting,
    active,
    delayed,
    failed,
    paused: isPaused,
    oldestJobAt: oldestJobAt?.toISOString() ?? null,
    runsPerMinute: rate?.completed ?? 0,
    failedRunsPerMinute: rate?.failed ?? 0,
  };
}

export function queueMinuteView({ minute, ...counts }: QueueMinute): QueueMinuteView {
  return { minute: minute.toISOString(), ...counts };
}

const MAX_ERROR_LENGTH = 500;

/** Rows of a job that an answer lists. */
export const LISTED_ROWS = 20;

export function jobView(
  job: QueuedJob,
  state: JobState,
  kind: RowKind,
  messageIdOf: (rowId: string) => string | null,
): JobView {
  return {
    id: job.id,
    state,
    kind,
    rows: job.rows.slice(0, LISTED_ROWS).map((id) => ({ id, messageId: messageIdOf(id) })),
    rowCount: job.rows.length,
    attempts: job.attempts,
    enqueuedAt: job.enqueuedAt.toISOString(),
    dueAt: state === 'delayed' ? (job.dueAt?.toISOString() ?? null) : null,
    startedAt: job.startedAt?.toISOString() ?? null,
    error: job.error === null ? null : maskNumbers(job.error).slice(0, MAX_ERROR_LENGTH),
  };
}
