import { counted, dataOf } from '../http/answer.ts';
import { SubmissionView } from './submission.view.ts';
import { CANCELLED, SUBMISSION } from './submissions.examples.ts';

/** The declaration that endpoints for the progress of a send share. */
export const PROGRESS = {
  answer: dataOf(SubmissionView, SUBMISSION, 'The send was found.'),
  returns: 'The send and its message counts.',
} as const;

/** The declaration that endpoints for the cancellation of a send share. */
export const CANCELLATION = {
  answer: dataOf(
    SubmissionView,
    CANCELLED,
    ({ cancelled }: SubmissionView) => `${counted(cancelled, 'message was', 'messages were')} cancelled.`,
  ),
  returns: 'The send and its message counts after the cancellation.',
} as const;
