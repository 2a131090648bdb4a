import { expect, test } from '@jest/globals';
import { readSettings } from '../read-settings.ts';
import { SMPP_KIND } from './kind.ts';

const read = (host: string) => readSettings(SMPP_KIND, { host, systemId: 'acme' }, {});

test.each(['smsc.example.com', '10.0.0.1', '::1', '2001:db8::7', '::ffff:10.0.0.1'])(
  '%s is a host',
  (host) => {
    expect(read(host)).not.toHaveProperty('problems');
  },
);

test.each(['10.0.0.1:2775', 'smsc.example.com:2775', 'smpp://smsc.example.com', '[::1]:2775'])(
  '%s is no host: it has a port or a scheme',
  (host) => {
    const problem = 'host must be a host name or an IP address, without a scheme or a port';
    expect(read(host)).toEqual({ problems: [{ field: 'settings.host', problem }] });
  },
);

test('the national numbers of an SMSC are checked', () => {
  const readPlan = (national: object) =>
    readSettings(SMPP_KIND, { host: '::1', systemId: 'acme', encoding: { national } }, {});
  expect(readPlan({ countryCode: '91', digits: 10 })).not.toHaveProperty('problems');
  expect(readPlan({ countryCode: '+91', digits: 3 })).toMatchObject({
    problems: [
      { field: 'settings.encoding.national.countryCode' },
      { field: 'settings.encoding.national.digits' },
    ],
  });
});

const readTlv = (tlv: object) =>
  readSettings(
    SMPP_KIND,
    { host: '::1', systemId: 'acme', encoding: { tlvs: [{ tag: 0x1402, ...tlv }] } },
    {},
  );

test.each([
  { value: 'DLT' },
  { from: 'dlt.entityId' },
  { type: 'int', value: '255' },
  { type: 'int', size: 4, value: '4294967295' },
])('the TLV %j is sent', (tlv) => {
  expect(readTlv(tlv)).not.toHaveProperty('problems');
});

test.each([
  [{}, ''],
  [{ value: '' }, ''],
  [{ value: null }, ''],
  [{ from: 'sender', value: 'DLT' }, ''],
  [{ type: 'int', value: 'DLT' }, '.value'],
  [{ type: 'int', value: '256' }, '.value'],
  [{ type: 'int', size: 4, value: '4294967296' }, '.value'],
  [{ type: 'int', size: 4, from: 'messageId' }, '.value'],
])('the TLV %j would send nothing, or another value, and is refused', (tlv, at) => {
  expect(readTlv(tlv)).toMatchObject({ problems: [{ field: `settings.encoding.tlvs.0${at}` }] });
});
