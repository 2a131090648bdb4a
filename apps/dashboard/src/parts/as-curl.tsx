import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconTerminal2 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type ApiCall, curlOf } from './curl.ts';

/** A button that copies a call of the api as a curl command; the key comes from the environment of the shell. */
export function AsCurl({ call }: { call: () => ApiCall }): ReactNode {
  const { copied, copy } = useClipboard();
  return (
    <Button
      variant="default"
      leftSection={copied ? <IconCheck size={16} /> : <IconTerminal2 size={16} />}
      onClick={() => copy(curlOf(call(), window.location.origin))}
      title="The command needs your key in SIGNALBOX_API_KEY: export SIGNALBOX_API_KEY=sb_live_…"
    >
      {copied ? 'Copied: export SIGNALBOX_API_KEY first' : 'Copy as curl'}
    </Button>
  );
}
