import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WAIT } from '../../libs/gateways/test/gateway.conformance.ts';
import { openBound, openSmpp, smsOf } from '../../libs/gateways/test/smpp-gateway.ts';
import { waitFor } from '../../tools/servers/wait-for.ts';
import { type OsmoMsc, hasOsmoMsc, startOsmoMsc } from './osmo-msc.ts';

/** Skips the tests of a machine without Debian's package osmo-msc. */
const withMsc = hasOsmoMsc() ? describe : describe.skip;

withMsc('with osmo-msc', () => {
  let msc: OsmoMsc;
  beforeAll(async () => {
    msc = await startOsmoMsc();
  });
  afterAll(async () => {
    await msc?.[Symbol.asyncDispose]();
  });

  test('a wrong password is explained by the state', async () => {
    await using t = openSmpp({ port: msc.port, settings: { systemId: msc.systemId }, password: 'wrong' });
    await waitFor(() => t.gateway.state().status === 'down');
    expect(t.gateway.state().reason).toContain('refuses the bind with 0x0E (invalid password): check');
  });

  test('all messages have one id, and an unknown coding is an error that says so', async () => {
    const { port, systemId, password } = msc;
    await using t = await openBound({ port, settings: { systemId }, password });
    const long = smsOf({ messageId: 'id:2', text: 'x'.repeat(300), segments: 2 });
    const batch = [smsOf({ messageId: 'id:1' }), long, smsOf({ messageId: 'id:3', encoding: 'UCS-2' })];
    const flash = smsOf({ messageId: 'id:4', messageClass: 0 });

    const outcomes = await t.gateway.submit([...batch, flash], WAIT);

    const [{ gatewayMessageIds: [id] = [] } = {}] = outcomes as { gatewayMessageIds?: string[] }[];
    expect(outcomes).toMatchObject([
      { messageId: 'id:1', result: 'accepted', gatewayMessageIds: [id] },
      { messageId: 'id:2', result: 'accepted', gatewayMessageIds: [id, id] },
      { messageId: 'id:3', result: 'accepted', gatewayMessageIds: [id] },
      { messageId: 'id:4', result: 'throttled', reason: 'The SMSC answered 0xFF (unknown error)' },
    ]);
    expect(id).toMatch(/./);
  });
});
