import { isIP } from 'node:net';
import { hostOf } from '@signalbox/domain/links/public-host';
import { isForbiddenAddress, isForbiddenHost } from '../address-guard.ts';
import type { GatewayKind, GatewayProblem } from '../gateway-kind.ts';
import { expandSettings } from './expand.ts';
import { HttpGateway } from './http.gateway.ts';
import { compileCallbacks, compilePlan, listCallbackProblems } from './plan.ts';
import { HttpSettings } from './settings.ts';

const TIMEOUT_MS = 15_000;
const CONCURRENCY = 20;

/** Gateways that are called by HTTP, each as its settings describe. */
export const HTTP_KIND: GatewayKind<HttpSettings> = {
  kind: 'http',
  channels: ['sms'],
  Settings: HttpSettings,
  secrets: [
    {
      name: 'token',
      required: false,
      help: 'API key, auth token or password, which `auth` of the request names as {token}.',
    },
    {
      name: 'callbackSecret',
      required: false,
      help: 'Secret of callbacks: the key that the vendor signs with, or a text of your own that its callback address carries as `key`.',
    },
  ],
  check: (settings, secrets) => listProblems(settings, secrets),
  hostOf: (settings) => new URL(checkedPlan(settings, {}).plan.origin).hostname,
  open: ({ name, settings, secrets, ratePerSecond, callbackUrl }, host) =>
    new HttpGateway({
      name,
      ratePerSecond,
      timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
      concurrency: settings.concurrency ?? CONCURRENCY,
      allowPrivateNetwork: settings.allowPrivateNetwork ?? false,
      plan: compilePlan({ name, settings, secrets, callbackUrl }).plan,
      host,
    }),
  callbacks: ({ name, settings, secrets }) => compileCallbacks({ name, settings, secrets }),
};

function listProblems(settings: HttpSettings, secrets: Record<string, string>): GatewayProblem[] {
  const { row, plan, problems: planProblems } = checkedPlan(settings, secrets);
  const problems = [
    ...planProblems,
    ...(planProblems.length > 0 ? [] : addressProblems(settings, plan.origin)),
    ...listCallbackProblems(row),
    ...(needsToken(settings) && secrets['token'] === undefined
      ? [{ field: 'secrets.token', problem: 'is needed: it is the credential of the requests' }]
      : []),
  ];
  return problems.map(({ field, problem }) => ({
    field: field.startsWith('secrets.') ? field : `settings.${field}`,
    problem,
  }));
}

function checkedPlan(settings: HttpSettings, secrets: Record<string, string>) {
  const row = { name: 'check', settings, secrets, callbackUrl: 'https://example.com/v1/callbacks/check' };
  return { row, ...compilePlan(row) };
}

/** Is true when a request holds the token: by its name, or as the password of its basic authentication. */
function needsToken(settings: HttpSettings): boolean {
  const { request } = expandSettings(settings);
  return (
    JSON.stringify(request ?? {}).includes('{token}') ||
    (request?.auth ?? []).some(({ type, value }) => type === 'basic' && value === undefined)
  );
}

/** Refuses an address that no call would reach. A name is resolved at each call, which checks its address again. */
function addressProblems(settings: HttpSettings, origin: string): GatewayProblem[] {
  const url = new URL(origin);
  const field = settings.baseUrl === undefined ? 'request.url' : 'baseUrl';
  if (settings.allowPrivateNetwork !== true)
    return isForbiddenHost(url, false)
      ? [
          {
            field,
            problem: 'is a private address: if that is meant, set settings.allowPrivateNetwork to true',
          },
        ]
      : [];
  const host = hostOf(url);
  return isIP(host) !== 0 && isForbiddenAddress(host, true)
    ? [
        {
          field,
          problem: 'is an address that no gateway may call, such as one where a cloud serves its credentials',
        },
      ]
    : [];
}
