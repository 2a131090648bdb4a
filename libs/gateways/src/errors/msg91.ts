/** errCodes by the error codes of MSG91's API. */
export const MSG91_ERRORS: Readonly<Record<string, string>> = {
  '202': '003', // mobile number
  '203': '007', // sender
  '306': '011', // route unavailable
  '310': '013', // too long
};

/** errCodes by the `status` of a delivery report. */
export const MSG91_REPORT_ERRORS: Readonly<Record<string, string>> = {
  '9': '010', // on the do-not-disturb list
  '17': '002', // blocked number
};
