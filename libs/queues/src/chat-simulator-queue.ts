/** What the simulated provider of the chat app is to do later: it forgets nothing that it took, whatever happens to its process. */
export const CHAT_SIMULATOR_QUEUE = 'chat-simulator';

/** One step of a script, for some messages. */
export interface ChatSimulatorJob {
  script: string;
  step: number;
  messageIds: string[];
}

/** The most messages of one job. */
export const CHAT_SIMULATOR_JOB_WEIGHT = 250;

/** A provider calls back until its call is taken. */
export const CHAT_SIMULATOR_JOB_OPTIONS = { attempts: 100, backoff: { type: 'fixed', delay: 1_000 } };
