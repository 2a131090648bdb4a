/** Fields of every report, in their order on the wire. */
export const REPORT_FIELDS = [
  'messageId',
  'mobileNumber',
  'senderName',
  'errCode',
  'status',
  'createdAt',
  'deliveredDate',
  'statusDescription',
] as const;

/** Fields that a report has only if the webhook names them. */
export const NAMED_FIELDS = ['messageCredit', 'gatewayName', 'operatorCircle'] as const;

/** Names that may stand between double braces in a header value. */
export const PLACEHOLDERS = [...REPORT_FIELDS, ...NAMED_FIELDS] as const;

/** The name of a field of a report. */
export type Placeholder = (typeof PLACEHOLDERS)[number];
