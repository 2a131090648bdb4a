import type { LaneBacklog, OpenMessages, WaitingPushes } from '@signalbox/database/ops/lanes';
import { LANES } from '@signalbox/domain/lane';
import { COUNTED_ROWS } from '@signalbox/domain/limits';
import { type Static, Type } from 'typebox';
import { COUNT, ID, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';

const counted = (description: string) => Type.Integer({ minimum: 0, maximum: COUNTED_ROWS, description });
const WAITING = Type.Integer({ minimum: 0, maximum: 1_000 });

const LaneBacklogView = model('LaneBacklog', 'Sends of an account that wait in a lane.', {
  accountId: ID,
  accountName: TEXT,
  pausedAt: nullable(TIME, 'When an operator paused the account; null while it sends.'),
  lane: oneOf(LANES),
  ready: counted('Ready sends, counted up to 10,000.'),
  oldestReadyAt: nullable(TIME, 'When the oldest of them was accepted; null without one.'),
  scheduled: WAITING,
  paced: WAITING,
  held: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    description: 'Sends held by quiet hours, or by the pace of their recipient.',
  }),
  nextDueAt: nullable(TIME, 'When the first scheduled, paced or held send is due; null without one.'),
});
type LaneBacklogView = Static<typeof LaneBacklogView>;

const OpenMessagesView = model('OpenMessages', 'Messages whose gateway owes a final report.', {
  gateway: TEXT,
  messages: counted('Counted up to 10,000.'),
  nextQuestionAt: TIME,
});

const WaitingMessagesView = model('WaitingMessages', 'Messages that their gateways have not taken so far.', {
  lane: oneOf(LANES),
  messages: counted('Counted up to 10,000.'),
});

const WaitingPushesView = model('WaitingPushes', 'Pushes to webhooks that wait for their next call.', {
  pushes: counted('Counted up to 10,000.'),
  uncalled: counted('Those for which no call is made: their webhook is disabled, or a program pulls them.'),
  nextAttemptAt: nullable(
    TIME,
    'When the first of the others is due, and its breaker allows a call; null without one.',
  ),
});

export const LanesView = model(
  'Lanes',
  'Sends that wait, by account and lane, messages without a report, and pushes that wait.',
  {
    backlogs: Type.Array(LaneBacklogView, { description: 'By account and lane, of at most 100 accounts.' }),
    moreAccounts: nullable(ID, '`after` of the next page; null at the end.'),
    openMessages: Type.Array(OpenMessagesView),
    waitingMessages: Type.Array(WaitingMessagesView, { description: 'Of each lane that has some.' }),
    waitingPushes: WaitingPushesView,
    accounts: COUNT,
  },
);
export type LanesView = Static<typeof LanesView>;

export function laneBacklogView(backlog: LaneBacklog): LaneBacklogView {
  return {
    ...backlog,
    pausedAt: backlog.pausedAt?.toISOString() ?? null,
    oldestReadyAt: backlog.oldestReadyAt?.toISOString() ?? null,
    nextDueAt: backlog.nextDueAt?.toISOString() ?? null,
  };
}

export function openMessagesView(open: OpenMessages): LanesView['openMessages'][number] {
  return { ...open, nextQuestionAt: open.nextQuestionAt.toISOString() };
}

export function waitingPushesView(waiting: WaitingPushes): LanesView['waitingPushes'] {
  return { ...waiting, nextAttemptAt: waiting.nextAttemptAt?.toISOString() ?? null };
}
