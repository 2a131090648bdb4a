import { type Finding, findingsOf } from './finding.ts';

type Settings = Readonly<Record<string, string | undefined>>;

const ON = /^(1|true|yes|on)$/i;

/** Checks the settings that an API in production must have, or must not have; none where PUBLIC_URL is not set. */
export function checkPublic(env: Settings): Finding[] {
  const url = env['PUBLIC_URL'];
  if (!url) return [];
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(URL.parse(url)?.hostname ?? '');
  const open = ['ALLOW_PRIVATE_WEBHOOKS', 'SIMULATOR_INBOX'].filter((name) => ON.test(env[name] ?? ''));
  if (env['SENDER_REGISTRATION'] === 'open') open.push('SENDER_REGISTRATION');
  return findingsOf('public', `Phones and gateways reach the API at ${url}.`, [
    isLocal && {
      level: 'warning',
      text: `PUBLIC_URL is ${url}: phones cannot open short links, and gateways cannot report. Set it to the public address.`,
    },
    url.startsWith('https:') &&
      !env['TRUSTED_PROXIES'] && {
        level: 'warning',
        text: 'TRUSTED_PROXIES is not set: a proxy on another machine hides the addresses of clients. Name it, for Compose as uniquelocal.',
      },
    ...open.map((name) => ({
      level: 'warning' as const,
      text: `${name} is ${env[name]}, which is for trials. Unset it in production.`,
    })),
  ]);
}
