import { MESSAGE_ID, SUBMISSION_ID } from '../docs/example-ids.ts';
import type { SendResult } from '../sending/send-result.ts';
import type { GatewayKindView } from './gateway-kind.view.ts';
import type { GatewayStateView, GatewayView } from './gateway.view.ts';

/** The name of a gateway as /docs shows it. */
export const GATEWAY_NAME = 'looked-up';

/** Bodies of POST /v1/gateways as /docs shows them. */
export const GATEWAY_BODIES = {
  'A simulator': {
    name: 'simulator-2',
    channel: 'sms',
    kind: 'simulator',
    settings: { delayMs: 200 },
    enabled: false,
  },
  'With a limit': {
    name: 'simulator-3',
    channel: 'sms',
    kind: 'simulator',
    ratePerSecond: 50,
    enabled: false,
  },
};

/** Bodies of PATCH /v1/gateways/{name}. */
export const GATEWAY_CHANGES = {
  'Another limit': { ratePerSecond: 100 },
  'One setting': { settings: { delayMs: 500 } },
};

export const GATEWAY: GatewayView = {
  id: '019e6f0b-2d31-7c0a-8f5e-5b1d9f0c3a50',
  name: 'simulator-2',
  channel: 'sms',
  kind: 'simulator',
  settings: { delayMs: 200 },
  secrets: {},
  oldSecretsUntil: null,
  ratePerSecond: null,
  enabled: false,
  paused: false,
  source: 'api',
  state: { status: 'disabled', reason: 'The gateway is disabled: no worker opens it.', since: null },
  lastHour: { accepted: 0, refused: 0, delivered: 0, failed: 0 },
  callbackUrl: null,
  idRule: null,
  createdAt: '2026-11-20T23:08:41.027Z',
  updatedAt: '2026-11-20T23:08:41.027Z',
};

const PAUSED_STATE = {
  status: 'paused',
  reason: 'The gateway is paused: it takes reports and submits nothing.',
  since: null,
} as const;

export const GATEWAY_CHANGED: GatewayView = { ...GATEWAY, ratePerSecond: 100 };
export const GATEWAY_PAUSED: GatewayView = { ...GATEWAY, enabled: true, paused: true, state: PAUSED_STATE };

export const STATE: GatewayStateView = {
  name: 'smsc-1',
  status: 'up',
  reason: 'Bound as a transceiver since 08:00.',
  since: '2026-11-20T08:00:00.000Z',
  workers: [
    {
      workerId: '019e6f0b-2d31-7c0a-8f5e-5b1d9f0c3a51',
      status: 'up',
      reason: 'Bound as a transceiver since 08:00.',
      since: '2026-11-20T08:00:00.000Z',
      detail: { inFlight: 4, ratePerSecond: 200 },
      seenAt: '2026-11-20T23:08:41.027Z',
    },
  ],
};

/** Bodies of POST /v1/gateways/{name}/test. */
export const TEST_BODIES = {
  'A test message': { sender: 'SIGNALBX', to: '919800000100' },
  'A text of yours': { sender: 'SIGNALBX', to: '919800000100', text: 'Does it arrive?' },
};

export const TEST_ANSWER: SendResult = {
  id: SUBMISSION_ID,
  data: [{ recipient: '919800000100', messageId: MESSAGE_ID }],
  totalCount: 1,
  message: '1 message accepted.',
  error: null,
};

export const KINDS: GatewayKindView[] = [
  {
    kind: 'simulator',
    channels: ['sms'],
    settings: [
      {
        name: 'delayMs',
        type: 'integer',
        required: false,
        default: 300,
        choices: null,
        minimum: 0,
        maximum: 3_600_000,
      },
    ],
    secrets: [],
    presets: [],
  },
];
