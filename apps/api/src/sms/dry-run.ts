import { countParts, firstUnicode, type SmsEncoding } from '@signalbox/domain/sms/parts';
import type { ComposedSms, SmsComposer } from './sms.composer.ts';
import type { SmsRequest } from './sms.dto.ts';

/** Maximum recipients whose texts a dry run renders. */
const MAX_SHOWN = 10;

/** A message as one recipient would receive it. */
interface DryMessage {
  recipient: string;
  /** With sample codes in its links. */
  text: string;
  encoding: SmsEncoding;
  parts: number;
  credits: number;
  /** The first character beyond GSM-7 with its position, counted in characters from 1; null when there is none. */
  firstUnicode: { character: string; position: number } | null;
}

/** The answer to a dry run: the texts of the first recipients, and the cost of all. */
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
