import { ID, KEY, NOW } from './statement-values.ts';

const GATEWAY = {
  id: ID,
  name: 'name',
  channel: 'sms',
  kind: 'simulator',
  settings: {},
  sealedSecrets: null,
  ratePerSecond: null,
  enabled: true,
  paused: false,
};
const VIEW = { gatewayId: ID, status: 'up', reason: 'It is up.', since: NOW, detail: {} };
const COUNTS = { gateway: 'name', accepted: 1, refused: 0, delivered: 0, failed: 0 };
const ROUTE = { id: ID, priority: 1, match: {}, targets: [], fallbacks: [], policy: {} };
const ORPHAN = {
  id: ID,
  gateway: 'simulator',
  kind: 'report',
  gatewayMessageId: '1',
  wakeId: '1',
  recipient: '1',
  status: 'DELIVERED',
  errCode: '000',
  gatewayCode: null,
  description: '',
  content: null,
  reportedAt: NOW,
};
const INBOUND_SMS = {
  id: ID,
  gateway: 'simulator',
  gatewayMessageId: '1',
  from: '1',
  to: '2',
  text: '',
  sentAt: NOW,
  receivedAt: NOW,
  wish: null,
};
const EVIDENCE = { form: 'hex:0', hits: 1, isRule: false, isRevoked: false };

/** The arguments of each function of libs/database/src/gateways that sends statements. */
export const GATEWAY_STATEMENT_CALLS: Record<string, unknown[][]> = {
  'gateways-addGatewayCounts': [[[COUNTS]]],
  'gateways-claimDueOrphans': [['report', 10]],
  'gateways-countOrphans': [[]],
  'gateways-deleteOrphans': [[[ID]]],
  'gateways-insertGatewayOptOuts': [[[KEY]]],
  'gateways-insertInboundSms': [[[INBOUND_SMS]]],
  'gateways-insertOrphans': [[[ORPHAN]]],
  'gateways-listIdRules': [[]],
  'gateways-listOrphans': [[{}, 10]],
  'gateways-lockIdEvidence': [['simulator']],
  'gateways-lockOrphan': [[ID]],
  'gateways-lockRouting': [[]],
  'gateways-postponeOrphans': [[[ID]]],
  'gateways-revokeIdRule': [['simulator']],
  'gateways-storeIdEvidence': [['simulator', [EVIDENCE]]],
  'gateways-sweepOrphans': [[]],
  'gateways-wakeOrphans': [['simulator', ['1']]],
  'gateways-deleteGateway': [[ID]],
  'gateways-deleteRoute': [[ID]],
  'gateways-deleteStates': [[ID]],
  'gateways-deleteUnconfirmed': [[[KEY]]],
  'gateways-findGateway': [['name']],
  'gateways-findRoute': [[ID]],
  'gateways-insertGateway': [[GATEWAY]],
  'gateways-insertPins': [['name', 'TRANS', [{ ...KEY, attempt: 1 }]]],
  'gateways-insertRoute': [[ROUTE]],
  'gateways-insertRoutingEvents': [
    [[{ ...KEY, event: 'ROUTED', gateway: 'name', reason: 'It is the only one.' }]],
  ],
  'gateways-insertUnconfirmed': [['name', 'sms', [KEY]]],
  'gateways-listExpiredUnconfirmed': [['sms']],
  'gateways-listAllRoutes': [[]],
  'gateways-listGateways': [[]],
  'gateways-listRoutes': [[]],
  'gateways-listRoutingEvents': [[KEY]],
  'gateways-listStates': [[]],
  'gateways-readVersions': [[]],
  'gateways-sumGatewayCounts': [[]],
  'gateways-sweepGatewayCounts': [[]],
  'gateways-sweepPins': [[]],
  'gateways-updateGateway': [[ID, {}]],
  'gateways-updateRoute': [[ROUTE]],
  'gateways-upsertStates': [[ID, [VIEW]]],
};
