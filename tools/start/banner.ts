import type { Stack } from '../stack.ts';

/** Renders the text after a start: the address, the key, and a first message to paste. */
export function banner(
  stack: Stack,
  dir: string,
  allowsPrivateWebhooks: boolean,
  signInUrl: string | undefined,
): string {
  const facts: [string, string][] = [
    ...addresses(stack, signInUrl),
    ['Demo key', `${stack.apiKey}  (also in ${dir}/demo.env)`],
    ['Data', [dir, ...databaseOf(stack, dir)].join(', and ')],
    ['Queue', queueOf(stack)],
  ];
  const inspectors = Array.from(stack.inspectors, ([app, port]) => `${app} ${port}`);
  if (inspectors.length > 0) facts.push(['Inspect', `${inspectors.join(', ')}; sources are watched`]);
  if (allowsPrivateWebhooks)
    facts.push(['Webhooks', 'ALLOW_PRIVATE_WEBHOOKS=1: they may call this machine and private networks']);
  return [
    '',
    'Signalbox is running. Messages without a gateway go to a simulator: they do not leave this machine.',
    '',
    ...facts.map(([name, value]) => `  ${name.padEnd(9)} ${value}`),
    '',
    ...(stack.apiUrl === '' ? [] : firstMessage(stack)),
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}

/** None while the api does not run. */
function addresses({ apiUrl }: Stack, signInUrl: string | undefined): [string, string][] {
  if (apiUrl === '') return [];
  const dashboard: [string, string][] =
    signInUrl === undefined
      ? []
      : [['Dashboard', `${signInUrl}  (signs in once, within 10 minutes; for another: docs/users.md)`]];
  return [['API', apiUrl], ...dashboard, ['Docs', `${apiUrl}/docs`]];
}

function firstMessage({ apiUrl, apiKey }: Stack): string[] {
  return [
    'Send a first SMS:',
    '',
    `  curl -sS ${apiUrl}/v1/sms -H 'apikey: ${apiKey}' -H 'content-type: application/json' \\`,
    `    -d '{"sender":"SIGNAL","to":"919812345678","text":"Hello from Signalbox","type":"TRANS"}'`,
    '',
  ];
}

function databaseOf({ postgres }: Stack, dir: string): string[] {
  if (!postgres) return ['the database of DATABASE_URL'];
  return postgres.data.startsWith(dir) ? [] : [postgres.data];
}

function queueOf(stack: Stack): string {
  if (stack.redis) return 'a separate Redis';
  if (stack.queueUrl === stack.databaseUrl)
    return 'Postgres (redis-server is not installed; it would be about twice as fast)';
  return 'the one of QUEUE_URL';
}
