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
  const read = (national: object) =>
    readSettings(SMPP_KIND, { host: '::1', systemId: 'acme', encoding: { national } }, {});
  expect(read({ countryCode: '91', digits: 10 })).not.toHaveProperty('problems');
  expect(read({ countryCode: '+91', digits: 3 })).toMatchObject({
    problems: [
      { field: 'settings.encoding.national.countryCode' },
      { field: 'settings.encoding.national.digits' },
    ],
  });
});
