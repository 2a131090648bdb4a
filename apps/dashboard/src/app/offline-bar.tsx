import { IconCloudOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type Outage, useHeartbeat, useOutage } from '../api/outage.ts';
import { counted } from '../parts/counted.ts';
import { useNow } from '../parts/use-now.ts';
import classes from './shell.module.css';

const MINUTE_MS = 60_000;

/** A bar above the page while its answers cannot be read again: why, and how old they are. */
export function OfflineBar(): ReactNode {
  useHeartbeat();
  const outage = useOutage();
  if (!outage) return null;
  return (
    <div role="status" className={classes['bar']}>
      <IconCloudOff size={17} stroke={1.8} aria-hidden />
      <Sentence outage={outage} />
    </div>
  );
}

function Sentence({ outage: { status, readAt } }: { outage: Outage }): ReactNode {
  const now = useNow(MINUTE_MS / 4);
  const reason = status === 0 ? 'the server cannot be reached' : `the server returns ${status}`;
  if (readAt === undefined) return `${reason.replace(/^t/, 'T')}. The page tries again by itself.`;
  const minutes = Math.floor((now - readAt) / MINUTE_MS);
  const age = minutes < 1 ? 'less than a minute' : counted(minutes, 'minute');
  return `What you see is ${age} old: ${reason}. The page tries again by itself.`;
}
