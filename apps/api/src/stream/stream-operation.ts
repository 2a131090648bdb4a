import type { OpenAPIObject } from '@nestjs/swagger';

const EXAMPLE = `retry: 2000

event: message
data: {"count":1,"ids":["0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c90"]}

event: gateway
data: {}

:

`;

/** GET /v1/stream in /docs, which has no controller. */
export const STREAM_PATHS: OpenAPIObject['paths'] = {
  '/v1/stream': {
    get: {
      operationId: 'openStream',
      tags: ['Messages'],
      summary: 'Open the stream of events',
      description: [
        'Server-sent events that say what has changed, but not how: read it again. The kinds `message`, `delivery`, `phone` and `template` carry `count`, and `ids` with at most 20.',
        'Callers with the scope `ops` also get `queue` with `queues`, and `lane`, `gateway`, `parked`, `route`, `endpoint`, `orphan` and `worker` with nothing.',
        'Each kind comes at most once a second, and a comment every 15 s.',
        'A stream cannot be resumed: after a reconnect, read what you show again. It ends with its key or session, when the process stops, and when its client does not read.',
        'An account may have 50 streams open; a further one is 429 `rate_limited`, as is one of a full process.',
        'It cannot be tried in /docs, which shows a response at its end: use `curl -N`.',
        'Scope: `any`.',
      ].join(' '),
      parameters: [],
      responses: {
        200: {
          description: 'The stream, which does not end by itself.',
          content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
        },
      },
    },
  },
};
