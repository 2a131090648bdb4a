import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import { CHANNELS } from '@signalbox/domain/channel';
import { NO_GATEWAY } from '@signalbox/domain/ending';
import { millisOf } from '@signalbox/domain/id-time';
import { type Lane, LANES_OF } from '@signalbox/domain/lane';
import { messageKeyOf } from '@signalbox/domain/message-id';
import { failureClassOf } from '@signalbox/domain/routing/failure-class';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { Counter, Histogram } from 'prom-client';

/** Every label has few values: lanes, gateways of the installation, classes of errCodes. */
const LANE = ['channel', 'lane'] as const;

const accepted = new Counter({
  name: 'signalbox_messages_accepted_total',
  help: 'Messages accepted and stored, by lane',
  labelNames: LANE,
});
const submitted = new Counter({
  name: 'signalbox_messages_submitted_total',
  help: 'Messages that a gateway accepted, by lane and gateway',
  labelNames: [...LANE, 'gateway'],
});
const delivered = new Counter({
  name: 'signalbox_messages_delivered_total',
  help: 'Messages delivered by their reports, by lane and gateway',
  labelNames: [...LANE, 'gateway'],
});
const failed = new Counter({
  name: 'signalbox_messages_failed_total',
  help: 'Messages failed by their reports, by lane, gateway and class of errCode',
  labelNames: [...LANE, 'gateway', 'reason'],
});

const SECONDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600];

const toSubmit = new Histogram({
  name: 'signalbox_message_submit_seconds',
  help: 'Time from the acceptance of a send to the submit of its messages, by lane',
  labelNames: LANE,
  buckets: SECONDS,
});
const toReport = new Histogram({
  name: 'signalbox_message_report_seconds',
  help: 'Time from the acceptance of a message to its final report, by lane',
  labelNames: LANE,
  buckets: SECONDS,
});
const toPush = new Histogram({
  name: 'signalbox_message_push_seconds',
  help: 'Time from the arrival of a report to the end of a successful push of it',
  buckets: SECONDS,
});

/** Counts messages that were stored. */
export function countAccepted(lane: Lane, messages: number): void {
  accepted.inc(labelsOf(lane), messages);
}

/** Counts the messages of a submit that the gateway accepted, and observes the age of each of their sends once. */
export function countSubmitted(lane: Lane, gateway: string, outcomes: readonly SubmitOutcome[]): void {
  const sends = new Set<string>();
  let count = 0;
  for (const outcome of outcomes) {
    if (outcome.result !== 'accepted') continue;
    count += 1;
    const key = messageKeyOf(outcome);
    if (key) sends.add(key.submissionId);
  }
  if (count === 0) return;
  const labels = labelsOf(lane);
  submitted.inc({ ...labels, gateway }, count);
  const now = Date.now();
  const seconds = toSubmit.labels(labels);
  for (const id of sends) seconds.observe(secondsBetween(millisOf(id), now));
}

/** Counts the final reports among those that have moved their messages. */
export function countReported(reports: readonly AppliedReport[]): void {
  const final = reports.filter(({ isFinal, lane }) => isFinal && lane !== null);
  const groups = Map.groupBy(final, ({ lane, gateway, status, errCode }) =>
    [lane, gateway, status === 'FAILED' ? failureClassOf(errCode) : ''].join(' '),
  );
  for (const group of groups.values()) countGroup(group);
}

/** Observes the time that a successful push took since its report arrived. */
export function observePush(reportId: string): void {
  toPush.observe(secondsBetween(millisOf(reportId), Date.now()));
}

/** Counts reports of one lane, gateway and class. */
function countGroup(group: readonly AppliedReport[]): void {
  const { lane, gateway, status, errCode } = group[0]!;
  if (lane === null) return;
  const labels = labelsOf(lane);
  const where = { ...labels, gateway: gateway === NO_GATEWAY ? 'none' : gateway };
  if (status === 'FAILED') failed.inc({ ...where, reason: failureClassOf(errCode) }, group.length);
  else delivered.inc(where, group.length);
  const seconds = toReport.labels(labels);
  for (const { reportId, acceptedAt } of group)
    seconds.observe(secondsBetween(acceptedAt.getTime(), millisOf(reportId)));
}

interface LaneLabels {
  channel: string;
  lane: string;
}

const LABELS: ReadonlyMap<Lane, LaneLabels> = new Map(
  CHANNELS.flatMap((channel) => LANES_OF[channel].map((lane) => [lane, { channel, lane }] as const)),
);

function labelsOf(lane: Lane): LaneLabels {
  return LABELS.get(lane)!;
}

/** Clocks of several machines differ a little: never negative. */
function secondsBetween(startMs: number, endMs: number): number {
  return Math.max(0, endMs - startMs) / 1_000;
}
