import { expect, test } from '@jest/globals';
import { createLogger } from '@signalbox/runtime/logger';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { ONE_BY_ONE, runThirdTime } from '@signalbox/test/started-rows';
import { TemplateReviewProcessor } from './template-review.processor.ts';
import type { TemplateReviewer } from './template.reviewer.ts';

const { db } = await openSharedRows();

test('a job that runs for the third time reviews its templates one by one, and counts each', async () => {
  const logger = createLogger('test', 'silent');
  const third = await runThirdTime(
    db,
    'template',
    (review) => new TemplateReviewProcessor({ review } as unknown as TemplateReviewer, db, logger),
  );
  expect(third).toEqual(ONE_BY_ONE);
});
