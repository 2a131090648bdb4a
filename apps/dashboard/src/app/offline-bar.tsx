import { IconCloudOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './shell.module.css';
import { useOffline } from './use-offline.ts';

/** A bar above the page while Signalbox cannot be reached. */
export function OfflineBar(): ReactNode {
  if (!useOffline()) return null;
  return (
    <div role="status" className={classes['bar']}>
      <IconCloudOff size={17} stroke={1.8} aria-hidden />
      Signalbox cannot be reached. The page shows what it read last, and tries again.
    </div>
  );
}
