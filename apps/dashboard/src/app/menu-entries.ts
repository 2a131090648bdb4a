import {
  IconAntenna,
  IconBan,
  IconBuildingStore,
  IconDeviceMobile,
  IconDeviceMobileMessage,
  IconHistory,
  IconHome,
  IconInbox,
  IconKey,
  IconMailQuestion,
  IconMessages,
  IconParking,
  IconPlugConnectedX,
  IconReceipt,
  IconRoad,
  IconRoute,
  IconSend,
  IconServer2,
  IconShieldCheck,
  IconStack2,
  IconStackPush,
  IconTemplate,
  IconTextCaption,
  IconUserCircle,
  IconUsers,
  IconWebhook,
  type Icon,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { WORDS as CHAT_ACCOUNTS } from '../pages/chat-accounts/words.ts';
import { WORDS as ENDPOINTS } from '../pages/endpoints/words.ts';
import { WORDS as GATEWAYS } from '../pages/gateways/words.ts';
import { WORDS as IDENTITY } from '../pages/identity/words.ts';
import { WORDS as INBOX } from '../pages/inbox/words.ts';
import { WORDS as OPERATIONS } from '../pages/operations/words.ts';
import { WORDS as ORPHAN_REPORTS } from '../pages/orphan-reports/words.ts';
import { WORDS as PHONE } from '../pages/phone/words.ts';
import { WORDS as ROUTING } from '../pages/routing/words.ts';
import { WORDS as TEMPLATES } from '../pages/templates/words.ts';
import { WORDS as WEBHOOKS } from '../pages/webhooks/words.ts';
import type { Scope } from './session.ts';

/** A page in the menu. */
export interface MenuEntry {
  to: NonNullable<LinkProps['to']>;
  label: string;
  icon: ComponentType<{ size?: number; stroke?: number }> | Icon;
  /** Root of pages that belong to it, besides those below its own path. */
  covers?: string;
  /** Scope without which the entry is not shown. */
  needs?: Scope;
  /** Feature of the installation without which the entry is not shown. */
  feature?: 'simulator';
  /** Words by which ⌘K finds the page, besides its label. */
  keywords?: string;
  /** Set for a page that makes something: the search lists it, but not for viewers, and the menu leaves it out. */
  isAction?: true;
}

/** Groups of the menu, in their order; `You` is the menu of the person, at the top right. */
export const MENU = {
  Overview: [{ to: '/', label: 'Overview', icon: IconHome }],
  'Message app': [
    {
      to: '/send',
      label: 'Send',
      icon: IconSend,
      needs: 'send',
      keywords: 'compose write sms chat campaign bulk csv upload schedule',
    },
    {
      to: '/messages',
      label: 'Messages',
      icon: IconMessages,
      needs: 'send',
      keywords: 'search find list export csv number recipient',
    },
    {
      to: '/sends',
      label: 'Sends',
      icon: IconStackPush,
      needs: 'send',
      keywords: 'campaign bulk progress cancel submission',
    },
    {
      to: '/templates',
      label: TEMPLATES.title,
      icon: IconTemplate,
      needs: 'templates',
      keywords: 'whatsapp chat app review approve media',
    },
    {
      to: '/sms-templates',
      label: 'SMS templates',
      icon: IconTextCaption,
      needs: 'send',
      keywords: 'placeholder dlt text',
    },
    {
      to: '/verification',
      label: 'Verification',
      icon: IconShieldCheck,
      needs: 'verify',
      keywords: 'otp one-time password code fraud conversion',
    },
    {
      to: '/inbox',
      label: INBOX.title,
      icon: IconInbox,
      needs: 'send',
      keywords: 'whatsapp conversation reply inbound received session window',
    },
    {
      to: '/opt-outs',
      label: 'Opt-outs',
      icon: IconBan,
      needs: 'manage',
      keywords: 'stop unsubscribe refuse',
    },
    {
      to: '/usage',
      label: 'Usage',
      icon: IconReceipt,
      needs: 'send',
      keywords: 'credits cost billing statistics',
    },
    {
      to: '/phone',
      label: PHONE.title,
      icon: IconDeviceMobile,
      needs: 'send',
      feature: 'simulator',
      keywords: 'simulator test reply stop',
    },
    {
      to: '/templates/new',
      label: TEMPLATES.create,
      icon: IconTemplate,
      needs: 'templates',
      isAction: true,
      keywords: 'new create whatsapp chat app',
    },
    {
      to: '/templates/review',
      label: TEMPLATES.reviewQueue,
      icon: IconTemplate,
      needs: 'manage',
      isAction: true,
      keywords: 'approve reject',
    },
    {
      to: '/verification/configs/add',
      label: 'Add verification configuration',
      icon: IconShieldCheck,
      needs: 'manage',
      isAction: true,
      keywords: 'new create otp code',
    },
  ],
  'Utility Manager': [
    {
      to: '/webhooks',
      covers: '/deliveries',
      label: WEBHOOKS.title,
      icon: IconWebhook,
      needs: 'webhooks',
      keywords: 'webhook endpoint delivery report push callback replay',
    },
    {
      to: '/api-keys',
      label: IDENTITY.keys.title,
      icon: IconKey,
      needs: 'manage',
      keywords: 'token secret rotate revoke scope',
    },
    {
      to: '/users',
      label: IDENTITY.users.title,
      icon: IconUsers,
      needs: 'manage',
      keywords: 'invite role viewer editor admin',
    },
    {
      to: '/senders',
      label: 'Sender numbers',
      icon: IconDeviceMobileMessage,
      needs: 'manage',
      keywords: 'whatsapp chat account msisdn assign release',
    },
    {
      to: '/chat-accounts',
      label: CHAT_ACCOUNTS.title,
      icon: IconBuildingStore,
      needs: 'send',
      keywords: 'whatsapp business account sender number session window',
    },
    {
      to: '/webhooks/add',
      label: WEBHOOKS.add,
      icon: IconWebhook,
      needs: 'webhooks',
      isAction: true,
      keywords: 'new create webhook push',
    },
  ],
  Operations: [
    { to: '/queues', label: OPERATIONS.queues, icon: IconStack2, needs: 'ops', keywords: 'jobs pause drain' },
    {
      to: '/lanes',
      label: OPERATIONS.lanes,
      icon: IconRoad,
      needs: 'ops',
      keywords: 'held ready pause account',
    },
    {
      to: '/parked',
      label: OPERATIONS.parked,
      icon: IconParking,
      needs: 'ops',
      keywords: 'stuck free discard',
    },
    {
      to: '/gateways',
      label: GATEWAYS.title,
      icon: IconAntenna,
      needs: 'ops',
      keywords: 'smpp smsc http vendor whatsapp bind carrier',
    },
    {
      to: '/routes',
      label: ROUTING.title,
      icon: IconRoute,
      needs: 'ops',
      keywords: 'routing what-if explain priority weight failover',
    },
    {
      to: '/orphan-reports',
      label: ORPHAN_REPORTS.title,
      icon: IconMailQuestion,
      needs: 'ops',
      keywords: 'unmatched receipt id rule inbound',
    },
    {
      to: '/endpoints',
      label: ENDPOINTS.title,
      icon: IconPlugConnectedX,
      needs: 'ops',
      keywords: 'breaker webhook push failing',
    },
    {
      to: '/accounts',
      label: OPERATIONS.accounts,
      icon: IconBuildingStore,
      needs: 'ops',
      keywords: 'tenant suspend',
    },
    {
      to: '/audit',
      label: IDENTITY.audit.title,
      icon: IconHistory,
      needs: 'manage',
      keywords: 'log history who changed',
    },
    {
      to: '/system',
      label: OPERATIONS.system,
      icon: IconServer2,
      needs: 'ops',
      keywords: 'version migrations',
    },
    {
      to: '/gateways/add',
      label: GATEWAYS.add,
      icon: IconAntenna,
      needs: 'ops',
      isAction: true,
      keywords: 'new create smpp http',
    },
    {
      to: '/routes/add',
      label: ROUTING.add,
      icon: IconRoute,
      needs: 'ops',
      isAction: true,
      keywords: 'new create',
    },
  ],
  You: [
    {
      to: '/profile',
      label: IDENTITY.profile.title,
      icon: IconUserCircle,
      keywords: 'password totp second factor sessions',
    },
  ],
} as const satisfies Record<string, readonly MenuEntry[]>;

export type MenuGroup = keyof typeof MENU;
