import type { NewInbound } from '@signalbox/database/chat/inbound-messages';
import type { GatewayOptOut, NewInboundSms } from '@signalbox/database/gateways/inbound-sms';
import type { StoredCallback } from '@signalbox/database/reports/callbacks';
import type { NewReport } from '@signalbox/database/reports/reports';
import { inboundId } from '@signalbox/domain/chat/inbound-id';
import type { OrphanReport } from '@signalbox/gateways/orphan-reports';
import { toNewInbound } from '../chatapp/inbound.ts';
import type { CallbackSegment } from '../gateways/callback-segments.ts';
import { optOutsOf, toNewReport } from '../reports/gateway-reports.ts';
import { toInboundSms } from '../sms/inbound.ts';
import type { GatewayCallbacks } from './callback-formats.ts';
import { type ProviderChanges, toProviderChanges } from './provider-changes.ts';

/** The contents of one callback, ready to be stored. */
export interface CallbackContents {
  id: string;
  gateway: string;
  reports: NewReport[];
  inbound: NewInbound[];
  changes: ProviderChanges;
  sms: NewInboundSms[];
  /** Segments of inbound SMS. */
  segments: CallbackSegment[];
  /** Messages whose recipients opted out with the gateway itself. */
  optOuts: GatewayOptOut[];
  /** Reports that name a message by the gateway's id alone. */
  unresolved: OrphanReport[];
  problems: string[];
}

/**
 * Returns the reports of a callback that contains nothing else, and nothing that cannot be used; undefined for any
 * other one.
 */
export function onlyReports(contents: CallbackContents): NewReport[] | undefined {
  const { reports, inbound, sms, segments, optOuts, unresolved, problems, changes } = contents;
  const others = [inbound, sms, segments, optOuts, unresolved, problems, ...Object.values(changes)];
  return others.every((some) => some.length === 0) ? reports : undefined;
}

/** Reads a callback by the format of its gateway, if that is known. */
export function readCallback(
  { id, gateway, body }: StoredCallback,
  found: GatewayCallbacks | undefined,
): CallbackContents {
  if (!found) return unreadCallback({ id, gateway }, 'No gateway of this name calls back.');
  const { channel, format, row } = found;
  const contents = format.read(body);
  const reports = contents.reports.flatMap((report) => toNewReport(gateway, report) ?? []);
  const unknown = contents.reports.length - reports.length;
  const isSms = channel === 'sms';
  const inbound = contents.inbound.flatMap((message, index) =>
    isSms ? [] : toNewInbound(gateway, inboundId(id, index), message),
  );
  const own = isSms ? contents.inbound.map((message, i) => ({ id: inboundId(id, i), message })) : [];
  return {
    id,
    gateway,
    reports,
    inbound,
    changes: toProviderChanges(gateway, contents),
    sms: own
      .filter(({ message }) => !message.segment)
      .map((each) => toInboundSms(gateway, each.id, each.message)),
    segments: own.filter(({ message }) => message.segment),
    optOuts: optOutsOf(row, contents.reports),
    unresolved: contents.unresolved ?? [],
    problems: [
      ...(contents.problem === null ? [] : [contents.problem]),
      ...(unknown > 0 ? [`Reports that name no message of ours: ${unknown}.`] : []),
    ],
  };
}

/** Returns the contents of a callback of which nothing was read. */
export function unreadCallback(
  { id, gateway }: Pick<StoredCallback, 'id' | 'gateway'>,
  problem: string,
): CallbackContents {
  const changes = { templates: [], identities: [], consents: [] };
  const nothing = { reports: [], inbound: [], sms: [], segments: [], optOuts: [], unresolved: [], changes };
  return { id, gateway, ...nothing, problems: [problem] };
}
