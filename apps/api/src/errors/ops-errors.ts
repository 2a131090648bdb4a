import type { ErrorKind } from './error-kind.ts';

/** Error codes of the operations of operators: a part of `ERRORS`. */
export const OPS_ERRORS = {
  queue_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such queue.',
    action: 'List the queues with `/v1/queues`.',
  },
  queue_board_unavailable: {
    status: 404,
    retryable: false,
    title: 'bull-board shows queues on Redis, and these are on Postgres.',
    action: 'Use the page Queues of the dashboard, or `/v1/queues`.',
  },
  account_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such account.',
    action: 'List the accounts with `/v1/accounts`.',
  },
} as const satisfies Record<string, ErrorKind>;
