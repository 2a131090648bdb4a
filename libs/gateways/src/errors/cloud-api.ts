import type { ErrorTable } from './error-table.ts';

/** Codes of missing permissions: 200 to 299. */
const PERMISSIONS: ErrorTable = Object.fromEntries(
  Array.from({ length: 100 }, (_, i) => [String(200 + i), '011' as const]),
);

/** errCodes by the `code` of an error of the Cloud API. */
export const CLOUD_API_ERRORS: ErrorTable = {
  '4': '006', // rate limit of the app or of the business account
  '80007': '006',
  '130429': '006', // rate limit of the number
  '131057': '006',
  '2494100': '006', // the number is being upgraded
  '131056': '006', // too many messages from this number to this recipient
  '131048': '008', // the number sends too much that recipients block or report
  '131064': '008',
  '1': '006', // Meta is unavailable
  '2': '006',
  '131000': '006',
  '131016': '006',
  '133004': '006',
  '131043': '004', // the message expired at Meta
  '131053': '013', // Meta cannot fetch the file of the message
  '131026': '001', // the recipient cannot receive the message
  '130403': '002', // the business has blocked the recipient
  '130497': '011', // the number may not send to this country
  '131047': '014', // the session window is closed: only templates may be sent
  '131051': '014', // the kind of message or file is not supported
  '131052': '014',
  '131055': '014', // only marketing templates may be sent so
  '134100': '014',
  '131062': '014', // this message cannot be sent to a user id
  '131049': '010', // Meta holds back marketing messages to this recipient for a day
  '130472': '010', // the recipient takes part in an experiment of Meta
  '131050': '010', // the recipient refuses marketing messages of this business
  '100': '013', // the request, or a value of the template, is invalid
  '131008': '013',
  '131009': '013',
  '131021': '013',
  '131030': '013',
  '132000': '013',
  '132005': '013',
  '132008': '013',
  '132012': '013',
  '132018': '013',
  '134011': '013', // the terms of WhatsApp Payments are not accepted
  '135000': '013',
  '132001': '015', // the template does not exist in this language, breaks a policy, or is disabled
  '132007': '015',
  '132016': '015',
  '132068': '015',
  '131063': '015', // marketing templates are switched off for the Cloud API
  '134102': '015',
  '134101': '015', // the template is being synchronized, for ten minutes at most
  '132015': '015', // the template or its flow is paused
  '132069': '015',
  '0': '011', // the access token is expired or revoked
  '104': '011',
  '190': '011',
  '3': '011', // the access token lacks a permission
  '10': '011',
  ...PERMISSIONS,
  '131005': '011', // the access token may not use this number
  '368': '011', // Meta has restricted or locked the business account
  '131031': '011',
  '131037': '007', // the display name of the number is not approved
  '131042': '012', // the payment method of the business account fails
  '131045': '007', // the number is not registered
  '133010': '007',
  '33': '007', // the number is deleted
};
