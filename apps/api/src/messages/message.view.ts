import type { InboundEvent } from '@signalbox/database/chat/inbound-list';
import type { MessageRecord, MessageState, TimelineEvent } from '@signalbox/database/messages/messages';
import type { LinkClicks } from '@signalbox/database/messages/short-links';
import type { Carriers } from '@signalbox/database/ops/carriers';
import type { Channel } from '@signalbox/database/submissions/submissions';
import { sessionEnd } from '@signalbox/domain/chat/limits';
import { countryOf } from '@signalbox/domain/routing/country';
import { MAX_STARTS } from '@signalbox/domain/limits';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { messageId } from '@signalbox/domain/message-id';
import { type MessageStatus, wireStatus } from '@signalbox/domain/message-status';
import { wireType } from '../sending/wire-type.ts';

/** One line of a message's history. Members that say nothing are left out. */
interface TimelineView {
  at: string;
  event: string;
  status?: string;
  errCode?: string;
  description?: string;
  webhookId?: string;
  webhookName?: string;
  attempts?: number;
  responseStatus?: number;
  durationMs?: number;
  nextAttemptAt?: string;
  deliveryId?: string;
  by?: string;
  clicks?: number;
  link?: number;
  url?: string;
  lastAt?: string;
  until?: string;
  inboundId?: string;
  isAnswer?: boolean;
}

/** Where a message stands. */
export interface MessageSummary {
  messageId: string;
  recipient: string;
  sender: string;
  channel: Channel;
  /** The `type` of the call. */
  type: string;
  status: string;
  errCode: string | null;
  statusDescription: string | null;
  credits: number;
  gateway: string | null;
  operatorCircle: string;
  /** In two capital letters (ISO 3166-1); null for a number of no country. */
  country: string | null;
  campaignName: string | null;
  clientRef: string | null;
  createdAt: string;
  /** Given up after too many starts; an operator can set it free (docs/operations.md). */
  parked: boolean;
  /** How often people followed its short links; null when it has none. */
  clicks: number | null;
  /** Of a chat-app template. */
  templateName: string | null;
}

/** A message and what happened to it. */
export interface MessageView extends MessageSummary {
  /** When it was asked to go out; null for at once. */
  sendAt: string | null;
  /** It fails if no gateway has it by then. */
  expiresAt: string;
  /** Held back by quiet hours, or by the pace of its recipient, until then. */
  heldUntil: string | null;
  /** When the recipient last wrote to the sender; null for an SMS. */
  lastInboundAt: string | null;
  /** Until then messages that are no templates may go to the recipient; null when they may not. */
  sessionOpenUntil: string | null;
  timeline: TimelineView[];
}

/** Where a message stands as the API shows it: wire words and ISO 8601 times. */
export function messageSummary(record: MessageState, operators: Carriers): MessageSummary {
  return {
    messageId: messageId(record.submissionId, record.n),
    recipient: record.recipient,
    sender: record.sender,
    channel: record.channel,
    type: wireType(record),
    status: wireStatus(record.status),
    errCode: record.errCode,
    statusDescription: record.statusDescription,
    credits: record.credits,
    gateway: record.gateway,
    operatorCircle: record.operatorCircle ?? operators.nameOf(record.recipient),
    country: countryOf(record.recipient) ?? null,
    campaignName: record.campaign,
    clientRef: record.clientRef,
    createdAt: record.acceptedAt.toISOString(),
    parked: record.status === 'PENDING' && record.starts >= MAX_STARTS,
    clicks: record.clicks,
    templateName: record.templateName,
  };
}

/** What happened to a message beside its submission. */
export interface MessageEvents {
  reports: TimelineEvent[];
  clicks: LinkClicks[];
  inbound: InboundEvent[];
}

export function messageView(
  record: MessageRecord,
  { reports, clicks, inbound }: MessageEvents,
  operators: Carriers,
): MessageView {
  const openUntil = record.lastInboundAt && sessionEnd(record.lastInboundAt);
  const later = [...reports.map(timelineView), ...clicks.map(clicksView), ...inbound.map(inboundLine)];
  return {
    ...messageSummary(record, operators),
    sendAt: record.sendAt?.toISOString() ?? null,
    expiresAt: record.expiresAt.toISOString(),
    heldUntil: record.heldUntil?.toISOString() ?? null,
    lastInboundAt: record.lastInboundAt?.toISOString() ?? null,
    sessionOpenUntil: openUntil && openUntil > new Date() ? openUntil.toISOString() : null,
    timeline: [
      { at: record.acceptedAt.toISOString(), event: 'accepted' },
      ...(record.sendAt
        ? [{ at: record.acceptedAt.toISOString(), event: 'scheduled', until: record.sendAt.toISOString() }]
        : []),
      ...(record.sentAt ? [{ at: earlier(record.sentAt, reports[0]?.at).toISOString(), event: 'sent' }] : []),
      ...later.toSorted((a, b) => Number(a.at > b.at) - Number(a.at < b.at)),
    ],
  };
}

/** Clicks are told by link and by who made them, at the time of the first. */
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

/** What the recipient wrote back; its text is under its id in GET /v1/chatapp/inbound/{id}. */
function inboundLine({ at, id, isAnswer }: InboundEvent): TimelineView {
  return { at: at.toISOString(), event: 'inbound', inboundId: id, isAnswer };
}

/** A report may be in before the answer that the message was taken is written down; it was sent before that report all the same. */
function earlier(sentAt: Date, firstEventAt: Date | undefined): Date {
  return firstEventAt && firstEventAt < sentAt ? firstEventAt : sentAt;
}

function timelineView({ at, event, status, nextAttemptAt, reportId, ...rest }: TimelineEvent): TimelineView {
  const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return {
    at: at.toISOString(),
    event,
    ...(status && { status: wireStatus(status as MessageStatus) }),
    ...said,
    ...(nextAttemptAt && { nextAttemptAt: nextAttemptAt.toISOString() }),
    ...(reportId && rest.webhookId && { deliveryId: deliveryId(reportId, rest.webhookId) }),
  };
}
