import { type Static, Type } from 'typebox';
import { COUNT, MESSAGE_ID, TEXT, model, nullable } from '../docs/model.ts';

export const PulledCallView = model('PulledCall', 'The call of a delivery, signed, for its caller to make.', {
  id: Type.String({
    description: 'The same in every attempt; also the header `webhook-id`, except of a webhook with `batch`.',
  }),
  messageId: Type.Union([MESSAGE_ID, Type.String({ format: 'uuid' })], {
    description: 'The message; of one that a recipient wrote, its id.',
  }),
  attempt: Type.Integer({ minimum: 1, description: 'Number of this call, from 1.' }),
  messageStatus: TEXT,
  method: TEXT,
  url: Type.String({ description: 'Endpoint of the webhook, for a GET with its query.' }),
  headers: Type.Record(Type.String(), TEXT),
  body: nullable(TEXT, 'Null for a GET. Send these bytes: the signature is of them.'),
});
export type PulledCallView = Static<typeof PulledCallView>;

export const PullResultsView = model('PullResults', 'Counts of recorded results.', {
  delivered: COUNT,
  retried: Type.Integer({ minimum: 0, description: 'Deliveries that are due again later.' }),
  exhausted: COUNT,
  ignored: Type.Integer({
    minimum: 0,
    description: 'Results of deliveries that do not wait any more, or of another webhook.',
  }),
});
export type PullResultsView = Static<typeof PullResultsView>;
