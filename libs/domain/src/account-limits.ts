/** Maximum number of things that the callers of an account may create. A setting of the account overrides it. */
export const ACCOUNT_LIMITS = {
  webhooks: { max: 50, unit: 'webhooks' },
  chatAccounts: { max: 20, unit: 'chat accounts' },
  senders: { max: 100, unit: 'senders' },
  templateNames: { max: 250, unit: 'template names in this chat account' },
  smsTemplates: { max: 1_000, unit: 'SMS templates' },
  verifyConfigs: { max: 100, unit: 'verification configurations' },
  unusedMedia: { max: 1_000, unit: 'files that no template uses' },
  mediaBytes: { max: 2_147_483_648, unit: 'bytes of files' },
  apiKeys: { max: 50, unit: 'API keys that work' },
  users: { max: 500, unit: 'users' },
  cancellations: { max: 100, unit: 'running cancellations' },
  replays: { max: 20, unit: 'running replays' },
  exports: { max: 2, unit: 'CSV exports at once' },
} as const;

/** Times its limit that an account may create of a thing within 24 hours. */
export const CREATIONS_PER_DAY = 10;

/** The things whose rows are kept for a while after their deletion, so that their creations are limited as well. */
export const LIMITED_CREATIONS = {
  webhooks: 'webhooks',
  chatAccounts: 'chat accounts',
  templateNames: 'templates',
  verifyConfigs: 'verification configurations',
  apiKeys: 'API keys',
} as const;

export type LimitedCreation = keyof typeof LIMITED_CREATIONS;

export type AccountLimit = keyof typeof ACCOUNT_LIMITS;
