/** Pushes that come back for another try, each job delayed until then. A lane of its own: retries never hold up first tries. */
export const PUSH_RETRY_QUEUE = 'dlr-retry';

export interface PushRetryJob {
  pushes: { reportId: string; webhookId: string }[];
}
