import type { ChatLane } from '@signalbox/domain/lane';

/** One queue per lane, so that no number of messages delays a code. */
export const CHATAPP_QUEUE = { CHAT_OTP: 'chatapp-otp', CHAT: 'chatapp' } as const satisfies Record<
  ChatLane,
  string
>;

/** Submissions that have something to do. A lane is served in turns: they only say that there is something. */
export interface ChatappJob {
  submissionIds: string[];
  /** They are fanned out, and have messages to be taken up again. */
  again?: true;
}

/** The most submissions of one job; each is one message. */
export const CHATAPP_JOB_WEIGHT = 500;
