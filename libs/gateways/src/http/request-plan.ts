import { USER_AGENT } from '@signalbox/domain/user-agent';
import {
  type Escape,
  Template,
  TemplateError,
  type TemplateValues,
  escapeHeader,
  escapeUrl,
} from './template.ts';
import { compileJson, type JsonBuilder } from './json-template.ts';
import { MESSAGE_PLACEHOLDERS } from './message-values.ts';
import type { ExpandedSettings } from './expand.ts';
import type { AuthSettings, RequestSettings } from './request-settings.ts';

/** A request that is ready to be sent. */
export interface BuiltRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** A setting that cannot be used, by its field. */
export interface SettingProblem {
  field: string;
  problem: string;
}

/** Builds the request of a message from the values of its placeholders. */
export interface RequestPlan {
  /** Origin that every request goes to. */
  origin: string;
  build(values: TemplateValues): BuiltRequest;
  /** Fills in the query of {reportUrl}, escaped; undefined when it needs none. */
  reportQuery(values: TemplateValues): string | undefined;
}

/** Header fields that the client writes itself. */
const OWN_HEADERS =
  /^(host|content-length|transfer-encoding|connection|upgrade|expect|keep-alive|te|trailer)$/i;

type Pair = [name: string, template: Template];

/**
 * Compiles a request.
 *
 * @param secret value of `{token}`
 * @param note called with each problem; the plan is unusable after one
 */
export function compileRequest(
  { request, parameters, parameterNames, fields }: ExpandedSettings & { request: RequestSettings },
  secret: string | undefined,
  note: (problem: SettingProblem) => void,
): RequestPlan {
  const compiler = new RequestCompiler(new Set([...parameterNames, ...Object.keys(fields)]), note);
  const fixed: TemplateValues = { ...parameters, token: secret };
  const url = compiler.url(request.url, parameters);
  const query = [...compiler.pairs('query', request.query), ...compiler.auth(request, 'query')];
  const headers = [...compiler.headers(request), ...compiler.auth(request, 'header')];
  const basic = compiler.basic(request);
  const body = compiler.body(request);
  const reportQuery = compiler.template('request.reportQuery', request.reportQuery ?? '');
  return {
    origin: url.origin,
    reportQuery: (values) =>
      reportQuery.render({ ...values, ...fixed, token: undefined }, escapeUrl) || undefined,
    build(given) {
      const values = { ...given, ...fixed };
      const rendered = body?.(values);
      return {
        method: request.method,
        url: addQuery(url.render(values), renderPairs(query, values)),
        headers: {
          'user-agent': USER_AGENT,
          ...(rendered && { 'content-type': rendered.type }),
          ...Object.fromEntries(renderPairs(headers, values, escapeHeader)),
          ...basicHeader(basic, values),
        },
        ...(rendered && { body: rendered.text }),
      };
    },
  };
}

class RequestCompiler {
  private readonly known: ReadonlySet<string>;
  private readonly withToken: ReadonlySet<string>;

  constructor(
    parameters: ReadonlySet<string>,
    private readonly note: (problem: SettingProblem) => void,
  ) {
    this.known = new Set([...parameters, ...MESSAGE_PLACEHOLDERS]);
    this.withToken = new Set([...this.known, 'token']);
  }

  template(field: string, source: string, known = this.known): Template {
    try {
      return Template.parse(source, known);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.note({ field, problem: error.message });
      return Template.parse('', known);
    }
  }

  pairs(field: string, templates: Readonly<Record<string, string>> = {}): Pair[] {
    return Object.entries(templates).map(([name, source]) => [
      name,
      this.template(`request.${field}.${name}`, source),
    ]);
  }

  headers(request: RequestSettings): Pair[] {
    for (const name of Object.keys(request.headers ?? {}))
      if (OWN_HEADERS.test(name) || !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name))
        this.note({
          field: `request.headers.${name}`,
          problem: 'is no header that can be set; remove it',
        });
    return this.pairs('headers', request.headers);
  }

  auth({ auth = [] }: RequestSettings, type: AuthSettings['type']): Pair[] {
    return auth
      .filter((each) => each.type === type)
      .map((each) => [
        each.name ?? '',
        this.template('request.auth', each.value ?? '{token}', this.withToken),
      ]);
  }

  basic({ auth = [] }: RequestSettings): { user: Template; password: Template } | undefined {
    const basic = auth.find(({ type }) => type === 'basic');
    return (
      basic && {
        user: this.template('request.auth.user', basic.user ?? ''),
        password: this.template('request.auth.value', basic.value ?? '{token}', this.withToken),
      }
    );
  }

  /** Compiles the address. Its origin may name parameters only, so that no message chooses the host. */
  url(
    source: string,
    parameters: Readonly<Record<string, string>>,
  ): {
    origin: string;
    render: (values: TemplateValues) => string;
  } {
    const base = parameters['baseUrl'] ?? '';
    const text = source.startsWith('{baseUrl}') ? base + source.slice('{baseUrl}'.length) : source;
    const [, origin = '', rest = ''] = /^(https?:\/\/[^/?#{}\s@]+)([/?].*)?$/i.exec(text) ?? [];
    if (!URL.canParse(origin))
      this.note({
        field: 'request.url',
        problem: `must begin with {baseUrl} or with an origin such as https://sms.example.com; placeholders come after it`,
      });
    const path = this.template('request.url', rest === '' ? '/' : rest);
    return { origin, render: (values) => join(origin, path.render(values, escapeUrl) ?? '/') };
  }

  body(request: RequestSettings): ((values: TemplateValues) => { type: string; text: string }) | undefined {
    const extra = this.auth(request, 'body');
    if (!request.body) {
      if (extra.length > 0)
        this.note({ field: 'request.auth', problem: 'has type body, but there is no body' });
      return undefined;
    }
    if (request.method === 'GET')
      this.note({ field: 'request.body', problem: 'a GET has no body; use query' });
    return request.body.type === 'form'
      ? this.form(request.body.fields, extra)
      : this.json(request.body.fields, extra);
  }

  private form(fields: Record<string, unknown>, extra: Pair[]) {
    for (const [name, value] of Object.entries(fields))
      if (typeof value !== 'string')
        this.note({
          field: `request.body.fields.${name}`,
          problem: 'must be a text: it is a field of a form',
        });
    const texts = Object.fromEntries(
      Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
    const pairs = [...this.pairs('body.fields', texts), ...extra];
    return (values: TemplateValues) => ({
      type: 'application/x-www-form-urlencoded',
      text: encodePairs(renderPairs(pairs, values)),
    });
  }

  private json(fields: unknown, extra: Pair[]) {
    let build: JsonBuilder = () => undefined;
    try {
      build = compileJson(fields, this.known);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.note({ field: 'request.body.fields', problem: error.message });
    }
    return (values: TemplateValues) => ({
      type: 'application/json',
      text: JSON.stringify(
        extra.length === 0
          ? (build(values) ?? {})
          : Object.assign({}, build(values), Object.fromEntries(renderPairs(extra, values))),
      ),
    });
  }
}

/** Returns no address for a path that a value such as `..` leads elsewhere: no escape could keep it. */
function join(origin: string, path: string): string {
  const [steps = ''] = path.split('?');
  return steps.split('/').some((step) => step === '.' || step === '..') ? '' : origin + path;
}

function renderPairs(pairs: Pair[], values: TemplateValues, escape?: Escape): [string, string][] {
  return pairs.flatMap(([name, template]): [string, string][] => {
    const value = template.render(values, escape);
    return value === undefined ? [] : [[name, value]];
  });
}

function encodePairs(pairs: [string, string][]): string {
  return pairs.map(([name, value]) => `${escapeUrl(name)}=${escapeUrl(value)}`).join('&');
}

function addQuery(url: string, pairs: [string, string][]): string {
  if (pairs.length === 0) return url;
  return url + (url.includes('?') ? '&' : '?') + encodePairs(pairs);
}

function basicHeader(
  basic: { user: Template; password: Template } | undefined,
  values: TemplateValues,
): Record<string, string> {
  if (!basic) return {};
  const pair = `${basic.user.render(values) ?? ''}:${basic.password.render(values) ?? ''}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
