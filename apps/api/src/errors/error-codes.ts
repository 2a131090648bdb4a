import type { ErrorKind } from './error-kind.ts';
import { OPS_ERRORS } from './ops-errors.ts';
import { IDENTITY_ERRORS } from './identity-errors.ts';
import { ROUTING_ERRORS } from './routing-errors.ts';

/** Every error code of the API. docs/errors.md and /docs/errors show this table. */
export const ERRORS = {
  malformed_json: {
    status: 400,
    retryable: false,
    title: 'The body is not valid JSON.',
    action: 'Send one JSON object in UTF-8; no trailing commas, comments or NaN.',
  },
  invalid_request: {
    status: 400,
    retryable: false,
    title: 'The request breaks a rule.',
    action: 'Correct every field listed in `details`.',
  },
  malformed_multipart: {
    status: 400,
    retryable: false,
    title: 'The multipart body cannot be read.',
    action: 'Send multipart/form-data with a boundary and one part named `file`.',
  },
  file_required: {
    status: 400,
    retryable: false,
    title: 'The form holds no file in the field `file`.',
    action: 'Send the file in the form field `file`.',
  },
  file_empty: {
    status: 400,
    retryable: false,
    title: 'The file has no bytes.',
    action: 'Check what your client reads before it uploads.',
  },
  file_type_not_allowed: {
    status: 400,
    retryable: false,
    title: 'The file is not a JPEG, PNG, PDF or MP4.',
    action: 'Convert the file to one of these types.',
  },
  file_type_mismatch: {
    status: 400,
    retryable: false,
    title: 'The content of the file does not match its declared type.',
    action: 'Declare the type that the first bytes of the file show.',
  },
  file_corrupt: {
    status: 400,
    retryable: false,
    title: 'The file is damaged, cut short, or has unreasonable dimensions.',
    action: 'Open the file, save it again and upload the new copy.',
  },
  unknown_parameter: {
    status: 400,
    retryable: false,
    title: 'The operation has no such query parameter.',
    action: 'Correct or remove the parameters named in `details`.',
  },
  idempotency_key_invalid: {
    status: 400,
    retryable: false,
    title: 'The header Idempotency-Key is given twice, or is not 1 to 255 printable ASCII characters.',
    action: 'Send the header once, for example with a UUID.',
  },
  otp_incorrect: {
    status: 400,
    retryable: false,
    title: 'The code is wrong.',
    action: 'Let the user type the code again; `attemptsRemaining` says how many tries are left.',
  },
  api_key_missing: {
    status: 401,
    retryable: false,
    title: 'The request carries no API key, neither in `apikey` nor as `Authorization: Bearer`.',
    action: 'Send the key in the header `apikey`, or as `Authorization: Bearer <key>`, never in the URL.',
  },
  api_key_invalid: {
    status: 401,
    retryable: false,
    title: 'The API key is unknown, revoked or expired.',
    action: 'Check the key in the header `apikey` or `Authorization: Bearer`, or create a new key.',
  },
  signature_invalid: {
    status: 401,
    retryable: false,
    title: 'The callback is not signed by its gateway.',
    action:
      'Sign it with the credentials of the gateway; for `chat-simulator`, with its secret in CALLBACK_SECRETS.',
  },
  scope_missing: {
    status: 403,
    retryable: false,
    title: 'The API key lacks the scope of this operation.',
    action: 'Use a key with that scope, or create one.',
  },
  account_suspended: {
    status: 403,
    retryable: false,
    title: 'The account is suspended.',
    action: 'Contact the operator of this service.',
  },
  country_not_allowed: {
    status: 403,
    retryable: false,
    title: 'The account does not send codes to numbers of this country.',
    action: 'Add the country to `countries` in `/v1/verify/policy`.',
  },
  verification_blocked: {
    status: 403,
    retryable: false,
    title: 'The fraud guard blocks codes to this number.',
    action:
      'See `/v1/verify/guard` for the reason, and allow the numbers in `/v1/verify/policy` if they are yours.',
  },
  limit_reached: {
    status: 403,
    retryable: false,
    title: 'The account has reached one of its limits.',
    action:
      'The message names the limit: delete what is not needed, or ask the operator of this service for a higher one.',
  },
  sender_unavailable: {
    status: 403,
    retryable: false,
    title: 'The account cannot add this number.',
    action:
      'Check the number, and that it is not one of your senders already; then ask the operator of this service to assign it to your account.',
  },
  route_not_found: {
    status: 404,
    retryable: false,
    title: 'The API has no operation at this path.',
    action: 'Check the path: it begins with `/v1` and has no slash at its end.',
  },
  template_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such template; a send looks only in the chat account of its sender.',
    action: 'List the templates with `/v1/chatapp/chatTemplateList`.',
  },
  chat_account_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such chat account.',
    action: 'List the chat accounts with `/v1/chat-accounts`.',
  },
  sender_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such sender.',
    action: 'Send from a number that is registered with one of your chat accounts.',
  },
  sms_template_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such SMS template.',
    action: 'List the SMS templates with `/v1/sms/templates`.',
  },
  verification_config_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such verification configuration.',
    action: 'List the configurations with `/v1/verify/configs`.',
  },
  verification_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such verification, or a newer code replaced it.',
    action: 'Generate a code with `/v1/verify` and use the id that it returns.',
  },
  webhook_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such webhook.',
    action: 'List the webhooks with `/v1/webhooks`.',
  },
  delivery_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such delivery.',
    action:
      'Use a `webhook-id` as the receiver saw it (the `id` of a report in a batch), or list them with `/v1/webhooks/{id}/deliveries`.',
  },
  replay_not_found: {
    status: 404,
    retryable: false,
    title: 'The webhook has no such replay.',
    action: 'Use the `id` returned by the replay.',
  },
  cancellation_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such cancellation.',
    action: 'Use the `id` returned by `/v1/messages/cancel`.',
  },
  message_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such message.',
    action: 'Use a `messageId` returned by a send.',
  },
  opt_out_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such opt-out.',
    action: 'List the opt-outs with `/v1/opt-outs`.',
  },
  media_not_found: {
    status: 404,
    retryable: false,
    title: 'The account has no such media file.',
    action: 'Upload the file and use the handle that the upload returns.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    title: 'The path does not accept this method.',
    action: 'Use a method that the `Allow` header lists.',
  },
  request_timeout: {
    status: 408,
    retryable: true,
    title: 'The request did not arrive in time.',
    action: 'Send it again with the same Idempotency-Key: a body within 30 s, an upload within 5 minutes.',
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    title: 'The first request with this Idempotency-Key is still running.',
    action: 'Send the same request again after a second.',
  },
  delivery_in_progress: {
    status: 409,
    retryable: true,
    title: 'A call of the delivery is in progress.',
    action: 'Send the request again after 20 seconds, unless the delivery has succeeded by then.',
  },
  secret_unreadable: {
    status: 409,
    retryable: false,
    title: 'The signing secret of the webhook can no longer be read.',
    action: 'Rotate the secret, and give the receiver the new one.',
  },
  template_exists: {
    status: 409,
    retryable: false,
    title: 'The chat account already has a template of this name and language.',
    action: 'Choose another name or language, or edit that template.',
  },
  sender_taken: {
    status: 409,
    retryable: false,
    title: 'The number belongs to another account.',
    action: 'Release the number with `DELETE /v1/sender-assignments/{msisdn}`, then assign it.',
  },
  sender_in_use: {
    status: 409,
    retryable: false,
    title: 'The number is a sender of a chat account.',
    action: 'Delete the sender, or release the number with `removeSender=true`: its pending messages fail.',
  },
  name_exists: {
    status: 409,
    retryable: false,
    title: 'The account already uses this name.',
    action: 'Choose another name.',
  },
  template_not_approved: {
    status: 409,
    retryable: false,
    title: 'The template is not approved.',
    action: 'Wait for its review, or use an approved one.',
  },
  template_not_editable: {
    status: 409,
    retryable: false,
    title: 'The template cannot be changed in its present status.',
    action:
      'Edit it once it is Approved, Rejected or Paused; decide on it while it is Pending; resume it while it is Paused.',
  },
  session_window_closed: {
    status: 409,
    retryable: false,
    title: 'The recipient has not written to this sender in the last 24 hours.',
    action:
      'Send a template, or wait until the recipient writes; `sessionWindow` of the chat account says whether this counts.',
  },
  otp_already_used: {
    status: 409,
    retryable: false,
    title: 'The code has already been used.',
    action: 'Generate a new one. If a response was lost, your first call may have used the code.',
  },
  recipient_opted_out: {
    status: 409,
    retryable: false,
    title: 'The recipient has opted out of such messages.',
    action: 'Remove the number from your list; only one-time passwords are sent to it.',
  },
  otp_expired: {
    status: 410,
    retryable: false,
    title: 'The code has expired.',
    action: 'Generate a new one.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    title: 'The body is too large.',
    action: 'Send at most 256 KiB, or 1 MiB to `/v1/sms`; split a large bulk into several requests.',
  },
  file_too_large: {
    status: 413,
    retryable: false,
    title: 'The file is too large for its type.',
    action: 'Send at most 5 MB for an image, 16 MB for a video, 100 MB for a document.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'The content type or content encoding of the body is not supported.',
    action: 'Send `Content-Type: application/json` in UTF-8, without a `Content-Encoding`.',
  },
  bulk_exceeds_rate_limit: {
    status: 422,
    retryable: false,
    title: 'The bulk costs more than the whole rate limit.',
    action: 'Split it into bulks below the limit, or ask the operator of this service for a higher one.',
  },
  idempotency_key_reused: {
    status: 422,
    retryable: false,
    title: 'The Idempotency-Key was already used with another body.',
    action: 'Use a new key for a new request, and the same body for a repeat.',
  },
  template_parameters_mismatch: {
    status: 422,
    retryable: false,
    title: 'The parameters do not match the placeholders of the template.',
    action: 'Send one value for each placeholder, in their order.',
  },
  template_header_mismatch: {
    status: 422,
    retryable: false,
    title: 'The header does not match the header of the template.',
    action: 'Send a header of the type that the template has.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests were made.',
    action: 'Wait for the seconds of `Retry-After`, then send the request again.',
  },
  template_edit_limit: {
    status: 429,
    retryable: true,
    title: 'The template was edited today, or 10 times this month.',
    action: 'Edit it again after the seconds of `Retry-After`.',
  },
  otp_send_limit: {
    status: 429,
    retryable: true,
    title: 'Too many codes were sent to this number.',
    action: 'Wait for the seconds of `Retry-After`, then ask for a code again.',
  },
  otp_attempts_exceeded: {
    status: 429,
    retryable: false,
    title: 'Too many wrong codes were tried.',
    action: 'Generate a new code once `Retry-After` has passed.',
  },
  ...ROUTING_ERRORS,
  ...OPS_ERRORS,
  ...IDENTITY_ERRORS,
  headers_too_large: {
    status: 431,
    retryable: false,
    title: 'The URL and the headers together are larger than 16 KiB.',
    action: 'Shorten the URL or the headers, such as cookies.',
  },
  internal_error: {
    status: 500,
    retryable: false,
    title: 'The service has a bug.',
    action: 'Report the `requestId` to the operator of this service.',
  },
  unavailable: {
    status: 503,
    retryable: true,
    title: 'The service is temporarily unavailable.',
    action:
      'Send the request again after `Retry-After`, with the same Idempotency-Key where the operation takes one, so that it has its effect once.',
  },
} as const satisfies Record<string, ErrorKind>;

/** A code of the public interface. */
export type ErrorCode = keyof typeof ERRORS;
