import { randomUUIDv7 } from 'node:crypto';
import type { SendableTemplate } from '@signalbox/database/templates/chat-templates';
import type { NewSubmission } from '@signalbox/database/submissions/submissions';
import type { WaitingVerification } from '@signalbox/database/verify/codes';
import { type NewStep, type StepMessage, codeSubmission } from '@signalbox/database/verify/steps';
import type { NoTemplate } from '@signalbox/database/verify/templates';
import { stepRow, submissionRow } from '@signalbox/domain/sealed-rows';
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
 * Plans the sending of a code. The first step that can be taken is taken now, even if it is not the first of the flow.
 * Later steps store their message sealed, because a code is not generated a second time.
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
  const { id: verifyId, accountId } = verification;
  const messages = flow.map(({ channel }) => messageOf(verification, channel, code, template));
  const first = messages.findIndex((message) => typeof message !== 'string');
  const now = messages[first];
  const submission = typeof now === 'object' ? submissionOf(verification, now, sealer) : null;
  const steps = flow.map(({ channel, afterSeconds }, i): NewStep => {
    const message = messages[i]!;
    return {
      step: i + 1,
      channel,
      afterSeconds,
      stopsOnDelivery: verification.stopOn === 'delivered',
      submissionId: i === first ? (submission?.id ?? null) : null,
      skipReason: typeof message === 'string' ? message : null,
      later:
        typeof message === 'string' || i === first
          ? null
          : {
              message: message.message,
              sealed: sealer.seal(message.secret, stepRow(accountId, verifyId, i + 1)),
            },
    };
  });
  const isPlain = flow.length === 1 && usesChannel(flow, 'sms');
  return { submission, steps: isPlain ? [] : steps };
}

/** Message of a step, and its secret: the text of an SMS, or the code of a chat-app message. */
interface StepContent {
  message: StepMessage;
  secret: string;
}

function submissionOf(
  verification: WaitingVerification,
  { message, secret }: StepContent,
  sealer: Sealer,
): NewSubmission {
  const id = randomUUIDv7();
  const sealed = sealer.seal(secret, submissionRow(verification.accountId, id));
  return codeSubmission(id, verification, message, sealed);
}

/** Returns the content of a step, or the reason why the step cannot be taken. */
function messageOf(
  verification: WaitingVerification,
  channel: OtpChannel,
  code: string,
  template: SendableTemplate | NoTemplate | undefined,
): StepContent | NoTemplate {
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
    return { message, secret: renderOtpText(verification, code) };
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
  return { message, secret: code };
}
