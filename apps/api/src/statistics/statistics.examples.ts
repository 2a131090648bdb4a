import type { MessageStats, Usage } from './statistics.view.ts';

const COUNTS = {
  accepted: 1_200,
  submitted: 1_180,
  delivered: 1_102,
  read: 0,
  failed: 21,
  credits: 1_431,
  p50Seconds: 1.412,
  p95Seconds: 6.8,
};

export const STATS: MessageStats = {
  from: '2026-11-20T09:00:00.000Z',
  to: '2026-11-20T10:00:00.000Z',
  step: 'hour',
  zone: 'UTC',
  by: 'channel',
  builtAt: '2026-11-20T10:00:03.201Z',
  total: COUNTS,
  series: [
    { group: 'sms', isRest: false, total: COUNTS, points: [{ at: '2026-11-20T09:00:00.000Z', ...COUNTS }] },
  ],
};

const USE = { messages: 31_400, credits: 36_020 };

export const USAGE: Usage = {
  from: '2026-11-19T18:30:00.000Z',
  to: '2026-11-20T18:30:00.000Z',
  zone: 'Asia/Kolkata',
  by: null,
  total: USE,
  series: [{ group: null, isRest: false, total: USE, days: [{ at: '2026-11-19T18:30:00.000Z', ...USE }] }],
};
