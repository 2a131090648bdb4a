/** Consequences of a refused send. */
export interface Treatment {
  /** Repeats the send instead of failing it. */
  throttle?: Throttle;
  /** The refusal concerns this gateway alone: another one may take the message. */
  tryOther?: true;
}

export interface Throttle {
  scope: 'message' | 'pair' | 'sender' | 'gateway';
  retryAfterMs: number;
  /** Submits after which the message fails instead. */
  attempts?: number;
  /** `pace` cuts the rate of the number; `hold` sends nothing of the scope until the delay has passed. */
  effect?: 'pace' | 'hold';
  /** Shown to people in the state of the gateway. */
  alarm?: string;
  /** Ends as soon as the list of numbers can be read, which proves that the token works. */
  isOfToken?: boolean;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Codes of missing permissions. */
const PERMISSIONS = Array.from({ length: 100 }, (_, i) => 200 + i);

const gatewayDown = (alarm: string): Throttle => ({
  scope: 'gateway',
  retryAfterMs: MINUTE,
  effect: 'hold',
  alarm,
});
const senderDown = (alarm: string, retryAfterMs = 15 * MINUTE): Throttle => ({
  scope: 'sender',
  retryAfterMs,
  effect: 'hold',
  alarm,
});

/**
 * Treatments by the codes of the Cloud API. A code that is not here fails its message, as docs/gateways/whatsapp.md
 * shows.
 */
const TREATMENTS: readonly (Treatment & { codes: readonly number[] })[] = [
  { codes: [4, 80007], throttle: { scope: 'gateway', retryAfterMs: MINUTE, effect: 'hold' } },
  {
    codes: [130429, 131057, 2494100],
    throttle: { scope: 'sender', retryAfterMs: 2 * SECOND, effect: 'pace' },
  },
  { codes: [131056], throttle: { scope: 'pair', retryAfterMs: 4 * SECOND } },
  {
    codes: [131048, 131064],
    throttle: senderDown('Meta limits it because recipients block or report its messages', 2 * HOUR),
  },
  {
    codes: [1, 2, 131000, 131016, 133004],
    throttle: { scope: 'message', retryAfterMs: 10 * SECOND, attempts: 3 },
  },
  { codes: [131053], throttle: { scope: 'message', retryAfterMs: 5 * SECOND, attempts: 2 } },
  { codes: [130497], tryOther: true },
  { codes: [132015, 132069, 134101], throttle: { scope: 'message', retryAfterMs: 10 * MINUTE } },
  {
    codes: [0, 104, 190],
    throttle: {
      ...gatewayDown('The access token is expired or revoked: make a new one and save it as accessToken'),
      isOfToken: true,
    },
  },
  {
    codes: [3, 10, ...PERMISSIONS],
    throttle: gatewayDown('The access token lacks a permission: grant whatsapp_business_messaging'),
  },
  { codes: [131005], throttle: senderDown('The access token may not use it') },
  {
    codes: [368, 131031],
    throttle: senderDown('Meta has restricted or locked the account: see its business support page', HOUR),
  },
  { codes: [131037], throttle: senderDown('Its display name is not approved', HOUR) },
  {
    codes: [131042],
    throttle: senderDown('The payment method of the business account fails: correct it at Meta'),
  },
  { codes: [131045, 133010], throttle: senderDown('It is not registered with the Cloud API') },
  { codes: [33], throttle: senderDown('It is deleted at Meta, or the access token does not see it', HOUR) },
];

const BY_CODE = new Map(TREATMENTS.flatMap((entry) => entry.codes.map((code) => [code, entry] as const)));

/** Finds the treatment of an error code; undefined for one that fails its message. */
export function findTreatment(code: number): Treatment | undefined {
  return BY_CODE.get(code);
}
