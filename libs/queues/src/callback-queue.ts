/** What providers called back with, stored as it came and to be read. */
export const CALLBACK_QUEUE = 'callback';

export interface CallbackJob {
  callbackIds: string[];
}

/** The most of one job; a callback weighs one for each kilobyte begun. */
export const CALLBACK_JOB_WEIGHT = 100;
