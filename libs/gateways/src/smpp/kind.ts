import { createSecureContext } from 'node:tls';
import type { GatewayKind, GatewayProblem } from '../gateway-kind.ts';
import { SmppSettings } from './smpp-settings.ts';
import { SmppGateway } from './smpp.gateway.ts';
import type { TlvSetting } from './text/encoding-settings.ts';

/** SMSCs that are reached by SMPP 3.4. */
export const SMPP_KIND: GatewayKind<SmppSettings> = {
  kind: 'smpp',
  channels: ['sms'],
  Settings: SmppSettings,
  secrets: [{ name: 'password', required: false, help: 'the password of the bind, as the SMSC gave it' }],
  check: (settings, { password = '' }) => [
    ...checkCertificate(settings),
    ...checkPassword(password),
    ...settings.encoding.tlvs.flatMap(checkTlv),
  ],
  hostOf: ({ host }) => host,
  open: (row, host) => new SmppGateway(row, host),
};

function checkCertificate({ tls }: SmppSettings): GatewayProblem[] {
  if (!tls?.ca) return [];
  try {
    createSecureContext({ ca: tls.ca });
    return tls.ca.includes('BEGIN CERTIFICATE') ? [] : [NO_CERTIFICATE];
  } catch {
    return [NO_CERTIFICATE];
  }
}

const NO_CERTIFICATE: GatewayProblem = {
  field: 'settings.tls.ca',
  problem: 'must be certificates in PEM, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
};

function checkPassword(password: string): GatewayProblem[] {
  if (/^[\x20-\x7e]{0,64}$/.test(password)) return [];
  return [{ field: 'secrets.password', problem: 'must have at most 64 ASCII characters' }];
}

/** Refuses a parameter that would be left out of every message, or whose octets would not hold its value. */
function checkTlv({ type, size, from, ...tlv }: TlvSetting, i: number): GatewayProblem[] {
  const field = `settings.encoding.tlvs.${i}`;
  const value = tlv.value ?? ''; // null is allowed, too
  if ((from === undefined) === (value === ''))
    return [{ field, problem: 'must have a value, or from for a value of the message, and not both' }];
  const max = 2 ** (8 * size) - 1;
  if (type !== 'int' || (/^\d{1,10}$/.test(value) && Number(value) <= max)) return [];
  return [
    { field: `${field}.value`, problem: `must be a whole number from 0 to ${max} for an int of ${size}` },
  ];
}
