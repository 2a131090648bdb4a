import type { OtpTemplate } from '@signalbox/database/verify/verification-config.entity';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import {
  DEFAULT_AFTER_SECONDS,
  type FlowStep,
  MAX_AFTER_SECONDS,
  MAX_STEPS,
  OTP_CHANNELS,
  checkFlow,
  usesChannel,
} from '@signalbox/domain/verify/otp-flow';
import type { Violation } from '@signalbox/domain/violation';
import type { OtpTemplateRequest, VerifyConfigChange, VerifyConfigRequest } from './verify-config.dto.ts';

/** The flow of a configuration that says nothing of it. */
export const DEFAULT_FLOW: FlowStep[] = [{ channel: 'sms', afterSeconds: 0 }];
/** Its lifetime of a code. */
export const DEFAULT_TTL_SECONDS = 300;

/** A channel that was the first already leaves the rest of the flow as it was; any other one is all of it. */
export function changedFlow(before: FlowStep[], { flow, channel, fallback }: VerifyConfigChange): FlowStep[] {
  if (flow) return flow.map((step) => ({ channel: step.channel, afterSeconds: step.afterSeconds }));
  const first = { channel: channel ?? before[0]!.channel, afterSeconds: 0 };
  if (fallback)
    return [
      first,
      { channel: fallback.channel, afterSeconds: fallback.afterSeconds ?? DEFAULT_AFTER_SECONDS },
    ];
  return fallback === undefined && first.channel === before[0]!.channel ? before : [first];
}

export function changedTemplate(
  before: OtpTemplate | null,
  template: OtpTemplateRequest | null | undefined,
): OtpTemplate | null {
  if (!template) return template === null ? null : before;
  const { name, language, from } = template;
  return { name, language: language ?? null, from: parseMsisdn(from) ?? from };
}

/** There are two ways to give a flow, of which a request uses one. */
export function checkOneFlow({ flow, fallback, channel }: VerifyConfigChange): Violation[] {
  if (!Array.isArray(flow)) return [];
  const rule = 'not_allowed_value';
  if (fallback) return [{ field: 'fallback', rule, message: 'must not be given together with flow' }];
  const isOther = channel !== undefined && isFlow(flow) && channel !== flow[0]!.channel;
  return isOther ? [{ field: 'channel', rule, message: 'must be that of the first step of flow' }] : [];
}

/** What the flow of a new configuration breaks, when all that belongs to it is of its type; what is not was told of already. */
export function brokenFlowOfNew(request: VerifyConfigRequest): Violation[] {
  const { flow, fallback, channel, sender, template, ttlSeconds = DEFAULT_TTL_SECONDS } = request;
  const steps =
    flow === undefined
      ? [{ channel: fallback?.channel ?? 'sms', afterSeconds: fallback?.afterSeconds ?? 0 }]
      : flow;
  const isTyped =
    isFlow(steps) && isFlow([{ channel: channel ?? 'sms', afterSeconds: 0 }]) && Number.isInteger(ttlSeconds);
  if (!isTyped || (flow && fallback)) return [];
  const whole = {
    flow: changedFlow(DEFAULT_FLOW, request),
    ttlSeconds,
    hasSender: sender !== undefined,
    hasTemplate: Boolean(template),
  };
  return brokenFlow(whole, request);
}

function isFlow(steps: unknown): boolean {
  return Array.isArray(steps) && steps.length > 0 && steps.length <= MAX_STEPS && steps.every(isStep);
}

function isStep(step: FlowStep | null): boolean {
  const { channel, afterSeconds } = step ?? {};
  return (
    OTP_CHANNELS.includes(channel!) &&
    Number.isInteger(afterSeconds) &&
    afterSeconds! >= 0 &&
    afterSeconds! <= MAX_AFTER_SECONDS
  );
}

/** A flow with what its steps need. */
interface WholeFlow {
  flow: FlowStep[];
  ttlSeconds: number;
  hasSender: boolean;
  hasTemplate: boolean;
}

/** What a flow breaks, as the change that led to it names its fields. */
export function brokenFlow(
  { flow, ttlSeconds, hasSender, hasTemplate }: WholeFlow,
  change: VerifyConfigChange,
): Violation[] {
  const broken = checkFlow(flow, ttlSeconds);
  if (change.fallback)
    for (const violation of broken) violation.field = violation.field.replace('flow[1]', 'fallback');
  const required = (field: string): Violation => ({ field, rule: 'required', message: 'is required' });
  if (usesChannel(flow, 'sms') && !hasSender) broken.push(required('sender'));
  if (usesChannel(flow, 'chatapp')) return hasTemplate ? broken : [...broken, required('template')];
  if (!change.template || typeof change.template !== 'object') return broken;
  return [
    ...broken,
    {
      field: 'template',
      rule: 'not_allowed_value',
      message: 'must not be given when no code goes over a chat app',
    },
  ];
}
