import type { InboundEvent } from '@signalbox/database/chat/inbound-list';
import type { RoutingDecision } from '@signalbox/database/gateways/routing-events';
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

/** One event of a timeline; members that do not apply are absent. */
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
  gateway?: string;
  reason?: string;
  by?: string;
  clicks?: number;
  link?: number;
  url?: string;
  lastAt?: string;
  until?: string;
  inboundId?: string;
  isAnswer?: boolean;
}

/** The state of a message. */
export interface MessageSummary {
  messageId: string;
  recipient: string;
  sender: string;
  channel: Channel;
  /** The `type` of the call. */
  type: string;
  status: string;
  /** Pending, although it may arrive: its gateway did not answer, and no report has come yet. */
  unconfirmed: boolean;
  errCode: string | null;
  statusDescription: string | null;
  credits: number;
  gateway: string | null;
  operatorCircle: string;
  /** ISO 3166-1 alpha-2 code; null for a number of no country. */
  country: string | null;
  campaignName: string | null;
  clientRef: string | null;
  createdAt: string;
  /** Parked after too many starts; an operator can release it (docs/operations.md). */
  parked: boolean;
  /** Clicks of people on its short links; null when it has none. */
  clicks: number | null;
  /** Name of its chat-app template. */
  templateName: string | null;
}

/** A message and its timeline. */
export interface MessageView extends MessageSummary {
  /** Requested time; null for immediately. */
  sendAt: string | null;
  /** Time at which it fails unless it was submitted. */
  expiresAt: string;
  /** End of the quiet hours, or of the recipient's pacing, that hold it. */
  heldUntil: string | null;
  /** Time of the recipient's last message to the sender; null for an SMS. */
  lastInboundAt: string | null;
  /**
   * End of the session window, in which messages other than templates may be sent; null when it is closed.
   */
  sessionOpenUntil: string | null;
  timeline: TimelineView[];
}

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
  carriers: Carriers,
): MessageView {
  const openUntil = record.lastInboundAt && sessionEnd(record.lastInboundAt);
  const later = [...reports.map(timelineView), ...decisions.map(decisionView), ...clicks.map(clicksView), ...inbound.map(inboundLine)];
  return {
    ...messageSummary(record, carriers),
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
      ...(record.sentAt && !record.unconfirmed ? [{ at: earlier(record.sentAt, reports[0]?.at).toISOString(), event: 'sent' }] : []),
      ...later.toSorted((a, b) => Number(a.at > b.at) - Number(a.at < b.at)),
    ],
  };
}

/** Renders a decision about the gateway of a message. */
function decisionView({ at, event, gateway, reason }: RoutingDecision): TimelineView {
  return { at: at.toISOString(), event: event.toLowerCase(), gateway, reason };
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
function earlier(sentAt: Date, firstEventAt: Date | undefined): Date {
  return firstEventAt && firstEventAt < sentAt ? firstEventAt : sentAt;
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
