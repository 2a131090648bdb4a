/** Words of the pages about keys, users and the audit log. */
export const WORDS = {
  keys: {
    title: 'API keys',
    lead: 'Programs send a key with each request. A key does what its scopes allow.',
    add: 'Create key',
    allScopes: 'All',
    tryIt: 'Try the key: this command answers with its account and scopes.',
    emptyTitle: 'No API keys yet',
    emptyText: 'Create one for each program, so that you can revoke it alone.',
  },
  users: {
    title: 'Users',
    lead: 'People who sign in to this account.',
    add: 'Invite user',
    you: 'You',
    emptyTitle: 'No users',
    emptyText: 'Invite the people who work with this account.',
  },
  audit: {
    title: 'Audit',
    lead: 'Who changed what. Kept for a year.',
    emptyTitle: 'Nothing matches',
    emptyText: 'No change matches these filters.',
    operation: 'Operation',
    target: 'Target id',
  },
  profile: { title: 'My profile', lead: 'Your password, your second factor and your sessions.' },
  roles: {
    viewer: { name: 'Viewer', may: 'reads, numbers masked' },
    editor: { name: 'Editor', may: 'sends, templates, webhooks' },
    admin: { name: 'Admin', may: 'also keys and users' },
    operator: { name: 'Operator', may: 'everything, in every account' },
  },
  scopes: {
    send: 'Send messages and read them',
    verify: 'Send and check one-time passwords',
    templates: 'Create and edit templates',
    webhooks: 'Change push configurations',
    manage: 'Manage keys, users and settings of the account',
    ops: 'Operate the whole installation',
  },
} as const;
