import { readCredentials } from '@signalbox/test/certificates';
import { type GatewayUnderTest, describeGateway } from '../../test/gateway.conformance.ts';
import { type OpenSmppOptions, openBound, openSmpp, smsOf } from '../../test/smpp-gateway.ts';
import { startNpmSmsc } from '../../test/npm-smsc.ts';
import { startSmsc } from '../../test/smsc.ts';
import type { OutgoingSms } from '../sms-gateway.ts';

async function openOn(
  peer: { port: number } & AsyncDisposable,
  settings?: OpenSmppOptions['settings'],
): Promise<GatewayUnderTest<OutgoingSms>> {
  const { gateway, reports } = await openBound({ port: peer.port, ...(settings && { settings }) });
  return { gateway, reports, end: async () => peer[Symbol.asyncDispose]() };
}

const openSilent = async () =>
  openOn(
    await startSmsc({ script: (pdu, { answer }) => void (pdu.command !== 'submit_sm' && answer(pdu)) }),
    {
      responseSeconds: 0.3,
    },
  );

const openDown = async () => {
  const peer = await startSmsc();
  await peer[Symbol.asyncDispose]();
  const { gateway, reports } = openSmpp({ port: peer.port });
  return { gateway, reports };
};

const shared = { message: smsOf, openSilent, openDown, canQuery: false };

describeGateway('the SMPP gateway with an npm smpp server', {
  ...shared,
  open: async () => openOn(await startNpmSmsc()),
});

describeGateway('the SMPP gateway over TLS', {
  ...shared,
  open: async () =>
    openOn(await startNpmSmsc(readCredentials('trusted')), {
      tls: { ca: readCredentials('trusted').cert, servername: 'localhost', rejectUnauthorized: true },
    }),
});

describeGateway('the SMPP gateway with a transmitter and a receiver', {
  ...shared,
  open: async () => openOn(await startNpmSmsc(), { bindMode: 'pair' }),
});
