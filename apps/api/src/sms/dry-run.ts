import { countParts, firstUnicode } from '@signalbox/domain/sms/parts';
import { type Static, Type } from 'typebox';
import { COUNT, NUMBER, TEXT, model, nullable, oneOf } from '../docs/model.ts';
import type { ComposedSms, SmsComposer } from './sms.composer.ts';
import type { SmsRequest } from './sms.dto.ts';

/** Maximum recipients whose texts a dry run renders. */
const MAX_SHOWN = 10;

const DryMessage = model('DryMessage', 'A message as one recipient would receive it.', {
  recipient: NUMBER,
  text: Type.String({ description: 'With sample codes in its links.' }),
  encoding: oneOf(['GSM-7', 'UCS-2']),
  parts: COUNT,
  credits: COUNT,
  firstUnicode: nullable(
    Type.Object({ character: TEXT, position: Type.Integer({ minimum: 1 }) }),
    'The first character beyond GSM-7 with its position, counted in characters from 1; null when there is none.',
  ),
});
type DryMessage = Static<typeof DryMessage>;

export const DryRun = model(
  'DryRun',
  'The response to a dry run: the first ten texts, and the cost of all.',
  {
    id: Type.Null(),
    data: Type.Array(DryMessage),
    totalCount: COUNT,
    totalCredits: COUNT,
    optedOutCount: Type.Integer({
      minimum: 0,
      description: 'Recipients who have opted out. In a send, their messages would fail with errCode 903.',
    }),
    message: TEXT,
    error: Type.Null(),
  },
);
export type DryRun = Static<typeof DryRun>;

/** Builds the answer to a dry run. */
export function dryRunAnswer(
  request: SmsRequest,
  composed: ComposedSms,
  composer: SmsComposer,
  optedOutCount: number,
): DryRun {
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
    optedOutCount,
    message: 'The request is valid. Nothing was stored or sent.',
    error: null,
  };
}
