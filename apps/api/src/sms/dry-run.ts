import { countParts, firstUnicode, type SmsEncoding } from '@signalbox/domain/sms/parts';
import type { ComposedSms, SmsComposer } from './sms.composer.ts';
import type { SmsRequest } from './sms.dto.ts';

/** Recipients whose texts a dry run shows. */
const MAX_SHOWN = 10;

/** What a recipient would get. */
interface DryMessage {
  recipient: string;
  /** Its links have sample codes. */
  text: string;
  encoding: SmsEncoding;
  parts: number;
  credits: number;
  /** The first character that GSM-7 cannot write, and its place among the characters, from 1; null when it can write all. */
  firstUnicode: { character: string; position: number } | null;
}

/** The answer to a send that is only tried out: the first recipients' texts, and what all would cost. */
export interface DryRun {
  id: null;
  data: DryMessage[];
  totalCount: number;
  totalCredits: number;
  message: string;
  error: null;
}

export function dryRun(request: SmsRequest, composed: ComposedSms, composer: SmsComposer): DryRun {
  const { recipients } = request;
  const { credits, creditsEach } = composed;
  const data = recipients.slice(0, MAX_SHOWN).map((recipient, i): DryMessage => {
    const text = composer.preview(composed, i);
    const { encoding, parts } = countParts(text, request.unicode === 1);
    return { recipient, text, encoding, parts, credits: parts, firstUnicode: firstUnicode(text) ?? null };
  });
  return {
    id: null,
    data,
    totalCount: recipients.length,
    totalCredits: creditsEach?.reduce((sum, each) => sum + each, 0) ?? credits * recipients.length,
    message: 'The request is good. Nothing was stored or sent.',
    error: null,
  };
}
