import { MAX_UUID } from '@signalbox/domain/id-time';
import { DEFAULT_POLICY } from '@signalbox/database/verify/policies';
import { GATEWAY_STATEMENT_CALLS } from './gateway-statement-calls.ts';
import { ID, KEY, NOW } from './statement-values.ts';
import { newReport, newSubmission } from './rows.ts';

export { ID } from './statement-values.ts';

const CALL = { path: '/v1/sms', key: 'key', bodyHash: Buffer.of(1) };
const WEBHOOK = {
  name: 'name',
  provider: 'any',
  method: 'POST',
  endPoint: 'https://example.com',
  headers: [],
  fields: [],
  events: [],
  intermediate: false,
  filters: {},
  schedule: null,
  maxInFlight: 4,
  ratePerSecond: null,
};
const CONTENT = {
  category: 'UTILITY',
  components: [],
  allowCategoryChange: false,
  codeExpirationMinutes: null,
};
const CONFIG = {
  name: 'name',
  enabled: true,
  flow: [{ channel: 'sms', afterSeconds: 0 }],
  stopOn: 'delivered',
  template: null,
  codeLength: 6,
  alphabet: 'numeric',
  ttlSeconds: 300,
  maxAttempts: 3,
  resendAfterSeconds: 30,
  sender: 'SIGNAL',
  maxSendsPer10Minutes: 3,
  maxSendsPerDay: 10,
  text: '{{code}}',
  webOtpDomain: null,
  androidHash: null,
  testNumbers: [],
};
const SMS_TEMPLATE = {
  name: 'name',
  text: 'text',
  sender: null,
  type: null,
  dltEntityId: null,
  dltTemplateId: null,
  createdAt: NOW,
};
const INBOUND = {
  id: ID,
  gateway: 'simulator',
  gatewayMessageId: '1',
  from: '1',
  to: '2',
  kind: 'text',
  content: {},
  replyTo: null,
  sentAt: NOW,
  receivedAt: NOW,
  wish: null,
};
const SUSPICION = { accountId: ID, dimension: 'country', value: 'IN', action: 'flagged' };
const VERIFICATION = {
  id: ID,
  accountId: ID,
  configId: ID,
  keyId: ID,
  recipient: '1',
  country: 'IN',
  isTest: false,
  maxAttempts: 3,
  ttlSeconds: 300,
  guardReason: null,
  idempotency: null,
  replaces: ID,
};
const SUBMIT = { ...KEY, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 };
const REPLAY = {
  id: ID,
  webhookId: ID,
  status: 'RUNNING',
  statuses: ['EXHAUSTED'],
  from: NOW,
  to: NOW,
  ratePerSecond: 1,
  total: 0,
  replayed: 0,
  createdAt: NOW,
  finishedAt: null,
};
