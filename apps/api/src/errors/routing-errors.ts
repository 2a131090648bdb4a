import type { ErrorKind } from './error-kind.ts';

/** Error codes of gateways, routes and orphan reports: a part of `ERRORS`. */
export const ROUTING_ERRORS = {
  routing_undecided: {
    status: 400,
    retryable: false,
    title: 'A channel would have several gateways and no route that chooses between them.',
    action: 'Save the gateway with `"enabled": false`, create a route that names it, then enable it.',
  },
  gateway_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such gateway.',
    action: 'List the gateways with `/v1/gateways`.',
  },
  message_route_not_found: {
    status: 404,
    retryable: false,
    title: 'There is no such route.',
    action: 'List the routes with `/v1/routes`.',
  },
  orphan_report_not_found: {
    status: 404,
    retryable: false,
    title: 'The orphan box has no such entry: it found its message, was discarded, or is older than 7 days.',
    action: 'List the orphan reports with `/v1/orphan-reports`.',
  },
  gateway_in_use: {
    status: 409,
    retryable: false,
    title: 'A route uses the gateway.',
    action: 'Remove the gateway from the routes that the message names, or delete these routes, first.',
  },
} as const satisfies Record<string, ErrorKind>;
