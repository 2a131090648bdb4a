import {
  CALLBACK_QUEUE,
  CHAT_SIMULATOR_QUEUE,
  OTP_QUEUE,
  REPORT_QUEUES,
  TEMPLATE_REVIEW_QUEUE,
} from '@signalbox/queues/definitions';

/** Kinds of rows that jobs name. */
export const ROW_KINDS = ['send', 'message', 'report', 'verification', 'template', 'callback'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

const KINDS: Readonly<Record<string, RowKind>> = {
  [CALLBACK_QUEUE.name]: 'callback',
  [CHAT_SIMULATOR_QUEUE.name]: 'message',
  [OTP_QUEUE.name]: 'verification',
  [REPORT_QUEUES.OTP.name]: 'report',
  [REPORT_QUEUES.OTHER.name]: 'report',
  [TEMPLATE_REVIEW_QUEUE.name]: 'template',
};

/** The kind of rows that the jobs of a queue name: those of lanes name sends. */
export function kindOfRows(queue: string): RowKind {
  return KINDS[queue] ?? 'send';
}
