/** errCodes by the error codes of MessageBird's REST API. */
export const BIRD_ERRORS: Readonly<Record<string, string>> = {
  '9': '003', // no correct recipients
  '10': '013', // invalid parameter
  '20': '013', // not found
  '21': '013', // bad request
  '22': '013',
  '101': '013',
};

/** errCodes by the `statusErrorCode` of a delivery report. */
export const BIRD_REPORT_ERRORS: Readonly<Record<string, string>> = {
  '1': '003', // EC_UNKNOWN_SUBSCRIBER
  '5': '003',
  '6': '001', // EC_ABSENT_SUBSCRIBER_SM
  '9': '003', // EC_ILLEGAL_SUBSCRIBER
  '11': '011', // EC_TELESERVICE_NOT_PROVISIONED
  '12': '005', // EC_ILLEGAL_EQUIPMENT
  '13': '002', // EC_CALL_BARRED
  '21': '011',
  '27': '001', // EC_ABSENT_SUBSCRIBER
  '31': '006',
  '32': '005',
  '33': '006',
  '34': '006',
  '103': '010', // EC_SUBSCRIBER_OPTEDOUT
  '104': '007', // EC_SENDER_UNREGISTERED
  '105': '008', // EC_CONTENT_UNREGISTERED
  '106': '012', // campaign volume
  '107': '012',
};
