import type { ConfigSettings } from '@signalbox/database/verify/configs';
import type { TestNumber, VerificationConfig } from '@signalbox/database/verify/verification-config.entity';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { usesChannel } from '@signalbox/domain/verify/otp-flow';
import { OTP_DEFAULTS } from '@signalbox/domain/verify/otp-defaults';
import {
  DEFAULT_FLOW,
  type GivenFlow,
  type GivenTemplate,
  changedFlow,
  changedTemplate,
  readLists,
} from './verify-config-flow.ts';

export const DEFAULTS: Omit<ConfigSettings, 'name'> = {
  enabled: true,
  flow: DEFAULT_FLOW,
  template: null,
  sender: null,
  ...OTP_DEFAULTS,
  webOtpDomain: null,
  androidHash: null,
  testNumbers: [],
};

interface GivenTestNumber {
  number: string;
  code: string;
  until: string;
}

type Plain = Omit<ConfigSettings, 'flow' | 'template' | 'testNumbers'>;

/** The settings of a request. */
type GivenSettings = GivenFlow & { [Name in keyof Plain]?: Plain[Name] | undefined } & {
  template?: GivenTemplate | null | undefined;
  testNumbers?: readonly GivenTestNumber[] | undefined;
};

/** Seals the code of a test number. */
export type SealCode = (code: string, msisdn: string) => Buffer;

/** The settings of a new configuration: the given ones, and defaults for the rest. */
export function newSettings(request: GivenSettings & { name: string }, seal: SealCode): ConfigSettings {
  return changedSettings({ ...DEFAULTS, name: request.name }, request, seal);
}

/**
 * The settings of a configuration after a change. Null removes a last line or the fallback, and a given list of test
 * numbers replaces the whole one. A configuration that no longer uses a chat app loses its template.
 */
export function changedSettings(
  settings: ConfigSettings,
  change: GivenSettings,
  seal: SealCode,
): ConfigSettings {
  const { template, testNumbers } = change;
  const plain = Object.entries(change).filter(
    ([name, value]) => value !== undefined && name in settings && !MERGED.has(name),
  );
  const flow = changedFlow(settings.flow, change);
  return {
    ...settings,
    ...Object.fromEntries(plain),
    flow,
    template: usesChannel(flow, 'chatapp') ? changedTemplate(settings.template, template) : null,
    ...(testNumbers && { testNumbers: testNumbers.map((number) => sealed(number, seal)) }),
  };
}

/** The settings of a stored configuration. */
export function settingsOf({
  id,
  accountId,
  createdAt,
  updatedAt,
  deletedAt,
  ...settings
}: VerificationConfig): ConfigSettings {
  return { ...settings, ...readLists(settings) };
}

/** Settings that are converted before they are stored. */
const MERGED = new Set(['flow', 'template', 'testNumbers']);

function sealed({ number, code, until }: GivenTestNumber, seal: SealCode): TestNumber {
  const msisdn = parseMsisdn(number) ?? number;
  return {
    number: msisdn,
    sealedCode: seal(code, msisdn).toString('base64'),
    until: new Date(until).toISOString(),
  };
}
