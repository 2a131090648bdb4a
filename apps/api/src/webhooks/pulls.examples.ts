import { MESSAGE_ID } from '../docs/example-ids.ts';
import { DELIVERY_ID } from './deliveries.examples.ts';
import type { PullResultsView, PulledCallView } from './pull.view.ts';

/** Bodies of the two calls, shown by /docs. */
export const PULL_BODIES = { 'At most 20': {}, 'At most 5': { limit: 5 } };
export const RESULT_BODIES = {
  'A success': { results: [{ id: DELIVERY_ID, responseStatus: 204, durationMs: 12 }] },
  'A failure': {
    results: [{ id: DELIVERY_ID, responseStatus: null, error: 'connection_refused', durationMs: 1 }],
  },
};

export const PULLED: PulledCallView[] = [
  {
    id: DELIVERY_ID,
    messageId: MESSAGE_ID,
    attempt: 1,
    messageStatus: 'Delivered',
    method: 'POST',
    url: 'https://listen.invalid/',
    headers: {
      'user-agent': 'Signalbox',
      'content-type': 'application/json',
      'webhook-id': DELIVERY_ID,
      'webhook-timestamp': '1795216204',
      'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
      'webhook-sequence': '1',
    },
    body: `{"messageId":"${MESSAGE_ID}","mobileNumber":"919812345678","status":"Delivered"}`,
  },
];

export const RECORDED: PullResultsView = { delivered: 1, retried: 0, exhausted: 0, ignored: 0 };
