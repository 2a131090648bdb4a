/** One template of each kind of the interface, without its name and chat account. */
export interface TemplateSample {
  category: string;
  language: string;
  components: object[];
  allow_category_change?: boolean;
  code_expiration_minutes?: number;
}

/** Handles of uploaded files, by the format of the header that shows them. */
export type SampleHandles = Record<'IMAGE' | 'VIDEO' | 'DOCUMENT', string>;

const otp = (otp_type: string): object => ({ type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type }] });
const code = (sample: string): object => ({
  type: 'BODY',
  text: '{{1}} is your verification code. For your security, do not share this code.',
  example: { body_text: [[sample]] },
});
const text = (type: string, words: string, more: object = {}): object => ({ type, text: words, ...more });
const header = (words: string): object => ({ type: 'HEADER', format: 'TEXT', text: words });
const media = (format: string, handle: string): object => ({
  type: 'HEADER',
  format,
  example: { header_handle: [handle] },
});
const link = (label: string, url: string): object => ({ type: 'URL', text: label, url });

/** Every kind that needs no file. */
export const TEMPLATE_SAMPLES: Record<string, TemplateSample> = {
  copy_code: {
    category: 'AUTHENTICATION',
    language: 'en_US',
    components: [code('123456'), otp('COPY_CODE')],
    code_expiration_minutes: 10,
  },
  autofill: { category: 'authentication', language: 'en_US', components: [code('123456'), otp('AUTO_FILL')] },
  zero_tap: { category: 'AUTHENTICATION', language: 'en_US', components: [code(''), otp('ZERO_TAP')] },
  marketing_simple: {
    category: 'marketing',
    language: 'en',
    components: [text('BODY', 'Our summer sale has begun. Come and see!')],
  },
  marketing_text_header: {
    category: 'MARKETING',
    language: 'en',
    components: [
      header('Our summer sale'),
      text('BODY', 'Hi {{1}}, use the code {{2}} for 25% off.', { body_params: ['Asha', 'SUN25'] }),
      text('FOOTER', 'Until the end of August'),
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'PHONE_NUMBER', text: 'Call us', phone_number: '919800000001' },
          link('Shop', 'https://example.com/s/{{3}}'),
        ],
      },
    ],
  },
  catalog: {
    category: 'MARKETING',
    language: 'en_US',
    allow_category_change: true,
    components: [
      header('New arrivals'),
      text('BODY', 'Hi {{1}}, see all that came in this week.', { example: { body_text: [['Asha']] } }),
      text('FOOTER', 'Reply STOP to leave'),
      { type: 'BUTTONS', buttons: [{ type: 'CATALOG', text: 'See the catalog' }] },
    ],
  },
  carousel: {
    category: 'MARKETING',
    language: 'en',
    components: [
      text('BODY', 'Hi {{1}}, here are our picks for you', { example: { body_text: [['Asha']] } }),
      {
        type: 'CAROUSEL',
        cards: Array.from({ length: 10 }, (_, i) => ({
          header: { type: 'IMAGE', image_url: `https://example.com/${i}.jpg` },
          body: 'A hat for {{2}}',
          footer: 'While stocks last',
          buttons: [link('See it', 'https://example.com/hat'), { type: 'QUICK_REPLY', text: 'Not for me' }],
        })),
      },
    ],
  },
  flow: {
    category: 'utility',
    language: 'hi_IN',
    components: [
      header('Your appointment'),
      text('BODY', 'Please choose a time for your visit.'),
      text('FOOTER', 'It takes a minute'),
      { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Choose a time', flow_id: '1234567890' }] },
    ],
  },
  utility_simple: {
    category: 'UTILITY',
    language: 'en',
    components: [text('BODY', 'Your order has left our house.')],
  },
  order_details: {
    category: 'UTILITY',
    language: 'en',
    components: [
      header('Order details'),
      text('BODY', 'Hi {{1}}, your order {{2}} of {{3}} comes to {{4}} and is expected on {{5}}'),
      text('FOOTER', 'Thank you'),
      { type: 'BUTTONS', buttons: [{ type: 'ORDER_DETAILS', text: 'Review and pay' }] },
    ],
  },
  catalog_item: {
    category: 'MARKETING',
    language: 'en',
    components: [
      text('BODY', 'The hat you looked at is back'),
      { type: 'BUTTONS', buttons: [{ type: 'CATALOG_ITEM' }] },
    ],
  },
};

/** Every kind that shows an uploaded file. */
export function mediaSamples(handles: SampleHandles): Record<string, TemplateSample> {
  const withMedia = (format: keyof SampleHandles, category: string): TemplateSample => ({
    category,
    language: 'en',
    components: [
      media(format, handles[format]),
      text('BODY', 'Hi {{1}}, see what is attached.', { example: { body_text: [['Asha']] } }),
      text('FOOTER', 'Thank you'),
      { type: 'BUTTONS', buttons: [link('Open', 'https://example.com/{{2}}')] },
    ],
  });
  return {
    marketing_image: withMedia('IMAGE', 'marketing'),
    marketing_video: withMedia('VIDEO', 'MARKETING'),
    utility_document: withMedia('DOCUMENT', 'UTILITY'),
  };
}
