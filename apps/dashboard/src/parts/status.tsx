import { Badge, type MantineColor } from '@mantine/core';
import type { ReactNode } from 'react';
import { capitalized } from './capitalized.ts';

/** Colour of each status word of the api, by meaning. */
const COLORS: Record<string, MantineColor> = {
  Pending: 'gray',
  Scheduled: 'gray',
  Sent: 'blue',
  Delivered: 'teal',
  Read: 'teal',
  Failed: 'red',
  waiting: 'gray',
  delivered: 'teal',
  exhausted: 'red',
  enabled: 'teal',
  active: 'teal',
  disabled: 'gray',
  paused: 'yellow',
  approved: 'teal',
  pending: 'yellow',
  rejected: 'red',
  open: 'red',
  closed: 'teal',
  half_open: 'yellow',
  bound: 'teal',
  up: 'teal',
  down: 'red',
  verified: 'teal',
  expired: 'gray',
  revoked: 'gray',
};

interface StatusProps {
  /** The word of the api, as `Delivered` or `half_open`. */
  status: string;
  /** Colour, where the word alone does not say it. */
  color?: MantineColor;
  label?: string;
}

/** Status of a message, a delivery, a gateway or anything else that has one. */
export function Status({ status, color, label }: StatusProps): ReactNode {
  const chosen = color ?? COLORS[status] ?? COLORS[status.toLowerCase()] ?? 'gray';
  return (
    <Badge
      variant="light"
      color={chosen}
      radius="sm"
      size="sm"
      tt="none"
      fw={600}
      style={{ flex: 'none', minWidth: 'max-content' }}
    >
      {label ?? words(status)}
    </Badge>
  );
}

/** `half_open` → `Half open`. */
function words(status: string): string {
  return capitalized(status.replaceAll('_', ' '));
}
