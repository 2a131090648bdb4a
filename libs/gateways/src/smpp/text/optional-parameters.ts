import type { Tlv } from '../pdu.ts';
import type { EncodingSettings, TlvSetting } from './encoding-settings.ts';
import type { SegmentedSms } from './segmented-sms.ts';

const DLT_ENTITY = 0x1400;
const DLT_TEMPLATE = 0x1401;

const NO_TLVS: readonly Tlv[] = [];

/**
 * Makes the optional parameters of an SMS: the DLT ids of its template, and the parameters of the gateway's settings. A
 * parameter of the settings replaces a DLT id of the same tag. Parameters without a value are omitted.
 */
export function optionalParameters(sms: SegmentedSms, settings: EncodingSettings): readonly Tlv[] {
  if (sms.dlt === null && settings.tlvs.length === 0) return NO_TLVS;
  const set = new Set(settings.tlvs.map(({ tag }) => tag));
  const dlt = dltSettings(settings).filter(({ tag }) => !set.has(tag));
  return [...dlt, ...settings.tlvs].flatMap((setting) => {
    const value = setting.from === undefined ? setting.value : valueOf(sms, setting.from);
    if (value === undefined || value === null || value === '') return [];
    return [{ tag: setting.tag, value: encode(value, setting) }];
  });
}

type PlainTlv = Pick<TlvSetting, 'tag' | 'type' | 'size' | 'from' | 'value'>;

function dltSettings({ dltTlvs }: EncodingSettings): PlainTlv[] {
  if (dltTlvs === 'none') return [];
  return [
    { tag: DLT_ENTITY, type: dltTlvs, size: 1, from: 'dlt.entityId' },
    { tag: DLT_TEMPLATE, type: dltTlvs, size: 1, from: 'dlt.templateId' },
  ];
}

function valueOf(sms: SegmentedSms, from: NonNullable<TlvSetting['from']>): string | null | undefined {
  if (from === 'dlt.entityId') return sms.dlt?.entityId;
  if (from === 'dlt.templateId') return sms.dlt?.templateId;
  return sms[from];
}

function encode(value: string, { type, size }: PlainTlv): Buffer {
  if (type === 'octets') return Buffer.from(value, 'latin1');
  if (type === 'cstring') return Buffer.from(`${value}\0`, 'latin1');
  const octets = Buffer.alloc(size);
  octets.writeUIntBE(Number(value), 0, size);
  return octets;
}
