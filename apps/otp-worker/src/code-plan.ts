import { randomUUIDv7 } from 'node:crypto';
import type { SendableTemplate } from '@signalbox/database/templates/chat-templates';
import type { NewSubmission } from '@signalbox/database/submissions/submissions';
import type { WaitingVerification } from '@signalbox/database/verify/codes';
import { type NewStep, type StepMessage, codeSubmission } from '@signalbox/database/verify/steps';
import type { NoTemplate } from '@signalbox/database/verify/templates';
import { type OtpChannel, stepCredits, usesChannel } from '@signalbox/domain/verify/otp-flow';
import { renderOtpText } from '@signalbox/domain/verify/otp-text';
import type { Sealer } from '@signalbox/runtime/seal';

/** First message of a code, and the steps of its flow. */
export interface CodePlan {
  /** Null when no step can be taken. */
  submission: NewSubmission | null;
  /** Empty for a flow of one SMS. */
  steps: NewStep[];
}

/**
 * Plans the sending of a code. The first step that can be taken is taken now, even if it is not the first of the flow. Later steps
 * store their message sealed, because a code is not generated a second time.
 *
 * @param template the configuration's template as it is now; undefined when its flow needs none
 */
export function planCode(
  verification: WaitingVerification,
  code: string,
  template: SendableTemplate | NoTemplate | undefined,
  sealer: Sealer,
): CodePlan {
  const { flow } = verification;
  const messages = flow.map(({ channel }) => messageOf(verification, channel, code, template, sealer));
  const first = messages.findIndex((message) => typeof message !== 'string');
  const now = messages[first];
  const submission =
    now === undefined || typeof now === 'string'
      ? null
      : codeSubmission(randomUUIDv7(), verification, now.message, now.sealed);
  const steps = flow.map(({ channel, afterSeconds }, i): NewStep => {
    const message = messages[i]!;
    return {
      step: i + 1,
      channel,
      afterSeconds,
      stopsOnDelivery: verification.stopOn === 'delivered',
      submissionId: i === first ? (submission?.id ?? null) : null,
      skipReason: typeof message === 'string' ? message : null,
      later: typeof message === 'string' || i === first ? null : message,
    };
  });
  const isPlain = flow.length === 1 && usesChannel(flow, 'sms');
  return { submission, steps: isPlain ? [] : steps };
}

/** Message of a step: `sealed` is the text of an SMS, or the code of a chat-app message. Or the reason why the step cannot be taken. */
function messageOf(
  verification: WaitingVerification,
  channel: OtpChannel,
  code: string,
  template: SendableTemplate | NoTemplate | undefined,
  sealer: Sealer,
): NonNullable<NewStep['later']> | NoTemplate {
  const credits = stepCredits(verification, channel);
  if (channel === 'sms') {
    const content = { unicode: false, flash: false };
    const message: StepMessage = {
      channel,
      kind: 'text',
      lane: 'OTP',
      sender: verification.sender ?? '',
      content,
      credits,
    };
    return { message, sealed: sealer.seal(renderOtpText(verification, code)) };
  }
  if (template === undefined || typeof template === 'string') return template ?? 'template_not_found';
  const { id, version, name, language, category } = template;
  const content = { template: { id, version, name, language, category, params: [] } };
  const message: StepMessage = {
    channel,
    kind: 'template',
    lane: 'CHAT_OTP',
    sender: verification.template?.from ?? '',
    content,
    credits,
  };
  return { message, sealed: sealer.seal(code) };
}
