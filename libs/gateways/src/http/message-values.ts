import type { OutgoingSms } from '../sms-gateway.ts';
import type { DerivedField } from './rules.ts';
import type { TemplateValues } from './template.ts';

/** Placeholders that follow from a message. */
export const MESSAGE_PLACEHOLDERS = [
  'callbackUrl',
  'dltEntityId',
  'dltTemplateId',
  'encoding',
  'expiresAt',
  'messageClass',
  'messageId',
  'recipient',
  'reportUrl',
  'segments',
  'sender',
  'senderE164',
  'text',
  'type',
  'validityMinutes',
  'validityMs',
  'validitySeconds',
] as const;

/** Addresses of callbacks for a message; undefined without a public address. */
export interface CallbackUrls {
  callbackUrl: string | undefined;
  reportUrl: string | undefined;
}

/** Returns the values of all placeholders that follow from a message. */
export function messageValues(message: OutgoingSms, urls: CallbackUrls, now: number): TemplateValues {
  const { messageId, sender, recipient, text, encoding, segments, type } = message;
  const validMs = message.expiresAt === null ? undefined : Math.max(message.expiresAt.getTime() - now, 1_000);
  return {
    ...urls,
    messageId,
    sender,
    senderE164: /^\d{7,15}$/.test(sender) ? `+${sender}` : sender,
    recipient,
    text,
    encoding,
    segments: String(segments),
    type,
    messageClass: message.messageClass === null ? undefined : String(message.messageClass),
    dltEntityId: message.dlt?.entityId ?? undefined,
    dltTemplateId: message.dlt?.templateId ?? undefined,
    expiresAt: message.expiresAt?.toISOString(),
    validityMs: atLeastOne(validMs, 1),
    validitySeconds: atLeastOne(validMs, 1_000),
    validityMinutes: atLeastOne(validMs, 60_000),
  };
}

/** Adds the values of derived placeholders, in order; each may follow from those before it. */
export function deriveValues(
  values: TemplateValues,
  fields: Readonly<Record<string, DerivedField>>,
): TemplateValues {
  const all: Record<string, string | undefined> = { ...values };
  for (const [name, field] of Object.entries(fields)) all[name] = derive(all[field.from], field);
  return all;
}

function derive(value: string | undefined, field: DerivedField): string | undefined {
  const { map, min = -Infinity, max = Infinity } = field;
  const own = map !== undefined && value !== undefined && Object.hasOwn(map, value) ? map[value] : undefined;
  const found = own ?? field.default ?? (map === undefined ? value : undefined);
  const isLimited = field.min !== undefined || field.max !== undefined;
  return isLimited && found !== undefined ? String(Math.min(Math.max(Number(found), min), max)) : found;
}

function atLeastOne(ms: number | undefined, unitMs: number): string | undefined {
  return ms === undefined ? undefined : String(Math.max(Math.floor(ms / unitMs), 1));
}
