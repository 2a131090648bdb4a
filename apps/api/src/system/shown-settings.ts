import type { ApiConfig } from '../config.ts';

/** Settings whose value is a secret, or holds one. */
const SECRET = new Set(['SECRETS_KEY', 'SECRETS_KEYS_OLD', 'OTP_PEPPER', 'CALLBACK_SECRETS']);

/** Any other setting by one of these words is a secret too: a setting that is added later must not appear by itself. */
const SECRET_NAME = /SECRET|KEY|PEPPER|PASSWORD|TOKEN/;

/**
 * The settings of the process as an operator may see them; null for a secret that is set. Those without a value are
 * left out.
 */
export function shownSettings(config: ApiConfig): { name: string; value: string | null }[] {
  return Object.entries(config)
    .filter(([name, value]) => /^[A-Z0-9_]+$/.test(name) && value !== '' && value !== undefined)
    .map(([name, value]) => ({ name, value: shownValue(name, String(value)) }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Leaves out the credentials and the parameters of a URL, and all of one that cannot be read. */
function shownValue(name: string, value: string): string | null {
  if (SECRET.has(name) || SECRET_NAME.test(name)) return null;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return value;
  const url = URL.parse(value);
  return url && `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;
}
