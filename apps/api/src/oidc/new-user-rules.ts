import type { AccountRole } from '@signalbox/domain/role';

/** The form of OIDC_NEW_USERS: `claim=value role account`, or `role account` for everyone. */
export const NEW_USERS = /^(\s*([^\s=;]+=[^\s;]+ +)?(viewer|editor|admin) +[^\s;][^;]*(;(?=.)|$))*$/;

const RULE = /^(?:(?<claim>[^\s=]+)=(?<value>\S+) +)?(?<role>viewer|editor|admin) +(?<account>\S.*)$/;

/** The role and the account of users who sign in for the first time. */
export interface NewUserRule {
  /** Name of a claim that holds `value`, alone or in a list; undefined for everyone. */
  claim: string | undefined;
  value: string | undefined;
  role: AccountRole;
  /** Name or id of the account. */
  account: string;
}

/** Reads OIDC_NEW_USERS. */
export function readNewUserRules(text: string): NewUserRule[] {
  return text.split(';').flatMap((part) => {
    const found = RULE.exec(part.trim())?.groups as Partial<NewUserRule> | undefined;
    if (!found?.role || !found.account) return [];
    return [{ claim: found.claim, value: found.value, role: found.role, account: found.account }];
  });
}

/** Finds the first rule that a user meets. */
export function findRule(
  rules: readonly NewUserRule[],
  claims: Readonly<Record<string, unknown>>,
): NewUserRule | undefined {
  return rules.find(({ claim, value }) => claim === undefined || holds(claims[claim], value));
}

function holds(claim: unknown, value: unknown): boolean {
  return Array.isArray(claim) ? claim.includes(value) : claim === value;
}
