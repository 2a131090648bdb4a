import { ID } from './statement-values.ts';

const HASH = Buffer.alloc(32, 1);
const USER = { id: ID, email: 'ana@shop.example', name: 'Ana', isOperator: false };
const KEY = {
  id: ID,
  accountId: ID,
  name: 'key',
  hash: HASH,
  prefix: 'sb_test_',
  last4: 'abcd',
  scopes: ['send'],
};
const SESSION = { id: ID, hash: HASH, userId: ID, accountId: ID, address: '127.0.0.1', userAgent: 'agent' };
const IDENTITY = { issuer: 'https://login.example.com', subject: 'ana' };
const EVENT = { id: ID, accountId: ID, actor: 'cli', actorName: 'cli', action: 'revokeApiKey' };

/** The arguments of the functions that send statements about users, keys and the audit log. */
export const IDENTITY_CALLS: Record<string, unknown[][]> = {
  'accounts-insertKey': [[KEY]],
  'accounts-findKey': [[ID, ID]],
  'accounts-listKeys': [[ID, 10]],
  'accounts-lockKey': [[ID, ID]],
  'accounts-noteKeyUses': [[[]]],
  'accounts-renameKey': [[ID, 'name']],
  'accounts-replaceKey': [[ID, ID, 24]],
  'accounts-revokeKey': [[ID]],
  'users-deleteMember': [[ID, ID]],
  // sessions, links and members name it
  'users-insertUser': [[USER]],
  'users-changeRole': [[ID, ID, 'viewer']],
  'users-countOthers': [
    [ID, ID, 'admin'],
    [ID, ID, 'operator'],
  ],
  'users-deleteLinkOf': [[ID]],
  'users-deleteOtherSessions': [[ID, null]],
  'users-deleteSession': [[ID, ID]],
  'users-deleteSessionOf': [[HASH]],
  'users-deleteSessionsIn': [[ID, ID]],
  'users-deleteSignInLink': [[HASH]],
  'users-disableMember': [[ID, ID, true]],
  'users-disableOperator': [[ID, true]],
  'users-endForeignSignIn': [[USER]],
  'users-endSignIn': [[ID]],
  'users-endOperator': [[ID]],
  'users-findFirstAccount': [[ID]],
  'users-findLinkUser': [[HASH]],
  'users-findSession': [[HASH]],
  'users-findUser': [[ID]],
  'users-findUserByEmail': [['ana@shop.example']],
  'users-findUserByIdentity': [[IDENTITY]],
  'users-hasSession': [[ID, ID]],
  'users-insertAuditEvent': [[{ ...EVENT, target: null, before: null, after: {}, address: '' }]],
  'users-insertMember': [[ID, ID, 'viewer']],
  'users-insertSession': [[SESSION]],
  'users-isRecentSession': [[ID, 10]],
  'users-isSharedUser': [[ID, ID]],
  'users-linkIdentity': [[ID, IDENTITY]],
  'users-listActorNames': [[ID, []]],
  'users-listAuditEvents': [
    [ID, { actor: null, action: null, target: null, fromId: null, beforeId: null }, 10],
  ],
  'users-listMembers': [[ID, { withOperators: true, limit: 10 }]],
  'users-listSessions': [[ID]],
  'users-listUsableAccounts': [[ID]],
  'users-lockMember': [[ID, ID, true]],
  'users-lockUser': [[ID]],
  'users-lockUsers': [[[ID]]],
  'users-mayUseAccount': [[ID, ID]],
  'users-offerTotp': [[ID, HASH]],
  'users-setPassword': [[ID, null]],
  'users-setTotp': [[ID, null]],
  'users-switchAccount': [[ID, ID]],
  'users-touchSession': [[ID]],
  'users-upsertMember': [[ID, ID, 'viewer']],
  'users-upsertSignInLink': [[ID, HASH, 10]],
  'users-useRecoveryCode': [[ID, HASH]],
  'users-useSignIn': [[HASH, new Date(0)]],
  'users-useTotpStep': [[ID, 1]],
};
