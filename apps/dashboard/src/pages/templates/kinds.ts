import { type Draft, EMPTY, newButton, newCard } from './draft.ts';
import { WORDS } from './words.ts';

/** A kind of template, with which a new one starts. */
export interface Kind {
  id: string;
  label: string;
  text: string;
  start: () => Draft;
}

const CODE_TEXT = '{{1}} is your verification code. For your security, do not share this code.';

function code(otp_type: string, sample: string): Draft {
  const buttons = [newButton('OTP', { otp_type })];
  return {
    ...EMPTY,
    category: 'AUTHENTICATION',
    body: CODE_TEXT,
    buttons,
    codeMinutes: 10,
    examples: [sample],
  };
}

const marketing = (given: Partial<Draft> = {}): Draft => ({ ...EMPTY, category: 'MARKETING', ...given });
const utility = (given: Partial<Draft> = {}): Draft => ({ ...EMPTY, category: 'UTILITY', ...given });
const link = () => newButton('URL');

const STARTS = {
  copy_code: () => code('COPY_CODE', '123456'),
  autofill: () => code('AUTO_FILL', '123456'),
  zero_tap: () => code('ZERO_TAP', ''),
  marketing_simple: () => marketing(),
  marketing_media: () => marketing({ headerFormat: 'IMAGE', buttons: [link()] }),
  marketing_text: () => marketing({ headerFormat: 'TEXT', buttons: [newButton('PHONE_NUMBER'), link()] }),
  catalog: () =>
    marketing({ headerFormat: 'TEXT', allowCategoryChange: true, buttons: [newButton('CATALOG')] }),
  carousel: () => marketing({ cards: [newCard({ buttons: [link()] }), newCard({ buttons: [link()] })] }),
  flow: () => utility({ headerFormat: 'TEXT', buttons: [newButton('FLOW')] }),
  utility_simple: () => utility(),
  utility_media: () => utility({ headerFormat: 'DOCUMENT', buttons: [link()] }),
  order_details: () => utility({ headerFormat: 'TEXT', buttons: [newButton('ORDER_DETAILS')] }),
} satisfies Record<keyof typeof WORDS.kinds, () => Draft>;

/** The twelve kinds of templates. */
export const KINDS: readonly Kind[] = (Object.keys(STARTS) as (keyof typeof STARTS)[]).map((id) => ({
  id,
  ...WORDS.kinds[id],
  start: STARTS[id],
}));

export function findKind(id: string | undefined): Kind | undefined {
  return KINDS.find((kind) => kind.id === id);
}
