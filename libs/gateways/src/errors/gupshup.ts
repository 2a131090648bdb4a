/** errCodes by the error codes of Gupshup's enterprise API. */
export const GUPSHUP_ERRORS: Readonly<Record<string, string>> = {
  '101': '013', // parameter
  '104': '013', // method
  '105': '003', // phone number
};

/** errCodes by the `cause` of a delivery report. */
export const GUPSHUP_REPORT_ERRORS: Readonly<Record<string, string>> = {
  ABSENT_SUBSCRIBER: '001',
  BLACKLIST: '002',
  BLOCKED: '002',
  BLOCKED_MASK: '007',
  CALL_BARRED: '002',
  DND_FAIL: '010',
  DND_TIMEOUT: '010',
  EXPIRED: '004',
  HANDSET_BUSY: '005',
  INBOX_FULL: '005',
  INVALID_SUBSCRIBER: '003',
  MSG_DOES_NOT_MATCH_TEMPLATE: '009',
  NETWORK_ERROR: '006',
  SERVICE_DOWN: '006',
  SYSTEM_FAILURE: '006',
  UNKNOWN_SUBSCRIBER: '003',
};
