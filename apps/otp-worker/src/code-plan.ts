import { randomUUIDv7 } from 'node:crypto';
import type { SendableTemplate } from '@signalbox/database/templates/chat-templates';
import type { NewSubmission } from '@signalbox/database/submissions/submissions';
import type { WaitingVerification } from '@signalbox/database/verify/codes';
import { type NewStep, type StepMessage, codeSubmission } from '@signalbox/database/verify/steps';
import type { NoTemplate } from '@signalbox/database/verify/templates';
import { type OtpChannel, stepCredits, usesChannel } from '@signalbox/domain/verify/otp-flow';
import { renderOtpText } from '@signalbox/domain/verify/otp-text';
import type { Sealer } from '@signalbox/runtime/seal';

/** How a code goes out: the message that goes now, if there is a way at all, and the steps of its flow. */
export interface CodePlan {
  submission: NewSubmission | null;
  /** None when there is nothing to tell but that one SMS. */
  steps: NewStep[];
}

/**
 * Plans how a code goes out. The first step that can be taken is taken now, also when those before it cannot; each later one gets
 * its message ready and sealed, so that no code is made a second time.
 *
 * @param template what the configuration's template stands for now; undefined when its flow needs none
 */
export function planCode(
  verification: WaitingVerification,
  code: string,
  template: SendableTemplate | NoTemplate | undefined,
  sealer: Sealer,
): CodePlan {
  const { flow } = verification;
  const ways = flow.map(({ channel }) => carry(verification, channel, code, template, sealer));
  const first = ways.findIndex((way) => typeof way !== 'string');
  const now = ways[first];
  const submission =
    now === undefined || typeof now === 'string'
      ? null
      : codeSubmission(randomUUIDv7(), verification, now.message, now.sealed);
  const steps = flow.map(({ channel, afterSeconds }, i): NewStep => {
    const way = ways[i]!;
    return {
      step: i + 1,
      channel,
      afterSeconds,
      stopsOnDelivery: verification.stopOn === 'delivered',
      submissionId: i === first ? (submission?.id ?? null) : null,
      skipReason: typeof way === 'string' ? way : null,
      later: typeof way === 'string' || i === first ? null : way,
    };
  });
  const isPlain = flow.length === 1 && usesChannel(flow, 'sms');
  return { submission, steps: isPlain ? [] : steps };
}

/** What a step sends; sealed is the text of an SMS, and of a chat-app message the code alone. Or why it cannot be taken. */
function carry(
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
