import { expect, test } from '@jest/globals';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { createLogger } from '@signalbox/runtime/logger';
import { ACCEPTED, FakeSmsGateway, UP_ELSEWHERE } from '../../test/open-sms.ts';
import { Admission } from './admission.ts';
import { Gateways } from './gateways.ts';
import { Router } from './router.ts';

test.each([
  ['of which none other has a bind gives this one all of the rate', 'connecting', 50],
  ['that are all up divides the rate equally', 'up', 12],
] as const)('a fleet of four workers %s', (_, status, admitted) => {
  const gateways = new Gateways<OutgoingSms>(
    new FakeSmsGateway(ACCEPTED),
    () => ({ problem: '' }),
    createLogger('test', 'silent'),
  );
  const router = new Router<OutgoingSms>(gateways);
  router.followOthers(['a', 'b', 'c'].map((workerId) => ({ ...UP_ELSEWHERE, workerId, status })));
  const admission = new Admission(router, gateways);
  const messages = Array.from({ length: 60 }, (_each, n) => ({ message: newMessage(n) }));

  // a bucket holds the rate of half a second
  expect(admission.admit('fake', 100, messages).admitted).toHaveLength(admitted);
});

function newMessage(n: number) {
  return { messageId: `m:${n}`, accountId: '', sender: 'A', recipient: String(n), attempt: 1 };
}
