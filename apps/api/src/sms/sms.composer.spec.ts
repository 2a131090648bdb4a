import { expect, test } from '@jest/globals';
import type { SmsTemplate } from '@signalbox/database/templates/sms-template.entity';
import { ApiConfig } from '../config.ts';
import type { SmsTemplateCache } from '../sms-templates/sms-template-cache.ts';
import { SmsComposer } from './sms.composer.ts';
import { SmsRequest } from './sms.dto.ts';

const RECIPIENTS = 10_000;

function setup(text: string): SmsComposer {
  const template = { id: 'template', text, sender: 'SIGNALBX', type: null } as SmsTemplate;
  const templates = { find: async () => template } as unknown as SmsTemplateCache;
  return new SmsComposer(templates, new ApiConfig());
}

async function failureOf(composer: SmsComposer, request: SmsRequest): Promise<unknown> {
  return Promise.resolve(composer.compose('account', request)).catch((thrown: unknown) => thrown);
}

test('other requests proceed while the texts of a large bulk are counted', async () => {
  const composer = setup(`${'y'.repeat(1_490)}{{1}}`);
  const request = Object.assign(new SmsRequest(), {
    type: 'TRANS',
    templateId: 'template',
    custom: Array.from({ length: RECIPIENTS }, (_, i) => [i === 1 ? 'x'.repeat(100) : 'x']),
  });
  let ticks = 0;
  const count = (): void => {
    ticks += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);

  const error = await failureOf(composer, request);

  clearImmediate(timer);
  expect(error).toMatchObject({ details: [{ field: 'custom[1]', rule: 'max_length' }] });
  expect(ticks).toBeGreaterThanOrEqual(40);
});

test('a text with targets in more places than fit is refused before it is filled', async () => {
  const composer = setup('');
  const targetUrl = [`https://example.com/${'x'.repeat(2_000)}`];
  const request = Object.assign(new SmsRequest(), {
    sender: 'SIGNALBX',
    type: 'TRANS',
    text: '{{shortUrl}}'.repeat(2 ** 19), // filled in, longer than any string can be
    shortenUrlData: { shortenUrl: false, targetUrl },
  });

  const error = await failureOf(composer, request);

  expect(error).toMatchObject({ details: [{ field: 'text', rule: 'max_length' }] });
});

test('a template whose links alone are too long is refused once, not for each recipient', async () => {
  const composer = setup('{{1}}{{shortUrl}}');
  const request = Object.assign(new SmsRequest(), {
    type: 'TRANS',
    templateId: 'template',
    custom: [['a'], ['b']],
    shortenUrlData: { shortenUrl: false, targetUrl: [`https://example.com/${'x'.repeat(2_000)}`] },
  });

  const error = await failureOf(composer, request);

  expect(error).toMatchObject({ details: [{ field: 'templateId', rule: 'max_length' }] });
});

test('a text of exactly ten parts with its links is accepted', async () => {
  const composer = setup('');
  const target = 'https://example.com/';
  const request = Object.assign(new SmsRequest(), {
    sender: 'SIGNALBX',
    type: 'TRANS',
    text: `${'x'.repeat(1_530 - 60 * target.length)}${'{{shortUrl10}}'.repeat(60)}`,
    shortenUrlData: { shortenUrl: false, targetUrl: Array(10).fill(target) },
  });

  expect(await composer.compose('account', request)).toMatchObject({ credits: 10 });
});
