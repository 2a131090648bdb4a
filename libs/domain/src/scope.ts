/** Permissions of an API key. */
export const SCOPES = ['send', 'verify', 'templates', 'webhooks', 'manage', 'ops'] as const;
export type Scope = (typeof SCOPES)[number];
