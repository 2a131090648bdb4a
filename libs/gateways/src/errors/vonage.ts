/** errCodes by the `status` in an answer of Vonage's SMS API. */
export const VONAGE_ERRORS: Readonly<Record<string, string>> = {
  '2': '013', // missing parameter
  '3': '013', // invalid parameter
  '6': '003', // unroutable message
  '7': '002', // number barred
  '11': '011', // account has no HTTP
  '12': '013', // too long
  '15': '007', // sender
  '22': '011', // network code
  '23': '013', // callback
  '29': '003', // not on the list of a trial account
  '33': '003', // number deactivated
};

/** errCodes by the `err-code` of a delivery report. */
export const VONAGE_REPORT_ERRORS: Readonly<Record<string, string>> = {
  '1': '006',
  '2': '001',
  '3': '001',
  '4': '002',
  '5': '011',
  '6': '008',
  '7': '005',
  '8': '006',
  '9': '003',
  '10': '008',
  '11': '011',
  '12': '001',
  '13': '002',
  '14': '002',
  '15': '012',
  '16': '012',
  '39': '007',
  '41': '012',
  '50': '009',
  '51': '009',
  '52': '009',
  '53': '010',
  '54': '009',
  '99': '099',
};
