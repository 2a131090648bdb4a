import { type OtpText, otpSize } from './otp-text.ts';
import { type Violation, violation } from '../violation.ts';

/** Channels that can carry a code. */
export const OTP_CHANNELS = ['sms', 'chatapp'] as const;
export type OtpChannel = (typeof OTP_CHANNELS)[number];

/** One step of a code's flow: its channel, and its delay after the first step. */
export interface FlowStep {
  channel: OtpChannel;
  afterSeconds: number;
}

/** Events that cancel the later steps of a flow: the code was used, or an earlier message was delivered. */
export const STOP_EVENTS = ['verified', 'delivered'] as const;
export type StopOn = (typeof STOP_EVENTS)[number];

/** Steps of a flow: one per channel. */
export const MAX_STEPS = OTP_CHANNELS.length;
export const MAX_AFTER_SECONDS = 3_600;
/** Minimum and default delay of a later step, in which an earlier message can arrive. */
const MIN_AFTER_SECONDS = 5;
export const DEFAULT_AFTER_SECONDS = 30;

/** True if a flow uses a channel. */
export function usesChannel(flow: readonly FlowStep[], channel: OtpChannel): boolean {
  return flow.some((step) => step.channel === channel);
}

/** Credits of a code on a channel: one per part of an SMS, one per chat-app message. */
export function stepCredits(otp: OtpText & { codeLength: number }, channel: OtpChannel): number {
  return channel === 'sms' ? otpSize(otp, otp.codeLength).parts : 1;
}

/** Checks a flow against the lifetime of its codes; at most one violation per field. */
export function checkFlow(flow: readonly FlowStep[], ttlSeconds: number): Violation[] {
  const used = new Set<OtpChannel>();
  return flow.flatMap(({ channel, afterSeconds }, i) => {
    const isRepeated = used.has(channel);
    used.add(channel);
    return [
      ...(isRepeated
        ? [violation(`flow[${i}].channel`, 'duplicate_item', 'must not be that of an earlier step')]
        : []),
      ...checkDelay(`flow[${i}].afterSeconds`, afterSeconds, flow[i - 1], ttlSeconds),
    ];
  });
}

function checkDelay(
  field: string,
  afterSeconds: number,
  earlier: FlowStep | undefined,
  ttlSeconds: number,
): Violation[] {
  if (earlier === undefined) {
    if (afterSeconds === 0) return [];
    return [violation(field, 'not_allowed_value', 'must be 0: the first step is taken immediately')];
  }
  const least = Math.max(MIN_AFTER_SECONDS, earlier.afterSeconds + 1);
  if (afterSeconds < least) return [violation(field, 'out_of_range', `must be at least ${least}`)];
  if (afterSeconds < ttlSeconds) return [];
  const message = `must be less than the lifetime of a code, which is ${ttlSeconds} s`;
  return [violation(field, 'out_of_range', message)];
}
