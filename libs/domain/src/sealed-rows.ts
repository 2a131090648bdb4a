/** The row of a test number's code, to which its sealed value is bound. */
export function testNumberRow(accountId: string, configId: string, msisdn: string) {
  return { table: 'verification_config', accountId, id: `${configId} ${msisdn}` } as const;
}

/** The row of a later step's message. */
export function stepRow(accountId: string, verifyId: string, step: number) {
  return { table: 'verification_step', accountId, id: `${verifyId} ${step}` } as const;
}

/** The row of a submission's text or code. */
export function submissionRow(accountId: string, id: string) {
  return { table: 'submission', accountId, id } as const;
}

/** The row of a webhook's secret, also of one that was replaced. */
export function webhookRow(accountId: string, id: string) {
  return { table: 'webhook', accountId, id } as const;
}

/** The row of a gateway's credentials. */
export function gatewayRow(id: string) {
  return { table: 'gateway', accountId: null, id } as const;
}

/** The row of a message that a simulated phone keeps. Its gateway does not know the account. */
export function phoneRow(messageId: string) {
  return { table: 'phone_message', accountId: null, id: messageId } as const;
}

/** The sign-in with an identity provider that a browser has begun; it is kept in a cookie. */
export function signInRow() {
  return { table: 'used_sign_in', accountId: null, id: 'cookie' } as const;
}

/** The row of a user's second factor, confirmed or offered. */
export function totpRow(userId: string) {
  return { table: 'app_user', accountId: null, id: userId } as const;
}
