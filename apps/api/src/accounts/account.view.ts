import type { OperatedAccount } from '@signalbox/database/accounts/operation';
import { ACCOUNT_LIMITS, type AccountLimit } from '@signalbox/domain/account-limits';
import { type Static, Type } from 'typebox';
import { COUNT, FLAG, ID, TEXT, TIME, model, nullable, oneOf, show } from '../docs/model.ts';

const LIMIT_NAMES = Object.keys(ACCOUNT_LIMITS) as AccountLimit[];

const AccountLimitView = model('AccountLimit', 'A limit of an account.', {
  name: oneOf(LIMIT_NAMES),
  max: COUNT,
  isDefault: FLAG,
});

export const AccountView = model('Account', 'A tenant of the installation.', {
  id: ID,
  name: TEXT,
  status: oneOf(['active', 'suspended']),
  pausedAt: nullable(TIME, 'When its messages were paused; null while they are sent.'),
  smsPerSecond: nullable(Type.Integer({ minimum: 1 }), 'SMS per second; null for no limit.'),
  limits: Type.Array(AccountLimitView),
  keys: Type.Integer({ minimum: 0, description: 'API keys in force.' }),
  users: Type.Integer({ minimum: 0, description: 'Users who are not disabled in it.' }),
  createdAt: TIME,
});
export type AccountView = Static<typeof AccountView>;

export function accountView(account: OperatedAccount): AccountView {
  const limits = LIMIT_NAMES.map((name) => ({
    name,
    max: account.limits[name] ?? ACCOUNT_LIMITS[name].max,
    isDefault: account.limits[name] === undefined,
  }));
  return show(AccountView, { ...account, limits });
}
