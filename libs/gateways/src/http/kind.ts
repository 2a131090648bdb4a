import { listAddressProblems } from '../address-problems.ts';
import type { GatewayKind, GatewayProblem } from '../gateway-kind.ts';
import { expandSettings, listPresets } from './expand.ts';
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
  presets: listPresets(),
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
    ...(planProblems.length > 0
      ? []
      : listAddressProblems(plan.origin, {
          field: settings.baseUrl === undefined ? 'request.url' : 'baseUrl',
          allowPrivateNetwork: settings.allowPrivateNetwork ?? false,
        })),
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
