/** A sign-in link to hand to a user. */
export interface SignInLink {
  token: string;
  /** Name of the user. */
  name: string;
  /** Time for which it works, as `48 hours`. */
  lifetime: string;
}
