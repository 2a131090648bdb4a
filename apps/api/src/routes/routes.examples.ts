import type { ExplanationView, RouteView } from './route.view.ts';

/** The id of a route as /docs shows it. */
export const ROUTE_ID = '019e6f0b-2d31-7c0a-8f5e-5b1d9f0c3a60';

/** Bodies of POST /v1/routes as /docs shows them. */
export const ROUTE_BODIES = {
  'Two gateways by weight': {
    name: 'india',
    priority: 10,
    match: { countries: ['IN'] },
    targets: [
      { gateway: 'looked-up', weight: 3 },
      { gateway: 'spare', weight: 1 },
    ],
  },
  'Codes, with a fallback': {
    name: 'codes',
    priority: 5,
    match: { types: ['OTP'], hours: { from: '08:00', to: '21:00', zone: 'Asia/Kolkata' } },
    targets: [{ gateway: 'looked-up' }],
    fallbacks: ['spare'],
    policy: { failoverAfterMs: 5_000 },
  },
};

/** Bodies of PATCH /v1/routes/{id}. */
export const ROUTE_CHANGES = {
  'Another gateway': { targets: [{ gateway: 'spare' }] },
  'Out of force': { enabled: false },
};

/** Bodies of PUT /v1/routes/order. */
export const ORDERS = {
  'Codes first': { names: ['codes', 'india'] },
  'Codes last': { names: ['india', 'codes'] },
};

export const ROUTE: RouteView = {
  id: ROUTE_ID,
  name: 'india',
  priority: 10,
  enabled: true,
  match: { countries: ['IN'] },
  targets: [
    { gateway: 'looked-up', weight: 3, cost: null },
    { gateway: 'spare', weight: 1, cost: null },
  ],
  fallbacks: [],
  policy: { failoverAfterMs: 30_000, resendUnconfirmed: false },
  source: 'api',
  createdAt: '2026-11-20T23:08:41.027Z',
  updatedAt: '2026-11-20T23:08:41.027Z',
};

export const ROUTE_CHANGED = { ...ROUTE, enabled: false };

export const EXPLANATION: ExplanationView = {
  gateways: ['looked-up'],
  route: ROUTE_ID,
  isProbe: false,
  reason: 'looked-up takes it.',
  routes: [
    {
      name: 'india',
      id: ROUTE_ID,
      priority: 10,
      isTaken: true,
      passedOver: null,
      gateways: [
        {
          gateway: 'looked-up',
          role: 'target',
          weight: 3,
          cost: null,
          health: 1,
          acceptRate: 1,
          reportRate: 1,
          problem: null,
        },
      ],
    },
  ],
};
