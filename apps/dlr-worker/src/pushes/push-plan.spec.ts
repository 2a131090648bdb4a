import { expect, test } from '@jest/globals';
import type { AppliedReport } from '@signalbox/database/reports/applied-report';
import type { OpenTarget } from './open-target.ts';
import { firstPushes } from './pending-push.ts';
import { MAX_PLANNED, type PlannedReport, PushPlan } from './push-plan.ts';

const ACCOUNT = 'account';

test('many webhooks of many reports are pushed in slices, each push once', () => {
  const plan = new PushPlan(planned(250, 50));
  const [sizes, seen]: [number[], Set<string>] = [[], new Set()];

  for (; plan.current; plan.next()) {
    sizes.push(plan.current.pushes.length);
    for (const { report, target } of plan.current.pushes) seen.add(`${report.reportId} ${target.id}`);
  }

  expect(Math.max(...sizes)).toBe(MAX_PLANNED);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(250 * 50);
  expect(seen.size).toBe(250 * 50);
});

test('a report is never divided', () => {
  const plan = new PushPlan(planned(2, MAX_PLANNED + 1));

  expect(plan.current?.reports).toHaveLength(1);
  expect(plan.current?.pushes).toHaveLength(MAX_PLANNED + 1);
});

test('the reports of the current slice and of later ones are left', () => {
  const plan = new PushPlan(planned(3, MAX_PLANNED));
  const listIds = (): string[] => plan.listLeft().map(({ reportId }) => reportId);
  expect(listIds()).toEqual(['report 0', 'report 1', 'report 2']);

  plan.next();
  expect(listIds()).toEqual(['report 1', 'report 2']);

  for (; plan.current; plan.next());
  expect(listIds()).toEqual([]);
});

test('a push of a later slice is unplanned, and an unwanted one is absent', () => {
  const plan = new PushPlan(planned(2, MAX_PLANNED));

  expect(plan.find('report 0', 'webhook 0')).toBe(plan.current?.pushes[0]);
  expect(plan.find('report 0', 'another webhook')).toBeUndefined();
  expect(plan.find('report 1', 'webhook 0')).toBe('unplanned');
});

function planned(count: number, webhooks: number): PlannedReport[] {
  return reports(count).map((report) => ({ report, pushes: firstPushes(report, targets(webhooks)) }));
}

function reports(count: number): AppliedReport[] {
  const report = { accountId: ACCOUNT, status: 'DELIVERED', isFinal: true, gateway: 'simulator', chat: null };
  return Array.from(
    { length: count },
    (_, i) => ({ ...report, reportId: `report ${i}` }) as unknown as AppliedReport,
  );
}

function targets(count: number): OpenTarget[] {
  const target = { accountId: ACCOUNT, channel: 'sms', provider: 'any', intermediate: false, filters: {} };
  return Array.from(
    { length: count },
    (_, i) => ({ ...target, id: `webhook ${i}` }) as unknown as OpenTarget,
  );
}
