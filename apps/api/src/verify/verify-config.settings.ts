import type { TestNumber } from '@signalbox/database/entities/verification-config';
import type { ConfigSettings } from '@signalbox/database/verification-configs';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { DEFAULT_OTP_TEXT, checkOtpText } from '@signalbox/domain/otp-text';
import type { Violation } from '@signalbox/domain/violation';
import type { Sealer } from '@signalbox/runtime/seal';
import type { TestNumberRequest, VerifyConfigChange, VerifyConfigRequest } from './verify-config.dto.ts';

const DEFAULTS: Omit<ConfigSettings, 'name' | 'sender'> = {
  enabled: true,
  channel: 'sms',
  codeLength: 6,
  alphabet: 'numeric',
  ttlSeconds: 300,
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
  return changedSettings({ ...DEFAULTS, name: request.name, sender: request.sender }, request, sealer);
}

/** The settings of a configuration after a change; null takes a last line away, and the list of test numbers is replaced as a whole. */
export function changedSettings(settings: ConfigSettings, change: VerifyConfigChange, sealer: Sealer): ConfigSettings {
  const { template: _, fallback: __, flow: ___, testNumbers, ...given } = change;
  const changed = Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== undefined && name in settings));
  return { ...settings, ...changed, ...(testNumbers && { testNumbers: testNumbers.map((number) => sealed(number, sealer)) }) };
}

function sealed({ number, code, until }: TestNumberRequest, sealer: Sealer): TestNumber {
  return { number: parseMsisdn(number) ?? number, sealedCode: sealer.seal(code).toString('base64'), until: new Date(until).toISOString() };
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
  return [...checkOtpText(otp, length), ...(Array.isArray(testNumbers) ? checkTestNumbers(testNumbers) : [])];
}

function checkTestNumbers(testNumbers: readonly (TestNumberRequest | null)[]): Violation[] {
  const seen = new Set<string>();
  return testNumbers.flatMap((testNumber, i) => {
    const number = typeof testNumber?.number === 'string' ? parseMsisdn(testNumber.number) : undefined;
    if (number === undefined) return []; // told already
    const isRepeated = seen.has(number);
    seen.add(number);
    return isRepeated ? [{ field: `testNumbers[${i}].number`, rule: 'duplicate_item', message: 'must not repeat another number' }] : [];
  });
}
