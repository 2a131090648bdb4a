import type { HttpSettings } from './settings.ts';

/** Settings of `HttpSettings` that a preset may ask for. */
export type PresetParameter =
  | 'accountSid'
  | 'apiKey'
  | 'authId'
  | 'baseUrl'
  | 'messagingServiceSid'
  | 'templateId'
  | 'username';

/** The settings of one vendor, as data. */
export interface Preset {
  /** Origin of the vendor's API; undefined where each customer has another one. */
  baseUrl?: string;
  /** Settings that must be given. */
  requires: readonly PresetParameter[];
  /** Settings that may be given; any other parameter is refused. */
  allows?: readonly PresetParameter[];
  /** errCodes of refusals and of failed reports by the vendor's code. */
  errors: Readonly<Record<string, string>>;
  /** errCodes of reports, where their codes differ from those of answers. */
  reportErrors?: Readonly<Record<string, string>>;
  request: NonNullable<HttpSettings['request']>;
  fields?: NonNullable<HttpSettings['fields']>;
  answer: NonNullable<HttpSettings['answer']>;
  callback: NonNullable<HttpSettings['callback']>;
}
