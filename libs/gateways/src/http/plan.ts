import type { CallbackUrls } from './message-values.ts';
import { deriveValues, MESSAGE_PLACEHOLDERS, messageValues } from './message-values.ts';
import { type ReadAnswer, compileAnswers } from './answer-reader.ts';
import { type CallbackAddress, callbackUrls } from './callback-urls.ts';
import { type CallbackSecrets, HttpCallbacks, isSigned } from './callbacks.ts';
import { type ExpandedSettings, expandSettings, listParameterProblems } from './expand.ts';
import type { OutgoingSms } from '../sms-gateway.ts';
import { type BuiltRequest, type SettingProblem, compileRequest } from './request-plan.ts';
import type { CallbackSettings, SignatureSettings } from './callback-settings.ts';
import type { RequestSettings } from './request-settings.ts';
import type { HttpSettings } from './settings.ts';
import { listUnknownParts } from './signature.ts';
import { SourceError } from './source.ts';

/** Length of a secret that an address carries. */
const MIN_KEY_LENGTH = 16;
const NEEDED = 'is needed, so that only the vendor can report on messages';

/** Secrets of an HTTP gateway, by name. */
export type HttpSecrets = Readonly<Partial<Record<'token' | 'callbackSecret', string>>>;

/** A gateway's settings, ready to be used. */
export interface HttpPlan {
  origin: string;
  /** Builds the request of a message. */
  request(message: OutgoingSms, now: number): BuiltRequest;
  readAnswer: ReadAnswer;
  keepsIds: boolean;
}

/** The row of a gateway, as far as a plan depends on it. */
export interface PlanRow {
  name: string;
  settings: HttpSettings;
  secrets: HttpSecrets;
  callbackUrl: string | null;
}

/** Compiles the settings of a gateway. The plan is unusable when there are problems. */
export function compilePlan(row: PlanRow): { plan: HttpPlan; problems: SettingProblem[] } {
  const problems = listParameterProblems(row.settings);
  const note = (problem: SettingProblem): void => void problems.push(problem);
  const expanded = expandSettings(row.settings);
  const address = addressOf(row, expanded);
  const isUrlKnown =
    expanded.request?.url !== undefined && !problems.some(({ field }) => field === 'baseUrl');
  const request = compileRequest(withRequest(expanded, note), row.secrets.token, (problem) => {
    // A missing address is one problem, not two.
    if (isUrlKnown || problem.field !== 'request.url') note(problem);
  });
  checkFields(expanded, note);
  const plan: HttpPlan = {
    origin: request.origin,
    readAnswer: compileAnswers(expanded, note),
    keepsIds: expanded.answer.keepsIds ?? false,
    request: (message, now) => {
      const values = (urls: CallbackUrls) => deriveValues(messageValues(message, urls, now), expanded.fields);
      const query = request.reportQuery(values({ callbackUrl: undefined, reportUrl: undefined }));
      return request.build(values(callbackUrls(address, message.messageId, query)));
    },
  };
  return { plan, problems };
}

/** Makes the callback format of a gateway; undefined when it has no callbacks. @throws SourceError */
export function compileCallbacks({
  name,
  settings,
  secrets,
}: Omit<PlanRow, 'callbackUrl'>): HttpCallbacks | undefined {
  const { callback, reportErrors } = expandSettings(settings);
  if (!callback.reports && !callback.inbound) return undefined;
  return new HttpCallbacks(name, callback, callbackSecrets(callback, secrets), reportErrors);
}

/** Lists the problems of the settings of callbacks. */
export function listCallbackProblems(row: Omit<PlanRow, 'callbackUrl'>): SettingProblem[] {
  const { callback } = expandSettings(row.settings);
  const problems = signatureProblems(callback.signature);
  try {
    const problem = compileCallbacks(row) && secretProblem(callback, row.secrets);
    return problem === undefined ? problems : [...problems, { field: 'secrets.callbackSecret', problem }];
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return [...problems, { field: 'callback', problem: `has a path or pattern that ${error.message}` }];
  }
}

function signatureProblems(signature: SignatureSettings | undefined): SettingProblem[] {
  if (signature === undefined || signature.type === 'url') return [];
  const unknown = listUnknownParts(signature).map((part) => ({
    field: 'callback.signature.parts',
    problem: `has the unknown part ${part}; use url, urlWithoutQuery, form, parameters, body, bodySha256, header:<name>, text:<text>`,
  }));
  const isPlaced = signature.header ?? (signature.type === 'jwt' ? undefined : signature.parameter);
  return isPlaced === undefined
    ? [...unknown, { field: 'callback.signature', problem: 'needs the header that has the signature' }]
    : unknown;
}

function secretProblem(callback: CallbackSettings, secrets: HttpSecrets): string | undefined {
  const { vendor, key } = callbackSecrets(callback, secrets);
  if (isSigned(callback)) return vendor === undefined ? NEEDED : undefined;
  return (key?.length ?? 0) < MIN_KEY_LENGTH
    ? `${NEEDED}; it has at least ${MIN_KEY_LENGTH} characters`
    : undefined;
}

function callbackSecrets(callback: CallbackSettings, secrets: HttpSecrets): CallbackSecrets {
  const { token, callbackSecret } = secrets;
  const vendor = callbackSecret ?? (callback.signature?.secret === 'token' ? token : undefined);
  return { vendor, mac: callbackSecret ?? token, key: callbackSecret };
}

function addressOf({ name, callbackUrl, secrets }: PlanRow, { callback }: ExpandedSettings): CallbackAddress {
  const { mac, key } = callbackSecrets(callback, secrets);
  return { gateway: name, callbackUrl, mac, key: isSigned(callback) ? undefined : key };
}

function withRequest(
  expanded: ExpandedSettings,
  note: (problem: SettingProblem) => void,
): ExpandedSettings & { request: RequestSettings } {
  const { request } = expanded;
  if (!request?.method || !request.url)
    note({ field: 'request', problem: 'is needed, with method and url, unless there is a preset' });
  return { ...expanded, request: { ...request, method: request?.method ?? 'POST', url: request?.url ?? '' } };
}

/** Refuses a derived placeholder that follows from nothing, or hides one of a message. */
function checkFields(
  { fields, parameterNames }: ExpandedSettings,
  note: (problem: SettingProblem) => void,
): void {
  const known = new Set<string>([...MESSAGE_PLACEHOLDERS, ...parameterNames]);
  for (const [name, { from }] of Object.entries(fields)) {
    if (!known.has(from))
      note({
        field: `fields.${name}.from`,
        problem: `names ${from}, which is no placeholder; use one of ${[...known].toSorted().join(', ')}`,
      });
    if (known.has(name) || name === 'token')
      note({ field: `fields.${name}`, problem: 'is the name of another placeholder; choose another one' });
    known.add(name);
  }
  for (const name of parameterNames)
    if (name === 'token' || (MESSAGE_PLACEHOLDERS as readonly string[]).includes(name))
      note({
        field: `parameters.${name}`,
        problem: 'is the name of a placeholder of messages; choose another one',
      });
}
