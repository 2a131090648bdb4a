/** Treatment of one error code of the Cloud API. */
export interface CloudApiError {
  codes: readonly number[];
  /** The errCode of a message that fails with it. */
  errCode: string;
  means: string;
  /** Repeats a refused send instead of failing it. */
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
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Range of codes of missing permissions. */
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

/** Error codes of the Cloud API. docs/gateways/whatsapp.md shows this table. */
export const CLOUD_API_ERRORS: readonly CloudApiError[] = [
  {
    codes: [4, 80007],
    errCode: '006',
    means: 'Rate limit of the app or of the business account',
    throttle: { scope: 'gateway', retryAfterMs: MINUTE, effect: 'hold' },
  },
  {
    codes: [130429, 131057],
    errCode: '006',
    means: 'Rate limit of the number',
    throttle: { scope: 'sender', retryAfterMs: 2 * SECOND, effect: 'pace' },
  },
  {
    codes: [131056],
    errCode: '006',
    means: 'Too many messages from this number to this recipient',
    throttle: { scope: 'pair', retryAfterMs: 4 * SECOND },
  },
  {
    codes: [131048, 131064],
    errCode: '008',
    means: 'The number sends too much that recipients block or report',
    throttle: senderDown('Meta limits it because recipients block or report its messages', 2 * HOUR),
  },
  {
    codes: [1, 2, 131000, 131016],
    errCode: '006',
    means: 'Meta is unavailable',
    throttle: { scope: 'message', retryAfterMs: 5 * SECOND, attempts: 3 },
  },
  {
    codes: [131053],
    errCode: '013',
    means: 'Meta cannot fetch the file of the message',
    throttle: { scope: 'message', retryAfterMs: 5 * SECOND, attempts: 2 },
  },
  { codes: [131026], errCode: '001', means: 'The recipient cannot receive the message' },
  { codes: [130497], errCode: '011', means: 'The number may not send to this country', tryOther: true },
  {
    codes: [131047],
    errCode: '014',
    means: 'The session window is closed: only templates may be sent',
  },
  { codes: [131051, 131052], errCode: '014', means: 'The kind of message or file is not supported' },
  { codes: [131062], errCode: '014', means: 'This message cannot be sent to a user id' },
  {
    codes: [131049],
    errCode: '010',
    means: 'Meta holds back marketing messages to this recipient for a day',
  },
  { codes: [130472], errCode: '010', means: 'The recipient takes part in an experiment of Meta' },
  { codes: [131050], errCode: '010', means: 'The recipient refuses marketing messages of this business' },
  {
    codes: [100, 131008, 131009, 131021, 131030, 132000, 132005, 132008, 132012, 132018],
    errCode: '013',
    means: 'The request, or a value of the template, is invalid',
  },
  {
    codes: [132001, 132007, 132016, 132068],
    errCode: '015',
    means: 'The template does not exist in this language, breaks a policy, or is disabled',
  },
  {
    codes: [132015, 132069],
    errCode: '015',
    means: 'The template or its flow is paused',
    throttle: { scope: 'message', retryAfterMs: 10 * MINUTE },
  },
  {
    codes: [0, 190],
    errCode: '011',
    means: 'The access token is expired or revoked',
    throttle: gatewayDown(
      'The access token is expired or revoked: make a new one and save it as accessToken',
    ),
  },
  {
    codes: [3, 10, ...PERMISSIONS],
    errCode: '011',
    means: 'The access token lacks a permission',
    throttle: gatewayDown('The access token lacks a permission: grant whatsapp_business_messaging'),
  },
  {
    codes: [131005],
    errCode: '011',
    means: 'The access token may not use this number',
    throttle: senderDown('The access token may not use it'),
  },
  {
    codes: [368, 131031],
    errCode: '011',
    means: 'Meta has restricted or locked the business account',
    throttle: senderDown('Meta has restricted or locked the account: see its business support page', HOUR),
  },
  {
    codes: [131037],
    errCode: '007',
    means: 'The display name of the number is not approved',
    throttle: senderDown('Its display name is not approved', HOUR),
  },
  {
    codes: [131042],
    errCode: '012',
    means: 'The payment method of the business account fails',
    throttle: senderDown('The payment method of the business account fails: correct it at Meta'),
  },
  {
    codes: [131045, 133010],
    errCode: '007',
    means: 'The number is not registered',
    throttle: senderDown('It is not registered with the Cloud API'),
  },
];

const BY_CODE = new Map(
  CLOUD_API_ERRORS.flatMap((entry) => entry.codes.map((code) => [code, entry] as const)),
);

/** Finds the treatment of an error code; undefined for an unknown one. */
export function findCloudApiError(code: number): CloudApiError | undefined {
  return BY_CODE.get(code);
}

/** Maps a code of a failed message to its errCode; 099 for an unknown one. */
export function cloudApiErrCode(code: number | undefined): string {
  return (code === undefined ? undefined : findCloudApiError(code)?.errCode) ?? '099';
}
