/** A right of a key or a role. */
export type Scope = 'send' | 'verify' | 'templates' | 'webhooks' | 'manage' | 'ops';

/** The caller of all calls: a user with a session, or an API key. */
export interface Session {
  kind: 'user' | 'key';
  name: string;
  email?: string;
  role?: string;
  accountId: string;
  accountName: string;
  accounts: readonly { id: string; name: string }[];
  scopes: readonly Scope[];
  /** True for a viewer, who reads with masked numbers and changes nothing. */
  readOnly: boolean;
  features: { simulator: boolean };
}
