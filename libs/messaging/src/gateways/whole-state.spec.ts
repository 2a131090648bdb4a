import { expect, test } from '@jest/globals';
import type { GatewayRow, WorkerView } from '@signalbox/database/gateways/gateways';
import { fitnessesOf } from './fitness.ts';
import { wholeState } from './whole-state.ts';

const ROW = {
  name: 'smsc-1',
  enabled: true,
  paused: false,
  channel: 'sms',
  updatedAt: new Date(0),
} as GatewayRow;
const STANDBY = viewOf('down', 'Another worker holds the only bind.', { held: 0 });
const REFUSED = viewOf('down', 'The server refuses the bind with 0x0E.', { held: 1 });

function viewOf(status: WorkerView['status'], reason: string, detail: WorkerView['detail']): WorkerView {
  const at = new Date();
  return { gatewayId: 'a', name: 'smsc-1', workerId: 'b', status, reason, since: at, seenAt: at, detail };
}

test('the worker that holds the bind says what is wrong, not one that waits for it', () => {
  for (const views of [
    [STANDBY, REFUSED],
    [REFUSED, STANDBY],
  ]) {
    expect(wholeState(ROW, views)).toMatchObject({ status: 'down', reason: REFUSED.reason });
    expect(fitnessesOf([ROW], views, []).get('smsc-1')?.unfit).toBe(`is down: ${REFUSED.reason}`);
  }
});

test('a worker that waits for a bind decides where no other one is seen', () => {
  expect(wholeState(ROW, [STANDBY])).toMatchObject({ status: 'down', reason: STANDBY.reason });
});

test('a gateway that is up in a worker, or has no binds, is in its best state', () => {
  const up = viewOf('up', 'Bound.', { held: 1 });
  expect(wholeState(ROW, [STANDBY, REFUSED, up])).toMatchObject({ status: 'up', reason: 'Bound.' });
  const http = [viewOf('down', 'It refuses the credentials.', {}), viewOf('connecting', 'Untried.', {})];
  expect(wholeState(ROW, http)).toMatchObject({ status: 'connecting' });
});
