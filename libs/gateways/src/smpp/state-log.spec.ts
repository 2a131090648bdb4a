import { expect, test } from '@jest/globals';
import { type LoggedState, StateLog } from './state-log.ts';

/** Notes states, each as "status", "status partial" or "status refused", and returns those that are logged. */
function logged(...states: string[]): string[] {
  const lines: string[] = [];
  const log = new StateLog(({ reason }) => void lines.push(reason));
  for (const state of states)
    log.note({
      status: state.split(' ')[0] as LoggedState['status'],
      reason: state,
      isPartial: state.includes('partial'),
      isRefused: state.includes('refused'),
    });
  return lines;
}

test('an outage is one line when it begins and one when it ends', () => {
  const retries = ['connecting', 'down', 'connecting again', 'down again'];
  expect(logged('connecting', 'up', ...retries, ...retries, 'up')).toEqual(['up', 'connecting', 'up']);
});

test('a gateway that cannot bind from the start is logged once', () => {
  expect(logged('connecting', 'down', 'connecting', 'down', 'up')).toEqual(['down', 'up']);
});

test('an outage that comes to need a person is logged once more', () => {
  const refused = ['down refused', 'connecting', 'down refused'];
  expect(logged('up', 'connecting', ...refused, ...refused, 'up')).toEqual([
    'up',
    'connecting',
    'down refused',
    'up',
  ]);
});

test('a lost bind of several is logged, and its return', () => {
  expect(logged('up', 'up partial', 'up partial 2', 'up', 'closed')).toEqual([
    'up',
    'up partial',
    'up',
    'closed',
  ]);
});
