import { ACCOUNT_ID, MESSAGE_ID } from '../docs/example-ids.ts';
import type { OrphanReportView } from './orphan-report.view.ts';

/** The id of an orphan report as /docs shows it. */
export const ORPHAN_ID = '019e6f0b-2d31-7c0a-8f5e-5b1d9f0c3a70';

/** Bodies of PATCH /v1/orphan-reports/{id}. */
export const ASSIGNMENTS = {
  'To a message': { messageId: MESSAGE_ID },
  'To an account': { accountId: ACCOUNT_ID },
};

export const ORPHAN: OrphanReportView = {
  id: ORPHAN_ID,
  gateway: 'smsc-1',
  kind: 'report',
  gatewayMessageId: '1002',
  recipient: '919812345678',
  from: null,
  status: 'Delivered',
  errCode: '000',
  gatewayErrCode: '000',
  description: 'DELIVRD',
  reportedAt: '2026-11-20T23:10:05.000Z',
  receivedAt: '2026-11-20T23:10:05.210Z',
  nextTryAt: '2026-11-20T23:10:15.210Z',
};

export const ORPHAN_ASSIGNED: OrphanReportView = { ...ORPHAN, nextTryAt: null };
