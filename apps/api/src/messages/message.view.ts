import type { InboundEvent } from '@signalbox/database/chat/inbound-list';
import type { RoutingDecision } from '@signalbox/database/gateways/routing-events';
import type { MessageRecord, MessageState, TimelineEvent } from '@signalbox/database/messages/messages';
import type { LinkClicks } from '@signalbox/database/messages/short-links';
import type { Carriers } from '@signalbox/database/ops/carriers';
import { CHANNELS } from '@signalbox/domain/channel';
import { sessionEnd } from '@signalbox/domain/chat/limits';
import { MAX_STARTS } from '@signalbox/domain/limits';
import { messageId } from '@signalbox/domain/message-id';
import { type MessageStatus, wireStatus } from '@signalbox/domain/message-status';
import { countryOf } from '@signalbox/domain/routing/country';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { type Static, Type } from 'typebox';
import {
  COUNT,
  FLAG,
  ID,
  MESSAGE_ID,
  MILLISECONDS,
  RECIPIENT,
  TEXT,
  TIME,
  WIRE_STATUSES,
  model,
  nullable,
  oneOf,
} from '../docs/model.ts';
import { wireType } from '../sending/wire-type.ts';
import { MessageContentView } from './message-content.view.ts';
import type { MessageDetails } from './message-contents.ts';

/** Events of a timeline. A push is named by its status. */
const TIMELINE_EVENTS = [
  'accepted',
  'scheduled',
  'routed',
  'failed_over',
  'unconfirmed',
  'sent',
  'report',
  'push_attempt',
  'push_waiting',
  'push_delivered',
  'push_exhausted',
  'clicked',
  'inbound',
];

const TimelineView = model(
  'TimelineEvent',
  'One event of a timeline; members that do not apply are absent.',
  {
    at: TIME,
    event: Type.String({ enum: TIMELINE_EVENTS }),
    status: Type.Optional(TEXT),
    errCode: Type.Optional(TEXT),
    description: Type.Optional(TEXT),
    gatewayCode: Type.Optional(Type.String({ description: "The gateway's own code of the report." })),
    details: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'Further members of the report of the gateway, such as a price.',
      }),
    ),
    webhookId: Type.Optional(ID),
    webhookName: Type.Optional(TEXT),
    attempts: Type.Optional(COUNT),
    responseStatus: Type.Optional(Type.Integer()),
    durationMs: Type.Optional(MILLISECONDS),
    nextAttemptAt: Type.Optional(TIME),
    deliveryId: Type.Optional(TEXT),
    gateway: Type.Optional(
      Type.String({ description: 'The gateway that reported, or that was decided on.' }),
    ),
    reason: Type.Optional(TEXT),
    by: Type.Optional(TEXT),
    clicks: Type.Optional(COUNT),
    link: Type.Optional(COUNT),
    url: Type.Optional(TEXT),
    lastAt: Type.Optional(TIME),
    until: Type.Optional(TIME),
    inboundId: Type.Optional(ID),
    isAnswer: Type.Optional(FLAG),
  },
);
type TimelineView = Static<typeof TimelineView>;

const SUMMARY = {
  messageId: MESSAGE_ID,
  recipient: RECIPIENT,
  sender: TEXT,
  channel: oneOf(CHANNELS),
  type: Type.String({ description: 'The `type` of the call.' }),
  status: oneOf(WIRE_STATUSES),
  unconfirmed: Type.Boolean({
    description:
      'True for a pending message that may arrive: its gateway did not respond, and no report has come yet.',
  }),
  errCode: nullable(TEXT, '`000` without an error; null before the first report.'),
  statusDescription: nullable(TEXT),
  credits: COUNT,
  gateway: nullable(TEXT),
  operatorCircle: TEXT,
  country: nullable(
    Type.String({ pattern: '^[A-Z]{2}$' }),
    'ISO 3166-1 alpha-2; null for a number of no country.',
  ),
  campaignName: nullable(TEXT),
  clientRef: nullable(TEXT),
  createdAt: TIME,
  sentAt: nullable(TIME, 'When it was handed to a gateway; null before, and while it is unconfirmed.'),
  deliveredAt: nullable(TIME, "When it arrived, by the gateway's clock."),
  parked: Type.Boolean({ description: 'True after too many starts; an operator can release it.' }),
  clicks: nullable(COUNT, 'Clicks of people on its short links; null when it has none.'),
  templateName: nullable(TEXT, 'Name of its chat-app template.'),
};

export const MessageSummary = model('MessageSummary', 'The state of a message.', SUMMARY);
export type MessageSummary = Static<typeof MessageSummary>;

export const MessageView = model('Message', 'A message and its timeline.', {
  ...SUMMARY,
  sendAt: nullable(TIME, 'Requested time; null for immediately.'),
  expiresAt: Type.String({
    format: 'date-time',
    description: 'Time at which it fails unless it was submitted.',
  }),
  heldUntil: nullable(TIME, "End of the quiet hours, or of the recipient's pacing, that hold it."),
  waitsFor: nullable(
    TEXT,
    'Reason why a pending message is with no gateway: which gateways are down or paused, that no worker of its channel runs, a pause of its account or lane, or messages before it. Null for one that is scheduled, held or sent.',
  ),
  lastInboundAt: nullable(TIME, "Time of the recipient's last message to the sender; null for an SMS."),
  sessionOpenUntil: nullable(
    TIME,
    'End of the session window, in which messages other than templates may be sent; null when it is closed.',
  ),
  content: MessageContentView,
  gatewayMessageId: nullable(TEXT, 'Id that its gateway gave it.'),
  sendSize: Type.Integer({ minimum: 1, description: 'Number of messages of its send.' }),
  timeline: Type.Array(TimelineView),
});
export type MessageView = Static<typeof MessageView>;

/** Renders the state of a message for the wire. */
export function messageSummary(record: MessageState, carriers: Carriers): MessageSummary {
  return {
    messageId: messageId(record.submissionId, record.n),
    recipient: record.recipient,
    sender: record.sender,
    channel: record.channel,
    type: wireType(record),
    status: wireStatus(record.status),
    unconfirmed: record.unconfirmed,
    errCode: record.errCode,
    statusDescription: record.statusDescription,
    credits: record.credits,
    gateway: record.gateway,
    operatorCircle: record.operatorCircle ?? carriers.nameOf(record.recipient),
    country: countryOf(record.recipient) ?? null,
    campaignName: record.campaign,
    clientRef: record.clientRef,
    createdAt: record.acceptedAt.toISOString(),
    sentAt: record.unconfirmed ? null : (record.sentAt?.toISOString() ?? null),
    deliveredAt: record.deliveredAt?.toISOString() ?? null,
    parked: record.status === 'PENDING' && !record.unconfirmed && record.starts >= MAX_STARTS,
    clicks: record.clicks,
    templateName: record.templateName,
  };
}

/** Events of a message other than those of its submission. */
export interface MessageEvents {
  reports: TimelineEvent[];
  decisions: RoutingDecision[];
  clicks: LinkClicks[];
  inbound: InboundEvent[];
}

export function messageView(
  record: MessageRecord,
  { reports, decisions, clicks, inbound }: MessageEvents,
  details: MessageDetails & Pick<MessageView, 'waitsFor'>,
  carriers: Carriers,
): MessageView {
  const openUntil = record.lastInboundAt && sessionEnd(record.lastInboundAt);
  const sentAt = record.sentAt && !record.unconfirmed ? earlier(record.sentAt, reports[0]?.at) : undefined;
  const later = [
    ...decisions.map((decision) => decisionView(decision, sentAt)),
    ...(sentAt ? [{ at: sentAt.toISOString(), event: 'sent' }] : []),
    ...reports.map(timelineView),
    ...clicks.map(clicksView),
    ...inbound.map(inboundLine),
  ];
  return {
    ...messageSummary(record, carriers),
    sendAt: record.sendAt?.toISOString() ?? null,
    expiresAt: record.expiresAt.toISOString(),
    heldUntil: record.heldUntil?.toISOString() ?? null,
    lastInboundAt: record.lastInboundAt?.toISOString() ?? null,
    sessionOpenUntil: openUntil && openUntil > new Date() ? openUntil.toISOString() : null,
    ...details,
    timeline: [
      { at: record.acceptedAt.toISOString(), event: 'accepted' },
      ...(record.sendAt
        ? [{ at: record.acceptedAt.toISOString(), event: 'scheduled', until: record.sendAt.toISOString() }]
        : []),
      ...later.toSorted((a, b) => Number(a.at > b.at) - Number(a.at < b.at)),
    ],
  };
}

/**
 * Renders a decision about the gateway of a message. It is stored with the outcome of the submit, which it came
 * before.
 */
function decisionView(
  { at, event, gateway, reason }: RoutingDecision,
  sentAt: Date | undefined,
): TimelineView {
  const madeAt = sentAt && event !== 'UNCONFIRMED' ? earlier(at, sentAt) : at;
  return { at: madeAt.toISOString(), event: event.toLowerCase(), gateway, reason };
}

/** Renders the clicks of one kind on one link, at the time of the first. */
function clicksView({ link, target, kind, clicks, firstAt, lastAt }: LinkClicks): TimelineView {
  return {
    at: firstAt.toISOString(),
    event: 'clicked',
    by: kind,
    clicks,
    link,
    url: target,
    lastAt: lastAt.toISOString(),
  };
}

/** Renders a reply of the recipient; GET /v1/chatapp/inbound/{id} has its text. */
function inboundLine({ at, id, isAnswer }: InboundEvent): TimelineView {
  return { at: at.toISOString(), event: 'inbound', inboundId: id, isAnswer };
}

/** The earlier of two times. A report may be stored before the answer to its submit. */
function earlier(at: Date, other: Date | undefined): Date {
  return other && other < at ? other : at;
}

function timelineView({ at, event, status, nextAttemptAt, reportId, ...rest }: TimelineEvent): TimelineView {
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return {
    at: at.toISOString(),
    event,
    ...(status && { status: wireStatus(status as MessageStatus) }),
    ...known,
    ...(nextAttemptAt && { nextAttemptAt: nextAttemptAt.toISOString() }),
    ...(reportId && rest.webhookId && { deliveryId: deliveryId(reportId, rest.webhookId) }),
  };
}
