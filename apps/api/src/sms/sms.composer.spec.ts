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

  const error = await Promise.resolve(composer.compose('account', request)).catch(
    (thrown: unknown) => thrown,
  );

  clearImmediate(timer);
  expect(error).toMatchObject({ details: [{ field: 'custom[1]', rule: 'max_length' }] });
  expect(ticks).toBeGreaterThanOrEqual(40);
});
