import { type OtpText, otpSize } from './otp-text.ts';
import type { Violation } from '../violation.ts';

/** What may carry a code. */
export const OTP_CHANNELS = ['sms', 'chatapp'] as const;
export type OtpChannel = (typeof OTP_CHANNELS)[number];

/** One step of the way of a code: over which channel, and how long after the first step. */
export interface FlowStep {
  channel: OtpChannel;
  afterSeconds: number;
}

/** What makes the later steps of a flow needless: the code was used, or an earlier message of it arrived. */
export const STOPS = ['verified', 'delivered'] as const;
export type StopOn = (typeof STOPS)[number];

/** The most steps of a flow: one for each channel. */
export const MAX_STEPS = OTP_CHANNELS.length;
export const MAX_AFTER_SECONDS = 3_600;
/** What an earlier message is given to arrive in, at least, and unless told. */
const MIN_AFTER_SECONDS = 5;
export const DEFAULT_AFTER_SECONDS = 30;

/** Whether a code ever goes over this channel. */
export function usesChannel(flow: readonly FlowStep[], channel: OtpChannel): boolean {
  return flow.some((step) => step.channel === channel);
}

/** What a code costs over a channel: an SMS its parts, a chat-app message one credit. */
export function stepCredits(otp: OtpText & { codeLength: number }, channel: OtpChannel): number {
  return channel === 'sms' ? otpSize(otp, otp.codeLength).parts : 1;
}

/** The rules that a flow breaks together with the lifetime of its codes; one fault per field. */
export function checkFlow(flow: readonly FlowStep[], ttlSeconds: number): Violation[] {
  return flow.flatMap((step, i) => [...checkChannel(flow, step, i), ...checkTime(flow, step, i, ttlSeconds)]);
}

function checkChannel(flow: readonly FlowStep[], { channel }: FlowStep, i: number): Violation[] {
  if (!usesChannel(flow.slice(0, i), channel)) return [];
  return [
    { field: `flow[${i}].channel`, rule: 'duplicate_item', message: 'must not be that of an earlier step' },
  ];
}

function checkTime(
  flow: readonly FlowStep[],
  { afterSeconds }: FlowStep,
  i: number,
  ttlSeconds: number,
): Violation[] {
  const field = `flow[${i}].afterSeconds`;
  if (i === 0)
    return afterSeconds === 0
      ? []
      : [{ field, rule: 'not_allowed_value', message: 'must be 0: the first step goes at once' }];
  const least = Math.max(MIN_AFTER_SECONDS, flow[i - 1]!.afterSeconds + 1);
  if (afterSeconds < least) return [{ field, rule: 'out_of_range', message: `must be at least ${least}` }];
  if (afterSeconds < ttlSeconds) return [];
  return [
    {
      field,
      rule: 'out_of_range',
      message: `must be less than the lifetime of a code, which is ${ttlSeconds} s`,
    },
  ];
}
