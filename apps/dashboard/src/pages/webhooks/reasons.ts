/** A reason for people. */
interface Reason {
  /** At most 22 characters, for a cell of a list. */
  short: string;
  /** Says what happened, and what to do where something can be done. */
  sentence: string;
}

/** Failures of calls, and what waiting and exhausted deliveries wait for or ended with, by the word of the api. */
const REASONS: Readonly<Record<string, Reason>> = {
  bad_status: {
    short: 'Unexpected status',
    sentence: 'The endpoint did not return a status from 200 to 299.',
  },
  redirect: {
    short: 'Redirect, not followed',
    sentence: 'The endpoint returned a redirect, which is not followed. Enter the address it leads to.',
  },
  timeout: { short: 'No response in 15 s', sentence: 'The endpoint did not respond within 15 seconds.' },
  connect_failed: {
    short: 'No connection',
    sentence: 'No connection to the endpoint. Check that it runs and that its firewall lets calls in.',
  },
  connection_lost: {
    short: 'Connection lost',
    sentence: 'The endpoint closed the connection before it had responded.',
  },
  tls_failed: {
    short: 'Certificate refused',
    sentence: 'The certificate of the endpoint was not accepted. Check its chain, name and expiry.',
  },
  endpoint_forbidden: {
    short: 'Not a public address',
    sentence: 'The name of the endpoint does not resolve to a public address.',
  },
  headers_too_large: { short: 'Headers too large', sentence: 'The headers of the response are too large.' },
  bad_answer: { short: 'Not an HTTP response', sentence: 'The response is not HTTP.' },
  secret_unreadable: {
    short: 'Secret unreadable',
    sentence: 'The signing secret cannot be read. Rotate the secret.',
  },
  invalid_call: { short: 'Request not built', sentence: 'The request could not be built.' },
  unrenderable: {
    short: 'Request not built',
    sentence: 'The request could not be built or signed. Rotate the secret.',
  },
  no_answer: { short: 'No result given', sentence: 'The program that pulls deliveries gave no result.' },
  client_closed: { short: 'Call interrupted', sentence: 'Signalbox was stopping. The call is repeated.' },
  breaker_open: {
    short: 'Breaker open: no call',
    sentence: 'The breaker is open: no call is made until it lets a probe through.',
  },
  behind: {
    short: 'After earlier status',
    sentence: 'An earlier status of the same message has to be pushed first.',
  },
  put_off: { short: 'Endpoint is busy', sentence: 'All slots of the endpoint are busy.' },
  in_flight: { short: 'Call in progress', sentence: 'A call is being made.' },
  webhook_disabled: {
    short: 'Disabled or pulled',
    sentence: 'The configuration is disabled, or a program pulls its deliveries.',
  },
  replayed: { short: 'Due by a replay', sentence: 'A replay made it due.' },
  given_up: {
    short: 'Given up',
    sentence: 'It was given up: ten tries in a row ended without a result, or its message was deleted.',
  },
  webhook_deleted: { short: 'Webhook deleted', sentence: 'The configuration was deleted.' },
};

/** Returns the sentence about a reason of the api; the word itself when it has none. */
export function reasonText(reason: string): string {
  return REASONS[reason]?.sentence ?? reason;
}

/** Returns the few words about a reason that fit in a list; the word of the api when it has none. */
export function shortReason(reason: string): string {
  return REASONS[reason]?.short ?? reason;
}

/** `503 · bad_status` for people: the status when one arrived, else the sentence. */
export function failureText({
  responseStatus,
  error,
}: {
  responseStatus: number | null;
  error: string | null;
}): string {
  if (error === 'bad_status' && responseStatus !== null) return `The endpoint returned ${responseStatus}.`;
  return error === null ? 'Accepted.' : reasonText(error);
}
