import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { writePdu } from '@signalbox/gateways/smpp/pdu-writer';
import { EncodingSettings } from '@signalbox/gateways/smpp/text/encoding-settings';
import type { SegmentedSms } from '@signalbox/gateways/smpp/text/segmented-sms';
import { segmentsOf } from '@signalbox/gateways/smpp/text/segments';
import { segmentedSms } from '../../libs/gateways/test/sms.ts';

/** Skips the tests of a machine without Debian's package tshark. */
const withTshark = hasTshark() ? describe : describe.skip;
const PORT = 2775;

const SMS = segmentedSms();

withTshark('tshark reads', () => {
  test('the fields of a submit_sm', () => {
    const sms = { ...SMS, expiresAt: new Date('2036-05-01T10:20:30Z') };

    expect(read(sms, {}, ['source_addr', 'source_addr_ton', 'source_addr_npi'])).toEqual([
      'SIGNAL 0x05 0x00',
    ]);
    expect(read(sms, {}, ['destination_addr', 'dest_addr_ton', 'dest_addr_npi'])).toEqual([
      '919800000001 0x01 0x01',
    ]);
    expect(read(sms, {}, ['data_coding', 'regdel.receipt', 'sm_length'])).toEqual(['0x00 0x01 5']);
    expect(read(sms, {}, ['validity_period'])[0]).toMatch(/^(May {1,2}1, 2036 10:20:30|2036-05-01T10:20:30)/);
  });

  test.each<[string, Partial<SegmentedSms>, Partial<EncodingSettings>, string]>([
    ['GSM', {}, {}, '0x00 5'],
    ['GSM with code 1', {}, { gsmCoding: 1 }, '0x01 5'],
    ['an escape', { text: '€' }, {}, '0x00 2'],
    ['UCS-2', { text: 'नमस्ते', encoding: 'UCS-2' }, {}, '0x08 12'],
    ['flash', { messageClass: 0 }, {}, '0x10 5'],
    ['flash UCS-2', { messageClass: 0, encoding: 'UCS-2' }, {}, '0x18 10'],
    ['flash as F0', { messageClass: 0 }, { flash: 'f0' }, '0xf0 5'],
    ['Latin-1', { text: 'é' }, { defaultAlphabet: 'latin1' }, '0x00 1'],
  ])('%s', (_, changes, settings, expected) => {
    expect(read({ ...SMS, ...changes }, settings, ['data_coding', 'sm_length'])).toEqual([expected]);
  });

  test('segments with a header', () => {
    const sms = { ...SMS, text: 'a'.repeat(307) };

    expect(read(sms, {}, ['esm.submit.features', 'sm_length'])).toEqual(['0x01 159', '0x01 159', '0x01 7']);
    expect(read(sms, { longMessages: 'udh16' }, ['esm.submit.features', 'sm_length'])).toEqual([
      '0x01 159',
      '0x01 159',
      '0x01 10',
    ]);
  });

  test('segments with sar, and a payload', () => {
    const sms = { ...SMS, text: 'a'.repeat(307) };

    expect(
      read(sms, { longMessages: 'sar' }, ['sar_msg_ref_num', 'sar_segment_seqnum', 'sar_total_segments']),
    ).toEqual(['258 1 3', '258 2 3', '258 3 3']);
    expect(read(sms, { longMessages: 'payload' }, ['sm_length', 'message_payload'])[0]).toMatch(
      /^0 (61){10}/,
    );
  });

  test('the DLT ids as TLVs of their tags', () => {
    const dlt = { entityId: '1101234567890123456', templateId: '1107654321098765432' };

    expect(read({ ...SMS, dlt }, {}, ['vendor_op'])).toEqual([
      expect.stringContaining(Buffer.from(`${dlt.entityId}\0`).toString('hex')),
    ]);
  });
});

/** Writes the segments of an SMS and returns the fields that tshark reads in each. */
function read(sms: SegmentedSms, settings: Partial<EncodingSettings>, fields: string[]): string[] {
  const segments = segmentsOf(sms, Object.assign(new EncodingSettings(), settings), 258);
  const pdus = segments.map((message, i) =>
    writePdu({ command: 'submit_sm', sequence: i + 1, status: 0, message }),
  );
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-test-tshark-'));
  try {
    const dump = join(dir, 'dump.txt');
    const capture = join(dir, 'capture.pcap');
    writeFileSync(dump, pdus.map(hexDump).join('\n'));
    execFileSync('text2pcap', ['-q', '-T', `40000,${PORT}`, dump, capture], { stdio: 'ignore' });
    const named = fields.flatMap((field) => ['-e', `smpp.${field}`]);
    const options = ['-r', capture, '-d', `tcp.port==${PORT},smpp`, '-T', 'fields', '-E', 'separator=/s'];
    const output = execFileSync('tshark', [...options, ...named], { stdio: ['ignore', 'pipe', 'ignore'] });
    return output
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.trim());
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The form that text2pcap reads: an offset and octets. */
function hexDump(pdu: Buffer): string {
  const lines = [];
  for (let at = 0; at < pdu.length; at += 16) {
    const octets = pdu
      .subarray(at, at + 16)
      .toString('hex')
      .replaceAll(/..(?=.)/g, '$& ');
    lines.push(`${at.toString(16).padStart(6, '0')} ${octets}`);
  }
  return `${lines.join('\n')}\n`;
}

function hasTshark(): boolean {
  try {
    execFileSync('tshark', ['--version'], { stdio: 'ignore' });
    execFileSync('text2pcap', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
