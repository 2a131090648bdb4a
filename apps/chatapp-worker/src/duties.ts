import { enrolTemplates } from '@signalbox/database/templates/enrolment';
import { callbackDuties } from '@signalbox/messaging/callbacks/callback-reading';
import { laneDuties } from '@signalbox/messaging/lanes/lane-duties';
import type { Duty } from '@signalbox/messaging/maintenance/duty';
import { rescue } from '@signalbox/messaging/maintenance/lost-jobs';
import type { ChatappWorkerConfig } from './config.ts';
import { MEDIA_SWEEP } from './media-sweep.ts';
import { ProviderAccounts } from './provider-templates/provider-accounts.ts';
import { TemplateReviewer } from './template.reviewer.ts';

/** Reads the served templates of all accounts, so one worker does it for all gateways. */
const ENROL_TEMPLATES: Duty = {
  name: 'enrol templates',
  everyMs: 5_000,
  lock: 'enrol templates',
  run: ({ db }) => enrolTemplates(db),
};

/** Maintenance by the chatapp-worker. With manual review a template waits for a person, however long that takes. */
export function chatDuties(review: ChatappWorkerConfig['TEMPLATE_REVIEW']): Duty[] {
  return [
    ...laneDuties(),
    ...callbackDuties(),
    ...(review === 'auto' ? [rescue('reviews', (ids, { get }) => get(TemplateReviewer).review(ids))] : []),
    ENROL_TEMPLATES,
    {
      name: 'register templates',
      everyMs: 1_000,
      run: ({ get }) => get(ProviderAccounts).run(),
    },
    MEDIA_SWEEP,
  ];
}
