import { listOf } from '@signalbox/database/verify/quotas';
import type { OtpTemplate, VerificationConfig } from '@signalbox/database/verify/verification-config.entity';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { DEFAULT_AFTER_SECONDS, type FlowStep, type OtpChannel } from '@signalbox/domain/verify/otp-flow';

/** The flow of a request, in either of its two notations. */
export interface GivenFlow {
  flow?: readonly FlowStep[] | undefined;
  channel?: OtpChannel | undefined;
  fallback?: { channel: OtpChannel; afterSeconds?: number | undefined } | null | undefined;
}

/** The template of a request. */
export interface GivenTemplate {
  name: string;
  language?: string | undefined;
  from: string;
}

/** The flow of a configuration that names none. */
export const DEFAULT_FLOW: FlowStep[] = [{ channel: 'sms', afterSeconds: 0 }];

/**
 * Reads the lists of a stored configuration. Damaged values count as absent, so that it can be seen and corrected.
 */
export function readLists({
  flow,
  testNumbers,
}: Pick<VerificationConfig, 'flow' | 'testNumbers'>): Pick<VerificationConfig, 'flow' | 'testNumbers'> {
  const steps = listOf(flow);
  return { flow: steps.length > 0 ? steps : DEFAULT_FLOW, testNumbers: listOf(testNumbers) };
}

/** The flow after a change. Naming the channel that is first already keeps the fallback; any other channel drops it. */
export function changedFlow(before: FlowStep[], { flow, channel, fallback }: GivenFlow): FlowStep[] {
  if (flow) return flow.map((step) => ({ channel: step.channel, afterSeconds: step.afterSeconds }));
  const first = { channel: channel ?? before[0]!.channel, afterSeconds: 0 };
  if (fallback) {
    const { afterSeconds = DEFAULT_AFTER_SECONDS } = fallback;
    return [first, { channel: fallback.channel, afterSeconds }];
  }
  return fallback === undefined && first.channel === before[0]!.channel ? before : [first];
}

/** The template after a change; null removes it. */
export function changedTemplate(
  before: OtpTemplate | null,
  template: GivenTemplate | null | undefined,
): OtpTemplate | null {
  if (template === undefined) return before;
  if (template === null) return null;
  const { name, language = null, from } = template;
  return { name, language, from: parseMsisdn(from) ?? from };
}
