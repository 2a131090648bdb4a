/** Words of the pages about keys, users and the audit log. */
export const WORDS = {
  keys: {
    title: 'API keys',
    lead: 'Programs send a key with each request. A key does what its scopes allow.',
    add: 'Create key',
    emptyTitle: 'No API keys yet',
    emptyText: 'Create one for each program, so that you can revoke it alone.',
  },
  users: {
    title: 'Users',
    lead: 'People who sign in to this account.',
    add: 'Invite user',
    emptyTitle: 'No users',
    emptyText: 'Invite the people who work with this account.',
  },
  audit: {
    title: 'Audit',
    lead: 'Who changed what. Kept for a year.',
    emptyTitle: 'Nothing matches',
    emptyText: 'No change matches these filters.',
  },
  profile: { title: 'My profile', lead: 'Your password, your second factor and your sessions.' },
  roles: {
    viewer: 'Viewer: reads, numbers masked',
    editor: 'Editor: sends, templates, webhooks',
    admin: 'Admin: also keys and users',
    operator: 'Operator: everything, in every account',
  },
} as const;
