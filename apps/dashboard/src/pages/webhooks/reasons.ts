/** Sentences about the failures of calls, by the word of the api. */
const FAILURES: Readonly<Record<string, string>> = {
  bad_status: 'The endpoint did not return a status from 200 to 299.',
  redirect: 'The endpoint returned a redirect, which is not followed. Enter the address it leads to.',
  timeout: 'The endpoint did not respond within 15 seconds.',
  connect_failed: 'No connection to the endpoint. Check that it runs and that its firewall lets calls in.',
  connection_lost: 'The endpoint closed the connection before it had responded.',
  tls_failed: 'The certificate of the endpoint was not accepted. Check its chain, name and expiry.',
  endpoint_forbidden: 'The name of the endpoint does not resolve to a public address.',
  headers_too_large: 'The headers of the response are too large.',
  bad_answer: 'The response is not HTTP.',
  secret_unreadable: 'The signing secret cannot be read. Rotate the secret.',
  invalid_call: 'The request could not be built.',
  unrenderable: 'The request could not be built or signed. Rotate the secret.',
  no_answer: 'The program that pulls deliveries gave no result.',
  client_closed: 'Signalbox was stopping. The call is repeated.',
};

/** Sentences about waiting and exhausted deliveries, by the word of the api. */
const WAITS: Readonly<Record<string, string>> = {
  breaker_open: 'The breaker is open: no call is made until it lets a probe through.',
  behind: 'An earlier status of the same message has to be pushed first.',
  put_off: 'All slots of the endpoint are busy.',
  in_flight: 'A call is being made.',
  webhook_disabled: 'The configuration is disabled, or a program pulls its deliveries.',
  replayed: 'A replay made it due.',
  given_up: 'It was given up: ten tries in a row ended without a result, or its message was deleted.',
  webhook_deleted: 'The configuration was deleted.',
};

/** Returns the sentence about a reason of the api; the word itself when it has none. */
export function reasonText(reason: string): string {
  return FAILURES[reason] ?? WAITS[reason] ?? reason;
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
