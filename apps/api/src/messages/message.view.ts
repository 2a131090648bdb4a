import type { MessageRecord, MessageState, TimelineEvent } from '@signalbox/database/messages';
import type { LinkClicks } from '@signalbox/database/short-links';
import type { Operators } from '@signalbox/database/operators';
import { countryOf } from '@signalbox/domain/country';
import { MAX_STARTS } from '@signalbox/domain/limits';
import { deliveryId } from '@signalbox/domain/delivery-id';
import { messageId } from '@signalbox/domain/message-id';
import { type MessageStatus, wireStatus } from '@signalbox/domain/message-status';

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
}

/** Where a message stands. */
export interface MessageSummary {
  messageId: string;
  recipient: string;
  sender: string;
  channel: 'sms';
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
}

/** A message and what happened to it. */
export interface MessageView extends MessageSummary {
  /** When it was asked to go out; null for at once. */
  sendAt: string | null;
  /** It fails if no gateway has it by then. */
  expiresAt: string;
  /** Held back by quiet hours until then. */
  heldUntil: string | null;
  timeline: TimelineView[];
}

/** Where a message stands as the API shows it: wire words and ISO 8601 times. */
export function messageSummary(record: MessageState, operators: Operators): MessageSummary {
  return {
    messageId: messageId(record.submissionId, record.n),
    recipient: record.recipient,
    sender: record.sender,
    channel: 'sms',
    type: record.lane,
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
  };
}

export function messageView(record: MessageRecord, events: TimelineEvent[], clicks: LinkClicks[], operators: Operators): MessageView {
  return {
    ...messageSummary(record, operators),
    sendAt: record.sendAt?.toISOString() ?? null,
    expiresAt: record.expiresAt.toISOString(),
    heldUntil: record.heldUntil?.toISOString() ?? null,
    timeline: [
      { at: record.acceptedAt.toISOString(), event: 'accepted' },
      ...(record.sendAt ? [{ at: record.acceptedAt.toISOString(), event: 'scheduled', until: record.sendAt.toISOString() }] : []),
      ...(record.sentAt ? [{ at: earlier(record.sentAt, events[0]?.at).toISOString(), event: 'sent' }] : []),
      ...[...events.map(timelineView), ...clicks.map(clicksView)].toSorted((a, b) => Number(a.at > b.at) - Number(a.at < b.at)),
    ],
  };
}

/** Clicks are told by link and by who made them, at the time of the first. */
function clicksView({ link, target, kind, clicks, firstAt, lastAt }: LinkClicks): TimelineView {
  return { at: firstAt.toISOString(), event: 'clicked', by: kind, clicks, link, url: target, lastAt: lastAt.toISOString() };
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
