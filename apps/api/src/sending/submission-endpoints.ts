import { type Answer, answer, counted } from '../http/answer.ts';
import { SubmissionView } from './submission.view.ts';
import { CANCEL_ANSWER, SUBMISSION_ANSWER } from './submissions.examples.ts';

/** The declaration that endpoints for the progress of a send share. */
export const PROGRESS = {
  scope: 'send',
  data: SubmissionView,
  answer: SUBMISSION_ANSWER,
  returns: 'The send and its message counts.',
} as const;

/** The declaration that endpoints for the cancellation of a send share. */
export const CANCELLATION = {
  scope: 'send',
  data: SubmissionView,
  answer: CANCEL_ANSWER,
  returns: 'The send and its message counts after the cancellation.',
} as const;

/** Answers a cancellation with the send, and the number of messages that failed by it. */
export function cancelled(view: SubmissionView): Answer<SubmissionView> {
  return answer(view, `${counted(view.cancelled, 'message was', 'messages were')} cancelled.`);
}
