/** Reasons for which a sign-in with the identity provider fails, as the sign-in page explains them. */
export type SignInReason =
  | 'unreachable'
  | 'cancelled'
  | 'expired'
  | 'refused'
  | 'email_unverified'
  | 'email_not_allowed'
  | 'unknown_user'
  | 'other_identity'
  | 'operator_unlinked'
  | 'no_account'
  | 'account_full'
  | 'too_many';

/** A sign-in that fails for a reason that its user can read. */
export class SignInProblem extends Error {
  override name = 'SignInProblem';

  constructor(
    readonly reason: SignInReason,
    options?: ErrorOptions,
  ) {
    super(`the sign-in with the identity provider failed: ${reason}`, options);
  }
}
