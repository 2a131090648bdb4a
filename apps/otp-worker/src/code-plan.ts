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
  const contents = flow.map(({ channel }) => contentOf(verification, channel, code, template));
  const first = contents.findIndex((content) => typeof content !== 'string');
  const now = contents[first];
  const submission = typeof now === 'object' ? submissionOf(verification, now, sealer) : null;
  const isPlain = flow.length === 1 && usesChannel(flow, 'sms');
  if (isPlain) return { submission, steps: [] };
  const steps = contents.map((content, i) => {
    const submissionId = i === first ? (submission?.id ?? null) : null;
    return stepOf(verification, i, content, submissionId, sealer);
  });
  return { submission, steps };
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

/** Returns a step: taken with a submission, waiting, or skipped for the reason in the place of its content. */
function stepOf(
  { id, accountId, flow, stopOn }: WaitingVerification,
  index: number,
  content: StepContent | NoTemplate,
  submissionId: string | null,
  sealer: Sealer,
): NewStep {
  const { channel, afterSeconds } = flow[index]!;
  const skipReason = typeof content === 'string' ? content : null;
  const stopsOnDelivery = stopOn === 'delivered';
  const step = { step: index + 1, channel, afterSeconds, stopsOnDelivery, submissionId, skipReason };
  if (typeof content === 'string' || submissionId !== null) return { ...step, later: null };
  const sealed = sealer.seal(content.secret, stepRow(accountId, id, step.step));
  return { ...step, later: { message: content.message, sealed } };
}

/** Returns the content of a step, or the reason why the step cannot be taken. */
function contentOf(
  verification: WaitingVerification,
  channel: OtpChannel,
  code: string,
  template: SendableTemplate | NoTemplate | undefined,
): StepContent | NoTemplate {
  if (channel === 'sms') return smsContent(verification, code);
  if (typeof template === 'object') return templateContent(verification, template, code);
  return template ?? 'template_not_found';
}

function smsContent(verification: WaitingVerification, code: string): StepContent {
  const message: StepMessage = {
    channel: 'sms',
    kind: 'text',
    lane: 'OTP',
    sender: verification.sender ?? '',
    content: { unicode: false, flash: false },
    credits: stepCredits(verification, 'sms'),
  };
  return { message, secret: renderOtpText(verification, code) };
}

function templateContent(
  verification: WaitingVerification,
  { id, version, name, language, category }: SendableTemplate,
  code: string,
): StepContent {
  const message: StepMessage = {
    channel: 'chatapp',
    kind: 'template',
    lane: 'CHAT_OTP',
    sender: verification.template?.from ?? '',
    content: { template: { id, version, name, language, category, params: [] } },
    credits: stepCredits(verification, 'chatapp'),
  };
  return { message, secret: code };
}
