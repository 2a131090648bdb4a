import type { TestNumber } from '@signalbox/database/verify/verification-config.entity';
import type { ConfigSettings } from '@signalbox/database/verify/configs';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { usesChannel } from '@signalbox/domain/verify/otp-flow';
import { DEFAULT_OTP_TEXT, checkOtpText } from '@signalbox/domain/verify/otp-text';
import type { Violation } from '@signalbox/domain/violation';
import type { Sealer } from '@signalbox/runtime/seal';
import type { TestNumberRequest, VerifyConfigChange, VerifyConfigRequest } from './verify-config.dto.ts';
import {
  DEFAULT_FLOW,
  DEFAULT_TTL_SECONDS,
  changedFlow,
  changedTemplate,
  checkOneFlow,
} from './verify-config.flow.ts';

const DEFAULTS: Omit<ConfigSettings, 'name'> = {
  enabled: true,
  flow: DEFAULT_FLOW,
  stopOn: 'delivered',
  template: null,
  sender: null,
  codeLength: 6,
  alphabet: 'numeric',
  ttlSeconds: DEFAULT_TTL_SECONDS,
  maxAttempts: 5,
  resendAfterSeconds: 30,
  maxSendsPer10Minutes: 3,
  maxSendsPerDay: 10,
  text: DEFAULT_OTP_TEXT,
  webOtpDomain: null,
  androidHash: null,
  testNumbers: [],
};

/** The settings of a new configuration: what was given, and defaults for the rest. */
export function newSettings(request: VerifyConfigRequest, sealer: Sealer): ConfigSettings {
  return changedSettings({ ...DEFAULTS, name: request.name }, request, sealer);
}

/**
 * The settings of a configuration after a change; null takes a last line or the fallback away, and the list of test numbers is replaced as a
 * whole. The template of a configuration that uses no chat app any more goes with that.
 */
export function changedSettings(
  settings: ConfigSettings,
  change: VerifyConfigChange,
  sealer: Sealer,
): ConfigSettings {
  const { channel: _, fallback: __, flow: ___, template, testNumbers, ...given } = change;
  const changed = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && name in settings),
  );
  const flow = changedFlow(settings.flow, change);
  return {
    ...settings,
    ...changed,
    flow,
    template: usesChannel(flow, 'chatapp') ? changedTemplate(settings.template, template) : null,
    ...(testNumbers && { testNumbers: testNumbers.map((number) => sealed(number, sealer)) }),
  };
}

function sealed({ number, code, until }: TestNumberRequest, sealer: Sealer): TestNumber {
  return {
    number: parseMsisdn(number) ?? number,
    sealedCode: sealer.seal(code).toString('base64'),
    until: new Date(until).toISOString(),
  };
}

/** What the fields of a request break together, as far as they are of their types; a field that is not was told of already. */
export function brokenRules(request: VerifyConfigChange): Violation[] {
  const { text, ttlSeconds, webOtpDomain, androidHash, codeLength, testNumbers } = request;
  const otp = {
    text: typeof text === 'string' ? text : DEFAULTS.text,
    ttlSeconds: typeof ttlSeconds === 'number' ? ttlSeconds : DEFAULTS.ttlSeconds,
    webOtpDomain: typeof webOtpDomain === 'string' ? webOtpDomain : null,
    androidHash: typeof androidHash === 'string' ? androidHash : null,
  };
  const length = Number.isInteger(codeLength) && codeLength! <= 10 ? codeLength! : DEFAULTS.codeLength;
  return [
    ...checkOtpText(otp, length),
    ...checkOneFlow(request),
    ...(Array.isArray(testNumbers) ? checkTestNumbers(testNumbers) : []),
  ];
}

function checkTestNumbers(testNumbers: readonly (TestNumberRequest | null)[]): Violation[] {
  const seen = new Set<string>();
  return testNumbers.flatMap((testNumber, i) => {
    const number = typeof testNumber?.number === 'string' ? parseMsisdn(testNumber.number) : undefined;
    if (number === undefined) return []; // told already
    const isRepeated = seen.has(number);
    seen.add(number);
    return isRepeated
      ? [
          {
            field: `testNumbers[${i}].number`,
            rule: 'duplicate_item',
            message: 'must not repeat another number',
          },
        ]
      : [];
  });
}
