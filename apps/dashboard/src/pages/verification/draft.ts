import type { VerifyConfig, VerifyConfigRequest } from '@signalbox/client';
import type { Channel } from '@signalbox/domain/channel';
import { OTP_DEFAULTS } from '@signalbox/domain/verify/otp-defaults';
import { DEFAULT_AFTER_SECONDS } from '@signalbox/domain/verify/otp-flow';
import type { TypedNumber } from '../../parts/number-field.tsx';
import type { Flow } from './words.ts';

/** A test number as it is typed. */
export interface TestNumber {
  number: string;
  code: string;
  /** A day, such as `2027-01-31`. */
  until: string;
}

/** The form of a configuration; texts are empty where nothing is given. */
export interface Draft {
  name: string;
  enabled: boolean;
  flow: Flow;
  afterSeconds: TypedNumber;
  stopOn: 'delivered' | 'verified';
  sender: string;
  text: string;
  templateName: string;
  templateLanguage: string;
  from: string;
  codeLength: TypedNumber;
  alphabet: string;
  ttlSeconds: TypedNumber;
  maxAttempts: TypedNumber;
  resendAfterSeconds: TypedNumber;
  maxSendsPer10Minutes: TypedNumber;
  maxSendsPerDay: TypedNumber;
  /** Undefined keeps those that are stored. */
  testNumbers: TestNumber[] | undefined;
}

/** The numbers of a configuration, each with its least and its greatest. */
export const NUMBERS = [
  ['codeLength', 4, 10],
  ['ttlSeconds', 60, 3_600],
  ['maxAttempts', 1, 10],
  ['resendAfterSeconds', 0, 3_600],
  ['maxSendsPer10Minutes', 1, 100],
  ['maxSendsPerDay', 1, 1_000],
] as const;

export const NEW_DRAFT: Draft = {
  name: '',
  enabled: true,
  flow: 'sms',
  afterSeconds: DEFAULT_AFTER_SECONDS,
  sender: '',
  templateName: '',
  templateLanguage: '',
  from: '',
  ...OTP_DEFAULTS,
  testNumbers: [],
};

/** The form of a stored configuration. */
export function draftOf({ flow, template, sender, ...config }: VerifyConfig): Draft {
  const { name, enabled, stopOn, text, codeLength, alphabet, ttlSeconds, maxAttempts } = config;
  const { resendAfterSeconds, maxSendsPer10Minutes, maxSendsPerDay } = config;
  return {
    name,
    enabled,
    stopOn,
    text,
    codeLength,
    alphabet,
    ttlSeconds,
    maxAttempts,
    resendAfterSeconds,
    maxSendsPer10Minutes,
    maxSendsPerDay,
    flow: flow.map(({ channel }) => channel).join(',') as Flow,
    afterSeconds: flow[1]?.afterSeconds ?? NEW_DRAFT.afterSeconds,
    sender: sender ?? '',
    templateName: template?.name ?? '',
    templateLanguage: template?.language ?? '',
    from: template?.from ?? '',
    testNumbers: config.testNumbers.length === 0 ? [] : undefined,
  };
}

/** True when a flow uses a channel. */
export function uses({ flow }: Draft, channel: Channel): boolean {
  return flow.split(',').includes(channel);
}

/** True when the numbers of a form are there. */
export function hasNumbers(draft: Draft): boolean {
  const isDelayed = draft.flow.includes(',');
  return !(isDelayed && draft.afterSeconds === '') && NUMBERS.every(([name]) => draft[name] !== '');
}

/** The request that stores a form, which has its numbers. */
export function requestOf(draft: Draft): VerifyConfigRequest {
  const { flow, afterSeconds, templateName, templateLanguage, from, testNumbers, sender, text, ...same } =
    draft;
  const channels = flow.split(',') as Channel[];
  return {
    ...same,
    ...numbersOf(draft),
    alphabet: same.alphabet as NonNullable<VerifyConfigRequest['alphabet']>,
    flow: channels.map((channel, i) => ({ channel, afterSeconds: i === 0 ? 0 : Number(afterSeconds) })),
    ...(uses(draft, 'sms') && { sender, text }),
    ...(uses(draft, 'chatapp') && {
      template: { name: templateName, from, ...(templateLanguage && { language: templateLanguage }) },
    }),
    ...(testNumbers && {
      testNumbers: testNumbers.map((each) => ({ ...each, until: `${each.until}T23:59:59Z` })),
    }),
  };
}

function numbersOf(draft: Draft): Record<(typeof NUMBERS)[number][0], number> {
  const numbers = NUMBERS.map(([name]) => [name, Number(draft[name])]);
  return Object.fromEntries(numbers) as ReturnType<typeof numbersOf>;
}
