import type { ApiConfig } from '../config.ts';

/** Settings that are no secret. Any other is hidden: a setting that is added later must not appear by itself. */
const HARMLESS: ReadonlySet<string> = new Set<keyof ApiConfig>([
  'ALLOW_PRIVATE_WEBHOOKS',
  'AUTH_FAILURES_PER_MINUTE',
  'DATABASE_POOL_SIZE',
  'DATABASE_URL',
  'GATEWAYS_FILE',
  'HOST',
  'LOG_LEVEL',
  'MEDIA_DIR',
  'MEDIA_S3_URL',
  'OIDC_CLIENT_ID',
  'OIDC_EMAIL_DOMAINS',
  'OIDC_ISSUER',
  'OIDC_NAME',
  'OIDC_NEW_USERS',
  'OPS_PORT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_TRACES_SAMPLER_ARG',
  'PGCONNECT_TIMEOUT',
  'PORT',
  'PUBLIC_URL',
  'QUEUE_PREFIX',
  'QUEUE_URL',
  'RATE_LIMIT_PER_MINUTE',
  'SENDER_REGISTRATION',
  'SIMULATOR_INBOX',
  'TRUSTED_PROXIES',
]);

/**
 * The settings of the process as an operator may see them; null for one that is set and may be a secret. Those without a
 * value are left out.
 */
export function shownSettings(config: ApiConfig): { name: string; value: string | null }[] {
  return Object.entries(config)
    .filter(([name, value]) => /^[A-Z0-9_]+$/.test(name) && value !== '' && value !== undefined)
    .map(([name, value]) => ({ name, value: HARMLESS.has(name) ? shownValue(String(value)) : null }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Leaves out the credentials and the parameters of a URL, and all of one that cannot be read. */
function shownValue(value: string): string | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return value;
  const url = URL.parse(value);
  return url && `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}
