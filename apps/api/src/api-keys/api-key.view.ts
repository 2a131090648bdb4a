import type { ListedKey } from '@signalbox/database/accounts/api-keys';
import { SCOPES, type Scope } from '@signalbox/domain/scope';
import { type Static, Type } from 'typebox';
import { ID, TEXT, TIME, model, nullable, oneOf } from '../docs/model.ts';

const STATUSES = ['active', 'replaced', 'expired', 'revoked'] as const;

const MEMBERS = {
  id: ID,
  name: TEXT,
  prefix: oneOf(['sb_live_', 'sb_test_']),
  last4: Type.String({ description: 'The last four characters of the key.' }),
  scopes: Type.Array(oneOf(SCOPES)),
  status: oneOf(STATUSES, '`replaced` keys still work until `expiresAt`.'),
  createdBy: nullable(TEXT, '`user:<id>` or `api-key:<id>`; null for a key made by a tool.'),
  createdByName: nullable(TEXT, 'Name of that user or API key; null when it was deleted.'),
  createdAt: TIME,
  lastUsedAt: nullable(TIME, 'The last use, to about a minute.'),
  expiresAt: nullable(TIME),
  revokedAt: nullable(TIME),
  replacedBy: nullable(ID, 'The key that a rotation put in its place.'),
};

export const ApiKeyView = model('ApiKey', 'An API key of an account.', MEMBERS);
export type ApiKeyView = Static<typeof ApiKeyView>;

export const NewApiKeyView = model('NewApiKey', 'A new API key, with the key itself.', {
  ...MEMBERS,
  key: Type.String({ description: 'The key. It is shown only now.' }),
});
export type NewApiKeyView = Static<typeof NewApiKeyView>;

/** A key with the name of the user or key that made it. */
export type NamedKey = ListedKey & { createdByName: string | null };

export function apiKeyView(row: NamedKey): ApiKeyView {
  const { id, name, prefix, last4, scopes, createdBy, createdByName, replacedBy } = row;
  return {
    id,
    name,
    prefix: prefix as ApiKeyView['prefix'],
    last4,
    scopes: scopes as Scope[],
    status: keyStatus(row),
    createdBy,
    createdByName,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    replacedBy,
  };
}

/** The status of a key now. */
export function keyStatus({ revokedAt, expiresAt, replacedBy }: ListedKey): ApiKeyView['status'] {
  if (revokedAt) return 'revoked';
  if (expiresAt && expiresAt.getTime() <= Date.now()) return 'expired';
  return replacedBy ? 'replaced' : 'active';
}
