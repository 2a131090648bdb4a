/** errCodes by the `ErrorCode` of Plivo's delivery reports. */
export const PLIVO_REPORT_ERRORS: Readonly<Record<string, string>> = {
  '10': '013', // invalid message
  '20': '006', // network error
  '30': '008', // spam
  '40': '007', // invalid source
  '50': '003', // invalid destination
  '60': '006', // loop
  '70': '003', // destination permanently unavailable
  '80': '001', // destination temporarily unavailable
  '90': '011', // no route
  '100': '002', // prohibited by the carrier
  '110': '013', // too long
  '200': '010', // recipient replied STOP
  '300': '006', // failed to dispatch
  '420': '004', // expired
  '450': '011', // country disabled
  '900': '012', // credit
  '910': '012', // account disabled
  '1000': '099',
};
