/** What an API key may be allowed to do (decisions, Common rules). */
export const SCOPES = ['send', 'verify', 'templates', 'webhooks', 'manage', 'ops'] as const;
export type Scope = (typeof SCOPES)[number];
