import { MAX_SMS_PARTS } from '../limits.ts';
import { MAX_CODE_LENGTH, MIN_CODE_LENGTH } from './otp-code.ts';
import { type SmsSize, countParts } from '../sms/parts.ts';
import { type Violation, violation } from '../violation.ts';

/** Template of the SMS that carries a code. */
export interface OtpText {
  /** Text with `{{code}}`, and optionally `{{minutes}}`. */
  text: string;
  ttlSeconds: number;
  /** Domain whose pages browsers offer the code to: the last line is `@domain #code` (WebOTP). */
  webOtpDomain: string | null;
  /** Hash of the app that Android passes the message to, which is the last line (SMS Retriever). */
  androidHash: string | null;
}

export const DEFAULT_OTP_TEXT =
  '{{code}} is your verification code. It expires in {{minutes}} minutes. Do not share it.';

const PLACEHOLDER = /\{\{(\w+)\}\}/g;
const KNOWN = new Set(['code', 'minutes']);
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;
const ANDROID_HASH = /^[A-Za-z0-9+/]{11}$/;

/** Renders the SMS of a code in one pass: values are not parsed again. */
export function renderOtpText(otp: OtpText, code: string): string {
  const values: Record<string, string> = { code, minutes: String(Math.ceil(otp.ttlSeconds / 60)) };
  const text = otp.text.replace(PLACEHOLDER, (placeholder, name: string) => values[name] ?? placeholder);
  if (otp.webOtpDomain !== null) return `${text}\n\n@${otp.webOtpDomain} #${code}`;
  return otp.androidHash === null ? text : `${text}\n\n${otp.androidHash}`;
}

/** Computes encoding and parts, which depend only on the length of the code: codes are GSM 03.38. */
export function otpSize(otp: OtpText, codeLength: number): SmsSize {
  return countParts(renderOtpText(otp, '0'.repeat(codeLength)), false);
}

/**
 * Checks the text of a code's SMS.
 *
 * @param codeLength the size of the SMS is checked only if this is a valid length: another rule refuses the
 *   others
 */
export function checkOtpText(otp: OtpText, codeLength: number): Violation[] {
  return [...checkPlaceholders(otp.text), ...checkLastLine(otp), ...checkSize(otp, codeLength)];
}

function checkPlaceholders(text: string): Violation[] {
  const names = Array.from(text.matchAll(PLACEHOLDER), ([, name]) => name ?? '');
  const unknown = names.find((name) => !KNOWN.has(name));
  if (unknown !== undefined)
    return [
      violation(
        'text',
        'not_allowed_value',
        `must not hold {{${unknown}}}: there are {{code}} and {{minutes}}`,
      ),
    ];
  if (!names.includes('code')) return [violation('text', 'required', 'must hold {{code}}')];
  return [];
}

const BAD_HASH = 'must be the 11 characters that Google Play services expect';
const TWO_LAST_LINES = 'must not be given together with webOtpDomain: each must be the last line';

function checkLastLine({ webOtpDomain, androidHash }: OtpText): Violation[] {
  const broken: Violation[] = [];
  if (webOtpDomain !== null && !DOMAIN.test(webOtpDomain))
    broken.push(violation('webOtpDomain', 'invalid_format', 'must be a domain name such as example.com'));
  if (androidHash !== null && !ANDROID_HASH.test(androidHash))
    broken.push(violation('androidHash', 'invalid_format', BAD_HASH));
  if (webOtpDomain !== null && androidHash !== null)
    broken.push(violation('androidHash', 'not_allowed_value', TWO_LAST_LINES));
  return broken;
}

function checkSize(otp: OtpText, codeLength: number): Violation[] {
  if (!isCodeLength(codeLength)) return [];
  const { parts, encoding } = otpSize(otp, codeLength);
  if (parts <= MAX_SMS_PARTS) return [];
  return [
    violation(
      'text',
      'max_length',
      `must be at most ${MAX_SMS_PARTS} parts, and has ${parts} in ${encoding}`,
    ),
  ];
}

function isCodeLength(length: number): boolean {
  return Number.isInteger(length) && length >= MIN_CODE_LENGTH && length <= MAX_CODE_LENGTH;
}
