import type { GatewayKind, GatewayProblem } from '../gateway-kind.ts';
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
  const row = { name: 'check', settings, secrets, callbackUrl: 'https://example.com/v1/callbacks/check' };
  const needsToken = JSON.stringify(row.settings).includes('{token}') || settings.preset !== undefined;
  const problems = [
    ...compilePlan(row).problems,
    ...listCallbackProblems(row),
    ...(needsToken && secrets['token'] === undefined
      ? [{ field: 'secrets.token', problem: 'is needed: it is the credential of the requests' }]
      : []),
  ];
  return problems.map(({ field, problem }) => ({
    field: field.startsWith('secrets.') ? field : `settings.${field}`,
    problem,
  }));
}
