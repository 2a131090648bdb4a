import { callbackDuties } from '@signalbox/messaging/callbacks/callback-reading';
import { laneDuties } from '@signalbox/messaging/lanes/lane-duties';
import type { Duty } from '@signalbox/messaging/maintenance/duty';
import { rescue } from '@signalbox/messaging/maintenance/lost-jobs';
import type { ChatappWorkerConfig } from './config.ts';
import { MEDIA_SWEEP } from './media-sweep.ts';
import { ProviderAccounts } from './provider-templates/provider-accounts.ts';
import { TemplateReviewer } from './template.reviewer.ts';

/** Maintenance by the chatapp-worker. With manual review a template waits for a person, however long that takes. */
export function chatDuties(review: ChatappWorkerConfig['TEMPLATE_REVIEW']): Duty[] {
  return [
    ...laneDuties(),
    ...callbackDuties(),
    ...(review === 'auto' ? [rescue('reviews', (ids, { get }) => get(TemplateReviewer).review(ids))] : []),
    {
      name: 'register templates',
      everyMs: 1_000,
      run: ({ get }) => get(ProviderAccounts).run(),
    },
    MEDIA_SWEEP,
  ];
}
