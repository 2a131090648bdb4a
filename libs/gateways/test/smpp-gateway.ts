import type { GatewayReport } from '@signalbox/domain/routing/submit-outcome';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { SYSTEM_CLOCK } from '../src/smpp/clock.ts';
import { SmppSettings } from '../src/smpp/smpp-settings.ts';
import type { OpenRow } from '../src/open-row.ts';
import { SmppGateway } from '../src/smpp/smpp.gateway.ts';
import type { OutgoingSms } from '../src/sms-gateway.ts';
import type { GatewayInbound } from '../src/callback-format.ts';
import { type MemoryHost, memoryHost } from './smpp-host.ts';
import { sms } from './sms.ts';

/** A gateway to a server of the test, with all that it has handed over. */
export interface OpenSmpp extends AsyncDisposable {
  gateway: SmppGateway;
  host: MemoryHost;
  reports: GatewayReport[];
  inbound: GatewayInbound[];
}

export interface OpenSmppOptions {
  port: number;
  settings?: Partial<SmppSettings>;
  password?: string;
  ratePerSecond?: number | null;
  host?: MemoryHost;
  clock?: typeof SYSTEM_CLOCK;
}

/** Builds the row that a gateway is opened by. */
export function smppRow({
  port,
  settings,
  password = 'secret',
  ratePerSecond = null,
}: Pick<OpenSmppOptions, 'port' | 'settings' | 'password' | 'ratePerSecond'>): OpenRow<SmppSettings> {
  const given = { host: '127.0.0.1', port, systemId: 'signalbox', ...settings };
  return {
    name: 'smsc',
    channel: 'sms',
    settings: Object.assign(new SmppSettings(), given),
    secrets: { password },
    ratePerSecond,
    callbackUrl: null,
  };
}

/** Opens a gateway without waiting for its bind. */
export function openSmpp({
  port,
  settings,
  password = 'secret',
  ratePerSecond = null,
  host = memoryHost(),
  clock = SYSTEM_CLOCK,
}: OpenSmppOptions): OpenSmpp {
  const row = smppRow({ port, settings, password, ratePerSecond });
  const gateway = new SmppGateway(row, host, clock);
  const reports: GatewayReport[] = [];
  const inbound: GatewayInbound[] = [];
  gateway.onReports(async (received) => void reports.push(...received));
  gateway.onInbound(async (received) => void inbound.push(...received));
  return { gateway, host, reports, inbound, [Symbol.asyncDispose]: () => gateway.close() };
}

/** Opens a gateway and waits until it is bound. */
export async function openBound(options: OpenSmppOptions): Promise<OpenSmpp> {
  const open = openSmpp(options);
  const binds = options.settings?.binds ?? 1;
  await waitFor(() => open.gateway.state().detail['bound'] === binds);
  return open;
}

/** Builds an SMS whose text is its id. */
export function smsOf(fields: Partial<OutgoingSms> & { messageId: string }): OutgoingSms {
  return sms({ sender: 'SIGNAL', recipient: '919800000001', text: fields.messageId, ...fields });
}
