import { ID, NOW } from './statement-values.ts';

const CANCELLATION = { id: ID, filter: { campaign: 'a' }, total: 0, createdAt: NOW };

const RANGE = { from: NOW, to: new Date(NOW.getTime() + 60_000) };

const SERIES = { ...RANGE, intervals: [NOW] };

/** The arguments of each function for statistics, lists of sends, conversations and searches that sends statements. */
export const STATISTICS_STATEMENT_CALLS: Record<string, unknown[][]> = {
  // a step advances it
  'submissions-insertCancellation': [[ID, CANCELLATION]],
  'submissions-advanceCancellations': [[]],
  'submissions-countCancellable': [[ID, { campaign: 'a' }]],
  'submissions-findCancellation': [[ID, ID]],
  'submissions-listSends': [
    [ID, {}, 10],
    [ID, { campaign: 'a' }, 10],
    [ID, { clientRef: 'a' }, 10],
  ],
  'submissions-stopCancellation': [[ID, ID]],
  'chat-listConversations': [[ID, {}, 10]],
  'chat-listThreadInbound': [[ID, { sender: '1', recipient: '2' }, 10]],
  'chat-listThreadOutbound': [[ID, { sender: '1', recipient: '2' }, 10]],
  'search-findById': [[ID, ID]],
  'search-findByName': [[ID, 'name']],
  'search-findByNumber': [[ID, '1']],
  'statistics-advanceStatistics': [[90, NOW]],
  'statistics-countPiece': [[NOW, { open: 0, nextId: null }]],
  'statistics-isEmptyMinute': [[NOW]],
  'statistics-findBuiltAt': [[]],
  'statistics-listIntervals': [
    [{ ...RANGE, step: 'hour', zone: 'UTC' }],
    [{ ...RANGE, step: 'day', zone: 'UTC' }],
  ],
  'statistics-listSeries': [
    [ID, { ...SERIES, source: 'minute' }],
    [ID, { ...SERIES, source: 'quarter' }, { by: 'sender', rank: 'messages' }],
    [ID, { ...SERIES, source: 'day' }, { by: 'channel', rank: 'credits' }],
  ],
  'statistics-sweepMinutes': [[NOW]],
  'statistics-sweepStatistics': [[NOW]],
};
