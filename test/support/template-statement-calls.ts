import { newProviderTemplate } from './rows.ts';
import { ID, NOW } from './statement-values.ts';

const CONTENT = {
  category: 'UTILITY',
  components: [],
  allowCategoryChange: false,
  codeExpirationMinutes: null,
};
const SMS_TEMPLATE = {
  name: 'name',
  text: 'text',
  sender: null,
  type: null,
  dltEntityId: null,
  dltTemplateId: null,
  createdAt: NOW,
};

const CLAIM_OF_REGISTRATION = { templateId: ID, claimId: ID, starts: 1, gateway: 'name' };
const STATE = newProviderTemplate({ gateway: 'name', gatewayTemplateId: '1', name: 'name' });

/** The arguments of each function of libs/database/src/templates that sends statements. */
export const TEMPLATE_CALLS: Record<string, unknown[][]> = {
  'templates-applyListedTemplates': [[[STATE]]],
  'templates-applyProviderTemplate': [[STATE]],
  'templates-applyProviderTemplates': [[[STATE, STATE]]],
  'templates-claimRegistrations': [
    [
      { gateway: 'name', businessAccountId: '1' },
      { limit: 1, limitOfAccount: 1, leaseSeconds: 1 },
    ],
  ],
  'templates-decideTemplates': [[[], 'actor']],
  'templates-deleteMedia': [[[]]],
  'templates-deleteStaleNumbers': [[]],
  'templates-deleteSmsTemplate': [[ID, ID]],
  'templates-deleteTemplate': [[ID, ID, 'actor']],
  'templates-endRegistration': [[ID]],
  'templates-enrolTemplates': [[]],
  'templates-editTemplate': [[ID, { id: ID, version: 1 }, CONTENT, 'actor']],
  'templates-findSendableTemplates': [[[]]],
  'templates-findSmsTemplate': [[ID, ID]],
  'templates-findTemplate': [[ID, ID]],
  'templates-finishMedia': [[ID, { kind: 'image', mimeType: 'image/png', sizeBytes: 1 }]],
  'templates-hasUndecided': [[{ gateway: 'name', businessAccountId: '1' }]],
  'templates-insertMedia': [[ID, ID, 'handle']],
  'templates-insertSmsTemplate': [[{ id: ID, accountId: ID, ...SMS_TEMPLATE }]],
  'templates-insertTemplates': [[ID, [], 'actor', NOW]],
  'templates-keepClaim': [[CLAIM_OF_REGISTRATION, 1]],
  'templates-listAbandonedMedia': [[]],
  'templates-listMedia': [[ID, []]],
  'templates-listPendingTemplates': [[[]]],
  'templates-listSmsTemplates': [[ID, 10, ID]],
  'templates-listSmsTemplatesByKey': [[[]]],
  'templates-listTemplateEvents': [[ID, ID, 10]],
  'templates-listTemplateVersions': [[[]]],
  'templates-listTemplates': [[ID, {}, 10]],
  'templates-postponeRegistration': [[CLAIM_OF_REGISTRATION, 'problem', 1]],
  'templates-recordAttempt': [[ID, 1, '1']],
  'templates-recordRegistration': [[{ templateId: ID, version: 1, gateway: 'name' }, '1']],
  'templates-refuseRegistration': [[ID, 1, 'reason']],
  'templates-reserveName': [[ID, '1']],
  'templates-secondsToNextEdit': [[{ editsLeftThisMonth: 1 }]],
  'templates-setMediaAside': [[[]]],
  'templates-upsertGatewayNumbers': [['name', []]],
  'templates-timeOfList': [[]],
  'templates-updateSmsTemplate': [[ID, ID, { name: 'name' }]],
  'templates-withdrawAttempt': [[ID]],
  'templates-useMedia': [[ID, []]],
};
