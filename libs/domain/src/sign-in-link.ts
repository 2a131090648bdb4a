/** Minutes for which a sign-in link works. */
export const LINK_MINUTES = 10;

/** Hours for which an invitation works: the sign-in link of someone who has no password yet. */
export const INVITATION_HOURS = 48;
