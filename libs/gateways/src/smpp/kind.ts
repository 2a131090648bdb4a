import { createSecureContext } from 'node:tls';
import type { GatewayKind, GatewayProblem } from '../gateway-kind.ts';
import { SmppSettings } from './smpp-settings.ts';
import { SmppGateway } from './smpp.gateway.ts';

/** SMSCs that are reached by SMPP 3.4. */
export const SMPP_KIND: GatewayKind<SmppSettings> = {
  kind: 'smpp',
  channels: ['sms'],
  Settings: SmppSettings,
  secrets: [{ name: 'password', required: false, help: 'the password of the bind, as the SMSC gave it' }],
  check: (settings, { password = '' }) => [...checkCertificate(settings), ...checkPassword(password)],
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
