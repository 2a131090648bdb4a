import type { Found } from '@signalbox/client';
import { defaultStringifySearch } from '@tanstack/react-router';

/** The page of something that a search found, and the words before its name. */
interface FoundPage {
  label: string;
  path: (found: Found) => string;
}

const encoded = encodeURIComponent;

/** Pages of what a search finds, by its kind. An inbound message is found as its conversation. */
export const PAGES: Partial<Record<Found['kind'], FoundPage>> = {
  send: { label: 'Send from', path: ({ id }) => `/sends/${id}` },
  message: { label: 'Message to', path: ({ id }) => `/messages/${id}` },
  conversation: {
    label: 'Conversation with',
    path: ({ id }) => `/inbox?with=${encoded(id.replace('/', ':'))}`,
  },
  number: { label: 'Messages to', path: ({ id }) => `/messages?recipient=${id}` },
  campaign: {
    label: 'Campaign',
    path: ({ id }) => `/messages${defaultStringifySearch({ campaignName: id })}`,
  },
  reference: {
    label: 'Reference',
    path: ({ id }) => `/messages${defaultStringifySearch({ clientRef: id })}`,
  },
  'opt-out': { label: 'Opt-out of', path: ({ label }) => `/opt-outs?recipient=${label}` },
  sender: { label: 'Sender number', path: ({ id }) => `/chat-accounts/${id.split('/')[0]}` },
  webhook: { label: 'Push configuration', path: ({ id }) => `/webhooks/${id}` },
  delivery: { label: 'Push', path: ({ id }) => `/deliveries/${encoded(id)}` },
  template: { label: 'Template', path: ({ id }) => `/templates/${id}` },
  'sms-template': { label: 'SMS template', path: ({ id }) => `/sms-templates/${id}` },
  'chat-account': { label: 'Chat account', path: ({ id }) => `/chat-accounts/${id}` },
  verification: { label: 'Verification of', path: ({ id }) => `/verification/${id}` },
  'verification-config': {
    label: 'Verification configuration',
    path: ({ id }) => `/verification/configs/${id}`,
  },
  gateway: { label: 'Gateway', path: ({ id }) => `/gateways/${encoded(id)}` },
  route: { label: 'Route', path: ({ id }) => `/routes/${id}` },
};
